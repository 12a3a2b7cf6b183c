"""JSON with positions: which lines of its file each element of a list was written on.

The value itself is read by the strict reader, so a number stays the token that the file holds and a file that
could mean two things is refused. The positions come from one walk over the tokens of the same text, which by
then is known to be JSON.
"""

import re
from bisect import bisect_right
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final

from services.common.evidence import pointer, strict_json
from services.common.evidence.strict_json import Json
from services.executor.sources.stop import never

_TOKEN = re.compile(r'"[^"\\]*(?:\\.[^"\\]*)*"|[\[\]{},:]|[^\s\[\]{},:"]+', re.DOTALL)
_CHECK_EVERY: Final = 4096
_BYTE_ORDER_MARK = b"\xef\xbb\xbf"


@dataclass(frozen=True, slots=True)
class Element:
    """One element of a list of a JSON file; lines count from 1."""

    first_line: int
    last_line: int
    value: Json


class PositionedJson:
    """A JSON file. Raises StrictJsonError when its bytes are not one unambiguous JSON text."""

    def __init__(self, data: bytes, *, max_bytes: int) -> None:
        data = data.removeprefix(_BYTE_ORDER_MARK)
        self.value = strict_json.loads(data, max_bytes=max_bytes)
        self._text = data.decode("utf-8")
        self._newlines = [match.start() for match in re.finditer("\n", self._text)]

    def elements(self, path: Sequence[str], check: Callable[[], None] = never) -> list[Element]:
        """Return the elements of the list at a token list; empty when there is no list.

        `check` is called every few thousand tokens and may raise.
        """
        try:
            found = pointer.walk(self.value, path)[-1]
        except pointer.PointerError:
            return []
        if not isinstance(found, list):
            return []
        spans = _element_spans(self._text, list(path), check)
        return [
            Element(self._line(start), self._line(end - 1), value)
            for (start, end), value in zip(spans, found, strict=True)
        ]

    def _line(self, offset: int) -> int:
        return bisect_right(self._newlines, offset - 1) + 1 if offset else 1


class _Spans:
    """The walk: follows where it is in the text and notes the spans of the wanted list's elements."""

    def __init__(self, wanted: list[str]) -> None:
        self._wanted = wanted
        self._path: list[str] = []
        self._containers: list[str] = []
        self._key: str | None = None
        self._start = 0
        self.spans: list[tuple[int, int]] = []

    def take(self, lexeme: str, start: int, end: int) -> None:
        if lexeme in "]}":
            self._containers.pop()
            self._end_value(end)
        elif lexeme == ",":
            self._next()
        elif lexeme == ":":
            self._path[-1] = str(strict_json.loads((self._key or '""').encode()))
        elif lexeme in "[{":
            self._begin_value(start)
            self._containers.append(lexeme)
            self._path.append("0" if lexeme == "[" else "")
        else:
            self._key = lexeme
            self._begin_value(start)
            self._end_value(end, scalar=True)

    def _begin_value(self, start: int) -> None:
        if self._is_element():
            self._start = start

    def _end_value(self, end: int, *, scalar: bool = False) -> None:
        if not scalar:
            self._path.pop()
        if self._is_element():
            self.spans.append((self._start, end))

    def _next(self) -> None:
        if self._containers[-1] == "[" and len(self._path) <= len(self._wanted) + 1:
            self._path[-1] = str(int(self._path[-1]) + 1)

    def _is_element(self) -> bool:
        return (
            len(self._path) == len(self._wanted) + 1
            and self._containers[-1] == "["
            and self._path[:-1] == self._wanted
        )


def _element_spans(text: str, wanted: list[str], check: Callable[[], None]) -> list[tuple[int, int]]:
    walk = _Spans(wanted)
    for count, match in enumerate(_TOKEN.finditer(text)):
        if count % _CHECK_EVERY == 0:
            check()
        walk.take(match.group(), match.start(), match.end())
    return walk.spans
