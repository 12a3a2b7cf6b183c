"""The catalog of a scope: the tools, the sources, and the kinds of source that the scope lacks."""

import json
from collections.abc import Iterable, Mapping
from typing import Final

from assay.common.v1 import tool_pb2
from google.protobuf.duration_pb2 import Duration
from google.protobuf.timestamp_pb2 import Timestamp

from services.executor.sources.instants import MICROSECONDS, Instant
from services.executor.sources.kinds import EXPECTED
from services.executor.sources.sniff import Source
from services.executor.tools.tool import Tool

_NANOSECONDS: Final = 1_000_000_000


def tools_of(tools: Mapping[str, Tool]) -> tool_pb2.ToolCatalog:
    """Return the catalog of no scope: the tools by name."""
    return tool_pb2.ToolCatalog(tools=[_tool(tools[name]) for name in sorted(tools)])


def catalog_of(tools: Mapping[str, Tool], sources: Iterable[Source]) -> tool_pb2.ToolCatalog:
    """Return the catalog of a scope, tools by name, sources by kind and name."""
    infos = [_source_info(source) for source in sources]
    present = {info.kind for info in infos}
    infos += [
        tool_pb2.SourceInfo(kind=kind, reason="the bundle has none")
        for kind in EXPECTED
        if kind not in present
    ]
    catalog = tools_of(tools)
    catalog.sources.extend(sorted(infos, key=lambda info: (info.kind, info.name)))
    return catalog


def readable(tools: Mapping[str, Tool], sources: Iterable[Source]) -> dict[str, Tool]:
    """Return the tools that have something to read in a scope, or that need no source."""
    kinds = {source.kind for source in sources if source.available}
    return {
        name: tool
        for name, tool in tools.items()
        if not tool.source_kinds or kinds.intersection(tool.source_kinds)
    }


def _tool(tool: Tool) -> tool_pb2.Tool:
    deadline = Duration()
    deadline.FromNanoseconds(int(tool.deadline_seconds * _NANOSECONDS))
    return tool_pb2.Tool(
        name=tool.name,
        description=tool.description,
        kind=tool.kind,
        arguments_schema_json=json.dumps(tool.arguments.model_json_schema(), sort_keys=True),
        source_kinds=tool.source_kinds,
        max_output_bytes=tool.max_bytes,
        deadline=deadline,
    )


def _source_info(source: Source) -> tool_pb2.SourceInfo:
    return tool_pb2.SourceInfo(
        kind=source.kind,
        name=source.name,
        available=source.available,
        reason=source.problem,
        size_bytes=source.size_bytes,
        owner=source.owner,
        first_time=_timestamp(source.first_time),
        last_time=_timestamp(source.last_time),
        zone_assumed=source.zone_assumed,
    )


def _timestamp(time: Instant | None) -> Timestamp | None:
    if time is None:
        return None
    seconds, rest = divmod(time.microseconds, MICROSECONDS)
    return Timestamp(seconds=seconds, nanos=rest * 1000)
