"""Progress lines: what happened, in plain and safe text."""

import io
import re

import pytest
from assay.common.v1 import tool_pb2
from assay.orchestrator.v1 import diagnosis_pb2, run_pb2

from orchestrator.cli.progress import describe, progress_on

_INVOCATION = tool_pb2.Checked(
    tool_name="logs_search",
    status=tool_pb2.INVOCATION_STATUS_TIMEOUT,
    source="logs/\x1b[2J.log",
    reason="took 30 s",
)


@pytest.mark.parametrize(
    ("message", "line"),
    [
        (
            diagnosis_pb2.DiagnoseResponse(started=diagnosis_pb2.RunStarted(run_id="run-1")),
            "run run-1",
        ),
        (
            diagnosis_pb2.DiagnoseResponse(
                node_started=diagnosis_pb2.NodeStarted(node="verifier", attempt=2)
            ),
            "verifier: judging each claim by its own evidence (attempt 2)",
        ),
        (
            diagnosis_pb2.DiagnoseResponse(
                event=run_pb2.OrchestrationEvent(node="verifier", outcome="COMPLETED")
            ),
            "",
        ),
        (
            diagnosis_pb2.DiagnoseResponse(
                event=run_pb2.OrchestrationEvent(
                    node="verifier", outcome="RETRYABLE_FAILED", reason_code="unavailable"
                )
            ),
            "verifier: RETRYABLE_FAILED (unavailable)",
        ),
        (
            diagnosis_pb2.DiagnoseResponse(invocation=_INVOCATION),
            r"  logs_search logs/\x1b[2J.log: timeout (took 30 s)",
        ),
        (diagnosis_pb2.DiagnoseResponse(), ""),
    ],
)
def test_describes_each_message(message: diagnosis_pb2.DiagnoseResponse, line: str) -> None:
    assert describe(message) == line


def test_lines_on_a_stream_that_is_no_terminal() -> None:
    stream = io.StringIO()
    with progress_on(stream, {}) as progress:
        progress("planner: planning")
    assert re.fullmatch(r"\[ *\d+\.\ds\] planner: planning\n", stream.getvalue())


def test_no_color_means_no_escape_sequences_on_a_terminal() -> None:
    class Terminal(io.StringIO):
        def isatty(self) -> bool:
            return True

    plain, moving = Terminal(), Terminal()
    with progress_on(plain, {"NO_COLOR": "1"}) as progress:
        progress("one")
    with progress_on(moving, {"TERM": "xterm"}) as progress:
        progress("[bold]one[/bold]")
    assert "\x1b" not in plain.getvalue()
    assert "\x1b" in moving.getvalue()
