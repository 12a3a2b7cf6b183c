"""Orchestration events SHALL produce an exact bounded trace: G-19 to G-22."""

import json
from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path

import pytest
from assay.orchestrator.v1 import run_pb2
from assay.orchestrator.v1.run_pb2 import OrchestrationEvent, Trace, Transition

from orchestrator.graph import TraceError, build_trace
from orchestrator.graph.vocabulary import REASON_CODES
from tests.fakes.agents import PLAN, Reply, cause, changed, claim, executed, result
from tests.fakes.diagnosed import TO_VERIFIER, Diagnosed, diagnosed, fallen_back
from tests.fakes.graph_states import failed, walk_of

NORMAL = [*TO_VERIFIER, "verifier", "composer"]


def nodes_of(events: Sequence[OrchestrationEvent]) -> list[str]:
    return [event.node for event in events]


def steps_of(trace: Trace) -> list[tuple[str, str]]:
    return [(step.from_node, step.to_node) for step in trace.transitions]


@pytest.mark.scenario("G-19")
async def test_fake_nodes_leave_the_normal_path() -> None:
    walked, ending = await walk_of()
    trace = build_trace("run-1", ending.status, walked.journal.events, 0)
    assert nodes_of(trace.events) == NORMAL
    assert steps_of(trace) == list(pairwise(NORMAL))
    assert [step.outcome for step in trace.transitions] == [event.outcome for event in trace.events[:-1]]
    assert (trace.final_node, trace.termination_reason, trace.degraded) == ("composer", "completed", False)


@pytest.mark.scenario("G-19")
async def test_a_real_run_leaves_the_normal_path(tmp_path: Path) -> None:
    seen = await diagnosed(tmp_path)
    assert nodes_of(seen.trace.events) == NORMAL
    assert steps_of(seen.trace) == list(pairwise(NORMAL))
    assert [event.sequence for event in seen.events] == [1, 2, 3, 4, 5, 6]
    assert (seen.trace.final_node, seen.trace.degraded) == ("composer", False)
    # The stream told the same events in the same order.
    assert [item.event for item in seen.messages if item.HasField("event")] == list(seen.events)


@pytest.mark.scenario("G-20")
@pytest.mark.parametrize(
    "node", ["planner", "executor", "gatekeeper", "verified_input", "verifier", "composer"]
)
async def test_a_fallback_path_ends_degraded_with_fallbacks_own_reason(tmp_path: Path, node: str) -> None:
    seen = await fallen_back(tmp_path, node)
    trace = seen.trace
    assert nodes_of(trace.events)[-2:] == [node, "fallback"]
    assert steps_of(trace) == list(pairwise(nodes_of(trace.events)))
    assert (trace.final_node, trace.degraded) == ("fallback", True)
    assert trace.termination_reason == trace.events[-1].reason_code
    assert trace.termination_reason == f"{node}_{trace.events[-2].outcome.lower()}"


@pytest.mark.scenario("G-20")
async def test_fake_nodes_that_fail_leave_a_fallback_path() -> None:
    walked, ending = await walk_of(executor=[failed("TOOL_BLOCKED")])
    trace = build_trace("run-1", ending.status, walked.journal.events, 0)
    assert nodes_of(trace.events) == ["planner", "executor", "fallback"]
    assert (trace.final_node, trace.degraded) == ("fallback", True)
    assert trace.termination_reason == "executor_tool_blocked"


def an_event(sequence: int, node: str) -> OrchestrationEvent:
    return OrchestrationEvent(
        sequence=sequence, node=node, outcome="COMPLETED", reason_code="completed", attempt=1
    )


@pytest.mark.scenario("G-21")
@pytest.mark.parametrize("status", [run_pb2.RUN_STATUS_SUCCEEDED, run_pb2.RUN_STATUS_DEGRADED])
def test_no_events_fail(status: "run_pb2.RunStatus.ValueType") -> None:
    with pytest.raises(TraceError, match="has no events"):
        build_trace("run-1", status, [], 0)


@pytest.mark.scenario("G-21")
@pytest.mark.parametrize("place", range(6))
@pytest.mark.parametrize(
    ("field", "value"),
    [
        *((name, blank) for name in ("node", "outcome", "reason_code") for blank in ("", " ", "\t\n")),
        ("attempt", 0),
        ("attempt", -1),
    ],
)
def test_an_event_that_is_none_fails(place: int, field: str, value: str | int) -> None:
    events = [an_event(number, node) for number, node in enumerate(NORMAL, start=1)]
    assert build_trace("run-1", run_pb2.RUN_STATUS_SUCCEEDED, events, 0).transitions
    setattr(events[place], field, value)
    with pytest.raises(TraceError, match=f"event {place + 1} has"):
        build_trace("run-1", run_pb2.RUN_STATUS_SUCCEEDED, events, 0)


ROUTING = {
    OrchestrationEvent: {
        "sequence",
        "node",
        "outcome",
        "reason_code",
        "attempt",
        "start_time",
        "end_time",
    },
    Transition: {"from_node", "outcome", "to_node"},
    Trace: {
        "run_id",
        "status",
        "events",
        "transitions",
        "final_node",
        "termination_reason",
        "degraded",
        "evidence_retry_count",
    },
}


@pytest.mark.scenario("G-22")
@pytest.mark.parametrize("message", ROUTING, ids=lambda message: message.__name__)
def test_events_and_traces_have_fields_for_routing_metadata_only(
    message: type[OrchestrationEvent | Transition | Trace],
) -> None:
    assert {field.name for field in message.DESCRIPTOR.fields} == ROUTING[message]


async def with_canaries(folder: Path) -> Diagnosed:
    plan = changed(PLAN)
    plan.steps[0].goal = "canary-planner-reasoning"
    document = {
        "version": "executor_evidence_v2",
        "claims": [claim("symptom-1"), cause(statement="canary-statement")],
        "evidence_gaps": ["canary-executor-text"],
    }
    stream: Reply = [*executed()[:-1], result(json.dumps(document).encode())]
    return await diagnosed(folder, {"Plan": [plan], "Execute": [stream, executed(calls=())]})


@pytest.mark.scenario("G-22")
async def test_events_and_traces_hold_words_of_closed_lists_only(tmp_path: Path) -> None:
    seen = await with_canaries(tmp_path)
    assert b"canary-planner-reasoning" in seen.wire("Execute")[0]
    assert b"canary" not in seen.trace.SerializeToString()
    assert b"canary" not in b"".join(
        item.SerializeToString() for item in seen.messages if item.HasField("event")
    )
    assert nodes_of(seen.events) == NORMAL
    for event in seen.events:
        assert event.reason_code in REASON_CODES
        assert event.outcome.replace("_", "").isupper()
