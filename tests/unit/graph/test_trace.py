"""The trace builder, and the tables of failed calls and reason codes."""

import re
from itertools import pairwise

import pytest
from assay.orchestrator.v1 import run_pb2
from assay.orchestrator.v1.run_pb2 import OrchestrationEvent

from orchestrator.graph import (
    CallFailedError,
    Node,
    NodeFailedError,
    Outcome,
    Reason,
    TraceError,
    build_trace,
    outcome_of_call,
)
from orchestrator.graph.calls import CALL_FAILURES, outcome_of_error
from orchestrator.graph.vocabulary import OUTCOMES, REASON_CODES, fallback_reason


def events_of(*nodes: Node) -> list[OrchestrationEvent]:
    return [
        OrchestrationEvent(
            sequence=number, node=node, outcome="COMPLETED", reason_code="completed", attempt=1
        )
        for number, node in enumerate(nodes, start=1)
    ]


NORMAL = (
    Node.PLANNER,
    Node.EXECUTOR,
    Node.GATEKEEPER,
    Node.VERIFIED_INPUT,
    Node.VERIFIER,
    Node.COMPOSER,
)


def test_a_normal_path() -> None:
    trace = build_trace("run-1", run_pb2.RUN_STATUS_SUCCEEDED, events_of(*NORMAL), 0)
    assert [event.node for event in trace.events] == list(NORMAL)
    assert [(item.from_node, item.to_node) for item in trace.transitions] == list(pairwise(NORMAL))
    assert {item.outcome for item in trace.transitions} == {"COMPLETED"}
    assert (trace.run_id, trace.status) == ("run-1", run_pb2.RUN_STATUS_SUCCEEDED)
    assert trace.final_node == Node.COMPOSER
    assert trace.termination_reason == Reason.COMPLETED
    assert not trace.degraded


def test_a_fallback_path() -> None:
    events = events_of(Node.PLANNER, Node.PLANNER, Node.FALLBACK)
    events[-1].reason_code = fallback_reason(Node.PLANNER, Outcome.NON_RETRYABLE_FAILED)
    trace = build_trace("run-1", run_pb2.RUN_STATUS_DEGRADED, events, 1)
    assert trace.final_node == Node.FALLBACK
    assert trace.degraded
    assert trace.termination_reason == "planner_non_retryable_failed"
    assert trace.evidence_retry_count == 1


@pytest.mark.parametrize("status", [run_pb2.RUN_STATUS_SUCCEEDED, run_pb2.RUN_STATUS_DEGRADED])
def test_a_run_that_ended_without_events_is_an_error(status: run_pb2.RunStatus.ValueType) -> None:
    with pytest.raises(TraceError, match="run run-1 ended and has no events"):
        build_trace("run-1", status, [], 0)


@pytest.mark.parametrize(
    "status", [run_pb2.RUN_STATUS_RUNNING, run_pb2.RUN_STATUS_FAILED, run_pb2.RUN_STATUS_CANCELLED]
)
def test_a_run_that_did_not_end_through_its_graph_has_no_final_node(
    status: run_pb2.RunStatus.ValueType,
) -> None:
    trace = build_trace("run-1", status, events_of(Node.PLANNER, Node.EXECUTOR), 0)
    assert len(trace.events) == 2
    assert (trace.final_node, trace.termination_reason, trace.degraded) == ("", "", False)
    assert not build_trace("run-1", status, [], 0).events


@pytest.mark.parametrize(
    ("field", "value", "message"),
    [
        ("node", " ", "event 3 has a blank node"),
        ("outcome", "", "event 3 has a blank outcome"),
        ("reason_code", "\t", "event 3 has a blank reason code"),
        ("attempt", 0, "event 3 has attempt 0; attempts count from 1"),
        ("sequence", 7, "event 3 has sequence 7"),
        ("reason_code", "because the log said so", "event 3 has a reason code that is not on the list"),
    ],
)
def test_an_event_that_is_none_is_an_error(field: str, value: str | int, message: str) -> None:
    events = events_of(*NORMAL)
    setattr(events[2], field, value)
    with pytest.raises(TraceError, match=f"^{re.escape(message)}$"):
        build_trace("run-1", run_pb2.RUN_STATUS_SUCCEEDED, events, 0)


def test_an_event_holds_routing_metadata_only() -> None:
    assert {field.name for field in OrchestrationEvent.DESCRIPTOR.fields} == {
        "sequence",
        "node",
        "outcome",
        "reason_code",
        "attempt",
        "start_time",
        "end_time",
    }


def test_fallback_has_a_reason_code_for_every_way_into_it() -> None:
    for node, outcomes in OUTCOMES.items():
        for outcome in outcomes:
            assert fallback_reason(node, outcome) in REASON_CODES


STATUS_CODES = [
    "CANCELLED",
    "UNKNOWN",
    "INVALID_ARGUMENT",
    "DEADLINE_EXCEEDED",
    "NOT_FOUND",
    "ALREADY_EXISTS",
    "PERMISSION_DENIED",
    "UNAUTHENTICATED",
    "RESOURCE_EXHAUSTED",
    "FAILED_PRECONDITION",
    "ABORTED",
    "OUT_OF_RANGE",
    "UNIMPLEMENTED",
    "INTERNAL",
    "UNAVAILABLE",
    "DATA_LOSS",
]
RETRYABLE = {"UNAVAILABLE", "DEADLINE_EXCEEDED", "RESOURCE_EXHAUSTED", "ABORTED"}


@pytest.mark.parametrize("code", STATUS_CODES)
def test_failed_calls(code: str) -> None:
    retryable = code in RETRYABLE
    expected = Outcome.RETRYABLE_FAILED if retryable else Outcome.NON_RETRYABLE_FAILED
    for node in (Node.PLANNER, Node.GATEKEEPER, Node.VERIFIER, Node.COMPOSER):
        assert outcome_of_call(node, code)[0] is expected
    assert outcome_of_call(Node.EXECUTOR, code)[0] is Outcome.FAILED
    assert (code in CALL_FAILURES) is retryable


@pytest.mark.parametrize("node", list(Node))
def test_an_unexpected_error_has_an_outcome_that_the_node_declares(node: Node) -> None:
    assert outcome_of_error(node) in OUTCOMES[node]


def test_failures_keep_what_they_are_told() -> None:
    call = CallFailedError("UNAVAILABLE", "try again")
    assert (call.code, call.message, str(call)) == (
        "UNAVAILABLE",
        "try again",
        "the call ended with UNAVAILABLE",
    )
    assert CallFailedError("ABORTED").message == ""
    node = NodeFailedError(Outcome.INVALID_OUTPUT, Reason.MISSING_PAYLOAD)
    assert (node.outcome, node.reason) == (Outcome.INVALID_OUTPUT, Reason.MISSING_PAYLOAD)
    assert str(node) == "INVALID_OUTPUT: missing_payload"
