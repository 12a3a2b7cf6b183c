"""Health under two meanings.

The name "" and the service's full names are *readiness*: whether calls should be sent here now. The name
"liveness" says whether the process should be left alone; it stays SERVING until the process ends, so that
nothing kills a process that is draining or whose dependency is away.
"""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from typing import Any

import grpc
import grpc.aio
import structlog
from grpc_health.v1 import health_pb2, health_pb2_grpc
from grpc_health.v1.health import aio as health_aio

LIVENESS = "liveness"
HEALTH_SERVICE = health_pb2.DESCRIPTOR.services_by_name["Health"].full_name
READY_TIMEOUT_SECONDS = 2.0
POLL_SECONDS_READY = 2.0
POLL_SECONDS_NOT_READY = 0.2

_SERVING = health_pb2.HealthCheckResponse.SERVING
_NOT_SERVING = health_pb2.HealthCheckResponse.NOT_SERVING
_log = structlog.get_logger("assay.health")

Ready = Callable[[], Awaitable[bool]]


class _Servicer(health_aio.HealthServicer):  # type: ignore[misc] # it ships no types
    """The library's, which does not serve the newest method: a call of it would be an error in the log."""

    def __init__(self) -> None:
        super().__init__()
        self._told: dict[str, health_pb2.HealthCheckResponse] = {}

    async def tell(self, name: str, status: int) -> None:
        """Say how a name is from now on."""
        self._told[name] = health_pb2.HealthCheckResponse(status=status)
        await self.set(name, status)

    async def List(  # noqa: N802 - the name is the contract's
        self,
        request: health_pb2.HealthListRequest,  # noqa: ARG002 - gRPC passes it
        context: "grpc.aio.ServicerContext[Any, Any]",  # noqa: ARG002 - gRPC passes it
    ) -> health_pb2.HealthListResponse:
        """Return every name with its status."""
        return health_pb2.HealthListResponse(statuses=self._told)


class Health:
    """The health service of one server; starts live and not ready."""

    def __init__(self, names: Sequence[str]) -> None:
        self._names = ("", *names)
        self._servicer = _Servicer()

    async def register(self, server: grpc.aio.Server) -> None:
        """Add the service to a server that has not started."""
        health_pb2_grpc.add_HealthServicer_to_server(self._servicer, server)
        await self.set_ready(False)
        await self._servicer.tell(LIVENESS, _SERVING)

    def register_check(self, server: grpc.aio.Server) -> None:
        """Add to a server that probes may reach what they ask: a watch would hold its place for ever."""
        check = grpc.unary_unary_rpc_method_handler(
            self._servicer.Check,
            request_deserializer=health_pb2.HealthCheckRequest.FromString,
            response_serializer=health_pb2.HealthCheckResponse.SerializeToString,
        )
        handler = grpc.method_handlers_generic_handler(HEALTH_SERVICE, {"Check": check})
        server.add_generic_rpc_handlers((handler,))

    async def follow(self, ready: Ready) -> None:
        """Keep readiness as `ready` says, until cancelled."""
        before = False
        while True:
            now = await _asked(ready)
            if now != before:
                _log.info("readiness", ready=now)
            await self.set_ready(now)
            before = now
            await asyncio.sleep(POLL_SECONDS_READY if now else POLL_SECONDS_NOT_READY)

    async def set_ready(self, ready: bool) -> None:
        """Say whether calls should be sent here."""
        for name in self._names:
            await self._servicer.tell(name, _SERVING if ready else _NOT_SERVING)


async def is_serving(channel: grpc.aio.Channel, *, name: str = "", timeout_seconds: float) -> bool:
    """Ask the other end of a channel for its health; no answer in time is False."""
    stub = health_pb2_grpc.HealthStub(channel)
    try:
        answer = await stub.Check(health_pb2.HealthCheckRequest(service=name), timeout=timeout_seconds)
    except grpc.aio.AioRpcError:
        return False
    return bool(answer.status == _SERVING)


async def _asked(ready: Ready) -> bool:
    try:
        async with asyncio.timeout(READY_TIMEOUT_SECONDS):
            return await ready()
    except TimeoutError:
        # A busy machine, or a dependency that is away: no error of this process.
        _log.warning("the readiness check did not end in time", seconds=READY_TIMEOUT_SECONDS)
        return False
    except Exception:  # noqa: BLE001 - a check that fails in whatever way says "not ready"
        _log.exception("the readiness check failed")
        return False
