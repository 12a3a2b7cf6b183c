"""What commands print, and how they leave when their work or its output fails."""

import os
import sys
from collections.abc import Callable, Coroutine
from typing import Any, TypeVar

import typer

from orchestrator.cli import streams
from orchestrator.cli.errors import CommandError
from orchestrator.cli.exit_codes import ExitCode
from orchestrator.cli.progress import Progress, progress_on
from orchestrator.cli.running import fail, run_to_end
from services.common.visible import visible

FoundT = TypeVar("FoundT")


def found_by(call: Callable[[Progress], Coroutine[Any, Any, FoundT]]) -> FoundT:
    """Run a command's work to its end and return what it found; leaves with one message when it fails."""
    try:
        with progress_on(sys.stderr, os.environ) as progress:
            return run_to_end(call(progress))
    except CommandError as error:
        fail(error)


def put(output: str | bytes, otherwise: str = "") -> None:
    """Write to standard output; when that fails, leave and say so, with what can be done about it."""
    try:
        streams.print_answer(output)
    except OSError as error:
        told = f"standard output cannot be written ({error.strerror}){otherwise}"
        fail(CommandError(told, ExitCode.ERROR))


def note(text: str) -> None:
    """Tell a person something beside the answer, on standard error."""
    typer.echo(f"assay: {visible(text)}", err=True)
