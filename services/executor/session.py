"""One execution's hold on a worker process, in which the bundle stays open from call to call."""

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Concatenate, Final, ParamSpec, TypeVar

from assay.common.v1 import tool_pb2

from services.common.errors import FailedPreconditionError, UnavailableError
from services.executor.desk import Desk
from services.executor.sources.stop import StoppedError
from services.executor.workers import OverrunError, Worker, WorkerEndedError, WorkerLostError, Workers

# Work that asks for its time ends by itself and keeps what it has read; after this it is killed.
GRACE_SECONDS: Final = 1.0

P = ParamSpec("P")
T = TypeVar("T")


class Session:
    """A bundle in a worker process, and what was recorded of it.

    `remaining` gives the seconds that the caller still waits. When the process is lost, the operation under
    way raises WorkerLostError, and the next one finds a new process with the bundle open again.
    """

    def __init__(
        self, worker: Worker[Desk], bundle: str, remaining: Callable[[], float], opening_seconds: float
    ) -> None:
        self.remaining = remaining
        self.invocations: list[tool_pb2.Invocation] = []
        self._worker = worker
        self._bundle = bundle
        self._opening_seconds = opening_seconds
        self._is_open = False
        self._told = 0

    async def open(self) -> None:
        """Open the bundle unless it is open; raises what `looked_through` raises."""
        if not self._is_open:
            seconds = min(self._opening_seconds, self.remaining())
            await looked_through(self._worker, Desk.open, self._bundle, seconds)
            self._is_open = True
            self._told = 0

    async def run(
        self,
        seconds: float,
        operation: Callable[Concatenate[Desk, P], T],
        /,
        *arguments: P.args,
        **named: P.kwargs,
    ) -> T:
        """Run an operation in the worker, which is killed after `seconds`."""
        await self.open()
        try:
            return await self._worker.run(seconds, operation, *arguments, **named)
        except WorkerLostError:
            self._is_open = False
            raise

    async def reason(
        self,
        seconds: float,
        operation: Callable[Concatenate[Desk, list[tool_pb2.Invocation], P], T],
        /,
        *arguments: P.args,
        **named: P.kwargs,
    ) -> T:
        """Run an operation on all recorded calls; those that are new to the worker travel with it."""
        await self.open()
        known = len(self.invocations)
        result = await self.run(seconds, operation, self.invocations[self._told :], *arguments, **named)
        self._told = known
        return result


class Sessions:
    """Looks into bundles on a bounded number of workers; opening one takes at most `opening_seconds`.

    Every method waits for a free worker first, and raises what `looked_through` raises. Listing is short and
    its caller does not wait for long: while executions have all of their workers, it has one of `spare`.
    """

    def __init__(self, workers: Workers[Desk], spare: Workers[Desk], opening_seconds: float) -> None:
        self._workers = workers
        self._spare = spare
        self._opening_seconds = opening_seconds

    @asynccontextmanager
    async def open(self, bundle: str, remaining: Callable[[], float]) -> AsyncIterator[Session]:
        """Open a bundle by name for an execution."""
        async with self._workers.lease() as worker:
            session = Session(worker, bundle, remaining, self._opening_seconds)
            await session.open()
            yield session

    async def catalog(self, bundle: str, remaining: Callable[[], float]) -> tool_pb2.ToolCatalog:
        """Return the tools and the inventory of a bundle."""
        workers = self._spare if self._workers.all_leased else self._workers
        async with workers.lease() as worker:
            seconds = min(self._opening_seconds, remaining())
            return await looked_through(worker, Desk.inventory, bundle, seconds)


async def looked_through(
    worker: Worker[Desk], operation: Callable[[Desk, str, float], T], bundle: str, seconds: float
) -> T:
    """Run an operation that opens a bundle, in at most `seconds`.

    Raises what Folder and Bundle raise, FailedPreconditionError when the time was too short, and
    UnavailableError when the process ended.
    """
    try:
        return await worker.run(seconds + GRACE_SECONDS, operation, bundle, seconds)
    except (StoppedError, OverrunError):
        raise FailedPreconditionError(
            "the bundle could not be looked through in time: it holds too much", field="scope.bundle"
        ) from None
    except WorkerEndedError as error:
        raise UnavailableError(
            f"the process that looked through the bundle ended ({error}), perhaps for want of memory; "
            "try again, or with less in the bundle"
        ) from None
