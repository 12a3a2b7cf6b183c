"""`verifier_evaluation` has one shape, whatever way a run ended."""

import asyncio
import copy
import json
from collections.abc import Callable
from pathlib import Path

import grpc
import pytest
from assay.common.v1 import evidence_pb2
from assay.composer.v1 import composer_pb2
from assay.composer.v1.composer_pb2 import ComposeResponse
from assay.executor.v1 import executor_pb2
from assay.executor.v1.executor_pb2 import ExecuteResponse, ExecutorResult
from assay.gatekeeper.v1 import gatekeeper_pb2
from assay.gatekeeper.v1.gatekeeper_pb2 import CheckRequest
from assay.orchestrator.v1 import run_pb2
from assay.planner.v1 import planner_pb2
from assay.planner.v1.planner_pb2 import PlanResponse
from assay.verifier.v1 import verifier_pb2
from assay.verifier.v1.verifier_pb2 import VerifyResponse
from pydantic import ValidationError

from orchestrator import composition
from orchestrator.graph import Node, Outcome, fallback_reason
from orchestrator.graph.vocabulary import OUTCOMES
from services.gatekeeper.domain import check
from tests.fakes.agents import (
    LOG,
    METHODS,
    PLAN,
    SYMPTOM_BINDING,
    UNKNOWN_KEY,
    Json,
    Reply,
    cause,
    changed,
    claim,
    composed,
    executed,
    gate,
    hanging,
    judging,
    result,
    stack,
)
from tests.fakes.diagnosed import DATABASE, WITH_VERIFIER, Diagnosed, diagnosed
from tests.fakes.evaluation_schema import VERDICT_KEYS, checked_evaluation
from tests.fakes.said import PROVEN

PASS = evidence_pb2.VERDICT_PASS
LOW = evidence_pb2.VERDICT_LOW_CONFID
REJECT = evidence_pb2.VERDICT_REJECT
INFERRED = evidence_pb2.CLASSIFICATION_REASONABLE_INFERENCE
CONTRADICTED = evidence_pb2.CLASSIFICATION_CONTRADICTED
FUTURE = 99

Script = dict[str, list[Reply]]
FIRST = executed(claim("symptom-1"), cause())
GAP = judging(LOW, cause_1=INFERRED)
FAILED_BINDING = {**SYMPTOM_BINDING, "matched_text": "never written"}

ENDED: dict[str, tuple[Script, str]] = {
    "pass": ({}, "PASS"),
    "low confidence by the gate": (
        {
            "Execute": [
                executed(claim("symptom-1", evidence_bindings=[SYMPTOM_BINDING, FAILED_BINDING]), cause())
            ]
        },
        "LOW_CONFID",
    ),
    "low confidence after both cycles": (
        {"Execute": [FIRST, executed(calls=())], "Verify": [GAP]},
        "LOW_CONFID",
    ),
    "pass in cycle 2": ({"Execute": [FIRST, executed(calls=())], "Verify": [GAP, judging()]}, "PASS"),
    "reject": ({"Verify": [judging(REJECT, cause_1=CONTRADICTED)]}, "REJECT"),
    "a guarded check": (
        {"Execute": [executed(cause(statement="api changed 42 times.")), executed(calls=())]},
        "LOW_CONFID",
    ),
    "planner retry": ({"Plan": [grpc.StatusCode.UNAVAILABLE, PLAN]}, "PASS"),
    "verifier retry": ({"Verify": [grpc.StatusCode.UNAVAILABLE, judging()]}, "PASS"),
    "composer retry": ({"Compose": [grpc.StatusCode.UNAVAILABLE, composed]}, "PASS"),
}


@pytest.mark.parametrize(("script", "verdict"), ENDED.values(), ids=ENDED)
async def test_a_run_that_was_answered(tmp_path: Path, script: Script, verdict: str) -> None:
    seen = await diagnosed(tmp_path, script)
    parsed = checked_evaluation(seen.evaluation)
    assert parsed.verdict == verdict
    assert parsed.failure is None
    assert parsed.composer_output is not None
    assert (parsed.first_verification is not None) is ("evidence_retry" in seen.nodes)


async def test_a_run_of_the_real_verifier(tmp_path: Path) -> None:
    seen = await diagnosed(tmp_path, {"Execute": [PROVEN]}, WITH_VERIFIER)
    assert checked_evaluation(seen.evaluation).verdict == "PASS"


def planned(status: int) -> Script:
    return {"Plan": [changed(PlanResponse(), status=status)]}


def execution(status: int) -> Script:
    return {"Execute": [[ExecuteResponse(result=changed(ExecutorResult(), status=status))]]}


def gated(status: int, bindings: int = 1) -> Script:
    async def reply(request: CheckRequest) -> Reply:
        found = changed(check(request), status=status, verified_binding_count=bindings)
        if not bindings:
            del found.result.checked_bindings[:]
        return found

    return {"Check": [reply]}


def verified(status: int) -> Script:
    return {"Verify": [changed(VerifyResponse(), status=status)]}


def answered(status: int) -> Script:
    return {"Compose": [changed(ComposeResponse(), status=status)]}


TOO_LARGE: Script = {}
FALLBACKS: dict[tuple[Node, Outcome], Script] = {
    (Node.PLANNER, Outcome.INVALID_OUTPUT): planned(planner_pb2.PLANNER_STATUS_INVALID_OUTPUT),
    (Node.PLANNER, Outcome.RETRYABLE_FAILED): planned(planner_pb2.PLANNER_STATUS_RETRYABLE_FAILED),
    (Node.PLANNER, Outcome.NON_RETRYABLE_FAILED): planned(planner_pb2.PLANNER_STATUS_NON_RETRYABLE_FAILED),
    (Node.PLANNER, Outcome.UNKNOWN): planned(FUTURE),
    (Node.EXECUTOR, Outcome.INVALID_OUTPUT): execution(executor_pb2.EXECUTOR_STATUS_INVALID_OUTPUT),
    (Node.EXECUTOR, Outcome.TOOL_BLOCKED): execution(executor_pb2.EXECUTOR_STATUS_TOOL_BLOCKED),
    (Node.EXECUTOR, Outcome.FAILED): execution(executor_pb2.EXECUTOR_STATUS_FAILED),
    (Node.EXECUTOR, Outcome.UNKNOWN): execution(FUTURE),
    (Node.GATEKEEPER, Outcome.REJECT): {"Execute": [[ExecuteResponse(invocation=LOG), result(UNKNOWN_KEY)]]},
    (Node.GATEKEEPER, Outcome.LOW_CONFID): {"Execute": [executed()]},
    (Node.GATEKEEPER, Outcome.PASS): gated(gatekeeper_pb2.GATEKEEPER_STATUS_PASS, bindings=0),
    (Node.GATEKEEPER, Outcome.INVALID_OUTPUT): gated(gatekeeper_pb2.GATEKEEPER_STATUS_PASS, bindings=9),
    (Node.GATEKEEPER, Outcome.RETRYABLE_FAILED): {"Check": [grpc.StatusCode.UNAVAILABLE]},
    (Node.GATEKEEPER, Outcome.NON_RETRYABLE_FAILED): {"Check": [grpc.StatusCode.INTERNAL]},
    (Node.GATEKEEPER, Outcome.UNKNOWN): gated(FUTURE),
    (Node.VERIFIED_INPUT, Outcome.INVALID_OUTPUT): TOO_LARGE,
    (Node.VERIFIER, Outcome.INVALID_OUTPUT): verified(verifier_pb2.VERIFIER_STATUS_INVALID_OUTPUT),
    (Node.VERIFIER, Outcome.RETRYABLE_FAILED): verified(verifier_pb2.VERIFIER_STATUS_RETRYABLE_FAILED),
    (Node.VERIFIER, Outcome.NON_RETRYABLE_FAILED): verified(
        verifier_pb2.VERIFIER_STATUS_NON_RETRYABLE_FAILED
    ),
    (Node.VERIFIER, Outcome.UNKNOWN): verified(FUTURE),
    (Node.COMPOSER, Outcome.INVALID_OUTPUT): answered(composer_pb2.COMPOSER_STATUS_INVALID_OUTPUT),
    (Node.COMPOSER, Outcome.RETRYABLE_FAILED): answered(composer_pb2.COMPOSER_STATUS_RETRYABLE_FAILED),
    (Node.COMPOSER, Outcome.NON_RETRYABLE_FAILED): answered(
        composer_pb2.COMPOSER_STATUS_NON_RETRYABLE_FAILED
    ),
    (Node.COMPOSER, Outcome.UNKNOWN): answered(FUTURE),
}
# What only a defect of a local node leads to; FAILED is provoked below, UNKNOWN no local node can answer.
DEFECTS = {
    (Node.VERIFIED_INPUT, Outcome.FAILED),
    (Node.EVIDENCE_RETRY, Outcome.FAILED),
}
IMPOSSIBLE = {(Node.VERIFIED_INPUT, Outcome.UNKNOWN), (Node.EVIDENCE_RETRY, Outcome.UNKNOWN)}
ONWARD = {
    *((node, Outcome.COMPLETED) for node in Node if node is not Node.GATEKEEPER),
    *((Node.FALLBACK, outcome) for outcome in OUTCOMES[Node.FALLBACK]),
}


def test_every_way_into_fallback_is_here() -> None:
    every = {(node, outcome) for node, outcomes in OUTCOMES.items() for outcome in outcomes}
    assert every == FALLBACKS.keys() | DEFECTS | IMPOSSIBLE | ONWARD


def check_fallback(seen: Diagnosed, node: Node, outcome: Outcome) -> None:
    parsed = checked_evaluation(seen.evaluation)
    assert seen.trace.termination_reason == fallback_reason(node, outcome)
    assert parsed.failure is not None
    assert (parsed.failure.node, parsed.failure.status) == (node, outcome)
    # Only a fallback behind the verifier keeps this cycle's verdict.
    assert (parsed.verdict is not None) is (node is Node.COMPOSER)


@pytest.mark.parametrize(("node", "outcome"), FALLBACKS, ids=str)
async def test_a_run_that_fell_back(tmp_path: Path, node: Node, outcome: Outcome) -> None:
    script = FALLBACKS[node, outcome]
    seen = await diagnosed(tmp_path, script, max_verified_input_bytes=100 if script is TOO_LARGE else 1 << 20)
    check_fallback(seen, node, outcome)
    assert checked_evaluation(seen.evaluation).first_verification is None


async def defective(*_: object) -> None:
    raise RuntimeError("a defect")


async def test_a_run_whose_evidence_retry_has_a_defect(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(composition, "evidence_retry", defective)
    seen = await diagnosed(tmp_path, {"Verify": [GAP]})
    assert seen.trace.termination_reason == "evidence_retry_failed"
    parsed = checked_evaluation(seen.evaluation)
    # The verification of this cycle had completed and stays.
    assert parsed.verdict == "LOW_CONFID"
    assert parsed.failure is not None
    assert parsed.failure.node == "evidence_retry"


async def test_a_run_whose_verified_input_has_a_defect(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(composition, "VerifiedInputNode", lambda *_: defective)
    check_fallback(await diagnosed(tmp_path), Node.VERIFIED_INPUT, Outcome.FAILED)


SECOND: dict[tuple[Node, Outcome], Script] = {
    (Node.PLANNER, Outcome.NON_RETRYABLE_FAILED): {"Plan": [PLAN, grpc.StatusCode.INTERNAL]},
    (Node.PLANNER, Outcome.RETRYABLE_FAILED): {"Plan": [PLAN, grpc.StatusCode.UNAVAILABLE]},
    (Node.EXECUTOR, Outcome.FAILED): {"Execute": [FIRST, [grpc.StatusCode.INTERNAL]]},
    (Node.EXECUTOR, Outcome.INVALID_OUTPUT): {"Execute": [FIRST, [result(b"no document")]]},
    (Node.GATEKEEPER, Outcome.REJECT): {"Execute": [FIRST, [result(UNKNOWN_KEY)]]},
    (Node.GATEKEEPER, Outcome.NON_RETRYABLE_FAILED): {"Check": [gate, grpc.StatusCode.INTERNAL]},
    (Node.VERIFIER, Outcome.RETRYABLE_FAILED): {"Verify": [GAP, grpc.StatusCode.UNAVAILABLE]},
    (Node.VERIFIER, Outcome.NON_RETRYABLE_FAILED): {"Verify": [GAP, grpc.StatusCode.INTERNAL]},
    (Node.COMPOSER, Outcome.NON_RETRYABLE_FAILED): {"Compose": [grpc.StatusCode.INTERNAL]},
}


@pytest.mark.parametrize(("node", "outcome"), SECOND, ids=str)
async def test_a_fallback_in_cycle_2_after_a_completed_first_verification(
    tmp_path: Path, node: Node, outcome: Outcome
) -> None:
    script: Script = {
        "Execute": [FIRST, executed(calls=())],
        "Verify": [GAP],
        **SECOND[node, outcome],
    }
    seen = await diagnosed(tmp_path, script)
    check_fallback(seen, node, outcome)
    assert seen.nodes.count("evidence_retry") == 1
    parsed = checked_evaluation(seen.evaluation)
    assert parsed.first_verification is not None
    assert parsed.first_verification.verdict == "LOW_CONFID"
    assert parsed.first_verification.gatekeeper_result is not None


@pytest.mark.parametrize("name", ["planner", "executor", "gatekeeper", "verifier", "composer"])
async def test_a_run_that_was_cancelled(tmp_path: Path, name: str) -> None:
    async with stack(tmp_path / DATABASE, hanging(name)) as running:
        run_id = await running.submit()
        agent, method = running.agents.all()[name], METHODS[name]
        async with asyncio.timeout(60):
            await agent.arrival(method).wait()
        run = await running.cancel(run_id)
    parsed = checked_evaluation(json.loads(run.self_evaluation_json)["verifier_evaluation"])
    assert run.status == run_pb2.RUN_STATUS_CANCELLED
    assert parsed.failure is not None
    assert parsed.failure.reason_code == "cancel_requested"
    assert (parsed.verdict is not None) is (name == "composer")


def _without(key: str) -> Callable[[Json], object]:
    return lambda value: value.pop(key)


def _with(key: str, new: object) -> Callable[[Json], object]:
    return lambda value: value.update({key: new})


SPOILED: dict[str, Callable[[Json], object]] = {
    **{f"no {key}": _without(key) for key in (*VERDICT_KEYS, "verified_evidence", "prompt_audit")},
    "no status": _without("verifier_status"),
    "no version": _without("traceability_version"),
    "raw text": _with("executor_text", "The cause is the pool."),
    "the tool history": _with("tool_trace_summary", []),
    "another verdict": _with("verdict", "LOW_CONFID"),
    "a status as verdict": _with("model_verdict", "INVALID_OUTPUT"),
    "a score above 1": _with("groundedness_score", 1.5),
    "a status of nobody": _with("verifier_status", "DONE"),
    "another projection": lambda value: value["executor_structured_output"]["claims"].pop(),
    "a check too few": lambda value: value["claim_checks"].pop(),
    "a fact too few": lambda value: value["facts_checked"].pop(),
    "a classification of nobody": lambda value: value["claim_checks"][0].update(classification="likely"),
    "a prompt text": lambda value: value["prompt_audit"]["prompts"][0].update(text="You are a planner."),
    "a prompt too few": lambda value: value["prompt_audit"]["prompts"].pop(),
    "a gate without severity": lambda value: value["gatekeeper_result"].pop("severity"),
    "a severity that forbids PASS": lambda value: value["gatekeeper_result"].update(severity="low_confid"),
    "a failed gate without a rule": lambda value: value["gatekeeper_result"].update(status="fail"),
    "a document text in a finding": lambda value: value["gatekeeper_result"].update(
        errors=[{"rule_id": "x", "claim_index": 0, "binding_index": 0, "detail": "", "text": "x"}]
    ),
    "an answer of a composer that failed": lambda value: value["composer_output"].update(status="UNKNOWN"),
}


async def test_the_schema_refuses_what_must_not_be_stored(tmp_path: Path) -> None:
    value = (await diagnosed(tmp_path)).evaluation
    checked_evaluation(value)
    accepted = []
    for name, spoil in SPOILED.items():
        spoiled = copy.deepcopy(value)
        spoil(spoiled)
        try:
            checked_evaluation(spoiled)
        except ValidationError:
            continue
        accepted.append(name)
    assert accepted == []
