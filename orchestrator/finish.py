"""The end of a run, whichever way it ended: first its evaluation, then the run itself."""

import asyncio
import json
from collections.abc import Sequence

import structlog
from assay.orchestrator.v1 import run_pb2
from assay.orchestrator.v1.run_pb2 import Failure, Run
from assay.orchestrator.v1.state_pb2 import RunState

from orchestrator.answering import material_from
from orchestrator.clock import Clock
from orchestrator.engine import Ending
from orchestrator.graph import Reason
from orchestrator.material import Material, material_of
from orchestrator.result import ended_run, failure_of, usage_of
from orchestrator.self_evaluation import verifier_evaluation
from orchestrator.store.port import OWN_CHANNEL, Store, StoredCall, StoreFullError, StoreUnavailableError

_log = structlog.get_logger("assay.runs")


class RunTooLargeError(Exception):
    """A run holds more than can be sent to anybody."""


class Finisher:
    """Stores the end of runs, none larger than `max_run_bytes`, evaluation included."""

    def __init__(self, store: Store, clock: Clock, max_run_bytes: int) -> None:
        self._store = store
        self._clock = clock
        self._max_run_bytes = max_run_bytes

    async def finish(self, begun: Run, state: RunState, ending: Ending) -> Run:
        """Store how a run ended and return it as it was stored."""
        try:
            material = await material_from(self._store, begun.run_id, state)
            calls = await self._store.calls(begun.run_id)
            return await self._store_end(begun, state, ending, material, calls)
        except (StoreFullError, StoreUnavailableError):
            # What cannot be written now cannot be written with less in it either.
            raise
        except RunTooLargeError:
            _log.error("a run is too large to be sent", run_id=begun.run_id)
            return await self._store_failure(begun, Reason.TOO_LARGE)
        except Exception:  # noqa: BLE001 - what cannot be read must not keep its run from ending
            _log.exception("the end of a run could not be told from what is stored", run_id=begun.run_id)
            return await self._store_failure(begun, ending.reason or Reason.INTERNAL_ERROR)

    async def _store_failure(self, begun: Run, reason: Reason) -> Run:
        """Store that a run failed, with nothing of what it made."""
        failed = Ending(run_pb2.RUN_STATUS_FAILED, reason)
        empty = RunState(context=begun.context)
        return await self._store_end(begun, empty, failed, material_of(empty, [], {}), [])

    async def _store_end(
        self, begun: Run, state: RunState, ending: Ending, material: Material, calls: Sequence[StoredCall]
    ) -> Run:
        run = ended_run(begun, state, ending, material, self._clock.now())
        run.usage.CopyFrom(usage_of(len(state.orchestration_events), calls, state.reasonings))
        evaluation = await asyncio.to_thread(_evaluation_json, state, failure_of(state, ending))
        if run.ByteSize() + len(evaluation) > self._max_run_bytes:
            raise RunTooLargeError
        await self._store.write_channel(run.run_id, OWN_CHANNEL, evaluation)
        await self._store.end_run(run)
        return await self._store.run(run.run_id)


def _evaluation_json(state: RunState, failure: Failure | None) -> str:
    return json.dumps(verifier_evaluation(state, failure), allow_nan=False)
