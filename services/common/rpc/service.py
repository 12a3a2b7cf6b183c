"""The life of a process: settings, logs, server, shutdown.

The order of shutdown: readiness NOT_SERVING → callers go elsewhere, for `handover_seconds` → new calls are
refused → running calls finish, at most `drain_seconds` → the service ends its work, whose callers are still
told → what these callers ask next is refused, too → the server stops and what still runs is cancelled → its
handlers end → the service closes what it opened → spans and logs are flushed. Health answers until the server
stops.
"""

import asyncio
import json
import os
import sys
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field
from typing import TypeVar

import grpc.aio
import structlog
from assay.common.v1 import process_pb2_grpc

from services.common.errors import AssayError
from services.common.rpc import logs
from services.common.rpc.admission import Admission
from services.common.rpc.certificates import own_certificates
from services.common.rpc.exit_codes import EXIT_ERROR, EXIT_OK, EXIT_USAGE
from services.common.rpc.health import Health, Ready
from services.common.rpc.metrics_server import metrics_served
from services.common.rpc.process import PROCESS_SERVICE, Endpoint, Problems, ProcessServicer
from services.common.rpc.rpc_metrics import CALLS_NOW
from services.common.rpc.server import ListenError, add_reflection, listen, new_health_server, new_server
from services.common.rpc.shutdown import ParentError, on_parent_end, on_signals
from services.common.rpc.telemetry import metered, traced
from services.common.settings import ServiceSettings, SettingsError, load, process_name
from services.common.telemetry.metrics import gauge

# So long new calls are still refused when the last one has ended, before the server stops.
REFUSE_SECONDS = 0.25
# After the drain: replies are written; health watchers, which never end by themselves, are cut.
STOP_GRACE_SECONDS = 1.0
HANDLERS_END_SECONDS = 5.0
CLOSE_SECONDS = 5.0

_log = structlog.get_logger("assay.process")


Steps = Sequence[Callable[[], Awaitable[None]]]


@dataclass(frozen=True, slots=True)
class Service:
    """What a process serves.

    `names` are the full gRPC service names, `register` adds their servicers to a server, `ready` is asked for
    readiness (None: ready as soon as it serves), `problems` for what a person should know is wrong with what
    the service needs, `endpoint` for the model that it asks. `end_work` is awaited after the drain, while
    calls can still be answered, `close` in order at the end.
    """

    names: tuple[str, ...]
    register: Callable[[grpc.aio.Server], None]
    ready: Ready | None = None
    problems: Problems | None = None
    endpoint: Endpoint | None = None
    end_work: Steps = field(default=())
    close: Steps = field(default=())


SettingsT = TypeVar("SettingsT", bound=ServiceSettings)


def run(settings_type: type[SettingsT], build: Callable[[SettingsT], Awaitable[Service]]) -> int:
    """Serve until told to stop; returns the exit code: 0 stopped, 1 could not serve, 2 wrong settings."""
    try:
        settings = load(settings_type, os.environ)
    except SettingsError as error:
        _complain("the settings are wrong:", *(f"  {problem}" for problem in error.problems))
        return EXIT_USAGE
    name = process_name(settings_type)
    logs.configure(name, settings.log_level)
    try:
        with traced(settings), metered(settings):
            asyncio.run(_serve(name, settings, build))
    except (ListenError, ParentError, AssayError) as error:
        _complain(f"{name} cannot start: {error}")
        return EXIT_ERROR
    except Exception:  # noqa: BLE001 - the log takes the frames, the exit code the news
        _log.exception("the process failed")
        return EXIT_ERROR
    finally:
        logs.flush()
    return EXIT_OK


@asynccontextmanager
async def serving(settings: ServiceSettings, service: Service) -> AsyncIterator[str]:
    """Serve inside the block, on the address that it yields; leaving it is the ordered shutdown."""
    async with AsyncExitStack() as stack:
        stack.push_async_callback(_take_steps, service.close)
        certificates = own_certificates(settings)
        admission = Admission(settings.max_concurrent_rpcs)
        gauge(CALLS_NOW, lambda: admission.running)
        server = new_server(settings, admission)
        health = Health(service.names)
        service.register(server)
        process = ProcessServicer(settings, service.problems, service.endpoint)
        process_pb2_grpc.add_ProcessServiceServicer_to_server(process, server)
        await health.register(server)
        if settings.reflection:
            add_reflection(server, (*service.names, PROCESS_SERVICE))
        if settings.health_listen:
            await _serve_probes(stack, health, settings.health_listen)
        if settings.metrics_listen:
            await stack.enter_async_context(metrics_served(settings.metrics_listen))
        address = listen(server, settings.listen, certificates)
        await server.start()
        stack.push_async_callback(_stop, server, admission, settings)
        stack.push_async_callback(_take_steps, service.end_work)
        stack.push_async_callback(_drain, health, admission, settings)
        if service.ready is None:
            await health.set_ready(True)
        else:
            following = asyncio.create_task(health.follow(service.ready), name="readiness")
            stack.push_async_callback(_cancelled, following)
        yield address


async def _serve(name: str, settings: SettingsT, build: Callable[[SettingsT], Awaitable[Service]]) -> None:
    stop = asyncio.Event()
    async with AsyncExitStack() as stack:
        stack.enter_context(on_signals(stop))
        if settings.stop_with_parent:
            await stack.enter_async_context(on_parent_end(stop))
        service = await build(settings)
        address = await stack.enter_async_context(serving(settings, service))
        line = json.dumps({"event": "serving", "service": name, "address": address})
        sys.stdout.write(line + "\n")
        sys.stdout.flush()
        await stop.wait()
        _log.info("stopping")
    _log.info("stopped")


async def _serve_probes(stack: AsyncExitStack, health: Health, address: str) -> None:
    """Serve health alone, in plaintext, from before the service's own server until after its end."""
    server = new_health_server()
    health.register_check(server)
    bound = listen(server, address)
    await server.start()
    stack.push_async_callback(server.stop, STOP_GRACE_SECONDS)
    _log.info("health", address=bound)


async def _drain(health: Health, admission: Admission, settings: ServiceSettings) -> None:
    seconds = settings.drain_seconds
    await health.set_ready(False)
    # Callers that watch health send no more, if they have anywhere else to; what is on its way is served.
    await asyncio.sleep(min(settings.handover_seconds, seconds))
    admission.stop()
    if not await admission.wait_idle(seconds):
        _log.warning("calls still run after the drain and are cancelled", drain_seconds=seconds)


async def _stop(server: grpc.aio.Server, admission: Admission, settings: ServiceSettings) -> None:
    # Who has just been answered may ask at once for more. It is refused with a code that invites to try
    # elsewhere; what meets stop() would be cancelled.
    await asyncio.sleep(min(REFUSE_SECONDS, settings.drain_seconds))
    await server.stop(STOP_GRACE_SECONDS)
    # stop() does not wait for the clean-up of handlers that it cancelled.
    if not await admission.wait_idle(HANDLERS_END_SECONDS):
        _log.error("handlers did not end when cancelled", waited_seconds=HANDLERS_END_SECONDS)


async def _cancelled(task: asyncio.Task[None]) -> None:
    task.cancel()
    await asyncio.wait([task])


async def _take_steps(steps: Steps) -> None:
    for step in steps:
        try:
            async with asyncio.timeout(CLOSE_SECONDS):
                await step()
        except Exception:  # noqa: BLE001 - one part that cannot close must not keep the others open
            _log.exception("a part of the service did not end")


def _complain(*lines: str) -> None:
    sys.stderr.write("\n".join(lines) + "\n")
    sys.stderr.flush()
