"""Composer routing SHALL allow one technical retry and then terminate safely: G-16 to G-18."""

from pathlib import Path

import grpc
import pytest
from assay.common.v1.answer_pb2 import Answer, Sentence
from assay.composer.v1 import composer_pb2
from assay.composer.v1.composer_pb2 import ComposeRequest, ComposeResponse
from assay.orchestrator.v1 import run_pb2
from assay.orchestrator.v1.state_pb2 import RunState

from tests.fakes.agents import Reply, changed, composed
from tests.fakes.diagnosed import TO_VERIFIER, checkpoint, diagnosed

CYCLE = [*TO_VERIFIER, "verifier"]
INVENTED = ComposeResponse(
    status=composer_pb2.COMPOSER_STATUS_COMPLETED,
    answer=Answer(summary=[Sentence(text="api failed 4711 times.", claim_ids=["symptom-1"])]),
)
TECHNICAL: dict[str, tuple[Reply, str]] = {
    "invalid": (ComposeResponse(status=composer_pb2.COMPOSER_STATUS_INVALID_OUTPUT), "INVALID_OUTPUT"),
    "no payload": (ComposeResponse(status=composer_pb2.COMPOSER_STATUS_COMPLETED), "INVALID_OUTPUT"),
    "an invented number": (INVENTED, "INVALID_OUTPUT"),
    "retryable": (ComposeResponse(status=composer_pb2.COMPOSER_STATUS_RETRYABLE_FAILED), "RETRYABLE_FAILED"),
    "unavailable": (grpc.StatusCode.UNAVAILABLE, "RETRYABLE_FAILED"),
}
technical = pytest.mark.parametrize(("failure", "outcome"), TECHNICAL.values(), ids=TECHNICAL)


@pytest.mark.scenario("G-16")
@technical
async def test_after_a_first_technical_failure_only_the_composer_runs_again(
    tmp_path: Path, failure: Reply, outcome: str
) -> None:
    states: list[RunState] = []

    async def second(request: ComposeRequest) -> Reply:
        states.append(checkpoint(tmp_path))
        return await composed(request)

    seen = await diagnosed(tmp_path, {"Compose": [failure, second]})
    assert seen.path[5:] == [f"composer:{outcome}", "composer:COMPLETED"]
    assert seen.nodes == [*CYCLE, "composer", "composer"]
    assert seen.attempts("composer") == [1, 2]
    assert [state.composer_retry_count for state in states] == [1]
    assert dict(seen.calls) == {
        "ListTools": 1,
        "Plan": 1,
        "Execute": 1,
        "Check": 1,
        "Verify": 1,
        "Compose": 2,
    }
    assert len(set(seen.wire("Compose"))) == 1
    assert seen.run.status == run_pb2.RUN_STATUS_SUCCEEDED


@pytest.mark.scenario("G-17")
@pytest.mark.parametrize("first", [TECHNICAL["invalid"], TECHNICAL["unavailable"]])
@technical
async def test_a_second_technical_failure_ends_in_one_fallback(
    tmp_path: Path, first: tuple[Reply, str], failure: Reply, outcome: str
) -> None:
    seen = await diagnosed(tmp_path, {"Compose": [first[0], failure, composed]})
    assert seen.path[5:] == [f"composer:{first[1]}", f"composer:{outcome}", "fallback:COMPLETED"]
    assert seen.nodes.count("fallback") == 1
    assert seen.run.status == run_pb2.RUN_STATUS_DEGRADED
    assert seen.run.HasField("end_time")


@pytest.mark.scenario("G-17")
@pytest.mark.parametrize(
    ("reply", "outcome"),
    [
        (
            ComposeResponse(status=composer_pb2.COMPOSER_STATUS_NON_RETRYABLE_FAILED),
            "NON_RETRYABLE_FAILED",
        ),
        (grpc.StatusCode.INTERNAL, "NON_RETRYABLE_FAILED"),
        (ComposeResponse(), "UNKNOWN"),
        (changed(ComposeResponse(), status=99), "UNKNOWN"),
    ],
)
async def test_any_other_failure_is_not_retried(tmp_path: Path, reply: Reply, outcome: str) -> None:
    seen = await diagnosed(tmp_path, {"Compose": [reply, composed]})
    assert seen.path[5:] == [f"composer:{outcome}", "fallback:COMPLETED"]
    assert seen.calls["Compose"] == 1
    assert seen.run.status == run_pb2.RUN_STATUS_DEGRADED


@pytest.mark.scenario("G-18")
async def test_a_completed_composer_ends_the_run_without_fallback(tmp_path: Path) -> None:
    seen = await diagnosed(tmp_path)
    assert seen.path[-1] == "composer:COMPLETED"
    assert "fallback" not in seen.nodes
    assert seen.run.status == run_pb2.RUN_STATUS_SUCCEEDED
    assert seen.run.HasField("end_time")
    assert not seen.run.HasField("failure")
