"""Metric tables: CSV with a time column first and one series per column, headed in Prometheus notation.

A series is bound to the lines of its file after the header. An empty cell is a missing sample.
"""

import csv
import io
import re
from collections.abc import Callable
from dataclasses import dataclass, field

from services.executor.sources.instants import MICROSECONDS, from_epoch, from_iso
from services.executor.sources.stop import never

_HEADER = re.compile(r"([A-Za-z_:][A-Za-z0-9_:]*)?(?:\{(.*)\})?", re.DOTALL)
_LABEL = re.compile(r'\s*([A-Za-z_][A-Za-z0-9_]*)\s*=\s*"((?:[^"\\]|\\.)*)"\s*(?:,|$)')
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
    return first_line.partition(",")[0].strip().strip('"').lower() in _TIME_HEADERS and "," in first_line


def read_table(text: str, check: Callable[[], None] = never) -> tuple[list[Column], int]:
    """Return the columns of a table and its number of lines; raises TableError when it is none.

    `check` is called for every row and may raise.
    """
    rows = csv.reader(io.StringIO(text), strict=True)
    try:
        header = next(rows, None)
        if header is None or not is_table(",".join(header[:2])):
            raise TableError("the first line is no header that begins with a time")
        columns = [Column(cell, *_notation(cell), []) for cell in header[1:]]
        for row in rows:
            check()
            _take(row, columns, rows.line_num)
    except csv.Error as error:
        raise TableError(f"line {rows.line_num} is no CSV: {error}") from None
    for column in columns:
        column.samples.sort(key=lambda sample: sample[0])
    return columns, rows.line_num


def _take(row: list[str], columns: list[Column], line: int) -> None:
    time = (from_iso(row[0]) or from_epoch(row[0])) if row else None
    if time is None:
        return
    seconds = time.microseconds / MICROSECONDS
    for column, token in zip(columns, row[1:], strict=False):
        if token and len(token) <= _MAX_TOKEN and _is_number(token):
            column.samples.append((seconds, token))
            column.lines.setdefault(seconds, line)


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
