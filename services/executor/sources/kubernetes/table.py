"""The tables of `kubectl get`, `kubectl events`, `kubectl top`, and trees of owners, row by row."""

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from services.executor.sources.kubernetes.columns import cells, starts_of
from services.executor.sources.kubernetes.tree import Node

_HEADER: Final = re.compile(r"[A-Z][A-Z0-9/%-]*(?:\([A-Za-z]+\))?(?: [A-Z][A-Z0-9/%-]*(?:\([A-Za-z]+\))?)*")
_FIRST: Final = frozenset({"NAMESPACE", "NAME", "LAST SEEN", "FIRST SEEN"})
# A row of pods whose header was cut off: [namespace] name ready status restarts age …
_POD_ROW: Final = re.compile(
    r"(?:(?P<NAMESPACE>\S+)\s+)?(?P<NAME>[a-z0-9][a-z0-9.-]*)\s{2,}(?P<READY>\d+/\d+)\s{2,}(?P<STATUS>[A-Z][\w:/]*)"
    r"\s{2,}(?P<RESTARTS>\d+(?: \([\w ]+ ago\))?)\s{2,}(?P<AGE>\d+[smhdy]\w*)(?=\s|$)"
)
# What a tree of owners draws before a name.
_BRANCH: Final = " \t│├└─|`+-"
_CHECK_EVERY: Final = 1024


@dataclass(frozen=True, slots=True)
class Row:
    """A row as a node whose children are its cells; `parent` is the row that it hangs on in a tree."""

    columns: tuple[str, ...]
    node: Node
    parent: str = ""


def is_header(line: str) -> bool:
    """Tell whether a line is the header of a table."""
    names = [line[start:].split("  ", 1)[0].strip() for start in starts_of(line)]
    return len(names) > 1 and names[0] in _FIRST and all(_HEADER.fullmatch(name) for name in names)


def is_pod_row(line: str) -> bool:
    """Tell whether a line is a row of pods by itself."""
    return _POD_ROW.match(line) is not None


def read_tables(lines: Sequence[str], check: Callable[[], None]) -> Iterator[Row]:
    """Yield the rows of every table of a text; lines that belong to none are passed over."""
    starts: list[int] = []
    names: list[str] = []
    branches: list[tuple[int, str]] = []
    for number, line in enumerate(lines, 1):
        if number % _CHECK_EVERY == 0:
            check()
        if is_header(line):
            starts, branches = starts_of(line), []
            names = cells(line, starts)
        elif not line.strip():
            starts = []
        elif starts:
            yield _row(names, cells(line, starts), line, number, branches)
        elif match := _POD_ROW.match(line):
            found = {key: value for key, value in match.groupdict().items() if value}
            yield _row([*found], [*found.values()], line, number, branches)


def _row(
    names: Sequence[str], values: Sequence[str], line: str, number: int, branches: list[tuple[int, str]]
) -> Row:
    parent, shown = "", list(values)
    if "NAME" in names:
        place = names.index("NAME")
        shown[place] = shown[place].lstrip(_BRANCH) or shown[place]
        depth = line.find(shown[place])
        while branches and branches[-1][0] >= depth:
            branches.pop()
        parent = branches[-1][1] if branches else ""
        branches.append((depth, shown[place]))
    children = tuple(
        Node(name, value, number, number) for name, value in zip(names, shown, strict=True) if value
    )
    return Row(tuple(names), Node("", None, number, number, children), parent)
