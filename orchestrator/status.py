"""StatusService: what the orchestrator can tell of its agents, its store and the sources of a scope."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from typing import Any, Final

import grpc.aio
from assay.common.v1.context_pb2 import Scope
from assay.orchestrator.v1 import status_pb2, status_pb2_grpc
from assay.orchestrator.v1.status_pb2 import SourcesStatus, StoreStatus

from orchestrator.agents.executor import ExecutorAgent
from orchestrator.agents.status import Agent, status_of
from orchestrator.clock import Clock
from orchestrator.graph import CallFailedError, RunConfig
from services.common.rpc.context import remaining_seconds

STATUS_SERVICE = status_pb2.DESCRIPTOR.services_by_name["StatusService"].full_name
LOOK_SECONDS: Final = 5.0
# What the caller's deadline leaves for the way back.
_RESERVE_SECONDS: Final = 0.2

InspectStore = Callable[[float], Awaitable[StoreStatus]]


class StatusServicer(status_pb2_grpc.StatusServiceServicer):
    """Looks at everything at once; nothing that is wrong hides the rest."""

    def __init__(
        self,
        agents: Sequence[Agent],
        executor: ExecutorAgent,
        inspect_store: InspectStore,
        clock: Clock,
        new_id: Callable[[], str],
    ) -> None:
        self._agents = agents
        self._executor = executor
        self._inspect_store = inspect_store
        self._clock = clock
        self._new_id = new_id
        self._looking = asyncio.Lock()

    async def GetStatus(  # noqa: N802 - the name is the contract's
        self,
        request: status_pb2.GetStatusRequest,
        context: grpc.aio.ServicerContext[Any, Any],
    ) -> status_pb2.GetStatusResponse:
        """Tell how things stand."""
        seconds = max(0.0, min(LOOK_SECONDS, remaining_seconds(context) - _RESERVE_SECONDS))
        agents, store, sources = await asyncio.gather(
            asyncio.gather(*(status_of(agent, self._clock, seconds) for agent in self._agents)),
            self._store(seconds),
            self._sources(request.scope, seconds) if request.HasField("scope") else _nothing(),
        )
        return status_pb2.GetStatusResponse(agents=agents, store=store, sources=sources)

    async def _store(self, seconds: float) -> StoreStatus:
        """Look at the store, which reads its whole file: for one caller at a time."""
        until = self._clock.monotonic() + seconds
        try:
            async with asyncio.timeout(seconds):
                await self._looking.acquire()
        except TimeoutError:
            return StoreStatus(problem="it is being looked at for somebody else; try again later")
        try:
            return await self._inspect_store(max(0.0, until - self._clock.monotonic()))
        finally:
            self._looking.release()

    async def _sources(self, scope: Scope, seconds: float) -> SourcesStatus:
        config = RunConfig(self._new_id(), self._clock.monotonic() + seconds)
        try:
            catalog = await self._executor.list_tools(scope, config)
        except CallFailedError as error:
            reason = error.message if error.code != "DEADLINE_EXCEEDED" else f"no list within {seconds:.1f} s"
            return SourcesStatus(problem=reason or error.code)
        return SourcesStatus(sources=catalog.sources)


async def _nothing() -> None:
    return None
