"""The one engine that walks the graph: run a node, record the step, choose the next."""

import asyncio
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol

import structlog
from assay.common.v1 import evidence_pb2
from assay.orchestrator.v1 import run_pb2
from assay.orchestrator.v1.diagnosis_pb2 import DiagnoseResponse, NodeStarted
from assay.orchestrator.v1.run_pb2 import OrchestrationEvent
from assay.orchestrator.v1.state_pb2 import RunState

from orchestrator.clock import Clock
from orchestrator.graph import (
    END,
    CallFailedError,
    CompiledGraph,
    Node,
    NodeFailedError,
    NodeResult,
    Outcome,
    Reason,
    RunConfig,
    outcome_of_call,
    outcome_of_error,
)
from orchestrator.telemetry import attempt_observed

_log = structlog.get_logger("assay.engine")
_CONCLUSIVE = (evidence_pb2.VERDICT_PASS, evidence_pb2.VERDICT_LOW_CONFID)


class Journal(Protocol):
    """Where steps are recorded."""

    async def record_step(self, run_id: str, event: OrchestrationEvent, state: RunState) -> None:
        """Record one step, event and state together; the event's sequence is the step number."""
        ...


@dataclass(slots=True)
class Walk:
    """One run under way: its configuration and its state after the last recorded step."""

    config: RunConfig
    state: RunState


@dataclass(frozen=True, slots=True)
class Ending:
    """How a walk ended. `reason` is set when it did not end through its graph."""

    status: run_pb2.RunStatus.ValueType
    reason: Reason | None = None


class Engine:
    """Walks a compiled graph. It keeps nothing between runs."""

    def __init__(self, graph: CompiledGraph, journal: Journal, clock: Clock) -> None:
        self._graph = graph
        self._journal = journal
        self._clock = clock

    async def run(self, walk: Walk) -> Ending:
        """Walk until the graph ends, the deadline has passed or the limit is reached."""
        target: str = self._graph.start
        for _ in range(min(self._graph.recursion_limit, walk.config.recursion_limit)):
            if self._remaining(walk.config) <= 0:
                return Ending(run_pb2.RUN_STATUS_CANCELLED, Reason.DEADLINE_EXCEEDED)
            target = await self._step(Node(target), walk)
            if target == END:
                return _ending(walk.state)
        return Ending(run_pb2.RUN_STATUS_FAILED, Reason.RECURSION_LIMIT_EXCEEDED)

    async def _step(self, node: Node, walk: Walk) -> str:
        attempt = _attempt(node, walk.state)
        walk.config.publish(DiagnoseResponse(node_started=NodeStarted(node=node, attempt=attempt)))
        with attempt_observed(node, attempt) as ended:
            started = self._clock.now()
            result = await self._attempt(node, walk)
            event = _event(walk.state, node, self._graph.outcome(node, result), result.reason, attempt)
            _stamp(event, started, self._clock.now())
            step = self._graph.advance(walk.state, node, result, event)
            await self._journal.record_step(walk.config.run_id, event, step.state)
            ended(event)
        walk.state = step.state
        walk.config.publish(DiagnoseResponse(event=event))
        return step.target

    async def _attempt(self, node: Node, walk: Walk) -> NodeResult:
        try:
            async with asyncio.timeout(self._remaining(walk.config)):
                return await self._graph.port(node)(walk.state, walk.config)
        except NodeFailedError as error:
            return NodeResult(error.outcome, error.reason, reasoning=error.reasoning)
        except CallFailedError as error:
            return NodeResult(*outcome_of_call(node, error.code))
        except TimeoutError:
            return NodeResult(*outcome_of_call(node, "DEADLINE_EXCEEDED"))
        except Exception:  # noqa: BLE001 - a defect of one node takes its failure row; it must not lose the run
            _log.exception("node failed", node=str(node))
            return NodeResult(outcome_of_error(node), Reason.NODE_ERROR)

    def _remaining(self, config: RunConfig) -> float:
        return config.deadline - self._clock.monotonic()


def _attempt(node: Node, state: RunState) -> int:
    attempt = 1
    for event in reversed(state.orchestration_events):
        if event.node != node:
            break
        attempt += 1
    return attempt


def _event(state: RunState, node: Node, outcome: Outcome, reason: str, attempt: int) -> OrchestrationEvent:
    return OrchestrationEvent(
        sequence=len(state.orchestration_events) + 1,
        node=node,
        outcome=outcome,
        reason_code=reason,
        attempt=attempt,
    )


def _stamp(event: OrchestrationEvent, started: datetime, ended: datetime) -> None:
    event.start_time.FromDatetime(started)
    event.end_time.FromDatetime(ended)


def _ending(state: RunState) -> Ending:
    last = state.orchestration_events[-1]
    if last.reason_code == Reason.CALL_DEADLINE_EXCEEDED:
        return Ending(run_pb2.RUN_STATUS_CANCELLED, Reason.DEADLINE_EXCEEDED)
    if last.outcome != Outcome.COMPLETED:
        # Only fallback ends the graph without completing, and there is nothing behind it.
        return Ending(run_pb2.RUN_STATUS_FAILED, Reason.INTERNAL_ERROR)
    if last.node == Node.FALLBACK or state.effective_verdict not in _CONCLUSIVE:
        return Ending(run_pb2.RUN_STATUS_DEGRADED)
    return Ending(run_pb2.RUN_STATUS_SUCCEEDED)
