"""How a tool call ended, before the runtime makes an invocation of it. Pure data."""

from collections.abc import Sequence
from dataclasses import dataclass

from assay.common.v1 import tool_pb2

from services.common.evidence import strict_json


@dataclass(frozen=True, slots=True)
class Outcome:
    """How a tool call ended. For anything but OK the output is `{"error": "..."}`."""

    status: "tool_pb2.InvocationStatus.ValueType"
    output: bytes
    truncated: bool = False
    redactions: int = 0
    outsider_spans: Sequence[tool_pb2.OutsiderSpan] = ()


def failed(reason: str, redactions: int = 0) -> Outcome:
    """Return the outcome of a call that could not be answered."""
    return Outcome(tool_pb2.INVOCATION_STATUS_ERROR, _error(reason), redactions=redactions)


def blocked(reason: str) -> Outcome:
    """Return the outcome of a call that policy does not allow."""
    return Outcome(tool_pb2.INVOCATION_STATUS_BLOCKED, _error(reason))


def timed_out(seconds: float) -> Outcome:
    """Return the outcome of a call that was not answered in time."""
    return Outcome(
        tool_pb2.INVOCATION_STATUS_TIMEOUT,
        _error(f"the tool did not answer within {seconds:g} s; narrow the call"),
    )


def _error(reason: str) -> bytes:
    return strict_json.dumps({"error": reason})
