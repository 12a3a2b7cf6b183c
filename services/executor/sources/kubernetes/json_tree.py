"""JSON as a tree: the strict reader gives the values, one walk over the tokens gives their lines."""

import re
from bisect import bisect_right
from collections.abc import Callable, Iterator
from typing import Final

from services.common.evidence import strict_json
from services.common.evidence.strict_json import Json
from services.executor.sources.kubernetes.tree import Node, ShapeError

# What begins or ends a value, and keys; commas and colons say nothing of a line.
_TOKEN: Final = re.compile(r'"[^"\\]*(?:\\.[^"\\]*)*"|[\[\]{}]|[^\s\[\]{},:"]+', re.DOTALL)
_CHECK_EVERY: Final = 4096


def read_json(data: bytes, max_bytes: int, check: Callable[[], None]) -> Node:
    """Return a JSON text as a tree; raises ShapeError when it is not one unambiguous JSON text."""
    data = data.removeprefix(b"\xef\xbb\xbf")
    try:
        value = strict_json.loads(data, max_bytes=max_bytes)
    except strict_json.StrictJsonError as error:
        raise ShapeError(f"it is not readable JSON: {error}") from None
    return _node("", value, _lines(data.decode("utf-8"), check))


def _lines(text: str, check: Callable[[], None]) -> Iterator[int]:
    newlines = [match.start() for match in re.finditer("\n", text)]
    for count, match in enumerate(_TOKEN.finditer(text)):
        if count % _CHECK_EVERY == 0:
            check()
        yield bisect_right(newlines, match.start()) + 1


def _node(key: str, value: Json, lines: Iterator[int]) -> Node:
    """Take the tokens of one value; the strict reader has bounded how deep that goes."""
    first = next(lines)
    if isinstance(value, dict):
        children = tuple(_node(name, item, _after_key(lines)) for name, item in value.items())
        return Node(key, None, first, next(lines), children)
    if isinstance(value, list):
        elements = tuple(_node(str(index), item, lines) for index, item in enumerate(value))
        return Node(key, None, first, next(lines), elements)
    return Node(key, value, first, first)


def _after_key(lines: Iterator[int]) -> Iterator[int]:
    next(lines)
    return lines
