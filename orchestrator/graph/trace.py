"""The trace of a run, derived from its events alone."""

from collections.abc import Sequence
from itertools import pairwise

from assay.orchestrator.v1 import run_pb2
from assay.orchestrator.v1.run_pb2 import OrchestrationEvent, Trace, Transition

from orchestrator.graph.vocabulary import REASON_CODES, Node

_THROUGH_THE_GRAPH = (run_pb2.RUN_STATUS_SUCCEEDED, run_pb2.RUN_STATUS_DEGRADED)


class TraceError(ValueError):
    """The events do not describe a path."""


def build_trace(
    run_id: str,
    status: run_pb2.RunStatus.ValueType,
    events: Sequence[OrchestrationEvent],
    evidence_retry_count: int,
) -> Trace:
    """Derive the path of a run.

    A run that ended through its graph has a final node; one that is RUNNING, FAILED or CANCELLED shows its
    events only. Raises TraceError when an event is not one, or a run that ended has none.
    """
    for position, event in enumerate(events, start=1):
        _check(event, position)
    trace = Trace(
        run_id=run_id,
        status=status,
        events=events,
        transitions=_transitions(events),
        evidence_retry_count=evidence_retry_count,
    )
    if status in _THROUGH_THE_GRAPH:
        if not events:
            raise TraceError(f"run {run_id} ended and has no events")
        trace.final_node = events[-1].node
        trace.termination_reason = events[-1].reason_code
        trace.degraded = events[-1].node == Node.FALLBACK
    return trace


def _transitions(events: Sequence[OrchestrationEvent]) -> list[Transition]:
    return [
        Transition(from_node=before.node, outcome=before.outcome, to_node=after.node)
        for before, after in pairwise(events)
    ]


def _check(event: OrchestrationEvent, position: int) -> None:
    for name, value in (
        ("node", event.node),
        ("outcome", event.outcome),
        ("reason code", event.reason_code),
    ):
        if not value.strip():
            raise TraceError(f"event {position} has a blank {name}")
    if event.attempt < 1:
        raise TraceError(f"event {position} has attempt {event.attempt}; attempts count from 1")
    if event.sequence != position:
        raise TraceError(f"event {position} has sequence {event.sequence}")
    if event.reason_code not in REASON_CODES:
        raise TraceError(f"event {position} has a reason code that is not on the list")
