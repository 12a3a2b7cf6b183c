"""`assay doctor`: looks at everything that a diagnosis needs; one bad thing never hides another."""

import asyncio
import json
from collections.abc import AsyncIterator, Iterator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Final

import grpc
import grpc.aio
from assay.common.v1.context_pb2 import Scope
from assay.orchestrator.v1 import status_pb2, status_pb2_grpc
from assay.orchestrator.v1.status_pb2 import AgentStatus, GetStatusResponse
from google.protobuf.timestamp_pb2 import Timestamp

from orchestrator.agents.status import Agent, status_of
from orchestrator.cli import doctor_checks as checks
from orchestrator.cli.client import MAX_MESSAGE_BYTES
from orchestrator.cli.doctor_checks import Check
from orchestrator.cli.errors import CommandError
from orchestrator.cli.exit_codes import ExitCode
from orchestrator.cli.layout import Layout
from orchestrator.cli.local_stack import local_stack
from orchestrator.cli.options import Bundle
from orchestrator.cli.progress import Progress
from orchestrator.cli.reaching import Reached, channel_to, remote
from orchestrator.cli.settings import CommandSettings, own_settings, own_variables
from orchestrator.cli.state_folder import exclusive, prepare, state_folder
from orchestrator.cli.up import root_of
from orchestrator.clock import SystemClock
from services.common.settings_report import report

LOOK_SECONDS: Final = 3.0
# The orchestrator looks at several things, each in its own time.
STATUS_SECONDS: Final = 6.0
# What a stack of its own is not ready for by then, such as a model's endpoint that is away, is the finding.
START_SECONDS: Final = 10.0
_MARKS: Final = {True: "ok", False: "FAIL", None: "-"}


@dataclass(frozen=True)
class Doctor:
    """One `assay doctor`; without a target it asks a local stack of its own, without a bundle no sources."""

    target: str
    bundle: Bundle | None


async def examine(wanted: Doctor, environ: Mapping[str, str], progress: Progress) -> list[Check]:
    """Return every check. Each look has its own deadline."""
    told = report(CommandSettings, own_variables(environ))
    found = [checks.command_line(), *checks.settings(told)]
    try:
        async with _service(wanted, environ, progress) as reached:
            found += await _looked_at(reached, wanted.bundle)
    except CommandError as error:
        found += [Check("services", "local stack", False, "; ".join([error.message, *error.details]))]
        found += checks.clock([], _now())
    return found


def target_of(typed: str, environ: Mapping[str, str]) -> str:
    """Return the target of the option, else of the settings as far as they can be read; may be empty."""
    try:
        return typed or own_settings(environ).target or ""
    except CommandError:
        return ""


def exit_code(found: Sequence[Check]) -> ExitCode:
    """Return 0 when everything is fine, else 1."""
    return ExitCode.ERROR if any(check.ok is False for check in found) else ExitCode.ANSWERED


def as_json(found: Sequence[Check]) -> str:
    """Return one JSON object."""
    rows = [
        {"group": row.group, "name": row.name, "ok": row.ok, "detail": row.detail, **row.facts}
        for row in found
    ]
    return json.dumps({"ok": exit_code(found) is ExitCode.ANSWERED, "checks": rows}, indent=2) + "\n"


def as_text(found: Sequence[Check], layout: Layout) -> str:
    """Return the checks by group, as they were found."""
    lines: list[str] = []
    for group in dict.fromkeys(row.group for row in found):
        rows = [row for row in found if row.group == group]
        told = [line for row in rows for line in layout.hanging(f"  {_MARKS[row.ok]:4} ", _line(row))]
        lines += layout.section(group.capitalize(), told)
    bad = sum(row.ok is False for row in found)
    lines += ["", "Everything is fine." if not bad else f"{bad} of {len(found)} checks failed."]
    return "\n".join(lines[1:]) + "\n"


def _line(row: Check) -> str:
    return f"{row.name}: {row.detail}"


@asynccontextmanager
async def _service(wanted: Doctor, environ: Mapping[str, str], progress: Progress) -> AsyncIterator[Reached]:
    if wanted.target:
        yield remote(wanted.target, environ)
        return
    folder = prepare(state_folder(environ))
    root = wanted.bundle.root if wanted.bundle else root_of(None, environ)
    async with exclusive(folder, LOOK_SECONDS, lambda: progress(f"waiting for {folder}")):
        progress("starting six local services")
        async with local_stack(folder, root, environ, unready_after=START_SECONDS) as stack:
            yield Reached(stack.address)


async def _looked_at(reached: Reached, bundle: Bundle | None) -> list[Check]:
    clock = SystemClock()
    channel = channel_to(reached, MAX_MESSAGE_BYTES)
    try:
        orchestrator, status = await asyncio.gather(
            status_of(Agent("orchestrator", reached.address, channel), clock, LOOK_SECONDS),
            _status(channel, bundle),
        )
    finally:
        await channel.close()
    return list(_judged(orchestrator, status, bundle, _now()))


def _now() -> Timestamp:
    now = Timestamp()
    now.FromDatetime(SystemClock().now())
    return now


async def _status(
    channel: grpc.aio.Channel, bundle: Bundle | None
) -> GetStatusResponse | grpc.aio.AioRpcError:
    request = status_pb2.GetStatusRequest()
    if bundle:
        request.scope.CopyFrom(Scope(bundle=bundle.name))
    try:
        return await status_pb2_grpc.StatusServiceStub(channel).GetStatus(request, timeout=STATUS_SECONDS)
    except grpc.aio.AioRpcError as error:
        return error


def _judged(
    orchestrator: AgentStatus,
    status: GetStatusResponse | grpc.aio.AioRpcError,
    bundle: Bundle | None,
    now: Timestamp,
) -> Iterator[Check]:
    yield checks.service(orchestrator)
    if isinstance(status, grpc.aio.AioRpcError):
        told = f"the orchestrator does not tell how they are ({status.code().name})"
        yield Check("services", "agents", False, told)
        yield from checks.clock([orchestrator], now)
        return
    yield from map(checks.service, status.agents)
    for agent in status.agents:
        yield from checks.model(agent)
    if bundle:
        yield from checks.sources(status.sources, bundle.name)
    yield checks.store(status.store)
    yield from checks.clock([orchestrator, *status.agents], now)
