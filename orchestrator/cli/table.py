"""Rows under headings, for a terminal of some width or for a file."""

import shutil
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, TextIO

from services.common.visible import visible

_GAP: Final = "  "
_CUT: Final = "..."
# Where the last column would get less room than this, a row takes several lines.
_MIN_LAST: Final = 20
_MIN_WIDTH: Final = 20
# In a file nothing is laid out for a width, but a line stays one that can be read.
_MAX_LAST: Final = 200


@dataclass(frozen=True)
class Paper:
    """What a table is written on: a terminal that is so many columns wide, or a file where that is None."""

    width: int | None = None


def paper_for(stream: TextIO) -> Paper:
    """Return what a table on a stream is written on."""
    return Paper(max(_MIN_WIDTH, shutil.get_terminal_size().columns)) if stream.isatty() else Paper()


def table(titles: Sequence[str], rows: Sequence[Sequence[str]], paper: Paper) -> str:
    """Return rows under headings, all made visible; the last column takes what room is left and is cut there.

    An empty cell is "-", so that every row has all columns. On a narrow terminal a row takes several lines.
    """
    shown = [[visible(cell) or "-" for cell in row] for row in rows]
    widths = [max(map(_width, column)) for column in zip(titles, *shown, strict=True)][:-1]
    rest = _MAX_LAST if paper.width is None else paper.width - sum(widths) - len(_GAP) * len(widths)
    if rest < _MIN_LAST and paper.width is not None:
        return "".join(line + "\n" for row in shown for line in _stacked(row, paper.width))
    return "".join(_line(row, widths, rest) + "\n" for row in [titles, *shown])


def _stacked(row: Sequence[str], width: int) -> list[str]:
    below = _wrapped(_cut(row[-1], _MAX_LAST), width - len(_GAP))
    return [*_wrapped(_GAP.join(row[:-1]), width), *(_GAP + line for line in below)]


def _wrapped(text: str, width: int) -> list[str]:
    # Loaded for a person at a terminal before, to show progress.
    from rich.console import Console  # noqa: PLC0415
    from rich.text import Text  # noqa: PLC0415

    return [line.plain.rstrip() for line in Text(text).wrap(Console(), width)]


def _line(row: Sequence[str], widths: Sequence[int], rest: int) -> str:
    padded = [cell + " " * (width - _width(cell)) for cell, width in zip(row, widths, strict=False)]
    return _GAP.join([*padded, _cut(row[-1], rest)]).rstrip()


def _cut(text: str, width: int) -> str:
    # Imported only where a table is printed: it costs more than all else here.
    from rich.cells import set_cell_size  # noqa: PLC0415

    if _width(text) <= width:
        return text
    return set_cell_size(text, width - len(_CUT)).rstrip() + _CUT


def _width(text: str) -> int:
    """Return the columns that a text takes on a terminal."""
    from rich.cells import cell_len  # noqa: PLC0415 - as above

    return cell_len(text)
