"""What is told of tool calls to those who trace and count them: names and durations, no content."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Final

from assay.common.v1.tool_pb2 import Invocation, InvocationStatus

from services.common.evidence.names import short_name
from services.common.telemetry import allowed
from services.common.telemetry.metrics import Gauge, Histogram, observe
from services.common.telemetry.spans import span

# A call that policy refuses: its tool may be any text.
REFUSED: Final = "refused"
_STATUSES: Final = [
    short_name(InvocationStatus.DESCRIPTOR, number) for number in InvocationStatus.values()[1:]
]
_OK: Final = short_name(InvocationStatus.DESCRIPTOR, InvocationStatus.Value("INVOCATION_STATUS_OK"))

TOOL_SECONDS: Final = Histogram(
    "assay_tool_duration_seconds",
    "Tool calls, by the tools that exist; one that policy refuses is of the tool refused.",
    {"tool": None, "status": _STATUSES},
)
WORKERS: Final = Gauge(
    "assay_workers",
    "Places of worker processes that an execution holds, or that are idle.",
    {"state": ["leased", "idle"]},
)
WAITING: Final = Gauge("assay_workers_waited_for", "Executions that wait for a worker process.")


@contextmanager
def tool_observed(tool: str) -> Iterator[Callable[[Invocation], None]]:
    """Trace a call of a tool that exists, or is `REFUSED`, inside the block; it takes the recorded call."""
    attributes = {allowed.OPERATION: "execute_tool", allowed.TOOL: tool, allowed.TOOL_TYPE: "function"}
    with span(f"execute_tool {tool}", attributes) as calling:

        def ended(invocation: Invocation) -> None:
            status = short_name(InvocationStatus.DESCRIPTOR, invocation.status)
            calling.note({allowed.TOOL_CALL: invocation.id})
            if status != _OK:
                calling.failed(status)
            observe(TOOL_SECONDS, {"tool": tool, "status": status}, invocation.duration.ToNanoseconds() / 1e9)

        yield ended
