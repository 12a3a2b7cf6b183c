"""ChatService SHALL route based on Verifier verdict: here the graph routes, V-08 to V-13."""

import json
import re
from pathlib import Path

import grpc
import pytest
from assay.common.v1 import evidence_pb2
from assay.orchestrator.v1 import run_pb2
from assay.planner.v1 import planner_pb2
from assay.verifier.v1 import verifier_pb2
from assay.verifier.v1.verifier_pb2 import VerifyRequest, VerifyResponse

from orchestrator.settings import OrchestratorSettings
from services.common.evidence.answer_rules import SECTIONS
from tests.fakes.agents import (
    SYMPTOM_BINDING,
    Json,
    Reply,
    cause,
    changed,
    claim,
    executed,
    judging,
    result,
)
from tests.fakes.diagnosed import TO_VERIFIER, Diagnosed, diagnosed

PASS = evidence_pb2.VERDICT_PASS
LOW = evidence_pb2.VERDICT_LOW_CONFID
REJECT = evidence_pb2.VERDICT_REJECT
INFERRED = evidence_pb2.CLASSIFICATION_REASONABLE_INFERENCE
UNSUPPORTED = evidence_pb2.CLASSIFICATION_UNSUPPORTED
CONTRADICTED = evidence_pb2.CLASSIFICATION_CONTRADICTED
CYCLE = [*TO_VERIFIER, "verifier"]
RAW = "canary-raw-executor-text"


def context_claim(claim_id: str, **changes: object) -> Json:
    return claim(claim_id, claim_type="context", critical=False, **changes)


def with_raw_text(*claims: Json) -> list[Reply]:
    """A stream whose document says more than its claims do."""
    document = {"version": "executor_evidence_v2", "claims": claims, "evidence_gaps": [RAW]}
    return [[*executed()[:-1], result(json.dumps(document).encode())]]


def texts(run: run_pb2.Run) -> str:
    return "\n".join(item.text for name in SECTIONS for item in getattr(run.answer, name))


@pytest.mark.scenario("V-08")
async def test_pass_reaches_the_composer_with_allowed_material_only(tmp_path: Path) -> None:
    disallowed = context_claim("context-1", statement='The log of api says "refused", canary-disallowed.')
    script: dict[str, list[Reply]] = {
        "Execute": with_raw_text(claim("symptom-1"), cause(), disallowed),
        "Verify": [judging(PASS, context_1=UNSUPPORTED)],
    }
    seen = await diagnosed(tmp_path, script)
    assert seen.nodes == [*CYCLE, "composer"]
    assert seen.run.effective_verdict == PASS
    (request,) = seen.requests("Compose")
    assert [item.claim.claim_id for item in request.claims] == ["symptom-1", "cause-1"]
    assert b"canary-disallowed" in seen.wire("Verify")[0]
    assert b"canary-disallowed" not in seen.wire("Compose")[0]
    assert RAW.encode() in seen.wire("Check")[0]
    for shown in (seen.wire("Compose")[0], seen.run.answer.SerializeToString()):
        assert RAW.encode() not in shown
        assert b"canary-disallowed" not in shown
    allowed = {"symptom-1", "cause-1"}
    for name in SECTIONS:
        for sentence in getattr(seen.run.answer, name):
            assert sentence.template_id or (sentence.claim_ids and set(sentence.claim_ids) <= allowed)


@pytest.mark.scenario("V-08")
async def test_a_user_facing_answer_of_the_executor_is_read_by_nobody(tmp_path: Path) -> None:
    document = {
        "version": "executor_evidence_v2",
        "claims": [claim("symptom-1"), cause()],
        "evidence_gaps": [],
        "user_facing_answer": RAW,
    }
    stream = [*executed()[:-1], result(json.dumps(document).encode())]
    seen = await diagnosed(tmp_path, {"Execute": [stream]})
    assert seen.path[-2:] == ["gatekeeper:REJECT", "fallback:COMPLETED"]
    assert RAW.encode() not in seen.run.SerializeToString()


THREE = [
    claim("symptom-1"),
    context_claim("direction-1"),
    context_claim("gap-1"),
]
JUDGED_THREE = judging(LOW, direction_1=INFERRED, gap_1=UNSUPPORTED, cause_1=INFERRED)
FAILED_BINDING = {**SYMPTOM_BINDING, "matched_text": "never written"}
NOT_QUALIFIED: dict[str, tuple[list[Json], int]] = {
    "the ceiling is LOW_CONFID": (
        [cause(), *THREE, context_claim("failed-1", evidence_bindings=[FAILED_BINDING])],
        1,
    ),
    "no critical gap": (THREE, 1),
    "the retry is spent": ([cause(), *THREE], 2),
}


@pytest.mark.scenario("V-09")
@pytest.mark.scenario("G-15")
@pytest.mark.parametrize(("claims", "cycles"), NOT_QUALIFIED.values(), ids=NOT_QUALIFIED)
async def test_low_confidence_that_does_not_qualify_is_composed(
    tmp_path: Path, claims: list[Json], cycles: int
) -> None:
    script: dict[str, list[Reply]] = {
        "Execute": [executed(*claims), executed(calls=())],
        "Verify": [JUDGED_THREE],
    }
    seen = await diagnosed(tmp_path, script)
    assert seen.run.effective_verdict == LOW
    assert seen.nodes[-2:] == ["verifier", "composer"]
    assert seen.nodes.count("planner") == cycles
    answer = seen.run.answer
    confirmed = {name for item in answer.confirmed for name in item.claim_ids}
    possible = {name for item in answer.possible_directions for name in item.claim_ids}
    assert confirmed == {"symptom-1"}
    assert "direction-1" in possible
    assert not confirmed & possible
    assert answer.evidence_gaps
    assert all(item.gap_ids and not item.claim_ids for item in answer.evidence_gaps)


@pytest.mark.scenario("V-10")
@pytest.mark.parametrize("score", [None, 0.0, 0.49, 0.5, 1.0])
async def test_low_confidence_that_qualifies_starts_one_gap_cycle_whatever_the_score(
    tmp_path: Path, score: float | None
) -> None:
    async def reply(request: VerifyRequest) -> Reply:
        judged = await judging(LOW, cause_1=INFERRED)(request)
        assert isinstance(judged, VerifyResponse)
        judged.verification.ClearField("groundedness_score")
        if score is not None:
            judged.verification.groundedness_score = score
        return judged

    script: dict[str, list[Reply]] = {
        "Execute": [executed(claim("symptom-1"), cause()), executed(calls=())],
        "Verify": [reply],
    }
    seen = await diagnosed(tmp_path, script)
    assert seen.requests("Verify")[0].verdict_ceiling == PASS
    assert [request.mode for request in seen.requests("Plan")] == [
        planner_pb2.PLAN_MODE_FULL,
        planner_pb2.PLAN_MODE_EVIDENCE_GAP_ONLY,
    ]
    assert [gap.claim_id for gap in seen.requests("Plan")[1].gaps] == ["cause-1"]
    assert seen.nodes == [*CYCLE, "evidence_retry", *CYCLE, "composer"]
    assert seen.trace.evidence_retry_count == 1


@pytest.mark.scenario("V-10")
def test_no_setting_decides_the_evidence_retry() -> None:
    pattern = re.compile("retry|retries|ground|threshold|flag|feature|enable")
    assert not [name for name in OrchestratorSettings.model_fields if pattern.search(name)]


@pytest.mark.scenario("V-11")
async def test_reject_starts_no_second_cycle_and_is_composed_safely(tmp_path: Path) -> None:
    # The other critical claim is a gap, so that only the verdict keeps the retry away.
    script: dict[str, list[Reply]] = {
        "Execute": [executed(claim("symptom-1"), cause())],
        "Verify": [judging(REJECT, symptom_1=INFERRED, cause_1=CONTRADICTED)],
    }
    seen = await diagnosed(tmp_path, script)
    assert seen.requests("Verify")[0].verdict_ceiling == PASS
    assert seen.nodes == [*CYCLE, "composer"]
    (request,) = seen.requests("Compose")
    assert request.effective_verdict == REJECT
    assert not request.claims


async def rejected(folder: Path, **more: Reply) -> Diagnosed:
    script: dict[str, list[Reply]] = {
        "Execute": with_raw_text(claim("symptom-1"), cause()),
        "Verify": [judging(REJECT, cause_1=CONTRADICTED)],
        **{name: [reply] for name, reply in more.items()},
    }
    return await diagnosed(folder, script)


@pytest.mark.scenario("V-12")
@pytest.mark.parametrize("more", [{}, {"Compose": grpc.StatusCode.INTERNAL}], ids=["composed", "fallback"])
async def test_reject_gives_a_degraded_answer_without_any_conclusion(
    tmp_path: Path, more: dict[str, Reply]
) -> None:
    seen = await rejected(tmp_path, **more)
    run = seen.run
    assert run.effective_verdict == REJECT
    assert run.status == run_pb2.RUN_STATUS_DEGRADED
    assert "reject.no_conclusion" in [item.template_id for item in run.answer.summary]
    assert "cannot support a reliable conclusion" in texts(run)
    assert all(item.template_id for name in SECTIONS for item in getattr(run.answer, name))
    assert not run.answer.confirmed
    assert not run.answer.possible_directions
    assert not run.suspects
    assert not run.claims
    for statement in (claim("symptom-1")["statement"], cause()["statement"], RAW):
        assert statement not in texts(run)


VERIFIER_FAILURES: dict[str, tuple[Reply, list[str]]] = {
    "invalid twice": (
        VerifyResponse(status=verifier_pb2.VERIFIER_STATUS_INVALID_OUTPUT),
        ["INVALID_OUTPUT"] * 2,
    ),
    "retryable twice": (
        VerifyResponse(status=verifier_pb2.VERIFIER_STATUS_RETRYABLE_FAILED),
        ["RETRYABLE_FAILED"] * 2,
    ),
    "unavailable twice": (grpc.StatusCode.UNAVAILABLE, ["RETRYABLE_FAILED"] * 2),
    "no payload twice": (
        VerifyResponse(status=verifier_pb2.VERIFIER_STATUS_COMPLETED),
        ["INVALID_OUTPUT"] * 2,
    ),
    "not retryable": (
        VerifyResponse(status=verifier_pb2.VERIFIER_STATUS_NON_RETRYABLE_FAILED),
        ["NON_RETRYABLE_FAILED"],
    ),
    "refused": (grpc.StatusCode.PERMISSION_DENIED, ["NON_RETRYABLE_FAILED"]),
    "unspecified": (VerifyResponse(), ["UNKNOWN"]),
    "a status of the future": (changed(VerifyResponse(), status=99), ["UNKNOWN"]),
}


@pytest.mark.scenario("V-13")
@pytest.mark.parametrize(("reply", "attempts"), VERIFIER_FAILURES.values(), ids=VERIFIER_FAILURES)
async def test_a_failed_verifier_leads_to_fallback_and_leaves_no_verdict(
    tmp_path: Path, reply: Reply, attempts: list[str]
) -> None:
    seen = await diagnosed(tmp_path, {"Verify": [reply]})
    assert seen.path[4:] == [*(f"verifier:{outcome}" for outcome in attempts), "fallback:COMPLETED"]
    assert not seen.wire("Compose")
    assert seen.run.effective_verdict == evidence_pb2.VERDICT_UNSPECIFIED
    assert not seen.run.suspects
    assert not seen.run.answer.possible_directions
    evaluation = seen.evaluation
    assert evaluation["verifier_status"] == attempts[-1]
    assert not evaluation.keys() & {"verdict", "model_verdict", "effective_verdict"}
    # Nor could a status be stored as one: no word is both.
    assert set(evidence_pb2.Verdict.keys()) == {
        "VERDICT_UNSPECIFIED",
        "VERDICT_REJECT",
        "VERDICT_LOW_CONFID",
        "VERDICT_PASS",
    }
