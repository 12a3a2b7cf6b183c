"""The path of a run as text: each node attempt, each transition, and how the path ended."""

from typing import Final

from assay.orchestrator.v1 import run_pb2

from orchestrator.cli.table import Paper, table
from orchestrator.cli.times import between, date_and_time, time_of_day
from services.common.evidence.names import short_name
from services.common.visible import visible

_TITLES: Final = ("#", "NODE", "OUTCOME", "TRY", "BEGAN", "TOOK", "REASON")


def render(trace: run_pb2.Trace, paper: Paper) -> str:
    """Return the path; of a run that did not end through its graph, no end is shown."""
    status = short_name(run_pb2.RunStatus.DESCRIPTOR, trace.status)
    parts = [f"run {visible(trace.run_id)}  {status}\n"]
    if trace.events:
        began = date_and_time(trace.events[0].start_time)
        parts += [f"began {began}; the times below are UTC\n\n", _events(trace, paper)]
    if trace.transitions:
        parts += ["\n", *(f"{_transition(step)}\n" for step in trace.transitions)]
    return "".join([*parts, "\n", _end(trace, status)])


def _events(trace: run_pb2.Trace, paper: Paper) -> str:
    return table(_TITLES, [_row(event) for event in trace.events], paper)


def _row(event: run_pb2.OrchestrationEvent) -> list[str]:
    return [
        str(event.sequence),
        event.node,
        event.outcome,
        str(event.attempt),
        time_of_day(event.start_time),
        between(event.start_time, event.end_time),
        event.reason_code,
    ]


def _transition(step: run_pb2.Transition) -> str:
    return visible(f"{step.from_node} --{step.outcome}--> {step.to_node}")


def _end(trace: run_pb2.Trace, status: str) -> str:
    if not trace.final_node:
        ended = "has not ended" if trace.status == run_pb2.RUN_STATUS_RUNNING else f"ended {status}"
        return f"the run {ended}: no node ended it\nevidence retries: {trace.evidence_retry_count}\n"
    degraded = "yes" if trace.degraded else "no"
    return (
        f"ended in {visible(trace.final_node)}: {visible(trace.termination_reason)}\n"
        f"degraded: {degraded}\nevidence retries: {trace.evidence_retry_count}\n"
    )
