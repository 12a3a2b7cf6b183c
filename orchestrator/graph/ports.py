"""What the graph asks of a node, and what a node is given."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Protocol

from assay.common.v1.reasoning_pb2 import Reasoning
from assay.orchestrator.v1.diagnosis_pb2 import DiagnoseResponse
from assay.orchestrator.v1.state_pb2 import RunState

from orchestrator.graph.state import Updates
from orchestrator.graph.vocabulary import Outcome, Reason

RECURSION_LIMIT = 32


def _nobody_listens(_message: DiagnoseResponse) -> None:
    return


@dataclass(frozen=True, slots=True)
class RunConfig:
    """The configuration of one run, given to every node of it.

    `run_id` identifies the run on every call; `deadline` is an instant of the engine's monotonic clock, in
    seconds; `recursion_limit` counts node executions; `publish` takes progress messages and never waits.
    """

    run_id: str
    deadline: float
    recursion_limit: int = RECURSION_LIMIT
    publish: Callable[[DiagnoseResponse], None] = _nobody_listens


@dataclass(frozen=True, slots=True)
class NodeResult:
    """How one node attempt ended, and what it changes. `outcome` may be a word the node never declared.

    `reasoning` is who thought in it, if anybody says so.
    """

    outcome: str
    reason: str
    updates: Updates = field(default_factory=dict)
    reasoning: Reasoning | None = None


class NodePort(Protocol):
    """One node: reads the state, returns a result, keeps nothing between calls."""

    async def __call__(self, state: RunState, config: RunConfig) -> NodeResult: ...


class NodeFailedError(Exception):
    """A node attempt that failed in a way that the graph knows."""

    def __init__(self, outcome: Outcome, reason: Reason, reasoning: Reasoning | None = None) -> None:
        super().__init__(f"{outcome}: {reason}")
        self.outcome = outcome
        self.reason = reason
        self.reasoning = reasoning


class CallFailedError(Exception):
    """A call to an agent ended with a status other than OK; `code` is the status code's name."""

    def __init__(self, code: str, message: str = "") -> None:
        super().__init__(f"the call ended with {code}")
        self.code = code
        self.message = message
