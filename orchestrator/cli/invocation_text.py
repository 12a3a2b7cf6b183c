"""The recorded tool calls of a run, as a table and as objects."""

from collections.abc import Sequence
from typing import Any, Final

from assay.common.v1 import tool_pb2
from assay.orchestrator.v1.diagnosis_pb2 import InvocationSummary

from orchestrator.cli.table import Paper, table
from orchestrator.cli.times import span
from services.common.evidence.names import short_name

_TITLES: Final = ("INVOCATION", "TOOL", "STATUS", "BYTES", "CUT", "TOOK", "ARGUMENTS")
_NANOSECONDS: Final = 1_000_000_000


def as_table(calls: Sequence[InvocationSummary], paper: Paper) -> str:
    """Return the tool calls as a table."""
    return table(_TITLES, [_row(call) for call in calls], paper)


def as_objects(calls: Sequence[InvocationSummary]) -> list[dict[str, Any]]:
    """Return the tool calls as JSON objects; the arguments as the text that was recorded."""
    return [_object(call) for call in calls]


def _row(call: InvocationSummary) -> list[str]:
    invocation = call.invocation
    return [
        invocation.id,
        invocation.tool_name,
        status_of(invocation),
        str(call.output_bytes),
        "yes" if invocation.truncated else "no",
        span(_seconds(invocation)),
        text_of(invocation.arguments_json),
    ]


def _object(call: InvocationSummary) -> dict[str, Any]:
    invocation = call.invocation
    return {
        "id": invocation.id,
        "tool_name": invocation.tool_name,
        "arguments_json": text_of(invocation.arguments_json),
        "status": status_of(invocation),
        "kind": kind_of(invocation),
        "output_bytes": call.output_bytes,
        "output_sha256": invocation.output_sha256,
        "truncated": invocation.truncated,
        "redactions": invocation.redactions,
        "start_time": invocation.start_time.ToJsonString(),
        "duration_seconds": _seconds(invocation),
    }


def status_of(call: tool_pb2.Invocation) -> str:
    """Return how a call ended."""
    return short_name(tool_pb2.InvocationStatus.DESCRIPTOR, call.status)


def kind_of(call: tool_pb2.Invocation) -> str:
    """Return what the output of a call is worth."""
    return short_name(tool_pb2.DocumentKind.DESCRIPTOR, call.kind)


def _seconds(call: tool_pb2.Invocation) -> float:
    return call.duration.ToNanoseconds() / _NANOSECONDS


def text_of(data: bytes) -> str:
    """Return the text of JSON that was recorded, whatever its bytes are."""
    return data.decode("utf-8", "backslashreplace")
