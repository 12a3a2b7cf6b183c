"""A tool call as a reasoner sees it, and the calls that it may ask for. Pure data."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from assay.common.v1 import tool_pb2

from services.common.evidence.strict_json import Json


@dataclass(frozen=True, slots=True)
class ToolRequest:
    """A call to make: a tool of the catalog and the arguments that fit its schema."""

    tool_name: str
    arguments: Mapping[str, Json]


@dataclass(frozen=True, slots=True)
class RecordedCall:
    """A finished call. `document` is the parsed output; for anything but OK it is `{"error": "..."}`.

    `outsiders` are the parts of its strings that an outsider can write, by their pointers, in order.
    """

    invocation_id: str
    tool_name: str
    arguments: dict[str, Json]
    status: "tool_pb2.InvocationStatus.ValueType"
    document: Json
    outsiders: Mapping[str, Sequence[tuple[int, int]]] = field(default_factory=dict)


def parts_by_pointer(spans: Iterable[tool_pb2.OutsiderSpan]) -> dict[str, list[tuple[int, int]]]:
    """Return the spans of a recorded call as `RecordedCall` holds them."""
    found: dict[str, list[tuple[int, int]]] = {}
    for span in spans:
        found.setdefault(span.pointer, []).append((span.begin, span.end))
    return found
