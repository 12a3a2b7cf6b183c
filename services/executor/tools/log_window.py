"""The part of a log that a time window selects, record by record."""

from collections.abc import Iterable, Iterator
from typing import Final

from services.common.evidence.strict_json import Json, NumberToken
from services.executor.sources.log_line import LogLine
from services.executor.sources.log_reader import Extent

# A record longer than this goes on as another record, so that memory stays bounded.
MAX_RECORD_LINES: Final = 400


def records(lines: Iterable[LogLine], start: int | None, end: int | None) -> Iterator[list[LogLine]]:
    """Yield the records of a window [start, end) in Unix microseconds: a head and the lines that continue it.

    A line without any time, its own or inherited, belongs to every window: it cannot be said to lie outside.
    """
    record: list[LogLine] = []
    for line in lines:
        if not _selected(line, start, end):
            continue
        if record and (not line.continuation or len(record) >= MAX_RECORD_LINES):
            yield record
            record = []
        record.append(line)
    if record:
        yield record


def extent_of(extent: Extent) -> dict[str, Json]:
    """Return which lines and bytes of a log's text were read, where that is not all that was asked for."""
    if not extent.cut:
        return {}
    lines = {"first_line": number(extent.first_line), "last_line": number(extent.last_line)}
    return {"read": {**lines, "first_byte": number(extent.first_byte), "end_byte": number(extent.end_byte)}}


def shown(line: LogLine) -> dict[str, Json]:
    """Return a line as documents show it: its number, its instant (empty for none) and its text."""
    return {"n": number(line.n), "time": time_text(line), "text": line.text}


def time_text(line: LogLine) -> str:
    """Return a line's instant as RFC 3339; empty when it has none."""
    return line.parsed.time.text if line.parsed.time else ""


def number(value: float) -> NumberToken:
    """Return a number in the shortest form that gives the same float."""
    return NumberToken(str(value))


def _selected(line: LogLine, start: int | None, end: int | None) -> bool:
    time = line.parsed.time
    if time is None:
        return True
    return (start is None or time.microseconds >= start) and (end is None or time.microseconds < end)
