"""What a plan is made from: the tools and the readable sources of a catalog, and the window."""

import json
import re
from collections.abc import Mapping, Sequence
from functools import cached_property

from assay.common.v1 import context_pb2, tool_pb2

# The arguments that the tools share, and what they may hold.
Arguments = Mapping[str, str | Sequence[str]]

_WORD = re.compile(r"[\w.-]+")


class Desk:
    """A catalog and a window, looked up in the ways that planning needs."""

    def __init__(self, catalog: tool_pb2.ToolCatalog, context: context_pb2.DiagnosisContext) -> None:
        self._catalog = catalog
        self._context = context

    @property
    def question(self) -> str:
        """What is asked."""
        return self._context.question

    @cached_property
    def _tools(self) -> dict[str, tool_pb2.Tool]:
        return {tool.name: tool for tool in self._catalog.tools}

    @cached_property
    def _words(self) -> set[str]:
        # A component "api" is named by "api?" and by "api.", and by no part of another word.
        words = (word.strip(".-") for word in _WORD.findall(self._context.question.casefold()))
        return {word for word in words if word}

    @cached_property
    def _window(self) -> dict[str, str]:
        window = self._context.window
        bounds: dict[str, str] = {}
        if window.HasField("start"):
            bounds["start"] = window.start.ToJsonString()
        if window.HasField("end"):
            bounds["end"] = window.end.ToJsonString()
        return bounds

    def sources(self, tool_name: str) -> list[tool_pb2.SourceInfo]:
        """Return the readable sources of a tool, those of components that the question names first."""
        tool = self._tools.get(tool_name)
        if tool is None:
            return []
        readable = [
            source
            for source in self._catalog.sources
            if source.available and source.name and source.kind in tool.source_kinds
        ]
        return sorted(readable, key=lambda source: not self._is_named(source))

    def step(
        self, tool_name: str, goal: str, arguments: Arguments, *, gap_claim_id: str = ""
    ) -> tool_pb2.PlanStep | None:
        """Return a step within the window; None when the tool is not there or cannot be called like that."""
        tool = self._tools.get(tool_name)
        if tool is None:
            return None
        fitting = _fit({**self._window, **arguments}, tool.arguments_schema_json)
        # What was asked for must reach the tool; the window is left out where a tool knows none.
        if fitting is None or not arguments.keys() <= fitting.keys():
            return None
        return tool_pb2.PlanStep(
            goal=goal,
            tool_name=tool_name,
            arguments_json=json.dumps(fitting, ensure_ascii=False).encode(),
            gap_claim_id=gap_claim_id,
        )

    def _is_named(self, source: tool_pb2.SourceInfo) -> bool:
        return bool(source.owner) and source.owner.casefold() in self._words


def _fit(arguments: Arguments, schema_json: str) -> dict[str, str | Sequence[str]] | None:
    """Keep the arguments that a schema knows; None when it asks for more, or is no schema of an object."""
    try:
        schema = json.loads(schema_json or "{}")
    except (ValueError, RecursionError):
        return None
    if not isinstance(schema, dict):
        return None
    known = schema.get("properties", {})
    fitting = {name: value for name, value in arguments.items() if name in known}
    return fitting if set(schema.get("required", [])) <= fitting.keys() else None
