"""The store as the orchestrator needs it. Every adapter passes the same conformance suite."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Protocol

from assay.common.v1.context_pb2 import TimeWindow
from assay.common.v1.tool_pb2 import Invocation
from assay.orchestrator.v1 import run_pb2
from assay.orchestrator.v1.run_pb2 import OrchestrationEvent, Run, RunSummary
from assay.orchestrator.v1.state_pb2 import RunState
from google.protobuf.timestamp_pb2 import Timestamp

from services.common.errors import AssayError, DataLossError, ResourceExhaustedError, UnavailableError

# Channels of one self-evaluation beside the orchestrator's own.
MAX_CHANNELS = 16
OWN_CHANNEL = "verifier_evaluation"
CHANNEL_FORM = re.compile(r"[a-z][a-z_]{0,63}")


class StoreOpenError(AssayError):
    """The store cannot be opened; the message says why and what to do."""


class StoreError(AssayError):
    """The store does not do its work now; what it acknowledged before is not touched by that."""


class StoreFullError(StoreError, ResourceExhaustedError):
    """There is no room for what should be written."""


class StoreUnavailableError(StoreError, UnavailableError):
    """The store cannot be read or written now."""


class StoredDataError(StoreError, DataLossError):
    """What was read back is not what was written."""


class StepConflictError(Exception):
    """The step is not the next one of its run, or the run is no longer under way."""


@dataclass(frozen=True, slots=True)
class Submission:
    """What a run was submitted with: the caller's key, and the SHA-256 of what it asked."""

    key: str
    request_sha256: bytes


@dataclass(frozen=True, slots=True)
class Selection:
    """Which runs a list holds; no status means every status."""

    statuses: frozenset[run_pb2.RunStatus.ValueType]
    create_time: TimeWindow


@dataclass(frozen=True, slots=True)
class Cursor:
    """A run's place in a list. The run itself need not exist any more."""

    create_time: Timestamp
    run_id: str


@dataclass(frozen=True, slots=True)
class Retention:
    """Which ended runs go: those created before an instant, if there is one, but for the newest `keep`."""

    keep: int = 0
    created_before: Timestamp | None = None


@dataclass(frozen=True, slots=True)
class History:
    """What a trace is made of."""

    status: run_pb2.RunStatus.ValueType
    events: Sequence[OrchestrationEvent]
    evidence_retry_count: int


@dataclass(frozen=True, slots=True)
class StoredCall:
    """A stored invocation without its output, and how many bytes that output has."""

    invocation: Invocation
    output_bytes: int


class Store(Protocol):
    """Runs, their tool calls, their events, and the checkpoint of those under way.

    Every method is one transaction. An unknown run or invocation is a NotFoundError; a store that cannot do
    its work raises a StoreError that says why.
    """

    async def create_run(self, run: Run, state: RunState, submission: Submission | None = None) -> str:
        """Store a run that begins, with its first checkpoint, and return its id.

        When the submission was made before, store nothing and return the id of the run that it began.
        AlreadyExistsError when its key came with another request, and for an id that is taken.
        """
        ...

    async def submitted(self, submission: Submission) -> str | None:
        """Return the run that a submission began, None when there is none; AlreadyExistsError as above."""
        ...

    async def record_step(self, run_id: str, event: OrchestrationEvent, state: RunState) -> None:
        """Append an event and replace the checkpoint, together; the event's sequence is the step number.

        StepConflictError unless it is the next step of a run under way.
        """
        ...

    async def add_invocation(self, run_id: str, invocation: Invocation) -> None:
        """Store a tool call with its output; AlreadyExistsError when the run has one with this id."""
        ...

    async def write_channel(self, run_id: str, channel: str, value_json: str) -> None:
        """Replace one channel of the run's self-evaluation; the others stay as they are.

        FailedPreconditionError for one channel more than MAX_CHANNELS; OWN_CHANNEL does not count.
        """
        ...

    async def end_run(self, run: Run) -> None:
        """Replace a run under way by how it ended, without its checkpoint; else StepConflictError."""
        ...

    async def run(self, run_id: str) -> Run:
        """Return a run with its self-evaluation."""
        ...

    async def runs(self, selection: Selection, after: Cursor | None, limit: int) -> list[RunSummary]:
        """Return at most `limit` runs, the newest first, that come after a place in the list."""
        ...

    async def prune(self, bound: Retention) -> int:
        """Forget the ended runs that a bound does not keep, with all they have; return how many."""
        ...

    async def prunable(self, bound: Retention) -> int:
        """Return how many runs `prune` would forget."""
        ...

    async def history(self, run_id: str) -> History:
        """Return the events of a run, in order."""
        ...

    async def calls(self, run_id: str) -> list[StoredCall]:
        """Return the tool calls of a run without outputs, in the order in which they were stored."""
        ...

    async def outputs(self, run_id: str, invocation_ids: Iterable[str]) -> dict[str, bytes]:
        """Return the outputs of these tool calls, as far as the run has them; StoredDataError as below."""
        ...

    async def invocation(self, run_id: str, invocation_id: str) -> Invocation:
        """Return one tool call with its output; StoredDataError when that is not what was hashed."""
        ...

    async def running(self) -> list[str]:
        """Return the ids of the runs that have not ended."""
        ...

    async def checkpoint(self, run_id: str) -> RunState:
        """Return the state after the last recorded step of a run under way."""
        ...

    async def close(self) -> None:
        """Release the store."""
        ...
