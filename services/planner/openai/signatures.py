"""The tools as a model is shown them: one line each. Pure."""

from collections.abc import Mapping
from typing import Final

from assay.common.v1 import tool_pb2

from services.common.evidence.strict_json import Json
from services.common.llm.quoted import quoted
from services.planner.openai.arguments import properties_of, required_of, schema_of

# Filled in from the question's window.
BOUNDS: Final = ("start", "end")
MAX_TOOL_CHARS: Final = 480
_MAX_NOTE_CHARS: Final = 60


def usable(catalog: tool_pb2.ToolCatalog) -> list[tool_pb2.Tool]:
    """Return the tools that have something to read, or that need no source."""
    kinds = {source.kind for source in catalog.sources if source.available}
    return [
        tool
        for tool in catalog.tools
        if schema_of(tool.arguments_schema_json) is not None
        and (not tool.source_kinds or kinds.intersection(tool.source_kinds))
    ]


def tool_line(tool: tool_pb2.Tool) -> str:
    """Return a tool's name, arguments, kinds of source and description."""
    schema = schema_of(tool.arguments_schema_json) or {}
    required = required_of(schema)
    named = [(name, described) for name, described in properties_of(schema).items() if name not in BOUNDS]
    named.sort(key=lambda argument: argument[0] not in required)
    arguments = ", ".join(_argument(*argument, required=argument[0] in required) for argument in named)
    kinds = f" [{', '.join(tool.source_kinds)}]" if tool.source_kinds else ""
    return quoted("tool", f"{tool.name}({arguments}){kinds} {tool.description}", MAX_TOOL_CHARS)


def _argument(name: str, schema: Json, *, required: bool) -> str:
    described = schema if isinstance(schema, dict) else {}
    kind, note = _type(described), _note(described)
    told = ("" if required else "?") + (f": {kind}" if kind else "")
    return f"{name}{told} ({note})" if note else name + told


def _type(schema: Mapping[str, Json]) -> str:
    """Return the type as a person writes it; nothing for a plain text."""
    either = schema.get("anyOf")
    options = [item for item in either if isinstance(item, dict)] if isinstance(either, list) else []
    for option in options:
        if option.get("type") != "null":
            return _type(option)
    items = schema.get("items")
    match schema.get("type"):
        case "array":
            return f"[{(_type(items) if isinstance(items, dict) else '') or 'text'}]"
        case "string":
            return "time" if schema.get("format") == "date-time" else ""
        case str(name):
            return name
        case _:
            return ""


def _note(schema: Mapping[str, Json]) -> str:
    note = schema.get("description")
    return note if isinstance(note, str) and len(note) <= _MAX_NOTE_CHARS else ""
