"""One log, read more than once: the first reading notes which block holds which times, the others skip.

A log is asked for as a whole, then for the lines of a few moments. Reading a part of it gives exactly the
lines that reading all of it would: a block remembers what the lines before it said of the record above.
Of a log that is larger than what is read of one, the part that holds the window is read, or its end.
"""

import copy
import hashlib
import io
from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass, replace
from typing import Final

from services.executor.sources.encodings import as_utf8
from services.executor.sources.instants import Instant
from services.executor.sources.log_line import LogLine
from services.executor.sources.log_records import RecordState, log_lines
from services.executor.sources.log_survey import Part, Survey, survey
from services.executor.sources.packed import Unpacked, Version, version_of
from services.executor.sources.stop import Stop
from services.executor.sources.text_lines import MAX_LINE_BYTES, TextLine, TextLines

_BLOCK_BYTES: Final = 1 << 20
# Few logs have lines so short that they reach this before the limit of bytes.
MAX_LINES: Final = 8_000_000
# Of a log that is larger than what is read, so many times as much is surveyed.
_SURVEYED: Final = 32


@dataclass(slots=True)
class _Block:
    """About 1 MiB of a log's text: where it lies, what precedes it, and its times in Unix microseconds."""

    position: int
    number: int
    state: RecordState
    end: int = 0
    earliest: int | None = None
    latest: int | None = None
    undated: bool = False

    def add(self, time: Instant | None) -> None:
        if time is None:
            self.undated = True
            return
        at = time.microseconds
        if self.earliest is None or at < self.earliest:
            self.earliest = at
        if self.latest is None or at > self.latest:
            self.latest = at

    def may_hold(self, start: int | None, end: int | None) -> bool:
        """Tell whether a line of the window [start, end) may lie here; an undated one lies in each."""
        if self.undated or self.earliest is None or self.latest is None:
            return self.undated
        return (start is None or self.latest >= start) and (end is None or self.earliest < end)


@dataclass(frozen=True, slots=True)
class Extent:
    """What a reading took of a log's text: lines from `first_line` to `last_line`, bytes from 0.

    `sha256` is of those bytes as UTF-8. `cut` says that more was asked for than that.
    """

    first_line: int = 1
    last_line: int = 0
    first_byte: int = 0
    end_byte: int = 0
    sha256: str = ""
    cut: bool = False


@dataclass(frozen=True, slots=True)
class _Index:
    part: Part
    blocks: list[_Block]
    extent: Extent
    ends_early: bool = False
    """Whether the text of the part is not all that there should be."""


class Reading:
    """The lines of one reading, once; `extent` is known when they have ended, or were left."""

    def __init__(self) -> None:
        self.lines: Iterator[LogLine] = iter(())
        self.extent = Extent()
        self.index: _Index | None = None

    def __iter__(self) -> Iterator[LogLine]:
        return self.lines


class LogReader:
    """Reads a log, at most `max_bytes` of its text at a time. `near` dates formats without a year."""

    def __init__(self, opened: Callable[[], io.BufferedReader], near: Instant | None, max_bytes: int) -> None:
        self._opened = opened
        self._near = near
        self._max_bytes = max_bytes
        self._version: Version | None = None
        self._index: _Index | None = None
        self._survey: Survey | None = None

    def read(self, stop: Stop, start: int | None = None, end: int | None = None) -> Reading:
        """Read at least the lines of a window [start, end) in Unix microseconds, in file order."""
        reading = Reading()
        reading.lines = self._lines(reading, stop, start, end)
        return reading

    def version(self) -> Version:
        """Return what changes when the log does."""
        with self._opened() as file:
            return version_of(file)

    def blocks(self, reading: Reading, stop: Stop) -> Iterator[tuple[int, bytes]]:
        """Yield the text that a reading took: blocks of lines, each with the number of lines before.

        Lines are whole but for a last one that is longer than what is shown of any.
        """
        index = reading.index
        with self._opened() as file:
            text = TextLines(as_utf8(Unpacked(file).stream), stop)
            for block in index.blocks if index else ():
                text.skip_to(block.position, block.number)
                yield block.number, text.block(min(block.end, block.position + _BLOCK_BYTES + MAX_LINE_BYTES))

    def lines_at(self, reading: Reading, numbers: Collection[int], stop: Stop) -> dict[int, LogLine]:
        """Return lines that a reading took, by their numbers."""
        index = reading.index
        if index is None or not numbers:
            return {}
        following = [block.number for block in index.blocks[1:]] + [index.extent.last_line]
        wanted = [
            block
            for block, last in zip(index.blocks, following, strict=True)
            if any(block.number < number <= last for number in numbers)
        ]
        with self._opened() as file:
            text = TextLines(as_utf8(Unpacked(file).stream), stop)
            lines = self._of_blocks(wanted, text, headless=index.part.headless)
            return {line.n: line for line in lines if line.n in numbers}

    def _lines(self, reading: Reading, stop: Stop, start: int | None, end: int | None) -> Iterator[LogLine]:
        with self._opened() as file:
            self._forget_others(file)
            part = self._part(stop, start, end)
            packed = Unpacked(file)
            text = TextLines(as_utf8(packed.stream), stop, digest=hashlib.sha256())
            index = self._index
            if index is None or not (index.part.position <= part.position and part.end <= index.part.end):
                yield from self._all(reading, part, text, packed)
                return
            reading.index = index
            reading.extent = replace(index.extent, cut=index.ends_early or not part.is_all)
            held = [block for block in index.blocks if block.may_hold(start, end)]
            yield from self._of_blocks(held, text, headless=index.part.headless)

    def _forget_others(self, file: io.BufferedReader) -> None:
        version = version_of(file)
        if version != self._version:
            self._version, self._index, self._survey = version, None, None

    def _part(self, stop: Stop, start: int | None, end: int | None) -> Part:
        if self._survey is None:
            with self._opened() as file:
                packed = Unpacked(file)
                stream = as_utf8(packed.stream)
                if packed.most_bytes(recoded=stream is not packed.stream) <= self._max_bytes:
                    return Part(0, 0, self._max_bytes, is_all=True)
                self._survey = survey(stream, self._near, stop, _SURVEYED * self._max_bytes)
        if self._survey.size_bytes <= self._max_bytes:
            return Part(0, 0, self._max_bytes, is_all=True)
        return self._survey.part(start, end, self._max_bytes)

    def _all(self, reading: Reading, part: Part, text: TextLines, packed: Unpacked) -> Iterator[LogLine]:
        state, blocks, ended = RecordState(), list[_Block](), False
        text.skip_to(part.position, part.number)
        try:
            while text.position < part.end and text.number - part.number < MAX_LINES:
                block = _Block(text.position, text.number, copy.copy(state), end=text.position)
                blocks.append(block)
                goal = min(part.end, text.position + _BLOCK_BYTES)
                taken = text.take(goal, limit=part.end)
                for line in _records_of(taken, self._near, state, headless=part.headless):
                    block.add(line.parsed.time)
                    yield line
                if text.position == block.position:
                    break
                block.end = text.position
            ended = True
        finally:
            self._close(reading, part, text, blocks, ends_early=not ended or _ends_early(part, text, packed))
        if self._index is None or part.end - part.position > self._index.part.end - self._index.part.position:
            self._index = reading.index

    @staticmethod
    def _close(
        reading: Reading, part: Part, text: TextLines, blocks: list[_Block], *, ends_early: bool
    ) -> None:
        if blocks:
            blocks[-1].end = text.position
            # Behind the last line nothing begins.
            blocks[-1:] = [block for block in blocks[-1:] if block.end > block.position]
        first, last = part.number + 1, text.number
        cut = ends_early or not part.is_all
        reading.extent = Extent(first, last, part.position, text.position, text.sha256(), cut)
        reading.index = _Index(part, blocks, reading.extent, ends_early)

    def _of_blocks(self, blocks: list[_Block], text: TextLines, *, headless: bool) -> Iterator[LogLine]:
        for block in blocks:
            text.skip_to(block.position, block.number)
            state = copy.copy(block.state)
            yield from _records_of(text.take(block.end), self._near, state, headless=headless)


def _ends_early(part: Part, text: TextLines, packed: Unpacked) -> bool:
    """Tell whether a text, read to the end of its part, is not all that there should be."""
    if text.number - part.number < MAX_LINES and part.surveyed:
        # Such a part ends at a mark, or with the text: what follows was not asked for.
        return bool(packed.cut)
    return text.has_more() or bool(packed.cut)


def _records_of(
    taken: Iterator[TextLine], near: Instant | None, state: RecordState, *, headless: bool
) -> Iterator[LogLine]:
    """Yield the lines of records, without those that end a record of which the head was not read."""
    lines = log_lines(taken, near, state)
    return (line for line in lines if line.parsed.time is not None) if headless else lines
