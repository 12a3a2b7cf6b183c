"""What `assay diagnose` and `assay show` do, from checked options to the run that is to be shown."""

import asyncio
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

from assay.orchestrator.v1 import diagnosis_pb2, run_pb2

from orchestrator.cli.client import DiagnosisClient, connected
from orchestrator.cli.errors import CommandError, wrong_input
from orchestrator.cli.exit_codes import ExitCode
from orchestrator.cli.local_stack import local_stack, stored_runs
from orchestrator.cli.options import Bundle
from orchestrator.cli.own_command import show_command
from orchestrator.cli.progress import Progress, describe
from orchestrator.cli.reaching import Reached, remote
from orchestrator.cli.run_ids import whole_id
from orchestrator.cli.state_folder import exclusive, prepare, state_folder

_READ_WAIT_SECONDS = 60.0


@dataclass(frozen=True)
class Shown:
    """A run, its path, and the remote service that stores it; empty for this machine's own store."""

    run: run_pb2.Run
    trace: run_pb2.Trace
    target: str


@dataclass(frozen=True)
class Diagnosis:
    """One `assay diagnose`."""

    request: diagnosis_pb2.DiagnoseRequest
    bundle: Bundle
    target: str
    timeout_seconds: float


async def diagnose(command: Diagnosis, environ: Mapping[str, str], progress: Progress) -> Shown:
    """Ask the service of the target, or a local stack of its own, and return how the run ended.

    A run that was begun and then cancelled, or that ran out of time, is named in the error: it is stored.
    """
    begun: list[str] = []

    def on_progress(message: diagnosis_pb2.DiagnoseResponse) -> None:
        if message.HasField("started"):
            begun.append(message.started.run_id)
        if line := describe(message):
            progress(line)

    try:
        async with _service(command, environ, progress) as reached, connected(*reached) as client:
            if command.target:
                await client.check_ready()
            run = await client.diagnose(command.request, command.timeout_seconds, on_progress)
            return Shown(run, await client.trace(run.run_id), command.target)
    except asyncio.CancelledError:
        raise CommandError(f"cancelled{_stored(begun, command.target)}", ExitCode.CANCELLED) from None
    except CommandError as error:
        message = f"{error.message}{_stored(begun, command.target)}"
        raise CommandError(message, error.exit_code, error.details) from None


async def submit(command: Diagnosis, key: str, environ: Mapping[str, str]) -> str:
    """Begin the diagnosis at the target, without waiting for its end, and return the id of its run."""
    if not command.target:
        raise wrong_input(
            "--detach needs --target: the local services end with this command, and so would the run"
        )
    request = diagnosis_pb2.SubmitDiagnosisRequest(idempotency_key=key, diagnosis=command.request)
    async with connected(*remote(command.target, environ)) as client:
        await client.check_ready()
        return await client.submit(request, command.timeout_seconds)


@asynccontextmanager
async def stored_runs_of(
    target: str, environ: Mapping[str, str], progress: Progress
) -> AsyncIterator[DiagnosisClient]:
    """Reach the runs of the target, or of this machine's own store."""
    async with _store(target, environ, progress) as reached, connected(*reached) as client:
        yield client


async def show(run_id: str, target: str, environ: Mapping[str, str], progress: Progress) -> Shown:
    """Return a stored run of the target, or of this machine's own store."""
    async with stored_runs_of(target, environ, progress) as client:
        whole = await whole_id(client, run_id)
        return Shown(await client.run(whole), await client.trace(whole), target)


@asynccontextmanager
async def _service(
    command: Diagnosis, environ: Mapping[str, str], progress: Progress
) -> AsyncIterator[Reached]:
    root = command.bundle.root
    if root is None:
        yield remote(command.target, environ)
        return
    async with holding(environ, command.timeout_seconds, progress) as folder:
        progress("starting six local services")
        async with local_stack(folder, root, environ) as stack:
            for lacking in stack.lacking:
                progress(f"going on all the same: {lacking}")
            yield Reached(stack.address)


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


def _stored(begun: list[str], target: str) -> str:
    return f"; the run is stored: {show_command(begun[0], target)}" if begun else ""
