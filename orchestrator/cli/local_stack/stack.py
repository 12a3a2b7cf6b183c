"""The whole stack: five agents, then the orchestrator that calls them; ready before it is handed out."""

import asyncio
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

from orchestrator.cli.client import wait_until_ready
from orchestrator.cli.local_stack.environment import (
    AGENTS,
    ORCHESTRATOR,
    check_names,
    for_agent,
    for_orchestrator,
)
from orchestrator.cli.local_stack.process import START_SECONDS, STOP_SECONDS, ServiceProcess, start
from orchestrator.cli.state_folder import prepare

_DATABASE = "assay.sqlite3"
_LOGS = "logs"
_AGENT_STOP_SECONDS = 5.0


@dataclass(frozen=True)
class LocalStack:
    """A running stack: the orchestrator's address and every process by the name of its service."""

    address: str
    processes: Mapping[str, ServiceProcess]


@asynccontextmanager
async def local_stack(
    folder: Path, bundle_root: Path, environ: Mapping[str, str]
) -> AsyncIterator[LocalStack]:
    """Run the six processes on ports of their own; the orchestrator is ready when this yields.

    `folder` is the prepared state folder, held by this command alone. Raises CommandError when a process
    does not come up. Whatever happens, no process outlives the block.
    """
    check_names(environ)
    started: list[ServiceProcess] = []
    logs = _log_folder(folder)
    try:
        addresses = await _start_agents(started, environ, bundle_root, logs)
        own = for_orchestrator(addresses, folder / _DATABASE)
        orchestrator = await _start(started, ORCHESTRATOR, environ, own, logs)
        address = await orchestrator.address()
        await _ready_or_dead(address, started)
        yield LocalStack(address, {process.service: process for process in started})
    finally:
        await _stop_all(started)


@asynccontextmanager
async def stored_runs(folder: Path, environ: Mapping[str, str]) -> AsyncIterator[str]:
    """Run the orchestrator alone, for reading what it stored; yields its address."""
    check_names(environ)
    started: list[ServiceProcess] = []
    try:
        own = for_orchestrator({}, folder / _DATABASE)
        orchestrator = await _start(started, ORCHESTRATOR, environ, own, _log_folder(folder))
        yield await orchestrator.address()
    finally:
        await _stop_all(started)


def _log_folder(folder: Path) -> Path:
    return prepare(folder / _LOGS)


async def _start(
    started: list[ServiceProcess],
    service: str,
    environ: Mapping[str, str],
    own: Mapping[str, str],
    logs: Path,
) -> ServiceProcess:
    process = await start(service, environ, own, logs)
    started.append(process)
    return process


async def _start_agents(
    started: list[ServiceProcess], environ: Mapping[str, str], bundle_root: Path, logs: Path
) -> dict[str, str]:
    agents = [await _start(started, agent, environ, for_agent(agent, bundle_root), logs) for agent in AGENTS]
    addresses = await asyncio.gather(*(agent.address() for agent in agents))
    return dict(zip(AGENTS, addresses, strict=True))


async def _ready_or_dead(address: str, processes: Sequence[ServiceProcess]) -> None:
    """Wait until the orchestrator, and so each agent, is ready; raises for a process that dies meanwhile."""
    ready = asyncio.create_task(wait_until_ready(address, START_SECONDS))
    deaths = {asyncio.create_task(process.process.wait()): process for process in processes}
    try:
        await asyncio.wait([ready, *deaths], return_when=asyncio.FIRST_COMPLETED)
        for death, process in deaths.items():
            if death.done():
                raise process.failure("ended while starting", death.result())
        await ready
    finally:
        for task in (ready, *deaths):
            task.cancel()
        await asyncio.gather(ready, *deaths, return_exceptions=True)


async def _stop_all(started: Sequence[ServiceProcess]) -> None:
    """Stop the orchestrator first, so that a run under way is stored before its agents go."""
    for process in started:
        if process.service == ORCHESTRATOR:
            await process.stop(STOP_SECONDS)
    # Nobody calls the agents any more, and they keep nothing.
    await asyncio.gather(*(process.stop(_AGENT_STOP_SECONDS) for process in started))
