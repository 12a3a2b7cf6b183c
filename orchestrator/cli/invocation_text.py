"""Recorded tool calls as text: the list of a run, and one output with the pointer of every value."""

from collections.abc import Iterator, Sequence
from typing import Any, Final

from assay.common.v1 import tool_pb2
from assay.orchestrator.v1.diagnosis_pb2 import InvocationSummary

from orchestrator.cli.table import Paper, table
from orchestrator.cli.times import span
from orchestrator.cli.visible import visible
from services.common.evidence import pointer, strict_json
from services.common.evidence.names import short_name
from services.common.evidence.strict_json import Json, NumberToken

_TITLES: Final = ("INVOCATION", "TOOL", "STATUS", "BYTES", "CUT", "TOOK", "ARGUMENTS")
_NANOSECONDS: Final = 1_000_000_000


def as_table(calls: Sequence[InvocationSummary], paper: Paper) -> str:
    """Return the tool calls as a table."""
    return table(_TITLES, [_row(call) for call in calls], paper)


def as_objects(calls: Sequence[InvocationSummary]) -> list[dict[str, Any]]:
    """Return the tool calls as JSON objects; the arguments as the text that was recorded."""
    return [_object(call) for call in calls]


def described(call: tool_pb2.Invocation) -> str:
    """Return one line on a call: what was called, how it ended, what its output is."""
    cut = "cut: the source held more" if call.truncated else "whole"
    return (
        f"{call.id} {call.tool_name} {_text(call.arguments_json)}: {_status(call)}, "
        f"{_kind(call)}, {len(call.output)} bytes, {cut}, SHA-256 {call.output_sha256} (checked)"
    )


def leaves(value: Json, at: str = "") -> Iterator[str]:
    """Yield a line for every scalar and empty container at or below a place: its pointer, its JSON text."""
    if isinstance(value, dict) and value:
        for key, item in value.items():
            yield from leaves(item, at + pointer.build(key))
    elif isinstance(value, list) and value:
        for index, item in enumerate(value):
            yield from leaves(item, at + pointer.build(index))
    else:
        yield visible(f"{at}  {strict_json.dumps(value).decode()}") + "\n"


def scalar(value: Json) -> str | None:
    """Return a text, a number, a boolean or null as a citation quotes it; None for a container."""
    if isinstance(value, dict | list):
        return None
    if isinstance(value, str) and not isinstance(value, NumberToken):
        return value
    return strict_json.dumps(value).decode()


def _row(call: InvocationSummary) -> list[str]:
    invocation = call.invocation
    return [
        invocation.id,
        invocation.tool_name,
        _status(invocation),
        str(call.output_bytes),
        "yes" if invocation.truncated else "no",
        span(_seconds(invocation)),
        _text(invocation.arguments_json),
    ]


def _object(call: InvocationSummary) -> dict[str, Any]:
    invocation = call.invocation
    return {
        "id": invocation.id,
        "tool_name": invocation.tool_name,
        "arguments_json": _text(invocation.arguments_json),
        "status": _status(invocation),
        "kind": _kind(invocation),
        "output_bytes": call.output_bytes,
        "output_sha256": invocation.output_sha256,
        "truncated": invocation.truncated,
        "start_time": invocation.start_time.ToJsonString(),
        "duration_seconds": _seconds(invocation),
    }


def _status(call: tool_pb2.Invocation) -> str:
    return short_name(tool_pb2.InvocationStatus.DESCRIPTOR, call.status)


def _kind(call: tool_pb2.Invocation) -> str:
    return short_name(tool_pb2.DocumentKind.DESCRIPTOR, call.kind)


def _seconds(call: tool_pb2.Invocation) -> float:
    return call.duration.ToNanoseconds() / _NANOSECONDS


def _text(data: bytes) -> str:
    return data.decode("utf-8", "backslashreplace")
