"""What a compressed file holds, streamed: never on disk, never whole in memory, and never without a bound.

A writer that was killed leaves a file whose end is missing; a bomb has no end worth waiting for. Either is
read as far as that makes sense, and `cut` then says why the rest is missing.
"""

import gzip
import io
import zlib
from typing import TYPE_CHECKING, BinaryIO, Final

if TYPE_CHECKING:
    from _typeshed import WriteableBuffer

GZIP_MAGIC: Final = b"\x1f\x8b"
# DEFLATE reaches 1,032 to 1 on a single repeated byte. The most monotonous logs reach 200 to 1.
MAX_RATIO: Final = 500
# A small file may reach any ratio.
_FREE_BYTES: Final = 16 * 1024 * 1024
_BUFFER_BYTES: Final = 64 * 1024


class Unpacked:
    """A file's content: `stream` is the file itself unless that is compressed. Closing the file is enough."""

    def __init__(self, file: BinaryIO) -> None:
        packed = file.read(len(GZIP_MAGIC)) == GZIP_MAGIC
        file.seek(0)
        self._gunzip = _Gunzip(file) if packed else None
        self.stream: BinaryIO = io.BufferedReader(self._gunzip, _BUFFER_BYTES) if self._gunzip else file

    @property
    def cut(self) -> str:
        """Why the content read so far is not followed by the rest; empty when nothing is missing."""
        return self._gunzip.cut if self._gunzip else ""


class _Gunzip(io.RawIOBase):
    def __init__(self, file: BinaryIO) -> None:
        self._file = file
        self._gzip = gzip.GzipFile(fileobj=file, mode="rb")
        self._written = 0
        self.cut = ""

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
            data = self._gzip.read1(size)
        except EOFError:
            self.cut = "its compressed data ends early"
            return b""
        except (gzip.BadGzipFile, zlib.error):
            self.cut = "its compressed data is damaged"
            return b""
        self._written += len(data)
        if self._written > max(_FREE_BYTES, MAX_RATIO * self._file.tell()):
            self.cut = f"it unpacks to more than {MAX_RATIO} times its size"
        return data
