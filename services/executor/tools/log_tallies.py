"""How many lines of a log hold a given text: counted in the bytes of a log that was read before."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from services.common.evidence.strict_json import Json
from services.executor.sources.log_line import LogLine
from services.executor.sources.text_lines import MAX_LINE_CHARS
from services.executor.tools.log_census import Census, Sides
from services.executor.tools.log_window import number, shown


@dataclass(slots=True)
class Tally:
    """The lines that hold one text, and the numbers of the first and the last of them; 0 for none."""

    text: str
    sides: Sides = field(default_factory=Sides)
    first: int = 0
    last: int = 0

    def add(self, line: int, side: int) -> None:
        """Take a line; side -1 is before the split, 1 after, 0 unknown."""
        self.sides.count(side)
        self.first = self.first or line
        self.last = line

    def document(self, lines: dict[int, LogLine]) -> Json:
        """Return the figures; `lines` are the log's by number, as far as they are shown."""
        result: dict[str, Json] = {
            "text": self.text,
            "count": number(self.sides.total),
            "count_before": number(self.sides.before),
            "count_after": number(self.sides.after),
        }
        # A log that was written anew since it was counted has other lines there.
        if self.first in lines and self.last in lines:
            result |= {
                "inputs": [{"first_line": number(self.first), "last_line": number(self.last)}],
                "first": shown(lines[self.first]),
                "last": shown(lines[self.last]),
            }
        return result


def tallies(
    literals: Sequence[str], blocks: Iterable[tuple[int, bytes]], census: Census, split: int | None
) -> list[Tally]:
    """Count the lines of a census that hold each of the literals.

    A block is lines of the log's text, whole as far as they are shown, after the number of lines before it.
    """
    found = [Tally(text) for text in dict.fromkeys(literals)]
    if not found:
        return found
    for before, data in blocks:
        for tally in found:
            _count(tally, before, data, census, split)
    return found


def _count(tally: Tally, before: int, data: bytes, census: Census, split: int | None) -> None:
    # What a reader shows otherwise than it is written is looked for in what it shows.
    plain = max(re.split("[\r\n\ufffd]", tally.text), key=len)
    needle = plain.encode("utf-8", "surrogatepass")
    if not needle:
        return
    line, counted, at = before + 1, 0, data.find(needle)
    while at >= 0:
        line += data.count(b"\n", counted, at)
        end = data.find(b"\n", at)
        end = len(data) if end < 0 else end
        begin = data.rfind(b"\n", 0, at) + 1
        side = census.side(line, split)
        is_whole = plain == tally.text and end - begin <= MAX_LINE_CHARS
        if side is not None and (is_whole or _is_shown(tally.text, data[begin:end])):
            tally.add(line, side)
        counted, at = end, data.find(needle, end)


def _is_shown(text: str, line: bytes) -> bool:
    """Tell whether a text stands in what is shown of a line."""
    shown_text = line[: 4 * MAX_LINE_CHARS].decode("utf-8", "replace").removesuffix("\r")[:MAX_LINE_CHARS]
    return text in shown_text
