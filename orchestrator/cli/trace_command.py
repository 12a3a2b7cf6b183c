"""`assay trace`: the path of a run, and the tool calls that it recorded."""

import json as json_text
import os
import sys
from collections.abc import Sequence
from typing import Annotated

import typer
from assay.orchestrator.v1 import run_pb2
from assay.orchestrator.v1.diagnosis_pb2 import InvocationSummary

from orchestrator.cli import invocation_text, options, trace_text
from orchestrator.cli.leaving import found_by, note, put
from orchestrator.cli.own_command import command, for_target
from orchestrator.cli.parameters import AsJson, RunId, Target
from orchestrator.cli.progress import Progress
from orchestrator.cli.run_ids import typed_id, whole_id
from orchestrator.cli.run_store import stored_runs_of
from orchestrator.cli.table import paper_for
from services.common.evidence.names import plain


def trace(
    run_id: RunId,
    invocations: Annotated[
        bool, typer.Option("--invocations", help="The recorded tool calls instead of the path.")
    ] = False,
    target: Target = None,
    json: AsJson = False,
) -> None:
    """Show the path of a run, or its tool calls."""
    if invocations:
        _show_calls(run_id, target, as_json=json)
        return

    async def call(progress: Progress) -> run_pb2.Trace:
        typed = typed_id(run_id)
        async with stored_runs_of(options.address(target), os.environ, progress) as client:
            return await client.trace(await whole_id(client, typed))

    found = found_by(call)
    if json:
        put(json_text.dumps(plain(found)) + "\n")
    else:
        put(trace_text.render(found, paper_for(sys.stdout)))


def _show_calls(run_id: str, target: str | None, *, as_json: bool) -> None:
    async def call(progress: Progress) -> tuple[str, Sequence[InvocationSummary]]:
        typed = typed_id(run_id)
        async with stored_runs_of(options.address(target), os.environ, progress) as client:
            whole = await whole_id(client, typed)
            return whole, await client.invocations(whole)

    whole, calls = found_by(call)
    if as_json:
        found = {"run_id": whole, "invocations": invocation_text.as_objects(calls)}
        put(json_text.dumps(found) + "\n")
    elif calls:
        put(invocation_text.as_table(calls, paper_for(sys.stdout)))
        first = calls[0].invocation.id
        note(f"one output: {command('show', whole, '--invocation', first, *for_target(target))}")
    else:
        note("this run recorded no tool call")
