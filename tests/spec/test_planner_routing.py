"""Planner routing SHALL allow one technical retry per Planner stage: G-04 to G-06."""

from pathlib import Path

import grpc
import pytest
from assay.common.v1 import evidence_pb2
from assay.orchestrator.v1.state_pb2 import RunState
from assay.planner.v1 import planner_pb2
from assay.planner.v1.planner_pb2 import PlanRequest, PlanResponse

from tests.fakes.agents import PLAN, Reply, cause, changed, claim, executed, judging
from tests.fakes.diagnosed import TO_VERIFIER, checkpoint, diagnosed

TECHNICAL: dict[str, tuple[Reply, str]] = {
    "invalid": (PlanResponse(status=planner_pb2.PLANNER_STATUS_INVALID_OUTPUT), "INVALID_OUTPUT"),
    "no steps": (PlanResponse(status=planner_pb2.PLANNER_STATUS_COMPLETED), "INVALID_OUTPUT"),
    "retryable": (PlanResponse(status=planner_pb2.PLANNER_STATUS_RETRYABLE_FAILED), "RETRYABLE_FAILED"),
    "unavailable": (grpc.StatusCode.UNAVAILABLE, "RETRYABLE_FAILED"),
}
technical = pytest.mark.parametrize(("failure", "outcome"), TECHNICAL.values(), ids=TECHNICAL)


@pytest.mark.scenario("G-04")
@technical
async def test_after_a_first_technical_failure_only_the_planner_runs_again(
    tmp_path: Path, failure: Reply, outcome: str
) -> None:
    states: list[RunState] = []

    async def second(_request: PlanRequest) -> Reply:
        states.append(checkpoint(tmp_path))
        return PLAN

    seen = await diagnosed(tmp_path, {"Plan": [failure, second]})
    assert seen.path[:3] == [f"planner:{outcome}", "planner:COMPLETED", "executor:COMPLETED"]
    assert seen.attempts("planner") == [1, 2]
    assert [state.planner_retry_count for state in states] == [1]
    assert dict(seen.calls) == {
        "ListTools": 1,
        "Plan": 2,
        "Execute": 1,
        "Check": 1,
        "Verify": 1,
        "Compose": 1,
    }
    assert seen.nodes == ["planner", *TO_VERIFIER, "verifier", "composer"]


@pytest.mark.scenario("G-05")
@pytest.mark.parametrize("first", [TECHNICAL["invalid"], TECHNICAL["unavailable"]])
@technical
async def test_a_second_technical_failure_leads_to_fallback(
    tmp_path: Path, first: tuple[Reply, str], failure: Reply, outcome: str
) -> None:
    seen = await diagnosed(tmp_path, {"Plan": [first[0], failure, PLAN]})
    assert seen.path == [f"planner:{first[1]}", f"planner:{outcome}", "fallback:COMPLETED"]
    assert not seen.wire("Execute")


@pytest.mark.scenario("G-05")
async def test_each_planner_stage_has_its_own_retry(tmp_path: Path) -> None:
    low = judging(evidence_pb2.VERDICT_LOW_CONFID, cause_1=evidence_pb2.CLASSIFICATION_REASONABLE_INFERENCE)
    script: dict[str, list[Reply]] = {
        "Plan": [grpc.StatusCode.UNAVAILABLE, PLAN, grpc.StatusCode.UNAVAILABLE, grpc.StatusCode.UNAVAILABLE],
        "Execute": [executed(claim("symptom-1"), cause())],
        "Verify": [low],
    }
    seen = await diagnosed(tmp_path, script)
    assert seen.nodes == [
        "planner",
        *TO_VERIFIER,
        "verifier",
        "evidence_retry",
        "planner",
        "planner",
        "fallback",
    ]
    assert seen.attempts("planner") == [1, 2, 1, 2]
    assert seen.calls["Execute"] == 1


@pytest.mark.scenario("G-06")
@pytest.mark.parametrize(
    ("reply", "outcome"),
    [
        (PlanResponse(status=planner_pb2.PLANNER_STATUS_NON_RETRYABLE_FAILED), "NON_RETRYABLE_FAILED"),
        (grpc.StatusCode.INVALID_ARGUMENT, "NON_RETRYABLE_FAILED"),
        (PlanResponse(), "UNKNOWN"),
        (changed(PLAN, status=99), "UNKNOWN"),
        (changed(PLAN, status=planner_pb2.PLANNER_STATUS_UNSPECIFIED), "UNKNOWN"),
    ],
)
async def test_a_failure_that_is_not_technical_leads_straight_to_fallback(
    tmp_path: Path, reply: Reply, outcome: str
) -> None:
    seen = await diagnosed(tmp_path, {"Plan": [reply, PLAN]})
    assert seen.path == [f"planner:{outcome}", "fallback:COMPLETED"]
    assert dict(seen.calls) == {"ListTools": 1, "Plan": 1}
