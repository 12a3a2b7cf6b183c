"""The whole stack: five agents, then the orchestrator that calls them; ready before it is handed out."""

import asyncio
import contextlib
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from orchestrator.cli.client import wait_until_ready
from orchestrator.cli.errors import CommandError
from orchestrator.cli.exit_codes import ExitCode
from orchestrator.cli.local_stack.environment import ANY_FREE_PORT, for_agent, for_orchestrator, inherited
from orchestrator.cli.local_stack.logs import FileLog, ServiceLog
from orchestrator.cli.local_stack.process import START_SECONDS, STOP_SECONDS, ServiceProcess, start
from orchestrator.cli.local_stack.readiness import only_models_lack
from orchestrator.cli.local_stack.settings_reports import every_report, problems_of
from orchestrator.cli.state_folder import prepare
from services.common.processes import AGENTS, ORCHESTRATOR

_DATABASE = "assay.sqlite3"
_LOGS = "logs"
_AGENT_STOP_SECONDS = 5.0
# What is not ready by then is asked what it waits for, so often.
_ASK_SECONDS = 1.0

# Makes the log of a service by its name.
Logs = Callable[[str], ServiceLog]


@dataclass(frozen=True)
class LocalStack:
    """A running stack: the orchestrator's address and every process by the name of its service.

    `lacking` tells what is wrong with the models of agents that were not ready, a sentence each.
    """

    address: str
    processes: Mapping[str, ServiceProcess]
    lacking: Sequence[str] = ()

    async def death(self) -> CommandError:
        """Wait until the first process ends by itself and return the error that names it."""
        deaths = [asyncio.create_task(process.death()) for process in self.processes.values()]
        try:
            done, _ = await asyncio.wait(deaths, return_when=asyncio.FIRST_COMPLETED)
            return done.pop().result()
        finally:
            await _cancelled(deaths)


@dataclass(frozen=True)
class _Starting:
    """What the processes are started with, and those that are."""

    environ: Mapping[str, str]
    logs: Logs
    started: list[ServiceProcess] = field(default_factory=list)

    async def start(self, service: str, own: Mapping[str, str]) -> ServiceProcess:
        process = await start(service, inherited(service, self.environ), own, self.logs(service))
        self.started.append(process)
        return process


@asynccontextmanager
async def local_stack(
    folder: Path,
    bundle_root: Path | None,
    environ: Mapping[str, str],
    *,
    listen: str = ANY_FREE_PORT,
    logs: Logs | None = None,
    unready_after: float | None = None,
) -> AsyncIterator[LocalStack]:
    """Run the six processes; the orchestrator, which listens where it is told, is ready when this yields.

    Models that cannot be asked are not waited for: what lacks nothing else is handed out, for a run without a
    model says so and ends through its graph. `folder` is the prepared state folder, held by this command
    alone. Without a root of the bundles the executor's own settings name it. Raises CommandError when a
    process does not come up; with `unready_after` seconds a stack that serves and is not ready by then is
    handed out as it is. Whatever happens, no process outlives the block.
    """
    starting = _Starting(environ, logs or _files(folder))
    try:
        async with _every_problem_told(environ):
            addresses = await _start_agents(starting, bundle_root)
            own = for_orchestrator(addresses, folder / _DATABASE, listen)
            orchestrator = await starting.start(ORCHESTRATOR, own)
            address = await orchestrator.address()
            lacking = await ready_or_dead(address, starting.started, unready_after)
        yield LocalStack(address, {process.service: process for process in starting.started}, lacking)
    finally:
        await _stop_all(starting.started)


@asynccontextmanager
async def stored_runs(folder: Path, environ: Mapping[str, str]) -> AsyncIterator[str]:
    """Run the orchestrator alone, for reading what it stored; yields its address."""
    starting = _Starting(environ, _files(folder))
    try:
        async with _every_problem_told(environ):
            orchestrator = await starting.start(ORCHESTRATOR, for_orchestrator({}, folder / _DATABASE))
            address = await orchestrator.address()
        yield address
    finally:
        await _stop_all(starting.started)


@asynccontextmanager
async def offered_tools(folder: Path, bundle_root: Path, environ: Mapping[str, str]) -> AsyncIterator[str]:
    """Run the executor and the orchestrator, for listing tools; yields the orchestrator's address."""
    starting = _Starting(environ, _files(folder))
    try:
        async with _every_problem_told(environ):
            executor = await starting.start("executor", for_agent("executor", bundle_root))
            own = for_orchestrator({"executor": await executor.address()}, folder / _DATABASE)
            orchestrator = await starting.start(ORCHESTRATOR, own)
            address = await orchestrator.address()
        yield address
    finally:
        await _stop_all(starting.started)


def _files(folder: Path) -> Logs:
    logs = prepare(folder / _LOGS)
    return lambda service: FileLog(logs / f"{service}.log")


@asynccontextmanager
async def _every_problem_told(environ: Mapping[str, str]) -> AsyncIterator[None]:
    """Add the problems of all other settings to the error of the first process that refused its own."""
    try:
        yield
    except CommandError as error:
        if error.exit_code is not ExitCode.USAGE:
            raise
        problems = problems_of(await every_report(environ, {}))
        others = [problem for problem in problems if problem not in error.message]
        raise CommandError(error.message, error.exit_code, others) from None


async def _start_agents(starting: _Starting, bundle_root: Path | None) -> dict[str, str]:
    agents = [await starting.start(agent, for_agent(agent, bundle_root)) for agent in AGENTS]
    addresses = await asyncio.gather(*(agent.address() for agent in agents))
    return dict(zip(AGENTS, addresses, strict=True))


async def ready_or_dead(
    address: str, processes: Sequence[ServiceProcess], unready_after: float | None
) -> Sequence[str]:
    """Wait until the orchestrator, and so each agent, is ready; raises for a process that dies meanwhile.

    Returns what is wrong with models that the agents cannot ask, where nothing else is waited for. With
    `unready_after` seconds a stack that is not ready by then is good enough.
    """
    usable = asyncio.create_task(_usable(address, unready_after))
    deaths = {asyncio.create_task(process.process.wait()): process for process in processes}
    try:
        await asyncio.wait([usable, *deaths], return_when=asyncio.FIRST_COMPLETED)
        for death, process in deaths.items():
            if death.done():
                raise process.failure("ended while starting", death.result())
        return await usable
    finally:
        await _cancelled([usable, *deaths])


async def _usable(address: str, unready_after: float | None) -> Sequence[str]:
    if unready_after is not None:
        with contextlib.suppress(CommandError):
            await wait_until_ready(address, unready_after)
        return ()
    ready = asyncio.create_task(wait_until_ready(address, START_SECONDS))
    try:
        while not (await asyncio.wait([ready], timeout=_ASK_SECONDS))[0]:
            if lacking := await only_models_lack(address):
                return lacking
        await ready
        return ()
    finally:
        await _cancelled([ready])


async def _cancelled(tasks: Sequence[asyncio.Task[Any]]) -> None:
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)


async def _stop_all(started: Sequence[ServiceProcess]) -> None:
    """Stop the orchestrator first, so that a run under way is stored before its agents go."""
    for process in started:
        if process.service == ORCHESTRATOR:
            await process.stop(STOP_SECONDS)
    # Nobody calls the agents any more, and they keep nothing.
    await asyncio.gather(*(process.stop(_AGENT_STOP_SECONDS) for process in started))
