"""The runs under way: each is a task of its own, owned here, and ends stored."""

import asyncio
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import AbstractContextManager, asynccontextmanager, contextmanager, nullcontext
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import structlog
from assay.common.v1.context_pb2 import DiagnosisContext
from assay.orchestrator.v1 import run_pb2
from assay.orchestrator.v1.diagnosis_pb2 import DiagnoseResponse
from assay.orchestrator.v1.run_pb2 import Run
from assay.orchestrator.v1.state_pb2 import RunState

from orchestrator.catalogs import Catalogs
from orchestrator.clock import Clock
from orchestrator.engine import Ending, Walk
from orchestrator.graph import Reason, RunConfig
from orchestrator.lifecycle import Lifecycle, LiveRun, Turn
from orchestrator.progress import Follower, Progress
from orchestrator.store.port import Store, Submission
from orchestrator.watching import watched_messages
from services.common.errors import ResourceExhaustedError, UnavailableError
from services.common.places import Places
from services.common.rpc.context import bind_run_id

_log = structlog.get_logger("assay.runs")

_RunTask = asyncio.Task[Run | None]


@dataclass(frozen=True, slots=True)
class RunLimits:
    """How many runs walk at one time, and how many submitted ones may wait for that."""

    running: int
    waiting: int


class Runs:
    """Starts runs, at most so many at one time, and ends each of them whatever happens."""

    def __init__(
        self,
        *,
        lifecycle: Lifecycle,
        catalogs: Catalogs,
        store: Store,
        clock: Clock,
        new_id: Callable[[], str],
        limits: RunLimits,
    ) -> None:
        self._lifecycle = lifecycle
        self._catalogs = catalogs
        self._store = store
        self._clock = clock
        self._new_id = new_id
        self._limits = limits
        self._places = Places(limits.running)
        # A catalog costs the executor work: as many at one time as runs.
        self._asking = asyncio.Semaphore(limits.running)
        self._arriving = 0
        self._living: dict[str, tuple[LiveRun, _RunTask]] = {}
        self._ending_left_behind = asyncio.Lock()
        self._stopping = False

    @property
    def waiting(self) -> int:
        """How many submitted runs wait for a place."""
        return self._places.waiting

    @property
    def walking(self) -> int:
        """How many runs are under way and do not wait."""
        return len(self._living) - self.waiting

    @asynccontextmanager
    async def live(
        self, context: DiagnosisContext, seconds: float
    ) -> AsyncIterator[AsyncIterator[DiagnoseResponse]]:
        """Run one diagnosis inside the block and yield its messages; leaving the block early cancels it."""
        self._refuse_when_stopping()
        if self._places.locked():
            raise ResourceExhaustedError(f"{self._limits.running} runs are under way; try again later")
        async with self._places:
            live = await self._prepared(context, seconds, None)
            with live.progress.followed() as follower:
                task = self._start(live, _at_once)
                try:
                    yield _messages(follower, task)
                finally:
                    live.stop(Reason.CALL_CANCELLED)
                    await asyncio.wait([task])

    async def submit(self, context: DiagnosisContext, submission: Submission, seconds: float) -> str:
        """Begin a run that outlives its caller and return its id; the same submission begins one run."""
        earlier = await self._store.submitted(submission)
        if earlier is not None:
            return earlier
        self._refuse_when_stopping()
        with self._arrival():
            async with self._asking:
                live = await self._prepared(context, seconds, submission)
            task = self._start(live, partial(self._queued, seconds))
        waited: tuple[asyncio.Future[Any], ...] = (task, live.begun)
        await asyncio.wait(waited, return_when=asyncio.FIRST_COMPLETED)
        if not live.begun.done():
            # It could not be stored: this raises why.
            await task
        return live.begun.result()

    @asynccontextmanager
    async def watched(self, run_id: str, after: int) -> AsyncIterator[AsyncIterator[DiagnoseResponse]]:
        """Follow a run inside the block, from the event after a sequence on; leaving changes nothing."""
        live, task = self._living.get(run_id, (None, None))
        following: AbstractContextManager[Follower | None] = (
            live.progress.followed() if live else nullcontext()
        )
        with following as follower:
            # Read after following has begun, so that no event falls between.
            history = await self._store.history(run_id)
            coming = _messages(follower, task) if follower and task else self._end_of(run_id)
            yield watched_messages(run_id, after, history.events, coming)

    async def cancel(self, run_id: str) -> Run:
        """End a run that is under way, and return it as it ended, now or before."""
        live, task = self._living.get(run_id, (None, None))
        if live and task:
            live.stop(Reason.CANCEL_REQUESTED)
            await asyncio.wait([task])
        async with self._ending_left_behind:
            run = await self._store.run(run_id)
            if run.status != run_pb2.RUN_STATUS_RUNNING:
                return run
            # Its end could not be stored; perhaps it can now.
            ending = Ending(run_pb2.RUN_STATUS_CANCELLED, Reason.CANCEL_REQUESTED)
            return await self._lifecycle.end_stored(run_id, ending)

    async def recover(self) -> None:
        """End the runs that an earlier process left under way."""
        ending = Ending(run_pb2.RUN_STATUS_FAILED, Reason.ORCHESTRATOR_RESTARTED)
        for run_id in await self._store.running():
            await self._lifecycle.end_stored(run_id, ending)
            _log.warning("a run was left under way and has been ended", run_id=run_id)

    async def close(self) -> None:
        """Begin nothing more, cancel what still runs, and wait until its end is stored."""
        self._stopping = True
        for live, _ in self._living.values():
            live.stop(Reason.ORCHESTRATOR_STOPPED)
        if self._living:
            await asyncio.wait([task for _, task in self._living.values()])

    async def _prepared(
        self, context: DiagnosisContext, seconds: float, submission: Submission | None
    ) -> LiveRun:
        """Return a run that can begin; raises the executor's refusal of its scope."""
        progress = Progress()
        deadline = self._clock.monotonic() + seconds
        config = RunConfig(self._new_id(), deadline, publish=progress.publish)
        bind_run_id(config.run_id)
        catalog = await self._catalogs.known(context.scope, config)
        return LiveRun(Walk(config, RunState(context=context, catalog=catalog)), progress, submission)

    def _start(self, live: LiveRun, turn: Turn) -> _RunTask:
        # Asked again: the executor was asked meanwhile.
        self._refuse_when_stopping()
        run_id = live.walk.config.run_id
        task = asyncio.create_task(self._lifecycle.live(live, turn), name=f"run {run_id}")
        self._living[run_id] = (live, task)
        task.add_done_callback(partial(self._ended, run_id))
        return task

    def _ended(self, run_id: str, task: _RunTask) -> None:
        del self._living[run_id]
        error = None if task.cancelled() else task.exception()
        if error is not None:
            _log.error("a run could not be stored", run_id=run_id, exc_info=error)

    def _refuse_when_stopping(self) -> None:
        if self._stopping:
            raise UnavailableError("the orchestrator is shutting down; call another replica or try again")

    @contextmanager
    def _arrival(self) -> Iterator[None]:
        """Count a submission until its run is under way; refuse it when too many are."""
        most = self._limits.running + self._limits.waiting
        if len(self._living) + self._arriving >= most:
            raise ResourceExhaustedError(f"{most} runs are under way or wait; try again later")
        self._arriving += 1
        try:
            yield
        finally:
            self._arriving -= 1

    @asynccontextmanager
    async def _queued(self, seconds: float, walk: Walk) -> AsyncIterator[None]:
        """Wait for a place; the run's time counts from when it has one."""
        async with self._places:
            walk.config = replace(walk.config, deadline=self._clock.monotonic() + seconds)
            yield

    async def _end_of(self, run_id: str) -> AsyncIterator[DiagnoseResponse]:
        run = await self._store.run(run_id)
        if run.status == run_pb2.RUN_STATUS_RUNNING:
            raise UnavailableError(f"the end of run {run_id} could not be stored; CancelRun tries again")
        yield DiagnoseResponse(run=run)


@asynccontextmanager
async def _at_once(_walk: Walk) -> AsyncIterator[None]:
    yield


async def _messages(follower: Follower, task: _RunTask) -> AsyncIterator[DiagnoseResponse]:
    async for message in follower.messages():
        yield message
    # A run whose end could not be stored fails the call.
    yield DiagnoseResponse(run=await asyncio.shield(task))
