"""Lines of a text file, streamed: a file is never held whole, and a line is cut before it is decoded."""

from collections.abc import Iterator
from typing import BinaryIO, Final, NamedTuple, Protocol

from services.executor.sources.stop import Stop

MAX_LINE_CHARS: Final = 8192
# UTF-8 needs at most four bytes for a character.
_MAX_LINE_BYTES: Final = 4 * MAX_LINE_CHARS
_CHECK_EVERY: Final = 512
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


def text_lines(
    file: BinaryIO, stop: Stop, *, max_bytes: int, digest: Digest | None = None
) -> Iterator[TextLine]:
    """Yield a file's lines, from 1, until `max_bytes` were read; the caller knows the file's size.

    Bytes that are not UTF-8 become U+FFFD. Raises StoppedError when told to stop.
    """
    number = 0
    read = 0
    while read < max_bytes and (data := file.readline(_MAX_LINE_BYTES + 2)):
        number += 1
        read += len(data)
        if digest is not None:
            digest.update(data)
        if number % _CHECK_EVERY == 0:
            stop.check()
        skipped = 0 if data.endswith(b"\n") else _skip_rest(file, stop, digest)
        read += skipped
        text = data.removesuffix(b"\n").removesuffix(b"\r").decode("utf-8", "replace")
        if number == 1:
            text = text.removeprefix(_BYTE_ORDER_MARK)
        cut = skipped > 0 or len(text) > MAX_LINE_CHARS
        yield TextLine(number, text[:MAX_LINE_CHARS], cut)


def _skip_rest(file: BinaryIO, stop: Stop, digest: Digest | None) -> int:
    skipped = 0
    while rest := file.readline(1 << 20):
        stop.check()
        skipped += len(rest)
        if digest is not None:
            digest.update(rest)
        if rest.endswith(b"\n"):
            break
    return skipped
