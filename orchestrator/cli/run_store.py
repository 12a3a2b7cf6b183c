"""The runs of the target, or of this machine's state folder, for as long as a command needs them."""

from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from pathlib import Path

from orchestrator.cli.client import DiagnosisClient, connected
from orchestrator.cli.local_stack import stored_runs
from orchestrator.cli.progress import Progress
from orchestrator.cli.reaching import Reached, remote
from orchestrator.cli.state_folder import exclusive, prepare, state_folder

_READ_WAIT_SECONDS = 60.0


@asynccontextmanager
async def stored_runs_of(
    target: str, environ: Mapping[str, str], progress: Progress
) -> AsyncIterator[DiagnosisClient]:
    """Reach the runs of the target, or of this machine's own store."""
    async with _store(target, environ, progress) as reached, connected(*reached) as client:
        yield client


@asynccontextmanager
async def _store(target: str, environ: Mapping[str, str], progress: Progress) -> AsyncIterator[Reached]:
    if target:
        yield remote(target, environ)
        return
    async with held_folder(environ, progress) as folder, stored_runs(folder, environ) as address:
        yield Reached(address)


@asynccontextmanager
async def held_folder(environ: Mapping[str, str], progress: Progress) -> AsyncIterator[Path]:
    """Hold the state folder for a command that reads."""
    async with holding(environ, _READ_WAIT_SECONDS, progress) as folder:
        yield folder


@asynccontextmanager
async def holding(environ: Mapping[str, str], wait_seconds: float, progress: Progress) -> AsyncIterator[Path]:
    """Hold the state folder, made where it is missing; another command is waited for at most so long."""
    folder = prepare(state_folder(environ))
    async with exclusive(folder, wait_seconds, lambda: progress(_waiting(environ))):
        yield folder


def _waiting(environ: Mapping[str, str]) -> str:
    return (
        f"waiting: another assay command is using {state_folder(environ)}; if that is `assay up`, "
        "ask it with --target and the address that it printed"
    )
