"""The text of `kubectl describe` as trees: what is indented below a line belongs to it."""

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Final

from services.executor.sources.kubernetes.columns import cells, starts_of
from services.executor.sources.kubernetes.tree import Node, ShapeError

_BEGIN: Final = re.compile(r'"?Name:(?:\s|$)')
_COLON: Final = re.compile(r":(?=\s|$)")
_UNDERLINE: Final = re.compile(r"-{2,}(?:\s+-{2,})*\s*")
# A message of an event may have several lines; those after the first begin anywhere.
_EVENTS: Final = "Events"
_EVENT_TYPES: Final = ("Normal", "Warning")
FURTHER: Final = "Further"
_MAX_KEY: Final = 80
_MAX_DEPTH: Final = 64
_CHECK_EVERY: Final = 1024


@dataclass(slots=True)
class _Open:
    """A line whose lines below are still to come."""

    indent: int
    key: str
    text: str
    line: int
    last_line: int
    children: list["_Open"] = field(default_factory=list)

    def closed(self) -> Node:
        children = tuple(child.closed() for child in self.children)
        return Node(self.key, self.text or None, self.line, self.last_line, children)


@dataclass(slots=True)
class _Table:
    """Rows under a header that is underlined with dashes."""

    indent: int
    names: Sequence[str]
    starts: Sequence[int]


def begins_object(line: str) -> bool:
    """Tell whether a line begins the description of an object."""
    return _BEGIN.match(line) is not None


def read_describe(lines: Sequence[str], check: Callable[[], None]) -> Iterator[Node]:
    """Yield the described objects of a text, each from its `Name:` to the line before the next.

    Raises ShapeError where lines are indented in more levels than any description has.
    """
    begins = [number for number, line in enumerate(lines) if begins_object(line)]
    for first, end in zip(begins, [*begins[1:], len(lines)], strict=True):
        yield _Reader(lines, first, end, check).read()


class _Reader:
    """Reads one object."""

    def __init__(self, lines: Sequence[str], first: int, end: int, check: Callable[[], None]) -> None:
        self._lines = lines
        self._first = first
        self._end = end
        self._check = check
        self._root = _Open(-1, "", "", first + 1, first + 1)
        self._stack = [self._root]
        self._table: _Table | None = None

    def read(self) -> Node:
        for number in range(self._first, self._end):
            if number % _CHECK_EVERY == 0:
                self._check()
            line = self._lines[number].removeprefix('"') if number == self._first else self._lines[number]
            if line.strip():
                self._take(line, number + 1)
            elif self._is_of_events:
                self._table = None
        return self._root.closed()

    def _take(self, line: str, number: int) -> None:
        indent = len(line) - len(line.lstrip())
        if self._is_of_events and not line.strip().startswith(_EVENT_TYPES):
            self._continue(line, number)
            return
        if self._table is not None and indent < self._table.indent:
            self._table = None
        if self._table is not None:
            self._row(self._table, line, number)
        elif _UNDERLINE.fullmatch(line.strip()) and self._begins_table(indent, line, number):
            return
        else:
            self._add(self._parent(indent), _opened(line.strip(), indent, number))

    @property
    def _is_of_events(self) -> bool:
        """Tell whether the rows of events are being read, and at least one was."""
        above = self._stack[-1]
        typed = self._table is not None and self._table.names[0] == "Type"
        return typed and above.key == _EVENTS and bool(above.children)

    def _continue(self, line: str, number: int) -> None:
        """Add a line to the event above, which it goes on with."""
        self._stack[-1].children[-1].children.append(_Open(0, FURTHER, line.strip(), number, number))
        for above in (*self._stack, self._stack[-1].children[-1]):
            above.last_line = number

    def _parent(self, indent: int) -> _Open:
        while self._stack[-1].indent >= indent:
            self._stack.pop()
        if len(self._stack) > _MAX_DEPTH:
            raise ShapeError(f"it is indented in more than {_MAX_DEPTH} levels")
        return self._stack[-1]

    def _add(self, parent: _Open, item: _Open) -> None:
        parent.children.append(item)
        for above in self._stack:
            above.last_line = item.line
        self._stack.append(item)

    def _begins_table(self, indent: int, line: str, number: int) -> bool:
        """Take the line above as the names of columns; they stand where the dashes begin."""
        header = self._stack[-1]
        if header.indent != indent or header.line != number - 1 or header.children:
            return False
        self._stack.pop()
        self._stack[-1].children.pop()
        starts = starts_of(line)
        self._table = _Table(indent, cells(self._lines[number - 2], starts), starts)
        return True

    def _row(self, table: _Table, line: str, number: int) -> None:
        parent = self._parent(table.indent)
        row = _Open(table.indent, str(len(parent.children)), "", number, number)
        values = cells(line, table.starts)
        row.children = [
            _Open(table.indent + 1, name, value, number, number)
            for name, value in zip(table.names, values, strict=True)
        ]
        self._add(parent, row)
        self._stack.pop()


def _opened(text: str, indent: int, number: int) -> _Open:
    """Return a line as key and text, or as a text without a key."""
    colon = _COLON.search(text)
    key = text[: colon.start()] if colon else ""
    if colon is None or not key or len(key) > _MAX_KEY or "  " in key:
        return _Open(indent, "", text, number, number)
    return _Open(indent, key, text[colon.end() :].strip(), number, number)
