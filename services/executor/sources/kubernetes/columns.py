"""Columns of text that is aligned with spaces."""

import re
from collections.abc import Sequence
from typing import Final

_WORDS: Final = re.compile(r"\S+(?: \S+)*")
_GAP: Final = re.compile(r"\s{2,}")


def starts_of(header: str) -> list[int]:
    """Return where the columns of a header begin; a single space belongs to a name."""
    return [match.start() for match in _WORDS.finditer(header)]


def cells(line: str, starts: Sequence[int]) -> list[str]:
    """Return what stands in each column, stripped.

    A row that was written with other widths than its header is split where two spaces stand.
    """
    ends = [*starts[1:], max(len(line), starts[-1])]
    if all(_is_gap(line, start) for start in starts[1:]):
        begins = [0, *starts[1:]]
        return [line[begin:end].strip() for begin, end in zip(begins, ends, strict=True)]
    found = _GAP.split(line.strip())
    if len(found) > len(starts):
        found = [*found[: len(starts) - 1], "  ".join(found[len(starts) - 1 :])]
    return [*found, *[""] * (len(starts) - len(found))]


def _is_gap(line: str, start: int) -> bool:
    return start > len(line) or line[start - 1 : start] in ("", " ")
