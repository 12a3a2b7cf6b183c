"""The orchestrator as a real service over five scripted agents: where each outcome leads."""

from pathlib import Path

import grpc
import pytest
from assay.common.v1 import evidence_pb2
from assay.common.v1.answer_pb2 import Answer, Sentence
from assay.common.v1.tool_pb2 import Invocation
from assay.composer.v1 import composer_pb2
from assay.composer.v1.composer_pb2 import ComposeResponse
from assay.executor.v1 import executor_pb2
from assay.executor.v1.executor_pb2 import ExecuteResponse, ExecutorResult
from assay.gatekeeper.v1 import gatekeeper_pb2
from assay.gatekeeper.v1.gatekeeper_pb2 import CheckResponse
from assay.orchestrator.v1 import run_pb2
from assay.planner.v1 import planner_pb2
from assay.planner.v1.planner_pb2 import PlanResponse
from assay.verifier.v1 import verifier_pb2
from assay.verifier.v1.verifier_pb2 import VerifyRequest, VerifyResponse

from tests.fakes.agents import (
    CHANGE,
    LOG,
    PLAN,
    SYMPTOM_BINDING,
    UNKNOWN_KEY,
    Reply,
    cause,
    changed,
    claim,
    ended,
    executed,
    judging,
    result,
    run_with,
    stack,
)

START = ["planner:COMPLETED", "executor:COMPLETED", "gatekeeper:PASS", "verified_input:COMPLETED"]
FALLBACK = "fallback:COMPLETED"
LOW = evidence_pb2.VERDICT_LOW_CONFID
PASS = evidence_pb2.VERDICT_PASS
REJECT = evidence_pb2.VERDICT_REJECT
CONTRADICTED = evidence_pb2.CLASSIFICATION_CONTRADICTED
INFERRED = evidence_pb2.CLASSIFICATION_REASONABLE_INFERENCE


def plan(status: "planner_pb2.PlannerStatus.ValueType") -> PlanResponse:
    return PlanResponse(status=status)


async def test_pass(tmp_path: Path) -> None:
    _, outcome = await run_with(tmp_path, {})
    run = outcome.run
    assert outcome.path == [*START, "verifier:COMPLETED", "composer:COMPLETED"]
    assert (run.status, run.effective_verdict) == (run_pb2.RUN_STATUS_SUCCEEDED, PASS)
    assert [(item.component, item.fault) for item in run.suspects] == [("api", "config.changed")]
    assert [item.claim.claim_id for item in run.claims] == ["symptom-1", "cause-1"]
    assert run.answer.confirmed
    assert not run.HasField("failure")
    assert run.usage.tool_invocations == 3
    assert run.usage.node_executions == 6
    assert {(row.source, row.reason) for row in run.checked if row.reason} == {
        ("logs/gone.log", "no such source"),
        ("alert", "the bundle has no alerts"),
    }
    assert (run.context.window.start.seconds, run.context.window.end.seconds) == (1_000, 2_001)


async def test_the_stream_begins_with_the_run_and_ends_with_it(tmp_path: Path) -> None:
    _, outcome = await run_with(tmp_path, {})
    kinds = [message.WhichOneof("payload") for message in outcome.messages]
    assert (kinds[0], kinds[-1]) == ("started", "run")
    assert outcome.messages[0].started.run_id == outcome.run.run_id
    assert kinds.count("node_started") == kinds.count("event") == 6
    assert kinds.count("invocation") == 3


async def test_a_rejected_run_is_composed_without_claims(tmp_path: Path) -> None:
    running, outcome = await run_with(tmp_path, {"Verify": [judging(REJECT, cause_1=CONTRADICTED)]})
    assert outcome.path[-1] == "composer:COMPLETED"
    assert (outcome.run.status, outcome.run.effective_verdict) == (run_pb2.RUN_STATUS_DEGRADED, REJECT)
    assert not outcome.run.suspects
    assert not outcome.run.claims
    assert not running.agents.composer.requests("Compose")[0].claims
    assert not outcome.run.HasField("failure")


async def test_a_failed_binding_bounds_the_verdict(tmp_path: Path) -> None:
    wrong = {**SYMPTOM_BINDING, "matched_text": "canary-never-logged"}
    document = executed(claim("symptom-1", evidence_bindings=[SYMPTOM_BINDING, wrong]), cause())
    running, outcome = await run_with(tmp_path, {"Execute": [document]})
    assert "gatekeeper:LOW_CONFID" in outcome.path
    assert outcome.evaluation["model_verdict"] == "PASS"
    assert outcome.run.effective_verdict == LOW
    assert "evidence_retry:COMPLETED" not in outcome.path
    assert b"canary-never-logged" not in running.agents.verifier.wire["Verify"][0]
    assert outcome.run.status == run_pb2.RUN_STATUS_SUCCEEDED


async def test_the_guard_lowers_what_the_evidence_does_not_hold(tmp_path: Path) -> None:
    document = executed(cause(statement='The change "api: pool size raised" was applied 42 times.'))
    again = executed(calls=())
    _, outcome = await run_with(tmp_path, {"Execute": [document, again]})
    check = outcome.evaluation["claim_checks"][0]
    assert (check["model_classification"], check["classification"]) == ("direct_observation", "overstated")
    assert outcome.evaluation["facts_checked"][0]["fact_class"] == "indirect_support"
    assert outcome.run.effective_verdict == LOW
    assert not outcome.run.suspects


FUTURE = 99
FALLBACKS: list[tuple[str, dict[str, list[Reply]], list[str]]] = [
    (
        "planner_non_retryable_failed",
        {"Plan": [plan(planner_pb2.PLANNER_STATUS_NON_RETRYABLE_FAILED)]},
        ["planner:NON_RETRYABLE_FAILED"],
    ),
    ("planner_unknown", {"Plan": [PlanResponse()]}, ["planner:UNKNOWN"]),
    (
        "planner_invalid_output",
        {"Plan": [plan(planner_pb2.PLANNER_STATUS_COMPLETED)]},
        ["planner:INVALID_OUTPUT", "planner:INVALID_OUTPUT"],
    ),
    (
        "planner_retryable_failed",
        {"Plan": [grpc.StatusCode.UNAVAILABLE]},
        ["planner:RETRYABLE_FAILED", "planner:RETRYABLE_FAILED"],
    ),
    ("planner_non_retryable_failed", {"Plan": [grpc.StatusCode.INTERNAL]}, ["planner:NON_RETRYABLE_FAILED"]),
    (
        "executor_invalid_output",
        {"Execute": [ended(executor_pb2.EXECUTOR_STATUS_INVALID_OUTPUT)]},
        ["planner:COMPLETED", "executor:INVALID_OUTPUT"],
    ),
    (
        "executor_tool_blocked",
        {"Execute": [ended(executor_pb2.EXECUTOR_STATUS_TOOL_BLOCKED)]},
        ["planner:COMPLETED", "executor:TOOL_BLOCKED"],
    ),
    (
        "executor_failed",
        {"Execute": [ended(executor_pb2.EXECUTOR_STATUS_FAILED)]},
        ["planner:COMPLETED", "executor:FAILED"],
    ),
    (
        "executor_unknown",
        {"Execute": [ended(executor_pb2.EXECUTOR_STATUS_UNSPECIFIED)]},
        ["planner:COMPLETED", "executor:UNKNOWN"],
    ),
    (
        "executor_invalid_output",
        {"Execute": [ended(executor_pb2.EXECUTOR_STATUS_COMPLETED)]},
        ["planner:COMPLETED", "executor:INVALID_OUTPUT"],
    ),
    (
        "executor_failed",
        {"Execute": [[ExecuteResponse(invocation=LOG)]]},
        ["planner:COMPLETED", "executor:FAILED"],
    ),
    (
        "executor_failed",
        {"Execute": [[*executed(claim("s")), grpc.StatusCode.UNAVAILABLE]]},
        ["planner:COMPLETED", "executor:FAILED"],
    ),
    (
        "executor_invalid_output",
        {"Execute": [executed(claim("s"), calls=(LOG, LOG))]},
        ["planner:COMPLETED", "executor:INVALID_OUTPUT"],
    ),
    (
        "executor_invalid_output",
        {"Execute": [executed(claim("s"), calls=(Invocation(id="inv-9"),))]},
        ["planner:COMPLETED", "executor:INVALID_OUTPUT"],
    ),
    (
        "executor_invalid_output",
        {"Execute": [executed(claim("s"), calls=(changed(LOG, output=b"{}"),))]},
        ["planner:COMPLETED", "executor:INVALID_OUTPUT"],
    ),
    (
        "executor_invalid_output",
        {"Execute": [executed(claim("s"), calls=(changed(LOG, kind=0),))]},
        ["planner:COMPLETED", "executor:INVALID_OUTPUT"],
    ),
    (
        "executor_invalid_output",
        {"Execute": [executed(claim("s"), calls=(changed(LOG, kind=9),))]},
        ["planner:COMPLETED", "executor:INVALID_OUTPUT"],
    ),
    (
        "executor_invalid_output",
        {"Execute": [executed(claim("s"), calls=(changed(LOG, arguments_json=b" " * 65_537),))]},
        ["planner:COMPLETED", "executor:INVALID_OUTPUT"],
    ),
    (
        "executor_invalid_output",
        {"Execute": [[*executed(claim("s")), *executed(calls=())]]},
        ["planner:COMPLETED", "executor:INVALID_OUTPUT"],
    ),
    (
        "executor_invalid_output",
        {"Execute": [[*executed(claim("s"), calls=()), ExecuteResponse(invocation=LOG)]]},
        ["planner:COMPLETED", "executor:INVALID_OUTPUT"],
    ),
    (
        "gatekeeper_reject",
        {"Execute": [[ExecuteResponse(invocation=LOG), result(UNKNOWN_KEY)]]},
        [*START[:2], "gatekeeper:REJECT"],
    ),
    (
        "gatekeeper_low_confid",
        {"Execute": [executed()]},
        [*START[:2], "gatekeeper:LOW_CONFID"],
    ),
    ("gatekeeper_unknown", {"Check": [CheckResponse()]}, [*START[:2], "gatekeeper:UNKNOWN"]),
    (
        "gatekeeper_invalid_output",
        {"Check": [CheckResponse(status=gatekeeper_pb2.GATEKEEPER_STATUS_PASS, verified_binding_count=1)]},
        [*START[:2], "gatekeeper:INVALID_OUTPUT"],
    ),
    (
        "gatekeeper_retryable_failed",
        {"Check": [grpc.StatusCode.UNAVAILABLE]},
        [*START[:2], "gatekeeper:RETRYABLE_FAILED"],
    ),
    (
        "verifier_invalid_output",
        {"Verify": [VerifyResponse(status=verifier_pb2.VERIFIER_STATUS_COMPLETED)]},
        [*START, "verifier:INVALID_OUTPUT", "verifier:INVALID_OUTPUT"],
    ),
    (
        "verifier_invalid_output",
        {"Verify": [judging(evidence_pb2.VERDICT_UNSPECIFIED)]},
        [*START, "verifier:INVALID_OUTPUT", "verifier:INVALID_OUTPUT"],
    ),
    ("verifier_unknown", {"Verify": [VerifyResponse()]}, [*START, "verifier:UNKNOWN"]),
    (
        "verifier_non_retryable_failed",
        {"Verify": [grpc.StatusCode.PERMISSION_DENIED]},
        [*START, "verifier:NON_RETRYABLE_FAILED"],
    ),
    ("planner_unknown", {"Plan": [changed(PLAN, status=FUTURE)]}, ["planner:UNKNOWN"]),
    (
        "executor_unknown",
        {"Execute": [[ExecuteResponse(result=changed(ExecutorResult(document=UNKNOWN_KEY), status=FUTURE))]]},
        ["planner:COMPLETED", "executor:UNKNOWN"],
    ),
    (
        "gatekeeper_unknown",
        {"Check": [changed(CheckResponse(verified_binding_count=1), status=FUTURE)]},
        [*START[:2], "gatekeeper:UNKNOWN"],
    ),
    (
        "verifier_unknown",
        {"Verify": [changed(VerifyResponse(), status=FUTURE)]},
        [*START, "verifier:UNKNOWN"],
    ),
    (
        "verifier_invalid_output",
        {"Verify": [judging(FUTURE)]},  # type: ignore[arg-type] # any number may come
        [*START, "verifier:INVALID_OUTPUT", "verifier:INVALID_OUTPUT"],
    ),
]


@pytest.mark.parametrize(("reason", "script", "path"), FALLBACKS)
async def test_before_a_verification_fallback_states_no_cause(
    tmp_path: Path, reason: str, script: dict[str, list[Reply]], path: list[str]
) -> None:
    async with stack(tmp_path / "runs.db") as running:
        for agent in running.agents.all().values():
            agent.replies.update({name: script[name] for name in agent.replies if name in script})
        outcome = await running.diagnose()
        trace = await running.trace(outcome.run.run_id)
    run = outcome.run
    assert outcome.path == [*path, FALLBACK]
    assert (run.status, run.effective_verdict) == (run_pb2.RUN_STATUS_DEGRADED, 0)
    assert (trace.final_node, trace.termination_reason, trace.degraded) == ("fallback", reason, True)
    assert f"{run.failure.node}:{run.failure.status}" == path[-1]
    assert not run.suspects
    assert not run.claims
    assert not run.answer.confirmed
    assert not run.answer.possible_directions
    assert run.answer.summary
    assert outcome.evaluation["prompt_audit"]["version"]
    assert outcome.evaluation["failure"]["node"] == run.failure.node
    assert not outcome.evaluation.keys() & {"verdict", "model_verdict", "effective_verdict"}


async def fabricating(request: VerifyRequest) -> Reply:
    """Calls the first claim fabricated, as a verifier must that sees no arguments."""
    reply = await judging(REJECT, symptom_1=evidence_pb2.CLASSIFICATION_OVERSTATED)(request)
    assert isinstance(reply, VerifyResponse)
    reply.verification.claim_checks[0].fabricated = True
    return reply


@pytest.mark.parametrize(("searched", "verdict"), [(True, LOW), (False, REJECT)])
async def test_what_was_searched_for_is_not_fabricated(
    tmp_path: Path, searched: bool, verdict: evidence_pb2.Verdict.ValueType
) -> None:
    call = changed(LOG, arguments_json=b'{"contains": ["pool_timeout"]}' if searched else b"{}")
    document = executed(claim("symptom-1", statement="api hit pool_timeout."), cause(), calls=(call, CHANGE))
    script: dict[str, list[Reply]] = {"Execute": [document, executed(calls=())], "Verify": [fabricating]}
    _, outcome = await run_with(tmp_path, script)
    assert outcome.run.effective_verdict == verdict
    evaluation = outcome.evaluation
    assert evaluation["model_verdict"] == evaluation["effective_verdict"]
    check = evaluation["claim_checks"][0]
    assert check["fabricated"] is (verdict == REJECT)
    assert check["classification"] == "overstated"
    assert bool(check["guard_reason"]) is (verdict == LOW)
    assert "symptom-1" not in [item.claim.claim_id for item in outcome.run.claims]


@pytest.mark.parametrize(
    ("limit", "value", "blamed"),
    [
        ("max_invocations", 2, "executor"),
        ("max_output_bytes", len(LOG.output) + len(CHANGE.output), "executor"),
        ("max_verified_input_bytes", 100, "verified_input"),
    ],
)
async def test_what_is_over_a_limit_ends_in_fallback(
    tmp_path: Path, limit: str, value: int, blamed: str
) -> None:
    async with stack(tmp_path / "runs.db", None, **{limit: float(value)}) as running:
        outcome = await running.diagnose()
    assert (outcome.run.failure.node, outcome.run.failure.reason_code) == (blamed, "too_large")
    assert outcome.path[-1] == FALLBACK
    kept = [row.invocation_id for row in outcome.run.checked if row.invocation_id]
    assert kept == (["inv-1", "inv-2"] if blamed == "executor" else ["inv-1", "inv-2", "inv-3"])


INVENTED = ComposeResponse(
    status=composer_pb2.COMPOSER_STATUS_COMPLETED,
    answer=Answer(summary=[Sentence(text="api failed 4711 times.", claim_ids=["symptom-1"])]),
)
COMPOSER_FAILURES: list[tuple[Reply, list[str]]] = [
    (INVENTED, ["composer:INVALID_OUTPUT"] * 2),
    (ComposeResponse(status=composer_pb2.COMPOSER_STATUS_COMPLETED), ["composer:INVALID_OUTPUT"] * 2),
    (ComposeResponse(), ["composer:UNKNOWN"]),
    (changed(ComposeResponse(), status=FUTURE), ["composer:UNKNOWN"]),
    (grpc.StatusCode.UNAVAILABLE, ["composer:RETRYABLE_FAILED"] * 2),
    (grpc.StatusCode.INTERNAL, ["composer:NON_RETRYABLE_FAILED"]),
]


@pytest.mark.parametrize(("reply", "attempts"), COMPOSER_FAILURES)
async def test_after_a_verification_fallback_keeps_directions_and_suspects(
    tmp_path: Path, reply: Reply, attempts: list[str]
) -> None:
    _, outcome = await run_with(tmp_path, {"Compose": [reply]})
    run = outcome.run
    assert outcome.path == [*START, "verifier:COMPLETED", *attempts, FALLBACK]
    assert (run.status, run.effective_verdict) == (run_pb2.RUN_STATUS_DEGRADED, PASS)
    assert not run.answer.confirmed
    assert [item.claim_ids for item in run.answer.possible_directions] == [["symptom-1"], ["cause-1"]]
    assert [item.component for item in run.suspects] == ["api"]
    assert outcome.evaluation["verdict"] == "PASS"
    assert outcome.evaluation["composer_output"] == {"status": attempts[0].split(":")[1]}
    assert b"4711" not in run.SerializeToString()


async def test_a_fallback_after_reject_shows_no_claim(tmp_path: Path) -> None:
    script: dict[str, list[Reply]] = {
        "Verify": [judging(REJECT, cause_1=CONTRADICTED)],
        "Compose": [grpc.StatusCode.INTERNAL],
    }
    _, outcome = await run_with(tmp_path, script)
    assert (outcome.run.status, outcome.run.effective_verdict) == (run_pb2.RUN_STATUS_DEGRADED, REJECT)
    assert not outcome.run.suspects
    assert not outcome.run.answer.possible_directions
