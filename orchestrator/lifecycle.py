"""The life of one run: stored when it begins, walked in its turn, ended by itself or by others, stored."""

import asyncio
from collections.abc import Callable
from contextlib import AbstractAsyncContextManager

import structlog
from assay.orchestrator.v1 import run_pb2
from assay.orchestrator.v1.diagnosis_pb2 import DiagnoseResponse, RunStarted
from assay.orchestrator.v1.run_pb2 import Run
from assay.orchestrator.v1.state_pb2 import RunState

from orchestrator.clock import Clock
from orchestrator.engine import Ending, Engine, Walk
from orchestrator.finish import Finisher
from orchestrator.graph import Reason
from orchestrator.progress import Progress
from orchestrator.store.port import Store, StoredDataError, StoreError, Submission
from orchestrator.telemetry import count_run, run_observed
from services.common.errors import NotFoundError

FINISH_SECONDS = 10.0

# What a run waits for before it walks; it may set the walk's deadline.
Turn = Callable[[Walk], AbstractAsyncContextManager[None]]

_log = structlog.get_logger("assay.runs")


class LiveRun:
    """One run under way, as others see it: its progress, and the means to end it."""

    def __init__(self, walk: Walk, progress: Progress, submission: Submission | None) -> None:
        self.walk = walk
        self.progress = progress
        self.submission = submission
        # Once stored: the id of the run, or of the earlier one that the same submission began.
        self.begun: asyncio.Future[str] = asyncio.get_running_loop().create_future()
        self.stop_reason: Reason | None = None
        self._stopped = asyncio.Event()

    def stop(self, reason: Reason) -> None:
        """Tell the run to end; the first reason counts."""
        if self.stop_reason is None:
            self.stop_reason = reason
            self._stopped.set()

    async def stopped(self) -> None:
        """Wait until the run is told to end."""
        await self._stopped.wait()


class Lifecycle:
    """Sees runs from their begin to their stored end."""

    def __init__(self, engine: Engine, store: Store, clock: Clock, *, max_run_bytes: int) -> None:
        self._engine = engine
        self._store = store
        self._clock = clock
        self._finisher = Finisher(store, clock, max_run_bytes)

    async def live(self, live: LiveRun, turn: Turn) -> Run | None:
        """See a run to its stored end and return it; None when its submission had begun a run before.

        Nothing may cancel this: only the walk in it is.
        """
        try:
            begun = await self._begin(live)
            if begun is None:
                return None
            with run_observed(begun.run_id) as ended:
                run = await self._to_end(begun, live, turn)
                ended(run)
            return run
        finally:
            live.progress.end()

    async def end_stored(self, run_id: str, ending: Ending) -> Run:
        """End a run that is stored as under way and that nobody lives."""
        try:
            begun = await self._store.run(run_id)
        except StoredDataError:
            _log.error("a run cannot be read", run_id=run_id)
            begun = Run(run_id=run_id)
        return await self._finish(begun, await self._checkpoint(begun), ending)

    async def _to_end(self, begun: Run, live: LiveRun, turn: Turn) -> Run:
        ending = await self._walk(live, turn)
        if ending.status == run_pb2.RUN_STATUS_CANCELLED:
            # A walk that was cut off may have recorded one step more than it knows.
            live.walk.state = await self._checkpoint(begun)
        return await self._finish(begun, live.walk.state, ending)

    async def _finish(self, begun: Run, state: RunState, ending: Ending) -> Run:
        async with asyncio.timeout(FINISH_SECONDS):
            run = await self._finisher.finish(begun, state, ending)
        count_run(run)
        status = run_pb2.RunStatus.Name(run.status)
        _log.info("a run has ended", run_id=run.run_id, status=status, reason=run.failure.reason_code)
        return run

    async def _checkpoint(self, begun: Run) -> RunState:
        try:
            return await self._store.checkpoint(begun.run_id)
        except (StoredDataError, NotFoundError):
            _log.error("a run has no readable checkpoint", run_id=begun.run_id)
            return RunState(context=begun.context)

    async def _begin(self, live: LiveRun) -> Run | None:
        walk = live.walk
        run = Run(run_id=walk.config.run_id, status=run_pb2.RUN_STATUS_RUNNING, context=walk.state.context)
        run.create_time.FromDatetime(self._clock.now())
        run_id = await self._store.create_run(run, walk.state, live.submission)
        live.begun.set_result(run_id)
        if run_id != run.run_id:
            return None
        live.progress.publish(DiagnoseResponse(started=RunStarted(run_id=run_id)))
        return run

    async def _walk(self, live: LiveRun, turn: Turn) -> Ending:
        walking = asyncio.create_task(self._in_turn(live.walk, turn))
        stopping = asyncio.create_task(live.stopped())
        await asyncio.wait([walking, stopping], return_when=asyncio.FIRST_COMPLETED)
        # Whichever has ended, this changes nothing for it.
        stopping.cancel()
        walking.cancel()
        await asyncio.wait([walking, stopping])
        if walking.cancelled():
            return Ending(run_pb2.RUN_STATUS_CANCELLED, self._cancel_reason(live))
        error = walking.exception()
        if error is not None:
            _log.error("a run failed outside its nodes", exc_info=error)
            reason = Reason.STORE_FAILED if isinstance(error, StoreError) else Reason.INTERNAL_ERROR
            return Ending(run_pb2.RUN_STATUS_FAILED, reason)
        return walking.result()

    async def _in_turn(self, walk: Walk, turn: Turn) -> Ending:
        async with turn(walk):
            return await self._engine.run(walk)

    def _cancel_reason(self, live: LiveRun) -> Reason:
        reason = live.stop_reason or Reason.CALL_CANCELLED
        late = self._clock.monotonic() >= live.walk.config.deadline
        return Reason.DEADLINE_EXCEEDED if late and reason is Reason.CALL_CANCELLED else reason
