"""Lines of a text file, streamed: a file is never held whole, and a line is cut before it is decoded."""

import io
from collections.abc import Iterator
from typing import BinaryIO, Final, NamedTuple, Protocol

from services.executor.sources.stop import Stop

MAX_LINE_CHARS: Final = 8192
# UTF-8 needs at most four bytes for a character.
_MAX_LINE_BYTES: Final = 4 * MAX_LINE_CHARS
_CHECK_EVERY: Final = 512
_STEP_BYTES: Final = 1 << 20
_BYTE_ORDER_MARK: Final = "\ufeff"


class TextLine(NamedTuple):
    """One line without its end. `cut` says that the file's line is longer."""

    n: int
    text: str
    cut: bool


class Digest(Protocol):
    """A hash that every byte read goes through."""

    def update(self, data: bytes, /) -> None:
        """Take bytes in."""


class TextLines:
    """A place in a text: `number` lines and `position` bytes lie before it.

    Bytes that are not UTF-8 become U+FFFD. Raises StoppedError when told to stop.
    """

    def __init__(self, file: BinaryIO, stop: Stop, *, digest: Digest | None = None) -> None:
        self._file = file
        self._stop = stop
        self._digest = digest
        self.number = 0
        self.position = 0

    def take(self, end: int) -> Iterator[TextLine]:
        """Yield the lines that begin before `end` bytes, from 1."""
        readline, digest = self._file.readline, self._digest
        while self.position < end and (data := readline(_MAX_LINE_BYTES + 2)):
            self.number += 1
            self.position += len(data)
            if digest is not None:
                digest.update(data)
            if self.number % _CHECK_EVERY == 0:
                self._stop.check()
            longer = not data.endswith(b"\n") and self._skip_rest(end)
            text = data.removesuffix(b"\n").removesuffix(b"\r").decode("utf-8", "replace")
            if self.number == 1:
                text = text.removeprefix(_BYTE_ORDER_MARK)
            yield TextLine(self.number, text[:MAX_LINE_CHARS], longer or len(text) > MAX_LINE_CHARS)

    def skip_to(self, position: int, number: int) -> None:
        """Go forward to the start of a line, which `number` lines precede."""
        if self._file.seekable():
            self._file.seek(position - self.position, io.SEEK_CUR)
            self.position = position
        while self.position < position and (
            data := self._file.read(min(_STEP_BYTES, position - self.position))
        ):
            self._stop.check()
            self.position += len(data)
        self.number = number

    def _skip_rest(self, end: int) -> bool:
        """Pass over the rest of a line that is too long, as far as anything is read at all."""
        begun = self.position
        while self.position < end and (rest := self._file.readline(_STEP_BYTES)):
            self._stop.check()
            self.position += len(rest)
            if self._digest is not None:
                self._digest.update(rest)
            if rest.endswith(b"\n"):
                break
        return self.position > begun


def text_lines(file: BinaryIO, stop: Stop, *, max_bytes: int) -> Iterator[TextLine]:
    """Yield a text's lines until `max_bytes` were read."""
    return TextLines(file, stop).take(max_bytes)
