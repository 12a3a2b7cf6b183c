"""Live progress on standard error: one moving line on a terminal, plain lines anywhere else."""

import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from textwrap import shorten
from typing import Protocol, TextIO

from assay.common.v1 import tool_pb2
from assay.orchestrator.v1 import diagnosis_pb2, run_pb2

from services.common.evidence.names import short_name
from services.common.visible import visible

_DOING = {
    "planner": "planning what to read",
    "executor": "reading the evidence",
    "gatekeeper": "checking every citation against what was recorded",
    "verified_input": "keeping what passed",
    "verifier": "judging each claim by its own evidence",
    "evidence_retry": "preparing to look again for what is missing",
    "composer": "writing the answer",
    "fallback": "writing down what can still be said",
}
_MAX_REASON = 120
# Outcomes that go without saying.
_AS_EXPECTED = frozenset({"COMPLETED", "PASS"})


class Progress(Protocol):
    """Takes one short line of plain text after the other."""

    def __call__(self, line: str) -> None:
        """Show a line; it has been made safe to print."""


@contextmanager
def progress_on(stream: TextIO, environ: Mapping[str, str]) -> Iterator[Progress]:
    """Show progress on a stream as long as the block runs."""
    if stream.isatty() and environ.get("TERM") != "dumb" and not environ.get("NO_COLOR"):
        with _moving_line(stream) as progress:
            yield progress
    else:
        yield _plain_lines(stream, time.monotonic)


def describe(message: diagnosis_pb2.DiagnoseResponse) -> str:
    """Return what a message of the stream tells a person; empty when it tells nothing new."""
    match message.WhichOneof("payload"):
        case "started":
            return f"run {visible(message.started.run_id)}"
        case "node_started":
            return _node(message.node_started)
        case "event" if message.event.outcome not in _AS_EXPECTED:
            return visible(f"{message.event.node}: {message.event.outcome} ({message.event.reason_code})")
        case "invocation":
            return _invocation(message.invocation)
        case _:
            return ""


def describe_event(event: run_pb2.OrchestrationEvent) -> str:
    """Return what a person who comes late is told of a node attempt that has ended."""
    again = f" (attempt {event.attempt})" if event.attempt > 1 else ""
    return visible(f"{event.sequence}. {event.node}: {event.outcome}, {event.reason_code}{again}")


def _node(node: diagnosis_pb2.NodeStarted) -> str:
    again = f" (attempt {node.attempt})" if node.attempt > 1 else ""
    return visible(f"{node.node}: {_DOING.get(node.node, 'working')}{again}")


def _invocation(row: tool_pb2.Checked) -> str:
    status = short_name(tool_pb2.InvocationStatus.DESCRIPTOR, row.status).lower()
    reason = f" ({shorten(row.reason, _MAX_REASON)})" if row.reason else ""
    called = f"{row.tool_name} {row.source}".strip()
    return visible(f"  {called}: {status}{reason}")


def _plain_lines(stream: TextIO, clock: Callable[[], float]) -> Progress:
    began = clock()

    def show(line: str) -> None:
        stream.write(f"[{clock() - began:5.1f}s] {line}\n")
        stream.flush()

    return show


@contextmanager
def _moving_line(stream: TextIO) -> Iterator[Progress]:
    # Imported only for a person at a terminal: it costs a tenth of a second.
    from rich.console import Console  # noqa: PLC0415
    from rich.text import Text  # noqa: PLC0415

    console = Console(file=stream)
    with console.status(Text("starting")) as status:
        # Text, not str: in a str, rich would read square brackets as markup.
        yield lambda line: status.update(Text(line, no_wrap=True, overflow="ellipsis"))
