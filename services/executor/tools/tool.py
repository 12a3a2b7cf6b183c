"""What a tool is: one row of data. The registry lists them, the runtime runs them."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from assay.common.v1 import tool_pb2
from pydantic import BaseModel, ConfigDict

from services.common.evidence.strict_json import Json
from services.executor.sources.stop import Stop

if TYPE_CHECKING:
    # The policy reads these rows and must not load the readers with them.
    from services.executor.sources.bundle import Bundle


class ToolError(Exception):
    """The tool cannot answer; the message tells a person why and what to do."""


class Arguments(BaseModel):
    """Arguments of a tool. What the model does not name is refused."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True, hide_input_in_errors=True)


@dataclass(frozen=True, slots=True)
class ToolOutput:
    """A tool's document. `truncated` says that the source held more."""

    document: Json
    truncated: bool = False


@dataclass(frozen=True)
class Tool:
    """One tool of the catalog.

    `run` reads the bundle and returns a document of at most `max_bytes` or raises ToolError; it is called
    in a worker process and ends at its next check once `deadline_seconds` have passed, or is killed.
    """

    name: str
    description: str
    kind: "tool_pb2.DocumentKind.ValueType"
    arguments: type[Arguments]
    source_kinds: tuple[str, ...]
    max_bytes: int
    deadline_seconds: float
    run: "Callable[[Bundle, Any, Stop], ToolOutput]"
