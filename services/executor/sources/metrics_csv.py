"""Metric tables: CSV with a time column first and one series per column, headed in Prometheus notation.

A series is bound to the lines of its file after the header. An empty cell is a missing sample.
"""

import csv
import io
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from services.executor.sources.instants import MICROSECONDS, Instant, from_epoch, from_iso
from services.executor.sources.stop import never

_HEADER = re.compile(r"([A-Za-z_:][A-Za-z0-9_:]*)?(?:\{(.*)\})?", re.DOTALL)
# It begins where a name does: a header of one long word would else be tried at each letter of it.
_LABEL = re.compile(r'(?<![A-Za-z0-9_])([A-Za-z_][A-Za-z0-9_]*+)\s*+=\s*"((?:[^"\\]|\\.)*+)"\s*(?:,|$)')
_TIME_HEADERS = frozenset({"time", "timestamp", "ts", "date", "datetime"})
_MAX_TOKEN = 64


class TableError(ValueError):
    """The text is no table of samples; the message says what is wrong, without quoting it."""


@dataclass(frozen=True, slots=True)
class Column:
    """One series of a table."""

    header: str
    name: str
    labels: dict[str, str]
    samples: list[tuple[float, str]]
    lines: dict[float, int] = field(default_factory=dict)
    """The line of each sample, by its instant."""


def is_table(first_line: str) -> bool:
    """Tell whether a file's first line heads a table of samples."""
    return _delimiter(first_line) is not None


def first_time(lines: Sequence[str]) -> Instant | None:
    """Return the first instant of a table's first lines."""
    delimiter = _delimiter(lines[0]) if lines else None
    cells = (line.partition(delimiter)[0].strip().strip('"') for line in lines[1:]) if delimiter else ()
    return next((time for cell in cells if (time := _time(cell)) is not None), None)


def read_table(text: str, check: Callable[[], None] = never) -> tuple[list[Column], int]:
    """Return the columns of a table and its number of lines; raises TableError when it is none.

    `check` is called for every row and may raise.
    """
    delimiter = _delimiter(text.partition("\n")[0])
    if delimiter is None:
        raise TableError("the first line is no header that begins with a time")
    rows = csv.reader(io.StringIO(text), strict=True, delimiter=delimiter)
    try:
        header = next(rows)
        if [cell.strip().lower() for cell in header[2:]] == ["value"]:
            raise TableError("it has a row for each sample; a table with a column for each series is read")
        columns = [Column(cell, *_notation(cell), []) for cell in header[1:]]
        for row in rows:
            check()
            _take(row, columns, rows.line_num)
    except csv.Error as error:
        raise TableError(f"line {rows.line_num} is no CSV: {error}") from None
    if rows.line_num > 1 and not any(column.samples for column in columns):
        raise TableError(
            "no row holds a number and a time that is read (ISO 8601, or Unix seconds to nanoseconds)"
        )
    for column in columns:
        column.samples.sort(key=lambda sample: sample[0])
    return columns, rows.line_num


def _take(row: list[str], columns: list[Column], line: int) -> None:
    time = _time(row[0].strip()) if row else None
    if time is None:
        return
    seconds = time.microseconds / MICROSECONDS
    for column, token in zip(columns, row[1:], strict=False):
        if token and len(token) <= _MAX_TOKEN and _is_number(token):
            column.samples.append((seconds, token))
            column.lines.setdefault(seconds, line)


def _time(cell: str) -> Instant | None:
    # Spreadsheets leave out seconds that are zero.
    return from_iso(cell) or from_epoch(cell) or from_iso(f"{cell}:00")


def _delimiter(first_line: str) -> str | None:
    """Return what separates the cells of a header that begins with a time; None for any other line."""
    for delimiter in (",", ";", "\t"):
        first, found, _ = first_line.partition(delimiter)
        if found and first.strip().strip('"').lower() in _TIME_HEADERS:
            return delimiter
    return None


def _notation(header: str) -> tuple[str, dict[str, str]]:
    match = _HEADER.fullmatch(header.strip())
    if match is None:
        return header.strip(), {}
    name, inside = match.groups()
    labels = {key: _unescaped(value) for key, value in _LABEL.findall(inside or "")}
    return name or labels.get("__name__", ""), labels


def _unescaped(value: str) -> str:
    return value.replace('\\"', '"').replace("\\\\", "\\")


def _is_number(token: str) -> bool:
    try:
        float(token)
    except ValueError:
        return False
    return True
