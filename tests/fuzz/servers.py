"""The six services on real servers over loopback, put together as their processes are, and calls to them."""

import asyncio
import logging
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Mapping
from contextlib import (
    AbstractAsyncContextManager,
    AsyncExitStack,
    asynccontextmanager,
    contextmanager,
    nullcontext,
)
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, TypeAlias

import grpc
import grpc.aio
import structlog
from assay.common.v1 import process_pb2
from assay.composer.v1 import composer_pb2
from assay.executor.v1 import executor_pb2
from assay.gatekeeper.v1 import gatekeeper_pb2
from assay.orchestrator.v1 import diagnosis_pb2, diagnosis_pb2_grpc, status_pb2
from assay.planner.v1 import planner_pb2
from assay.verifier.v1 import verifier_pb2
from google.protobuf.descriptor import MethodDescriptor
from structlog.typing import EventDict

from orchestrator.composition import build as build_orchestrator
from orchestrator.settings import OrchestratorSettings
from services.common.rpc.channels import ClientTls, open_channel
from services.common.rpc.health import is_serving
from services.common.rpc.service import Service, serving
from services.common.settings import ServiceSettings
from services.composer.__main__ import build as build_composer
from services.composer.settings import ComposerSettings
from services.executor.__main__ import build as build_executor
from services.executor.settings import ExecutorSettings
from services.gatekeeper.__main__ import build as build_gatekeeper
from services.gatekeeper.settings import GatekeeperSettings
from services.planner.__main__ import build as build_planner
from services.planner.settings import PlannerSettings
from services.verifier.__main__ import build as build_verifier
from services.verifier.settings import VerifierSettings
from tests.fakes.bundles import TOPOLOGY, a_response, write

CALL_SECONDS: Final = 30.0
BUNDLE: Final = "incident"
_MAX_BYTES: Final = 1 << 26
_LINES: Final = [
    *(f"2026-11-30T09:{minute:02d}:00Z INFO served in {minute} ms" for minute in range(6)),
    *(f"2026-11-30T09:{minute:02d}:00Z ERROR connection refused by db" for minute in range(6, 12)),
]
_UP: Final = ({"__name__": "up", "job": "api"}, [(1796029200.0 + 60 * minute, "1") for minute in range(12)])
_CHANGE: Final = {"time": "2026-11-30T09:05:00Z", "type": "config", "service": "api", "summary": "20 -> 200"}
_FILES: Final[Mapping[str, Any]] = {
    "logs/api.log": "\n".join(_LINES),
    "metrics/up.json": a_response(_UP),
    "events.json": [_CHANGE],
    "topology.json": TOPOLOGY,
}
_AGENTS: Final[Mapping[str, Callable[[Any], Awaitable[Service]]]] = {
    "planner": build_planner,
    "executor": build_executor,
    "gatekeeper": build_gatekeeper,
    "verifier": build_verifier,
    "composer": build_composer,
}
_SERVICES: Final = {
    # Every process serves it, all by the same code.
    "planner": (
        planner_pb2.DESCRIPTOR.services_by_name["PlannerService"],
        process_pb2.DESCRIPTOR.services_by_name["ProcessService"],
    ),
    "executor": (executor_pb2.DESCRIPTOR.services_by_name["ExecutorService"],),
    "gatekeeper": (gatekeeper_pb2.DESCRIPTOR.services_by_name["GatekeeperService"],),
    "verifier": (verifier_pb2.DESCRIPTOR.services_by_name["VerifierService"],),
    "composer": (composer_pb2.DESCRIPTOR.services_by_name["ComposerService"],),
    "orchestrator": (
        diagnosis_pb2.DESCRIPTOR.services_by_name["DiagnosisService"],
        status_pb2.DESCRIPTOR.services_by_name["StatusService"],
    ),
}


@dataclass(frozen=True)
class Method:
    """One method of one service."""

    service: str
    descriptor: MethodDescriptor

    @property
    def name(self) -> str:
        """Its name behind that of its service, as tables show it."""
        return f"{self.descriptor.containing_service.name}.{self.descriptor.name}"

    @property
    def path(self) -> str:
        """What a call asks for."""
        return f"/{self.descriptor.containing_service.full_name}/{self.descriptor.name}"


METHODS: Final[Mapping[str, Method]] = {
    method.name: method
    for process, found in _SERVICES.items()
    for service in found
    for method in (Method(process, descriptor) for descriptor in service.methods)
}


class ErrorLog(logging.Handler):
    """Collects what the process logs about errors, from its own loggers and from those of libraries."""

    def __init__(self) -> None:
        super().__init__(logging.ERROR)
        self.entries: list[str] = []

    def taken(self) -> list[str]:
        """Return what was collected since the last time."""
        entries, self.entries = self.entries, []
        return entries

    def emit(self, record: logging.LogRecord) -> None:
        """Take a record of a library."""
        self.entries.append(record.getMessage())

    def take(self, _: object, method: str, event: EventDict) -> EventDict:
        """Take an event of the project's own loggers, and print none."""
        if method in ("error", "exception", "critical"):
            self.entries.append(repr(event))
        raise structlog.DropEvent


@contextmanager
def errors_logged() -> Iterator[ErrorLog]:
    """Collect every logged error inside the block."""
    log, root = ErrorLog(), logging.getLogger()
    before = structlog.get_config()["processors"]
    # In place, because loggers that were used before hold the same list.
    kept = list(before)
    before[:] = [log.take]
    root.addHandler(log)
    try:
        yield log
    finally:
        before[:] = kept
        root.removeHandler(log)


@dataclass(frozen=True)
class Servers:
    """All services, ready to be called."""

    addresses: Mapping[str, str]
    channels: Mapping[str, grpc.aio.Channel]
    log: ErrorLog

    async def call(self, method: Method, request: bytes) -> tuple[grpc.StatusCode, str]:
        """Call a method with bytes; return how the call ended, and the message of an error."""
        # Without a serializer a channel takes bytes, which its stubs do not say.
        channel: Any = self.channels[method.service]
        try:
            if method.descriptor.server_streaming:
                async for _ in channel.unary_stream(method.path)(request, timeout=CALL_SECONDS):
                    pass
            else:
                await channel.unary_unary(method.path)(request, timeout=CALL_SECONDS)
        except grpc.aio.AioRpcError as error:
            return error.code(), error.details() or ""
        return grpc.StatusCode.OK, ""

    async def diagnose(self, request: diagnosis_pb2.DiagnoseRequest) -> tuple[str, str]:
        """Run a diagnosis to its end; return its id and that of its first tool call."""
        stub = diagnosis_pb2_grpc.DiagnosisServiceStub(self.channels["orchestrator"])
        async for message in stub.Diagnose(request, timeout=CALL_SECONDS):
            if message.HasField("run"):
                return message.run.run_id, message.run.checked[0].invocation_id
        raise AssertionError("the stream ended without the run")

    async def all_serving(self) -> bool:
        """Tell whether every service says that it is ready."""
        asked = (is_serving(channel, timeout_seconds=CALL_SECONDS) for channel in self.channels.values())
        return all(await asyncio.gather(*asked))


# Settings of a service by its name, over those that it needs.
Extra: TypeAlias = Callable[[str], Mapping[str, Any]]
Between: TypeAlias = Callable[[str], AbstractAsyncContextManager[str]]


def _none(_: str) -> Mapping[str, Any]:
    return {}


def _agent_settings(bundles: Path, extra: Extra) -> dict[str, ServiceSettings]:
    return {
        "planner": PlannerSettings(drain_seconds=0, **extra("planner")),
        "executor": ExecutorSettings(bundle_root=bundles, drain_seconds=0, **extra("executor")),
        "gatekeeper": GatekeeperSettings(drain_seconds=0, **extra("gatekeeper")),
        "verifier": VerifierSettings(drain_seconds=0, **extra("verifier")),
        "composer": ComposerSettings(drain_seconds=0, **extra("composer")),
    }


@asynccontextmanager
async def servers(
    folder: Path,
    extra: Extra = _none,
    client: Callable[[str], ClientTls] | None = None,
    between: Between = nullcontext,
) -> AsyncIterator[Servers]:
    """Run every service, on a small bundle below the folder and with a store in it.

    `client` tells how to reach a service that has certificates by its settings. `between` puts something in
    the way from the orchestrator to an agent's address, and yields where that is.
    """
    write(folder / "bundles" / BUNDLE, _FILES)
    settings = _agent_settings(folder / "bundles", extra)
    async with AsyncExitStack() as stack:
        log = stack.enter_context(errors_logged())
        addresses: dict[str, Any] = {}
        for name, build in _AGENTS.items():
            served = serving(settings[name], await build(settings[name]))
            addresses[name] = await stack.enter_async_context(served)
        called: dict[str, Any] = {
            f"{name}_address": await stack.enter_async_context(between(address))
            for name, address in addresses.items()
        }
        own: dict[str, Any] = {**called, "database": folder / "runs.db", "drain_seconds": 0}
        orchestrator = OrchestratorSettings(**{**own, **extra("orchestrator")})
        addresses["orchestrator"] = await stack.enter_async_context(
            serving(orchestrator, await build_orchestrator(orchestrator))
        )
        channels = {
            name: await stack.enter_async_context(
                open_channel(address, _MAX_BYTES, client(name) if client else None)
            )
            for name, address in addresses.items()
        }
        yield Servers(addresses, channels, log)
