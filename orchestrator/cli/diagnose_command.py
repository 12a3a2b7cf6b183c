"""`assay diagnose`: one question about one incident, asked of the local services or of a target."""

import asyncio
import json as json_text
import os
import uuid
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Annotated

import typer
from assay.orchestrator.v1 import diagnosis_pb2

from orchestrator.cli import options
from orchestrator.cli.client import connected
from orchestrator.cli.errors import CommandError, wrong_input
from orchestrator.cli.exit_codes import ExitCode, of_run
from orchestrator.cli.leaving import found_by, note, put
from orchestrator.cli.local_stack import local_stack
from orchestrator.cli.options import Bundle
from orchestrator.cli.own_command import command, for_target, show_command
from orchestrator.cli.parameters import AsJson, Target
from orchestrator.cli.progress import Progress, describe
from orchestrator.cli.reaching import Reached, remote
from orchestrator.cli.run_output import Shown, put_run
from orchestrator.cli.run_store import holding
from services.common.visible import visible

_Question = Annotated[
    str, typer.Argument(metavar="QUESTION", help='What is wrong, such as "why do checkouts fail?"')
]
_Bundle = Annotated[
    str,
    typer.Option(
        metavar="FOLDER|ZIP",
        help="The incident's folder or zip file; with --target, its name relative to the service's root.",
    ),
]
_WindowStart = Annotated[str, typer.Option(metavar="TIME", help="First instant of interest, RFC 3339.")]
_WindowEnd = Annotated[
    str, typer.Option(metavar="TIME", help="First instant no longer of interest, RFC 3339.")
]
_Intent = Annotated[
    str,
    typer.Option(
        metavar="cause|lookup",
        help="Overrides what the question suggests.",
        autocompletion=lambda: list(options.INTENTS),
    ),
]
_Timeout = Annotated[
    float,
    typer.Option(
        min=1, max=3600, help="Seconds until the run is cancelled, or with --detach not begun any more."
    ),
]
_Detach = Annotated[
    bool, typer.Option("--detach", help="With --target: print the run's id and do not wait for its end.")
]
_Key = Annotated[
    str | None,
    typer.Option(metavar="KEY", help="With --detach: the same key and question begin one run only."),
]


@dataclass(frozen=True)
class Diagnosis:
    """One `assay diagnose`."""

    request: diagnosis_pb2.DiagnoseRequest
    bundle: Bundle
    target: str
    timeout_seconds: float


def diagnose(
    question: _Question,
    bundle: _Bundle,
    target: Target = None,
    json: AsJson = False,
    window_start: _WindowStart = "",
    window_end: _WindowEnd = "",
    intent: _Intent = "",
    timeout: _Timeout = 300.0,
    detach: _Detach = False,
    idempotency_key: _Key = None,
) -> None:
    """Ask one question about one incident."""

    def wanted() -> Diagnosis:
        address = options.address(target)
        where = options.bundle(bundle, address)
        request = options.request(question, where, window_start, window_end, intent)
        return Diagnosis(request, where, address, timeout)

    if detach or idempotency_key is not None:
        run_id = found_by(lambda _: _submit(wanted(), _submission_key(detach, idempotency_key), os.environ))
        put((json_text.dumps({"run_id": run_id}) if json else visible(run_id)) + "\n")
        note(f"to follow it: {command('show', run_id, '--watch', *for_target(target))}")
        return
    shown = found_by(lambda progress: _diagnose(wanted(), os.environ, progress))
    put_run(shown, as_json=json)
    raise typer.Exit(of_run(shown.run))


def _submission_key(detach: bool, key: str | None) -> str:
    if not detach:
        raise wrong_input(
            "--idempotency-key is only for --detach: a run that is waited for is always a new one"
        )
    return uuid.uuid4().hex if key is None else options.text("--idempotency-key", key).strip()


async def _diagnose(wanted: Diagnosis, environ: Mapping[str, str], progress: Progress) -> Shown:
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
        async with _service(wanted, environ, progress) as reached, connected(*reached) as client:
            if wanted.target:
                await client.check_ready()
            run = await client.diagnose(wanted.request, wanted.timeout_seconds, on_progress)
            return Shown(run, await client.trace(run.run_id), wanted.target)
    except asyncio.CancelledError:
        raise CommandError(f"cancelled{_stored(begun, wanted.target)}", ExitCode.CANCELLED) from None
    except CommandError as error:
        message = f"{error.message}{_stored(begun, wanted.target)}"
        raise CommandError(message, error.exit_code, error.details) from None


async def _submit(wanted: Diagnosis, key: str, environ: Mapping[str, str]) -> str:
    """Begin the diagnosis at the target, without waiting for its end, and return the id of its run."""
    if not wanted.target:
        raise wrong_input(
            "--detach needs --target: the local services end with this command, and so would the run"
        )
    request = diagnosis_pb2.SubmitDiagnosisRequest(idempotency_key=key, diagnosis=wanted.request)
    async with connected(*remote(wanted.target, environ)) as client:
        await client.check_ready()
        return await client.submit(request, wanted.timeout_seconds)


@asynccontextmanager
async def _service(
    wanted: Diagnosis, environ: Mapping[str, str], progress: Progress
) -> AsyncIterator[Reached]:
    root = wanted.bundle.root
    if root is None:
        yield remote(wanted.target, environ)
        return
    async with holding(environ, wanted.timeout_seconds, progress) as folder:
        progress("starting six local services")
        async with local_stack(folder, root, environ) as stack:
            for lacking in stack.lacking:
                progress(f"going on all the same: {lacking}")
            yield Reached(stack.address)


def _stored(begun: list[str], target: str) -> str:
    return f"; the run is stored: {show_command(begun[0], target)}" if begun else ""
