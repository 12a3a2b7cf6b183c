"""`assay show`: a stored run again, a run that is under way until it ends, or one recorded tool output."""

import asyncio
import os
import sys
from collections.abc import Coroutine
from dataclasses import dataclass
from typing import Annotated, Any

import typer
from assay.common.v1 import tool_pb2
from assay.orchestrator.v1 import diagnosis_pb2

from orchestrator.cli import invocation_output, options
from orchestrator.cli.errors import CommandError, wrong_input
from orchestrator.cli.exit_codes import ExitCode, of_run
from orchestrator.cli.leaving import found_by, note, put
from orchestrator.cli.parameters import AsJson, RunId, Target
from orchestrator.cli.progress import Progress, describe, describe_event
from orchestrator.cli.run_ids import typed_id, whole_id
from orchestrator.cli.run_output import Shown, put_run
from orchestrator.cli.run_store import stored_runs_of
from orchestrator.cli.running import fail


@dataclass(frozen=True)
class _Followed:
    """How a run is followed: from which event on, and for how many seconds at most."""

    after: int
    seconds: float


_Watch = Annotated[
    bool, typer.Option("--watch", help="Follow the run until it ends; one that has ended, too.")
]
_After = Annotated[
    int,
    typer.Option(
        min=0, max=2**31 - 1, metavar="EVENT", help="With --watch: go on after the event of this number."
    ),
]
_Timeout = Annotated[
    float, typer.Option(min=1, max=86400, help="With --watch: seconds until following ends.")
]
_Invocation = Annotated[
    str | None, typer.Option(metavar="ID", help="Instead of the answer, the output of this tool call.")
]
_Pointer = Annotated[
    str | None, typer.Option(metavar="POINTER", help="Of that output only this place, such as /lines/3/text.")
]
_Raw = Annotated[
    bool, typer.Option("--raw", help="That output as it was recorded, byte for byte; not on a terminal.")
]


def show(
    run_id: RunId,
    watch: _Watch = False,
    after: _After = 0,
    timeout: _Timeout = 3600.0,
    invocation: _Invocation = None,
    pointer: _Pointer = None,
    raw: _Raw = False,
    target: Target = None,
    json: AsJson = False,
) -> None:
    """Show a stored run, follow one, check one output."""
    _require(watch or not after, "--after is only for --watch")
    if invocation is not None:
        _require(not (watch or json), "--invocation excludes --watch and --json")
        _show_output(run_id, invocation, pointer, target, raw=raw)
        return
    _require(pointer is None and not raw, "--pointer and --raw need --invocation")

    def call(progress: Progress) -> Coroutine[Any, Any, Shown]:
        typed, address = typed_id(run_id), options.address(target)
        if watch:
            return _watched(typed, address, _Followed(after, timeout), progress)
        return _stored_run(typed, address, progress)

    shown = found_by(call)
    put_run(shown, as_json=json)
    raise typer.Exit(of_run(shown.run))


def _require(holds: bool, message: str) -> None:
    if not holds:
        fail(wrong_input(message))


async def _stored_run(run_id: str, target: str, progress: Progress) -> Shown:
    async with stored_runs_of(target, os.environ, progress) as client:
        whole = await whole_id(client, run_id)
        return Shown(await client.run(whole), await client.trace(whole), target)


async def _watched(run_id: str, target: str, followed: _Followed, progress: Progress) -> Shown:
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
    _require(
        not raw or not sys.stdout.isatty(),
        "--raw prints what strangers wrote as it is, which could command the terminal: send it to a file",
    )

    async def call(progress: Progress) -> tool_pb2.Invocation:
        typed, wanted = typed_id(run_id), options.text("--invocation", invocation_id).strip()
        async with stored_runs_of(options.address(target), os.environ, progress) as client:
            return await client.invocation(await whole_id(client, typed), wanted)

    found = found_by(call)
    try:
        invocation_output.check(found)
        output = (invocation_output.raw if raw else invocation_output.readable)(found, pointer)
    except CommandError as error:
        fail(error)
    note(invocation_output.described(found))
    put(output)
