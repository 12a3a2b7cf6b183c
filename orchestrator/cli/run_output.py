"""A run on standard output, as text or as one JSON object."""

import os
import shutil
import sys
from dataclasses import dataclass

from assay.orchestrator.v1 import run_pb2

from orchestrator.cli import human, json_output
from orchestrator.cli.layout import layout_for
from orchestrator.cli.leaving import put
from orchestrator.cli.own_command import show_command


@dataclass(frozen=True)
class Shown:
    """A run, its path, and the remote service that stores it; empty for this machine's own store."""

    run: run_pb2.Run
    trace: run_pb2.Trace
    target: str


def put_run(shown: Shown, *, as_json: bool) -> None:
    """Print a run; when that fails, leave with the command that shows it again."""
    again = show_command(shown.run.run_id, shown.target)
    if as_json:
        text = json_output.dumps(shown.run, shown.trace) + "\n"
    else:
        layout = layout_for(sys.stdout, shutil.get_terminal_size().columns, os.environ)
        text = human.render(shown.run, layout, again)
    put(text, f"; the answer is stored: {again}")
