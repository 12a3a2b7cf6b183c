"""Where a run looked, in a few lines: what was read, what failed, what was not there."""

from collections.abc import Sequence

from assay.common.v1 import tool_pb2

from orchestrator.cli.layout import Layout
from services.common.evidence.names import short_name

_MAX_SOURCES = 8


def looked_at(rows: Sequence[tool_pb2.Checked], layout: Layout) -> list[str]:
    """Return one entry per tool that answered, one per call that failed, one per source not read."""
    read: dict[str, list[str]] = {}
    failed: list[str] = []
    missing: list[str] = []
    for row in rows:
        if row.status == tool_pb2.INVOCATION_STATUS_OK:
            read.setdefault(row.tool_name, []).append(row.source)
        elif row.tool_name:
            failed.append(_failure(row))
        else:
            missing.append(f"not read: {row.source}: {row.reason}")
    lines = [_answered(tool, sources) for tool, sources in sorted(read.items())]
    return [line for text in (*lines, *failed, *missing) for line in layout.hanging("  ", text)]


def _answered(tool: str, sources: Sequence[str]) -> str:
    names = list(dict.fromkeys(source for source in sources if source))
    more = f" and {len(names) - _MAX_SOURCES} more" if len(names) > _MAX_SOURCES else ""
    calls = "1 call" if len(sources) == 1 else f"{len(sources)} calls"
    listed = f": {', '.join(names[:_MAX_SOURCES])}{more}" if names else ""
    return f"{tool} ({calls}){listed}"


def _failure(row: tool_pb2.Checked) -> str:
    status = short_name(tool_pb2.InvocationStatus.DESCRIPTOR, row.status)
    parts = (row.tool_name, row.source, f"{status}:", row.reason or "no reason was given")
    return " ".join(part for part in parts if part)
