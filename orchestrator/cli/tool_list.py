"""The tools of an executor: a page for people, one object for programs."""

import json
from collections.abc import Iterator, Sequence
from typing import Any, Final

from assay.common.v1 import tool_pb2

from orchestrator.cli.layout import Layout
from orchestrator.cli.schema_words import arguments
from orchestrator.cli.times import span
from services.common.evidence.names import plain, short_name

_MAX_NAMED: Final = 12
_KIB: Final = 1024


def as_text(catalog: tool_pb2.ToolCatalog, layout: Layout, *, of_bundle: bool) -> str:
    """Return the catalog as lines of text; `of_bundle` says that it has the sources of a bundle."""
    lines: list[str] = []
    for tool in catalog.tools:
        lines += ["", *_tool(tool, layout)] if lines else _tool(tool, layout)
        if of_bundle:
            lines += layout.hanging("  could read ", _named(_readable(tool, catalog.sources)))
    lines += layout.section(
        "Not available", [line for source in _missing(catalog) for line in _row(source, layout)]
    )
    return "".join(line + "\n" for line in lines)


def as_json(catalog: tool_pb2.ToolCatalog) -> str:
    """Return the catalog as one line of ASCII."""
    tools = [_object(tool, _readable(tool, catalog.sources)) for tool in catalog.tools]
    found = {"tools": tools, "sources": [plain(source) for source in catalog.sources]}
    return json.dumps(found, ensure_ascii=True, allow_nan=False) + "\n"


def _tool(tool: tool_pb2.Tool, layout: Layout) -> list[str]:
    kind = short_name(tool_pb2.DocumentKind.DESCRIPTOR, tool.kind)
    lines = [
        layout.heading(f"{tool.name} ({kind})"),
        *layout.paragraph(tool.description, indent=2),
    ]
    for name, words in arguments(tool.arguments_schema_json):
        lines += layout.hanging("  - ", f"{name}: {words}")
    return [*lines, *layout.paragraph(_bounds(tool), indent=2)]


def _bounds(tool: tool_pb2.Tool) -> str:
    size = f"at most {_size(tool.max_output_bytes)} of output" if tool.max_output_bytes else ""
    time = f"at most {span(tool.deadline.ToNanoseconds() / 1e9)}" if tool.HasField("deadline") else ""
    kinds = f"reads {', '.join(tool.source_kinds)}" if tool.source_kinds else ""
    return "; ".join(part for part in (kinds, size, time) if part)


def _size(number: int) -> str:
    return f"{number // _KIB} KiB" if number % _KIB == 0 else f"{number} bytes"


def _readable(tool: tool_pb2.Tool, sources: Sequence[tool_pb2.SourceInfo]) -> list[str]:
    return [source.name for source in sources if source.available and source.kind in tool.source_kinds]


def _named(names: Sequence[str]) -> str:
    more = f" and {len(names) - _MAX_NAMED} more" if len(names) > _MAX_NAMED else ""
    return (", ".join(names[:_MAX_NAMED]) + more) or "nothing in this bundle"


def _missing(catalog: tool_pb2.ToolCatalog) -> Iterator[tool_pb2.SourceInfo]:
    return (source for source in catalog.sources if not source.available)


def _row(source: tool_pb2.SourceInfo, layout: Layout) -> list[str]:
    return layout.hanging("  - ", f"{source.name or source.kind}: {source.reason or 'no reason was given'}")


def _object(tool: tool_pb2.Tool, sources: Sequence[str]) -> dict[str, Any]:
    return {
        "name": tool.name,
        "kind": short_name(tool_pb2.DocumentKind.DESCRIPTOR, tool.kind),
        "description": tool.description,
        "arguments_schema_json": tool.arguments_schema_json,
        "source_kinds": list(tool.source_kinds),
        "max_output_bytes": tool.max_output_bytes,
        "deadline_seconds": tool.deadline.ToNanoseconds() / 1e9 if tool.HasField("deadline") else None,
        "sources": list(sources),
    }
