"""`assay show`: a stored run again, a run that is under way until it ends, or one recorded tool output."""

import asyncio
import hashlib
import os
import sys
from collections.abc import Coroutine
from dataclasses import dataclass
from typing import Annotated, Any, Final

import typer
from assay.common.v1 import tool_pb2
from assay.orchestrator.v1 import diagnosis_pb2

from orchestrator.cli import commands, invocation_text, options
from orchestrator.cli.commands import Shown, stored_runs_of
from orchestrator.cli.errors import CommandError, wrong_input
from orchestrator.cli.exit_codes import ExitCode, of_run
from orchestrator.cli.leaving import found_by, note, put
from orchestrator.cli.parameters import AsJson, RunId, Target
from orchestrator.cli.progress import Progress, describe, describe_event
from orchestrator.cli.run_ids import typed_id, whole_id
from orchestrator.cli.run_output import put_run
from orchestrator.cli.running import fail
from orchestrator.cli.visible import visible
from services.common.evidence import pointer as json_pointer
from services.common.evidence import strict_json
from services.common.evidence.strict_json import Json

_MAX_OUTPUT_BYTES: Final = 64 << 20


@dataclass(frozen=True)
class _Followed:
    """How a run is followed: from which event on, and for how many seconds at most."""

    after: int
    seconds: float


def show(
    run_id: RunId,
    watch: Annotated[
        bool, typer.Option("--watch", help="Follow the run until it ends; one that has ended, too.")
    ] = False,
    after: Annotated[
        int, typer.Option(min=0, metavar="EVENT", help="With --watch: go on after the event of this number.")
    ] = 0,
    timeout: Annotated[
        float, typer.Option(min=1, max=86400, help="With --watch: seconds until following ends.")
    ] = 3600.0,
    invocation: Annotated[
        str | None, typer.Option(metavar="ID", help="Instead of the answer, the output of this tool call.")
    ] = None,
    pointer: Annotated[
        str | None,
        typer.Option(metavar="POINTER", help="Of that output only this place, such as /lines/3/text."),
    ] = None,
    raw: Annotated[
        bool, typer.Option("--raw", help="That output as it was recorded, byte for byte; not on a terminal.")
    ] = False,
    target: Target = None,
    json: AsJson = False,
) -> None:
    """Show a stored run, follow one, check one output."""
    try:
        _require(watch or not after, "--after is only for --watch")
        _require(
            invocation is not None or (pointer is None and not raw), "--pointer and --raw need --invocation"
        )
        _require(invocation is None or not (watch or json), "--invocation excludes --watch and --json")
        _require(
            not raw or not sys.stdout.isatty(),
            "--raw prints what strangers wrote as it is, which could command the terminal: send it to a file",
        )
    except CommandError as error:
        fail(error)
    if invocation is not None:
        _show_output(run_id, invocation, pointer, target, raw=raw)
        return

    def call(progress: Progress) -> Coroutine[Any, Any, Shown]:
        typed, address = typed_id(run_id), options.address(target)
        if watch:
            return _watch(typed, address, _Followed(after, timeout), progress)
        return commands.show(typed, address, os.environ, progress)

    shown = found_by(call)
    put_run(shown, as_json=json)
    raise typer.Exit(of_run(shown.run))


def _require(holds: bool, message: str) -> None:
    if not holds:
        raise wrong_input(message)


async def _watch(run_id: str, target: str, followed: _Followed, progress: Progress) -> Shown:
    def on_progress(message: diagnosis_pb2.DiagnoseResponse) -> None:
        if line := describe_event(message.event) if message.HasField("event") else describe(message):
            progress(line)

    try:
        async with stored_runs_of(target, os.environ, progress) as client:
            whole = await whole_id(client, run_id)
            run = await client.watch(whole, followed.after, followed.seconds, on_progress)
            return Shown(run, await client.trace(whole), target)
    except asyncio.CancelledError:
        raise CommandError("no longer following; the run goes on as it was", ExitCode.CANCELLED) from None


def _show_output(
    run_id: str, invocation_id: str, pointer: str | None, target: str | None, *, raw: bool
) -> None:
    async def call(progress: Progress) -> tool_pb2.Invocation:
        typed, wanted = typed_id(run_id), options.text("--invocation", invocation_id).strip()
        async with stored_runs_of(options.address(target), os.environ, progress) as client:
            return await client.invocation(await whole_id(client, typed), wanted)

    found = found_by(call)
    try:
        _check_hash(found)
        output = _raw(found, pointer) if raw else _readable(found, pointer)
    except CommandError as error:
        fail(error)
    note(invocation_text.described(found))
    put(output)


def _check_hash(call: tool_pb2.Invocation) -> None:
    """Compare what came with what was recorded: here, where nobody else can have changed it since."""
    if hashlib.sha256(call.output).hexdigest() != call.output_sha256:
        raise CommandError(
            f"the output of {call.id} is not what was recorded: its SHA-256 differs", ExitCode.ERROR
        )


def _raw(call: tool_pb2.Invocation, pointer: str | None) -> bytes:
    """Return the bytes of an output, or the text of one scalar in it as UTF-8, or a part as JSON."""
    if pointer is None:
        return call.output
    value = _at(call, pointer)
    text = invocation_text.scalar(value)
    return strict_json.dumps(value) if text is None else text.encode()


def _readable(call: tool_pb2.Invocation, pointer: str | None) -> str:
    value = _at(call, pointer or "")
    text = invocation_text.scalar(value)
    if text is not None:
        return visible(text) + "\n"
    return "".join(invocation_text.leaves(value, (pointer or "").strip()))


def _at(call: tool_pb2.Invocation, pointer: str) -> Json:
    try:
        document = strict_json.loads(call.output, max_bytes=_MAX_OUTPUT_BYTES)
        return json_pointer.resolve(document, pointer.strip())
    except json_pointer.PointerError as error:
        raise wrong_input(f"--pointer: {options.shown(pointer)}: {error}") from None
    except strict_json.StrictJsonError as error:
        raise CommandError(f"the output of {call.id} is {error}; --raw prints it", ExitCode.ERROR) from None
