"""Where a run looked, in a few lines: what was read by kind; what failed or was not read by name."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from assay.common.v1 import tool_pb2

from orchestrator.cli.layout import Layout
from services.common.evidence.names import short_name

# So many sources of one kind are named; more are counted.
_MAX_NAMED: Final = 2
_MAX_TOGETHER: Final = 12
_MAX_REASONS: Final = 12
# By the kind of a source: one of it, many of it.
_NOUNS: Final = {
    "log": ("log", "logs"),
    "metric": ("metric file", "metric files"),
    "alert": ("alert file", "alert files"),
    "change_event": ("change file", "change files"),
    "topology": ("topology", "topologies"),
}
_OTHERS: Final = ("source", "sources")
# A kind that the scope lacks.
_KINDS: Final = {
    "log": "logs",
    "metric": "metrics",
    "alert": "alerts",
    "change_event": "change events",
    "topology": "the topology",
}


def looked_at(rows: Sequence[tool_pb2.Checked], layout: Layout) -> list[str]:
    """Return what was read, counted by kind, and every call that failed and source not read, by reason."""
    answered = [row for row in rows if row.status == tool_pb2.INVOCATION_STATUS_OK]
    failed = [row for row in rows if row.status != tool_pb2.INVOCATION_STATUS_OK and row.tool_name]
    missing = [row for row in rows if not row.tool_name and row.status != tool_pb2.INVOCATION_STATUS_OK]
    calls = len(answered) + len(failed)
    lines = layout.paragraph(_read(answered, calls), indent=2) if rows else []
    if taken := _sources([row for row in answered if row.zone_assumed_count], zone_assumed=True):
        lines += layout.hanging("  ", f"Times without a zone were taken for UTC: {taken}")
    for title, group in (("Failed", _failures(failed)), ("Not read", _not_read(missing))):
        lines += [line for text in _by_reason(title, group) for line in layout.hanging("  ", text)]
    return lines


def _read(rows: Sequence[tool_pb2.Checked], calls: int) -> str:
    made = "1 tool call" if calls == 1 else f"{calls} tool calls"
    return f"{_sources(rows) or 'nothing could be read'}; {made}."


def _sources(rows: Sequence[tool_pb2.Checked], *, zone_assumed: bool = False) -> str:
    """Name the sources that calls looked at, or count them by kind; only those without a zone if told so."""
    named: dict[str, dict[str, None]] = {}
    counted: dict[str, int] = {}
    for row in rows:
        names = named.setdefault(row.source_kind, {})
        if row.source:
            names[row.source] = None
        count = row.zone_assumed_count if zone_assumed and not row.source else row.source_count
        counted[row.source_kind] = max(counted.get(row.source_kind, 0), count)
    found = (_of_kind(kind, list(names), counted[kind]) for kind, names in named.items())
    return ", ".join(text for text in found if text)


def _of_kind(kind: str, names: Sequence[str], counted: int) -> str:
    number = max(len(names), counted)
    if number == len(names) <= _MAX_NAMED:
        return ", ".join(names)
    one, many = _NOUNS.get(kind, _OTHERS)
    return f"{number} {one if number == 1 else many}"


# A name, why it stands here, and how many sources it stands for.
_Missed = tuple[str, str, int]


def _failures(rows: Sequence[tool_pb2.Checked]) -> Iterator[_Missed]:
    for row in rows:
        status = short_name(tool_pb2.InvocationStatus.DESCRIPTOR, row.status)
        yield f"{row.tool_name} {row.source}".strip(), f"{status}: {row.reason or 'no reason was given'}", 1


def _not_read(rows: Sequence[tool_pb2.Checked]) -> Iterator[_Missed]:
    for row in rows:
        # A kind that the scope lacks stands where a source's name would.
        name = _KINDS.get(row.source) if row.source == row.source_kind else None
        yield name or row.source, row.reason or "no reason was given", max(1, row.source_count)


def _by_reason(title: str, rows: Iterator[_Missed]) -> Iterator[str]:
    groups: dict[str, dict[str, int]] = {}
    for name, reason, count in rows:
        groups.setdefault(reason, {})[name] = count
    for reason, names in list(groups.items())[:_MAX_REASONS]:
        yield f"{title}: {_listed(names)} ({reason})"
    if len(groups) > _MAX_REASONS:
        rest = sum(sum(names.values()) for names in list(groups.values())[_MAX_REASONS:])
        yield f"{title}: and {rest} more for other reasons; --json names them"


def _listed(names: Mapping[str, int]) -> str:
    rest = sum(list(names.values())[_MAX_TOGETHER:])
    return ", ".join(list(names)[:_MAX_TOGETHER]) + (f" and {rest} more" if rest else "")
