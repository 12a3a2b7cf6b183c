"""What must hold of every complete path, whatever its answers were."""

from collections.abc import Iterator, Sequence
from itertools import pairwise

from assay.common.v1 import evidence_pb2
from assay.orchestrator.v1 import run_pb2
from assay.orchestrator.v1.run_pb2 import OrchestrationEvent

from orchestrator.engine import Ending
from orchestrator.graph import build_trace
from tests.fakes.graph_states import ListJournal

MAX_NODES = 32
_GRAPH_ENDINGS = (run_pb2.RUN_STATUS_SUCCEEDED, run_pb2.RUN_STATUS_DEGRADED)


def broken_rules(called: Sequence[str], journal: ListJournal, ending: Ending) -> Iterator[str]:
    """Yield what a walk broke: the nodes that were called, what was recorded, how it ended."""
    yield from _bounds(called)
    yield from _retries(called)
    yield from _order(journal.events)
    yield from _verdicts(journal)
    yield from _trace(called, journal, ending)
    yield from _end(journal, ending)


def _bounds(called: Sequence[str]) -> Iterator[str]:
    if not 1 <= len(called) <= MAX_NODES:
        yield f"{len(called)} nodes"
    if called.count("fallback") > 1 or "fallback" in called[:-1]:
        yield "fallback is not last, or runs twice"
    if called[-1] not in ("composer", "fallback"):
        yield f"ends at {called[-1]}"


def _retries(called: Sequence[str]) -> Iterator[str]:
    if called.count("evidence_retry") > 1:
        yield "two evidence retries"
    cycles = _cycles(called)
    for cycle in cycles:
        if cycle.count("executor") > 1:
            yield "the executor is retried"
        if cycle.count("planner") > 2:
            yield "two technical retries of the planner in a cycle"
    # The verifier's retry is not given back by the second cycle.
    for node in ("verifier", "composer"):
        if sum(max(cycle.count(node) - 1, 0) for cycle in cycles) > 1:
            yield f"two technical retries of the {node}"


def _cycles(called: Sequence[str]) -> list[list[str]]:
    cycles: list[list[str]] = [[]]
    for node in called:
        if node == "evidence_retry":
            cycles.append([])
        else:
            cycles[-1].append(node)
    return cycles


def _order(events: Sequence[OrchestrationEvent]) -> Iterator[str]:
    gate = ""
    for event in events:
        if event.node == "gatekeeper":
            gate = event.outcome
        if event.node in ("verified_input", "verifier") and gate not in ("PASS", "LOW_CONFID"):
            yield f"{event.node} after a gate that ended with {gate or 'nothing'}"
    for before, event in pairwise(events):
        verified = (before.node, before.outcome) == ("verifier", "COMPLETED")
        if event.node == "composer" and not verified and before.node != "composer":
            yield f"the composer after {before.node} {before.outcome}"
        if event.node == before.node and event.attempt != before.attempt + 1:
            yield f"attempt {event.attempt} of {event.node} after attempt {before.attempt}"
        if event.node != before.node and event.attempt != 1:
            yield f"the first attempt of {event.node} counts as {event.attempt}"


def _verdicts(journal: ListJournal) -> Iterator[str]:
    """Without a completed verifier in the cycle under way there is no verdict."""
    verified = False
    for event, state in zip(journal.events, journal.states, strict=True):
        if (event.node, event.outcome) == ("verifier", "COMPLETED"):
            verified = True
        elif (event.node, event.outcome) == ("evidence_retry", "COMPLETED"):
            verified = False
        if state.effective_verdict != evidence_pb2.VERDICT_UNSPECIFIED and not verified:
            yield f"a verdict after {event.node} {event.outcome}"


def _trace(called: Sequence[str], journal: ListJournal, ending: Ending) -> Iterator[str]:
    retries = journal.states[-1].evidence_retry_count
    trace = build_trace("run-1", ending.status, journal.events, retries)
    if [event.node for event in trace.events] != list(called):
        yield "the trace's events are not the path"
    if [(step.from_node, step.to_node) for step in trace.transitions] != list(pairwise(called)):
        yield "the trace's transitions are not the path"
    if retries != [(event.node, event.outcome) for event in journal.events].count(
        ("evidence_retry", "COMPLETED")
    ):
        yield "the evidence retries are not counted"
    if trace.degraded and called[-1] != "fallback":
        yield "degraded without fallback"
    if ending.status in _GRAPH_ENDINGS and trace.final_node != called[-1]:
        yield f"the trace ends at {trace.final_node}"


def _end(journal: ListJournal, ending: Ending) -> Iterator[str]:
    last = journal.events[-1]
    conclusive = journal.states[-1].effective_verdict in (
        evidence_pb2.VERDICT_PASS,
        evidence_pb2.VERDICT_LOW_CONFID,
    )
    expected: tuple[int, ...]
    if last.outcome != "COMPLETED":
        expected = (run_pb2.RUN_STATUS_FAILED, run_pb2.RUN_STATUS_CANCELLED)
    elif last.node == "composer" and conclusive:
        expected = (run_pb2.RUN_STATUS_SUCCEEDED,)
    else:
        expected = (run_pb2.RUN_STATUS_DEGRADED,)
    if ending.status not in expected:
        yield f"ends with status {run_pb2.RunStatus.Name(ending.status)}"
