"""A tool call as a reasoner sees it, and the calls that it may ask for. Pure data."""

from collections.abc import Mapping
from dataclasses import dataclass

from assay.common.v1 import tool_pb2

from services.common.evidence.strict_json import Json


@dataclass(frozen=True, slots=True)
class ToolRequest:
    """A call to make: a tool of the catalog and the arguments that fit its schema."""

    tool_name: str
    arguments: Mapping[str, Json]


@dataclass(frozen=True, slots=True)
class RecordedCall:
    """A finished call. `document` is the parsed output; for anything but OK it is `{"error": "..."}`."""

    invocation_id: str
    tool_name: str
    arguments: dict[str, Json]
    status: "tool_pb2.InvocationStatus.ValueType"
    document: Json
