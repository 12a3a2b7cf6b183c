"""Lines of a text file, streamed: a file is never held whole, and of a line only its beginning."""

import io
from collections.abc import Iterator
from typing import BinaryIO, Final, NamedTuple, Protocol

from services.executor.sources.stop import Stop

MAX_LINE_CHARS: Final = 8192
# UTF-8 needs at most four bytes for a character.
MAX_LINE_BYTES: Final = 4 * MAX_LINE_CHARS
_CHECK_EVERY: Final = 1024
# So much is read and decoded at a time, and the line that goes on there.
_CHUNK_BYTES: Final = 64 * 1024
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

    def hexdigest(self) -> str:
        """Return the hash of what was taken in."""


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

    def take(self, end: int, limit: int | None = None) -> Iterator[TextLine]:
        """Yield the lines that begin before `end` bytes, from 1.

        The rest of a long line is passed over up to `limit`, or `end`: who goes on there begins a new line.
        """
        while self.position < end and (data := self._chunk(end)):
            longer = not data.endswith(b"\n") and self._skip_rest(end if limit is None else limit)
            texts = data.decode("utf-8", "replace").split("\n")
            if data.endswith(b"\n"):
                texts.pop()
            if self.number == 0:
                texts[0] = texts[0].removeprefix(_BYTE_ORDER_MARK)
            last = self.number + len(texts)
            for text in texts:
                self.number += 1
                if self.number % _CHECK_EVERY == 0:
                    self._stop.check()
                whole = text.removesuffix("\r")
                is_cut = len(whole) > MAX_LINE_CHARS or (longer and self.number == last)
                yield TextLine(self.number, whole[:MAX_LINE_CHARS], is_cut)

    def block(self, end: int) -> bytes:
        """Return the bytes up to a line's end that is known, and go on behind them."""
        self._stop.check()
        data = self._file.read(end - self.position)
        self.position += len(data)
        return data

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

    def sha256(self) -> str:
        """Return the hash of what was taken, if one was wanted."""
        return self._digest.hexdigest() if self._digest else ""

    def has_more(self) -> bool:
        """Tell whether the text goes on; nothing can be taken after that."""
        return bool(self._file.read(1))

    def _chunk(self, end: int) -> bytes:
        """Return lines that begin before `end`: the last one may be longer than any line that is shown."""
        self._stop.check()
        data = self._file.read(min(_CHUNK_BYTES, end - self.position))
        if data and not data.endswith(b"\n"):
            data += self._file.readline(MAX_LINE_BYTES + 2)
        self._pass(data)
        return data

    def _skip_rest(self, limit: int) -> bool:
        """Pass over the rest of a line that is too long, as far as anything is read at all."""
        begun = self.position
        while self.position < limit and (rest := self._file.readline(_STEP_BYTES)):
            self._stop.check()
            self._pass(rest)
            if rest.endswith(b"\n"):
                break
        return self.position > begun

    def _pass(self, data: bytes) -> None:
        self.position += len(data)
        if self._digest is not None:
            self._digest.update(data)


def text_lines(file: BinaryIO, stop: Stop, *, max_bytes: int) -> Iterator[TextLine]:
    """Yield a text's lines until `max_bytes` were read."""
    return TextLines(file, stop).take(max_bytes)
