"""One log, read more than once: the first reading notes which block holds which times, the others skip.

A log is asked for as a whole, then for the lines of a few moments. Reading a part of it gives exactly the
lines that reading all of it would: a block remembers what the lines before it said of the record above.
"""

import copy
import hashlib
import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import BinaryIO, Final

from services.executor.sources.encodings import as_utf8
from services.executor.sources.instants import Instant
from services.executor.sources.line_notes import LineNotes
from services.executor.sources.log_line import LogLine
from services.executor.sources.log_records import RecordState, log_lines
from services.executor.sources.packed import Unpacked
from services.executor.sources.stop import Stop
from services.executor.sources.text_lines import TextLines

_BLOCK_BYTES: Final = 1 << 20


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
class _Index:
    version: tuple[int, int, int]
    blocks: list[_Block]
    sha256: str
    cut: bool


class LogReader:
    """Reads a log, at most `max_bytes` of its text. `near` dates formats without a year."""

    def __init__(self, opened: Callable[[], BinaryIO], near: Instant | None, max_bytes: int) -> None:
        self._opened = opened
        self._near = near
        self._max_bytes = max_bytes
        self._index: _Index | None = None
        self.notes = LineNotes()

    @property
    def cut(self) -> bool:
        """Tell whether the log holds more than is read of it; known once it was read to the end."""
        return self._index is not None and self._index.cut

    @property
    def sha256(self) -> str:
        """The hash of the text as UTF-8, as far as it is read; known once it was read to the end."""
        return self._index.sha256 if self._index else ""

    def lines(self, stop: Stop, start: int | None = None, end: int | None = None) -> Iterator[LogLine]:
        """Yield at least the lines of a window [start, end) in Unix microseconds, in file order."""
        with self._opened() as file:
            version = _version(file)
            packed = Unpacked(file)
            stream = as_utf8(packed.stream)
            if self._index is not None and self._index.version == version:
                yield from self._some(self._index, TextLines(stream, stop), start, end)
                return
            self.notes.clear()
            digest, blocks = hashlib.sha256(), list[_Block]()
            yield from self._all(TextLines(stream, stop, digest=digest), blocks)
            cut = bool(stream.read(1)) or bool(packed.cut)
            self._index = _Index(version, blocks, digest.hexdigest(), cut)

    def _all(self, text: TextLines, blocks: list[_Block]) -> Iterator[LogLine]:
        state = RecordState()
        while text.position < self._max_bytes:
            block = _Block(text.position, text.number, copy.copy(state))
            goal = min(self._max_bytes, text.position + _BLOCK_BYTES)
            for line in log_lines(text.take(goal), self._near, state):
                block.add(line.parsed.time)
                yield line
            if text.position == block.position:
                return
            block.end = text.position
            blocks.append(block)

    def _some(self, index: _Index, text: TextLines, start: int | None, end: int | None) -> Iterator[LogLine]:
        for block in index.blocks:
            if block.may_hold(start, end):
                text.skip_to(block.position, block.number)
                yield from log_lines(text.take(block.end), self._near, copy.copy(block.state))


def _version(file: BinaryIO) -> tuple[int, int, int]:
    status = os.fstat(file.fileno())
    return status.st_ino, status.st_size, status.st_mtime_ns
