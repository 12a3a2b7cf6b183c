"""Verifier routing SHALL separate technical retry from evidence retry: G-11 to G-14.

G-15 is the same scenario as V-09; its test stands there.
"""

from itertools import pairwise
from pathlib import Path

import grpc
import pytest
from assay.common.v1 import evidence_pb2
from assay.orchestrator.v1.state_pb2 import RunState
from assay.planner.v1.planner_pb2 import PlanRequest
from assay.verifier.v1 import verifier_pb2
from assay.verifier.v1.verifier_pb2 import VerifyRequest, VerifyResponse

from tests.fakes.agents import PLAN, Reply, cause, claim, executed, judging
from tests.fakes.diagnosed import TO_VERIFIER, checkpoint, diagnosed

PASS = evidence_pb2.VERDICT_PASS
LOW = evidence_pb2.VERDICT_LOW_CONFID
REJECT = evidence_pb2.VERDICT_REJECT
INVALID = VerifyResponse(status=verifier_pb2.VERIFIER_STATUS_INVALID_OUTPUT)
RETRYABLE = VerifyResponse(status=verifier_pb2.VERIFIER_STATUS_RETRYABLE_FAILED)


@pytest.mark.scenario("G-11")
@pytest.mark.parametrize("failure", [INVALID, RETRYABLE], ids=["invalid", "retryable"])
async def test_after_a_first_technical_failure_only_the_verifier_runs_again(
    tmp_path: Path, failure: Reply
) -> None:
    states: list[RunState] = []

    async def second(request: VerifyRequest) -> Reply:
        states.append(checkpoint(tmp_path))
        return await judging()(request)

    seen = await diagnosed(tmp_path, {"Verify": [failure, second]})
    assert seen.nodes == [*TO_VERIFIER, "verifier", "verifier", "composer"]
    assert seen.attempts("verifier") == [1, 2]
    assert [state.verifier_retry_count for state in states] == [1]
    assert dict(seen.calls) == {
        "ListTools": 1,
        "Plan": 1,
        "Execute": 1,
        "Check": 1,
        "Verify": 2,
        "Compose": 1,
    }
    assert seen.run.usage.tool_invocations == 3


@pytest.mark.scenario("G-12")
@pytest.mark.parametrize("first", [INVALID, grpc.StatusCode.UNAVAILABLE])
@pytest.mark.parametrize("second", [RETRYABLE, grpc.StatusCode.ABORTED])
async def test_a_second_technical_failure_leads_to_fallback(
    tmp_path: Path, first: Reply, second: Reply
) -> None:
    seen = await diagnosed(tmp_path, {"Verify": [first, second, judging()]})
    assert seen.nodes == [*TO_VERIFIER, "verifier", "verifier", "fallback"]
    assert seen.calls["Verify"] == 2


@pytest.mark.scenario("G-12")
async def test_the_retry_is_spent_for_both_cycles(tmp_path: Path) -> None:
    low = judging(LOW, cause_1=evidence_pb2.CLASSIFICATION_REASONABLE_INFERENCE)
    script: dict[str, list[Reply]] = {
        "Execute": [executed(claim("symptom-1"), cause()), executed(calls=())],
        "Verify": [RETRYABLE, low, RETRYABLE, low],
    }
    seen = await diagnosed(tmp_path, script)
    cycle = [*TO_VERIFIER, "verifier"]
    assert seen.nodes == [*cycle, "verifier", "evidence_retry", *cycle, "fallback"]


@pytest.mark.scenario("G-13")
@pytest.mark.parametrize(
    ("reply", "effective"),
    [
        (judging(PASS), PASS),
        (judging(REJECT, cause_1=evidence_pb2.CLASSIFICATION_CONTRADICTED), REJECT),
        # The effective verdict decides, not the model's.
        (judging(PASS, cause_1=evidence_pb2.CLASSIFICATION_CONTRADICTED), REJECT),
    ],
    ids=["pass", "reject", "pass that the checks reject"],
)
async def test_pass_and_reject_reach_the_composer(
    tmp_path: Path, reply: Reply, effective: "evidence_pb2.Verdict.ValueType"
) -> None:
    seen = await diagnosed(tmp_path, {"Verify": [reply]})
    assert seen.run.effective_verdict == effective
    assert seen.path[4:] == ["verifier:COMPLETED", "composer:COMPLETED"]
    assert seen.requests("Compose")[0].effective_verdict == effective


@pytest.mark.scenario("G-14")
@pytest.mark.parametrize(
    ("classification", "fact"),
    [
        (evidence_pb2.CLASSIFICATION_UNSUPPORTED, "no_evidence"),
        (evidence_pb2.CLASSIFICATION_EXTERNAL_UNKNOWN, "no_evidence"),
        (evidence_pb2.CLASSIFICATION_REASONABLE_INFERENCE, "indirect_support"),
        (evidence_pb2.CLASSIFICATION_OVERSTATED, "indirect_support"),
    ],
)
async def test_a_critical_gap_starts_one_evidence_retry_with_a_new_planner_stage(
    tmp_path: Path, classification: "evidence_pb2.Classification.ValueType", fact: str
) -> None:
    states: list[RunState] = []

    async def planning(_request: PlanRequest) -> Reply:
        states.append(checkpoint(tmp_path))
        return PLAN

    script: dict[str, list[Reply]] = {
        "Plan": [grpc.StatusCode.UNAVAILABLE, planning],
        "Execute": [executed(claim("symptom-1"), cause()), executed(calls=())],
        "Verify": [judging(LOW, cause_1=classification)],
    }
    seen = await diagnosed(tmp_path, script)
    assert seen.requests("Verify")[0].verdict_ceiling == PASS
    assert seen.evaluation["first_verification"]["facts_checked"][1]["fact_class"] == fact
    cycle = [*TO_VERIFIER, "verifier"]
    assert seen.nodes == ["planner", *cycle, "evidence_retry", *cycle, "composer"]
    assert list(pairwise(seen.nodes)).count(("evidence_retry", "planner")) == 1
    # The first stage had spent its retry; the second begins with none spent.
    assert [(state.planner_retry_count, state.evidence_retry_count) for state in states] == [(1, 0), (0, 1)]
    assert seen.trace.evidence_retry_count == 1
