"""What a compressed file holds, streamed: never on disk, never whole in memory, and never without a bound.

A writer that was killed leaves a file whose end is missing; a bomb has no end worth waiting for. Either is
read as far as that makes sense, and `cut` then says why the rest is missing.
"""

import gzip
import io
import os
import zlib
from collections.abc import Callable
from typing import TYPE_CHECKING, BinaryIO, Final, TypeAlias
from zipfile import BadZipFile

if TYPE_CHECKING:
    from _typeshed import WriteableBuffer

Version: TypeAlias = tuple[int, int, int]
GZIP_MAGIC: Final = b"\x1f\x8b"
# DEFLATE reaches 1,032 to 1 on a single repeated byte. The most monotonous logs reach 200 to 1.
MAX_RATIO: Final = 500
# A small file may reach any ratio.
FREE_BYTES: Final = 16 * 1024 * 1024
_BUFFER_BYTES: Final = 64 * 1024
# A text as UTF-8 has at most so many bytes for each that it had: the Euro sign of code page 1252.
_RECODED: Final = 3


def version_of(file: BinaryIO) -> Version:
    """Return what tells a file on disk from what it was before; of a member that of its archive."""
    status = os.fstat(file.fileno())
    return status.st_ino, status.st_size, status.st_mtime_ns


class Unpacked:
    """A file's content: `stream` is the file itself unless that is compressed. Closing the file is enough."""

    def __init__(self, file: io.BufferedReader) -> None:
        self._file = file
        raw = file.raw
        self._outer = raw if isinstance(raw, Unpacking) else None
        self._inner: Unpacking | None = None
        self.stream: BinaryIO = file
        if file.peek(len(GZIP_MAGIC)).startswith(GZIP_MAGIC):
            read = gzip.GzipFile(fileobj=file, mode="rb").read1
            self._inner = Unpacking(read, self._consumed, file.fileno)
            self.stream = self._inner.buffered()

    @property
    def cut(self) -> str:
        """Why the content read so far is not followed by the rest; empty when nothing is missing."""
        found = [each.cut for each in (self._outer, self._inner) if each is not None]
        return next(filter(None, found), "")

    def most_bytes(self, *, recoded: bool) -> int:
        """Return how long the content can be at most; `recoded` when it is to be read in another encoding."""
        size = max(FREE_BYTES, MAX_RATIO * self._size()) + _BUFFER_BYTES if self._inner else self._size()
        return _RECODED * size if recoded else size

    def _size(self) -> int:
        if self._outer is None:
            return os.fstat(self._file.fileno()).st_size
        return max(FREE_BYTES, MAX_RATIO * self._outer.packed_bytes()) + _BUFFER_BYTES

    def _consumed(self) -> int:
        return self._outer.written if self._outer else self._file.tell()


class Unpacking(io.RawIOBase):
    """Bytes that are unpacked by `read1` until they are damaged, or more than is believed.

    `packed_bytes` tells how many bytes went in, or may; `fileno` is that of the file that is open.
    """

    def __init__(
        self, read1: Callable[[int], bytes], packed_bytes: Callable[[], int], fileno: Callable[[], int]
    ) -> None:
        self._read1 = read1
        self._fileno = fileno
        self.packed_bytes = packed_bytes
        self.written = 0
        self.cut = ""

    def buffered(self) -> io.BufferedReader:
        """Return a reader of the bytes."""
        return io.BufferedReader(self, _BUFFER_BYTES)

    def fileno(self) -> int:
        return self._fileno()

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: "WriteableBuffer") -> int:
        view = memoryview(buffer).cast("B")
        data = b"" if self.cut else self._read(len(view))
        view[: len(data)] = data
        return len(data)

    def _read(self, size: int) -> bytes:
        try:
            # `read` would lose what it unpacked before the damage.
            data = self._read1(size)
        except EOFError:
            self.cut = "its compressed data ends early"
            return b""
        except (gzip.BadGzipFile, BadZipFile, zlib.error):
            self.cut = "its compressed data is damaged"
            return b""
        self.written += len(data)
        if self.written > max(FREE_BYTES, MAX_RATIO * self.packed_bytes()):
            self.cut = f"it unpacks to more than {MAX_RATIO} times its size"
        return data
