"""The runs under way: each is a task of its own, owned here, and ends stored."""

import asyncio
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager

import structlog
from assay.common.v1.context_pb2 import DiagnosisContext
from assay.orchestrator.v1 import run_pb2
from assay.orchestrator.v1.diagnosis_pb2 import DiagnoseResponse, RunStarted
from assay.orchestrator.v1.run_pb2 import Run
from assay.orchestrator.v1.state_pb2 import RunState
from google.protobuf.message import DecodeError

from orchestrator.catalogs import Catalogs
from orchestrator.clock import Clock
from orchestrator.engine import Ending, Engine, Walk
from orchestrator.finish import Finisher
from orchestrator.graph import Reason, RunConfig
from orchestrator.progress import Progress
from orchestrator.store.port import Store
from services.common.errors import NotFoundError, ResourceExhaustedError, UnavailableError
from services.common.rpc.context import bind_run_id

FINISH_SECONDS = 10.0

_log = structlog.get_logger("assay.runs")


class Runs:
    """Starts runs, at most so many at one time, and ends each of them whatever happens."""

    def __init__(
        self,
        *,
        engine: Engine,
        catalogs: Catalogs,
        store: Store,
        clock: Clock,
        new_id: Callable[[], str],
        max_runs: int,
    ) -> None:
        self._engine = engine
        self._catalogs = catalogs
        self._store = store
        self._finisher = Finisher(store, clock)
        self._clock = clock
        self._new_id = new_id
        self._max_runs = max_runs
        self._places_taken = 0
        # Each run under way, and the event that cancels it.
        self._living: dict[asyncio.Task[Run], asyncio.Event] = {}
        self._stopping = False

    @asynccontextmanager
    async def live(
        self, context: DiagnosisContext, seconds: float
    ) -> AsyncIterator[AsyncIterator[DiagnoseResponse]]:
        """Run one diagnosis inside the block and yield its messages; leaving the block early cancels it."""
        with self._place():
            progress = Progress()
            deadline = self._clock.monotonic() + seconds
            config = RunConfig(self._new_id(), deadline, publish=progress.publish)
            bind_run_id(config.run_id)
            catalog = await self._catalogs.known(context.scope, config)
            walk = Walk(config, RunState(context=context, catalog=catalog))
            left = asyncio.Event()
            living = asyncio.create_task(self._live(walk, progress, left), name=f"run {config.run_id}")
            self._living[living] = left
            living.add_done_callback(self._ended)
            try:
                yield _messages(progress, living)
            finally:
                left.set()
                await asyncio.wait([living])

    async def recover(self) -> None:
        """End the runs that an earlier process left under way."""
        for run_id in await self._store.running():
            begun = await self._left_behind(run_id)
            state = await self._checkpoint(begun)
            ending = Ending(run_pb2.RUN_STATUS_FAILED, Reason.ORCHESTRATOR_RESTARTED)
            await self._finisher.finish(begun, state, ending)
            _log.warning("a run was left under way and has been ended", run_id=run_id)

    async def close(self) -> None:
        """Cancel what still runs and wait until its end is stored."""
        self._stopping = True
        for left in self._living.values():
            left.set()
        if self._living:
            await asyncio.wait(self._living)

    async def _left_behind(self, run_id: str) -> Run:
        try:
            return await self._store.run(run_id)
        except DecodeError:
            _log.error("a run cannot be read", run_id=run_id)
            return Run(run_id=run_id)

    async def _checkpoint(self, begun: Run) -> RunState:
        try:
            return await self._store.checkpoint(begun.run_id)
        except (DecodeError, NotFoundError):
            _log.error("a run has no readable checkpoint", run_id=begun.run_id)
            return RunState(context=begun.context)

    @contextmanager
    def _place(self) -> Iterator[None]:
        if self._stopping:
            raise UnavailableError("the orchestrator is shutting down")
        if self._places_taken >= self._max_runs:
            raise ResourceExhaustedError(f"{self._max_runs} runs are under way; try again later")
        self._places_taken += 1
        try:
            yield
        finally:
            self._places_taken -= 1

    async def _live(self, walk: Walk, progress: Progress, left: asyncio.Event) -> Run:
        """See a run from its begin to its stored end. Nothing cancels this task: only the walk in it is."""
        try:
            begun = await self._begin(walk)
            progress.publish(DiagnoseResponse(started=RunStarted(run_id=begun.run_id)))
            ending = await self._walk(walk, left)
            if ending.status == run_pb2.RUN_STATUS_CANCELLED:
                # A walk that was cut off may have recorded one step more than it knows.
                walk.state = await self._checkpoint(begun)
            async with asyncio.timeout(FINISH_SECONDS):
                run = await self._finisher.finish(begun, walk.state, ending)
            status = run_pb2.RunStatus.Name(run.status)
            _log.info("a run has ended", status=status, reason=run.failure.reason_code)
            return run
        finally:
            progress.end()

    async def _begin(self, walk: Walk) -> Run:
        run = Run(run_id=walk.config.run_id, status=run_pb2.RUN_STATUS_RUNNING, context=walk.state.context)
        run.create_time.FromDatetime(self._clock.now())
        await self._store.create_run(run, walk.state)
        return run

    async def _walk(self, walk: Walk, left: asyncio.Event) -> Ending:
        walking = asyncio.create_task(self._engine.run(walk))
        leaving = asyncio.create_task(left.wait())
        await asyncio.wait([walking, leaving], return_when=asyncio.FIRST_COMPLETED)
        # Whichever has ended, this changes nothing for it.
        leaving.cancel()
        walking.cancel()
        await asyncio.wait([walking, leaving])
        if walking.cancelled():
            late = self._clock.monotonic() >= walk.config.deadline
            reason = Reason.DEADLINE_EXCEEDED if late else Reason.CALL_CANCELLED
            return Ending(run_pb2.RUN_STATUS_CANCELLED, reason)
        error = walking.exception()
        if error is not None:
            _log.error("a run failed outside its nodes", exc_info=error)
            return Ending(run_pb2.RUN_STATUS_FAILED, Reason.INTERNAL_ERROR)
        return walking.result()

    def _ended(self, living: asyncio.Task[Run]) -> None:
        del self._living[living]
        error = None if living.cancelled() else living.exception()
        if error is not None:
            _log.error("the end of a run could not be stored", exc_info=error)


async def _messages(progress: Progress, living: asyncio.Task[Run]) -> AsyncIterator[DiagnoseResponse]:
    async for message in progress.messages():
        yield message
    # A run whose end could not be stored fails the call.
    yield DiagnoseResponse(run=await asyncio.shield(living))
