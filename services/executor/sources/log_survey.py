"""Where in a log that is too large to be read as a whole the part lies that a question is about.

A survey goes through the text once, without reading its records: it counts lines, and reads one time per MiB.
That costs about a hundredth of reading, needs no positioning, so that it serves compressed text as well, and
gives the real line numbers. It takes for granted that a log is written in order, to within a MiB.
"""

import io
from dataclasses import dataclass
from typing import BinaryIO, Final, NamedTuple

from services.executor.sources.instants import Instant
from services.executor.sources.log_records import parsed_alone
from services.executor.sources.stop import Stop

_STEP_BYTES: Final = 1 << 20
# Within so many bytes after a mark a time is looked for: long enough for a trace.
_LOOK_BYTES: Final = 16 * 1024


class Mark(NamedTuple):
    """The begin of a line: the bytes and lines before it, and the first time there, in Unix microseconds."""

    position: int
    number: int
    time: int | None


class Part(NamedTuple):
    """A stretch of a log's text: its first byte, the lines before it, its end; whether it is all asked for.

    `headless` says that its first lines may belong to a record that begins before it; `surveyed` that its
    bounds are of a survey, and not those of the text.
    """

    position: int
    number: int
    end: int
    is_all: bool
    headless: bool = False
    surveyed: bool = False


@dataclass(frozen=True, slots=True)
class Survey:
    """The marks of a log's text, about one per MiB, in order; the first is its begin."""

    marks: list[Mark]
    size_bytes: int
    is_all: bool
    """False when the text goes on beyond what was surveyed."""

    def part(self, start: int | None, end: int | None, max_bytes: int) -> Part:
        """Return the part that holds a window [start, end) in Unix microseconds; of a longer one its end."""
        ends = [mark.position for mark in self.marks[1:]] + [self.size_bytes]
        later = [mark.time for mark in self.marks[1:]] + [None]
        held = [
            index
            for index, (mark, following) in enumerate(zip(self.marks, later, strict=True))
            if (start is None or following is None or following >= start)
            and (end is None or mark.time is None or mark.time < end)
        ]
        # The record that a window begins in may have begun before.
        first, last = (max(0, held[0] - 1), held[-1]) if held else (0, 0)
        wanted = first
        while first < last and ends[last] - self.marks[first].position > max_bytes:
            first += 1
        position, number, _ = self.marks[first]
        stop = min(ends[last], position + max_bytes)
        is_all = first == wanted and stop == ends[last] and (self.is_all or last + 1 < len(self.marks))
        dated = any(mark.time is not None for mark in self.marks)
        return Part(position, number, stop, is_all, headless=dated and first > 0, surveyed=True)


def survey(stream: BinaryIO, near: Instant | None, stop: Stop, max_bytes: int) -> Survey:
    """Go through a text, at most `max_bytes` of it. Raises StoppedError when told to stop."""
    marks: list[Mark] = []
    position = number = 0
    while position < max_bytes and (data := _block(stream)):
        stop.check()
        begin = data.find(b"\n") + 1 if position else 0
        if begin or not position:
            number_here = number + data.count(b"\n", 0, begin)
            marks.append(Mark(position + begin, number_here, _first_time(data, begin, near)))
        position += len(data)
        number += data.count(b"\n")
    return Survey(marks or [Mark(0, 0, None)], position, not stream.read(1))


def _block(stream: BinaryIO) -> bytes:
    """Read one step, also from a stream that gives less at a time."""
    block = io.BytesIO()
    while (missing := _STEP_BYTES - block.tell()) and (data := stream.read(missing)):
        block.write(data)
    return block.getvalue()


def _first_time(data: bytes, begin: int, near: Instant | None) -> int | None:
    for line in data[begin : begin + _LOOK_BYTES].split(b"\n"):
        parsed = parsed_alone(line.removesuffix(b"\r").decode("utf-8", "replace"), near)
        if parsed is not None and parsed.time is not None:
            return parsed.time.microseconds
    return None
