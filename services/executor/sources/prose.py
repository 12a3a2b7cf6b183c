"""Prose of a bundle: runbooks and saved pages in Markdown, section by section.

It is about systems in general: a reader may be led to it, nothing that is claimed of an incident rests on it.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise
from typing import Final, NamedTuple

from services.executor.sources.text_lines import TextLine

_HEADING: Final = re.compile(r"#{1,6}\s+\S")
# A line of these alone makes the line above a heading.
_UNDERLINE: Final = re.compile(r"(?:={3,}|-{3,})\s*")
_FENCE: Final = re.compile(r"\s*(?:```|~~~)")
_ENDINGS: Final = (".md", ".markdown")


class Section(NamedTuple):
    """The lines from a heading to the next one, that of the section first if it has one."""

    lines: Sequence[TextLine]


def is_prose(name: str, lines: Sequence[str]) -> bool:
    """Tell whether a file is Markdown, by its ending or by a heading among its first lines."""
    if name.lower().endswith(_ENDINGS):
        return True
    underlined = pairwise(lines)
    return any(map(_HEADING.match, lines)) or any(
        above.strip() and _UNDERLINE.fullmatch(line) for above, line in underlined
    )


def sections(lines: Iterable[TextLine]) -> Iterator[Section]:
    """Yield the sections of a text; a heading within a block of code is none."""
    found: list[TextLine] = []
    in_code = False
    for line in lines:
        if not in_code and _UNDERLINE.fullmatch(line.text) and found and found[-1].text.strip():
            heading = found.pop()
            yield from _section(found)
            found = [heading]
        elif not in_code and _HEADING.match(line.text):
            yield from _section(found)
            found = []
        in_code ^= _FENCE.match(line.text) is not None
        found.append(line)
    yield from _section(found)


def _section(lines: Sequence[TextLine]) -> Iterator[Section]:
    if any(line.text.strip() for line in lines):
        yield Section(list(lines))
