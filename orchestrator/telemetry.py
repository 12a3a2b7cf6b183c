"""What is told of runs to those who trace and count them: names of closed lists and durations, no content."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Final

from assay.common.v1.evidence_pb2 import Verdict
from assay.orchestrator.v1.run_pb2 import OrchestrationEvent, Run, RunStatus

from orchestrator.graph import Node, Outcome, Reason
from services.common.evidence.names import short_name
from services.common.processes import AGENTS
from services.common.telemetry import allowed
from services.common.telemetry.metrics import Counter, Gauge, Histogram, count, observe
from services.common.telemetry.spans import Span, span

GATE: Final = "assay.gate"
VERDICT: Final = "assay.verdict"
_NO_VERDICT: Final = "NONE"
_STATUSES: Final = [short_name(RunStatus.DESCRIPTOR, number) for number in RunStatus.values()[1:]]
_VERDICTS: Final = [short_name(Verdict.DESCRIPTOR, number) for number in Verdict.values()[1:]]
_GATE_RESULTS: Final = (Outcome.PASS, Outcome.LOW_CONFID, Outcome.REJECT)
_JUDGED: Final = {
    Reason.VERDICT_PASS: Outcome.PASS,
    Reason.VERDICT_LOW_CONFID: Outcome.LOW_CONFID,
    Reason.VERDICT_REJECT: Outcome.REJECT,
}

RUNS: Final = Counter(
    "assay_runs_total",
    "Runs that have ended, by status and effective verdict.",
    {"status": _STATUSES, "verdict": [*_VERDICTS, _NO_VERDICT]},
)
RUN_SECONDS: Final = Histogram(
    "assay_run_duration_seconds", "From the begin of a run to its stored end.", {"status": _STATUSES}
)
RUNS_NOW: Final = Gauge(
    "assay_runs_under_way",
    "Runs under way: those that walk, and submitted ones that wait.",
    {"state": ["walking", "waiting"]},
)
NODE_SECONDS: Final = Histogram(
    "assay_node_duration_seconds", "Node attempts of runs.", {"node": list(Node), "outcome": list(Outcome)}
)
RETRIES: Final = Counter(
    "assay_node_retries_total", "Attempts of a node that followed a failed one at once.", {"node": list(Node)}
)
GATE_RESULTS: Final = Counter(
    "assay_gate_results_total", "What the gate found, by result.", {"result": _GATE_RESULTS}
)


@contextmanager
def run_observed(run_id: str) -> Iterator[Callable[[Run], None]]:
    """Trace a run inside the block; what it gives takes the run as it ended."""
    with span("run diagnosis", {allowed.RUN_ID: run_id}) as running:

        def ended(run: Run) -> None:
            status = short_name(RunStatus.DESCRIPTOR, run.status)
            running.note({allowed.RUN_STATUS: status, allowed.RUN_REASON: run.failure.reason_code})
            running.evaluated(VERDICT, _verdict(run))

        yield ended


def count_run(run: Run) -> None:
    """Count a run that has ended, whoever ended it."""
    status = short_name(RunStatus.DESCRIPTOR, run.status)
    count(RUNS, {"status": status, "verdict": _verdict(run)})
    seconds = (run.end_time.ToNanoseconds() - run.create_time.ToNanoseconds()) / 1e9
    observe(RUN_SECONDS, {"status": status}, max(0.0, seconds))


@contextmanager
def attempt_observed(node: Node, attempt: int) -> Iterator[Callable[[OrchestrationEvent], None]]:
    """Trace a node attempt inside the block; what it gives takes the event that the attempt ended with."""
    with span(f"node {node}", _of_node(node, attempt)) as trying:

        def ended(event: OrchestrationEvent) -> None:
            trying.note({allowed.OUTCOME: event.outcome, allowed.REASON: event.reason_code})
            _tell_judgement(trying, event)
            _count_attempt(event)

        yield ended


def _of_node(node: Node, attempt: int) -> dict[str, allowed.Value]:
    attributes: dict[str, allowed.Value] = {allowed.NODE: str(node), allowed.ATTEMPT: attempt}
    if node in AGENTS:
        attributes |= {allowed.OPERATION: "invoke_agent", allowed.AGENT: str(node)}
    return attributes


def _tell_judgement(trying: Span, event: OrchestrationEvent) -> None:
    if event.node == Node.GATEKEEPER and event.outcome in _GATE_RESULTS:
        trying.evaluated(GATE, event.outcome)
    elif event.node == Node.VERIFIER and event.reason_code in _JUDGED:
        trying.evaluated(VERDICT, _JUDGED[Reason(event.reason_code)])
    elif event.outcome not in (Outcome.COMPLETED, *_GATE_RESULTS):
        trying.failed(event.outcome)


def _count_attempt(event: OrchestrationEvent) -> None:
    seconds = (event.end_time.ToNanoseconds() - event.start_time.ToNanoseconds()) / 1e9
    observe(NODE_SECONDS, {"node": event.node, "outcome": event.outcome}, max(0.0, seconds))
    if event.attempt > 1:
        count(RETRIES, {"node": event.node})
    if event.node == Node.GATEKEEPER and event.outcome in _GATE_RESULTS:
        count(GATE_RESULTS, {"result": event.outcome})


def _verdict(run: Run) -> str:
    return short_name(Verdict.DESCRIPTOR, run.effective_verdict) or _NO_VERDICT
