"""`assay runs`: lists stored runs, ends one, forgets old ones."""

import os
import sys
from datetime import UTC, datetime
from enum import StrEnum
from typing import Annotated

import typer
from assay.orchestrator.v1 import run_pb2
from assay.orchestrator.v1.diagnosis_pb2 import ListRunsRequest, PruneRunsRequest

from orchestrator.cli import options, run_list
from orchestrator.cli.errors import CommandError, wrong_input
from orchestrator.cli.exit_codes import ExitCode
from orchestrator.cli.leaving import found_by, note, put
from orchestrator.cli.parameters import RunId, Target
from orchestrator.cli.progress import Progress
from orchestrator.cli.run_ids import typed_id, whole_id
from orchestrator.cli.run_store import stored_runs_of
from orchestrator.cli.running import fail
from orchestrator.cli.table import paper_for
from orchestrator.cli.times import age, instant_or_age, timestamp
from services.common.evidence.names import number_of, short_name
from services.common.visible import visible

MAX_LISTED = 10_000

app = typer.Typer(invoke_without_command=True, rich_markup_mode=None)


class Status(StrEnum):
    """Where a run stands, as it is typed."""

    RUNNING = "running"
    SUCCEEDED = "succeeded"
    DEGRADED = "degraded"
    FAILED = "failed"
    CANCELLED = "cancelled"


_Statuses = Annotated[
    list[Status] | None,
    typer.Option(
        case_sensitive=False,
        metavar="STATUS",
        help="Only runs that stand so; may be given several times: " + ", ".join(Status) + ".",
    ),
]
_Since = Annotated[
    str,
    typer.Option(metavar="TIME", help="Only runs begun then or later: RFC 3339, or an age (36h, 30d)."),
]
_Until = Annotated[
    str, typer.Option(metavar="TIME", help="Only runs begun before: RFC 3339, or an age (36h, 30d).")
]
_Limit = Annotated[int, typer.Option(min=1, max=MAX_LISTED, help="Most runs to list.")]
_AsJsonLines = Annotated[bool, typer.Option("--json", help="Print one JSON object a line, one line a run.")]


@app.callback()
def runs(
    context: typer.Context,
    status: _Statuses = None,
    since: _Since = "",
    until: _Until = "",
    limit: _Limit = 50,
    json: _AsJsonLines = False,
    target: Target = None,
) -> None:
    """List stored runs, end one, forget old ones."""
    if context.invoked_subcommand is not None:
        _refuse_options_before(context)
        return

    async def call(progress: Progress) -> tuple[list[run_pb2.RunSummary], bool]:
        request = _selection(status or [], since, until)
        async with stored_runs_of(options.address(target), os.environ, progress) as client:
            return await client.runs(request, limit)

    found, more = found_by(call)
    if json:
        put("".join(run_list.as_json_lines(found)))
    elif found:
        put(run_list.as_table(found, paper_for(sys.stdout)))
    else:
        note("there is no such run" if status or since or until else "there is no run yet")
    if more:
        note(f"only the newest {limit} are listed; --limit lists more")


def _refuse_options_before(context: typer.Context) -> None:
    """Refuse options of the list before another command, which would not see them."""
    command = context.invoked_subcommand
    for name in context.params:
        source = context.get_parameter_source(name)
        if source is not None and source.name == "COMMANDLINE":
            fail(
                wrong_input(f"--{name} is an option of the list; options of {command} stand after that word")
            )


def _selection(statuses: list[Status], since: str, until: str) -> ListRunsRequest:
    request = ListRunsRequest()
    for status in statuses:
        number = number_of(run_pb2.RunStatus.DESCRIPTOR, status)
        request.statuses.append(run_pb2.RunStatus.ValueType(number))
    now = datetime.now(UTC)
    start, end = instant_or_age("--since", since, now), instant_or_age("--until", until, now)
    if start and end and end <= start:
        raise wrong_input("--until is not after --since")
    if start:
        request.create_time.start.CopyFrom(timestamp(start))
    if end:
        request.create_time.end.CopyFrom(timestamp(end))
    return request


@app.command()
def cancel(run_id: RunId, target: Target = None) -> None:
    """End a run that is under way; a run that has ended stays as it is."""

    async def call(progress: Progress) -> tuple[run_pb2.Run, bool]:
        typed = typed_id(run_id)
        async with stored_runs_of(options.address(target), os.environ, progress) as client:
            whole = await whole_id(client, typed)
            ended = (await client.run(whole)).status != run_pb2.RUN_STATUS_RUNNING
            return await client.cancel(whole), ended

    run, ended = found_by(call)
    status = short_name(run_pb2.RunStatus.DESCRIPTOR, run.status)
    put(f"{visible(run.run_id)}  {status}\n")
    if ended:
        note("the run had ended before; nothing was changed")


@app.command()
def prune(
    keep: Annotated[
        int | None, typer.Option(min=0, max=2**31 - 1, help="Keep so many ended runs, the newest.")
    ] = None,
    older_than: Annotated[
        str | None, typer.Option(metavar="AGE", help="Forget ended runs that began longer ago: 36h, 30d, 2w.")
    ] = None,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only say how many would be forgotten.")] = False,
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Do not ask.")] = False,
    target: Target = None,
) -> None:
    """Forget old runs with all that is stored of them."""

    async def call(progress: Progress) -> int:
        async with stored_runs_of(options.address(target), os.environ, progress) as client:
            return await client.prune(request)

    try:
        request = _prune_request(keep, older_than)
    except CommandError as error:
        fail(error)
    request.dry_run = dry_run or not yes
    number = found_by(call)
    if request.dry_run and number and not dry_run:
        _ask(number)
        request.dry_run = False
        number = found_by(call)
    put(f"{_counted(number)} {'would be ' if dry_run else ''}forgotten\n")


def _prune_request(keep: int | None, older_than: str | None) -> PruneRunsRequest:
    if (keep is None) == (older_than is None):
        raise wrong_input("give either --keep, how many ended runs stay, or --older-than, such as 30d")
    if older_than is None:
        return PruneRunsRequest(keep=keep)
    before = age("--older-than", older_than, datetime.now(UTC))
    return PruneRunsRequest(created_before=timestamp(before))


def _ask(number: int) -> None:
    """Go on only when a person agrees; without one, say how to do without."""
    if not sys.stdin.isatty():
        fail(wrong_input(f"{_counted(number)} would be forgotten; --yes does it without asking"))
    if not typer.confirm(f"Forget {_counted(number)} for good?", err=True):
        fail(CommandError("nothing was forgotten", ExitCode.CANCELLED))


def _counted(number: int) -> str:
    return "1 run" if number == 1 else f"{number} runs"
