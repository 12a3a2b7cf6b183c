"""Text in any of the usual encodings, as a stream of UTF-8 with line feeds.

The encoding is decided once per file, from its first block: a byte order mark says it; else zeros as every
second byte are UTF-16; else bytes that are mostly UTF-8 are UTF-8; else each byte is one character of Windows
code page 1252, which is Latin-1 with more letters. A carriage return ends a line by itself only in a file
whose first block has no line feed.
"""

import codecs
import io
from typing import TYPE_CHECKING, BinaryIO, Final, NamedTuple

if TYPE_CHECKING:
    from _typeshed import WriteableBuffer

LOOK_BYTES: Final = 64 * 1024
_UTF16: Final = ((codecs.BOM_UTF16_LE, "utf-16"), (codecs.BOM_UTF16_BE, "utf-16"))
_STRAY: Final = "\ufffd"
# A binary file has control characters everywhere. A terminal's codes are text, and so are the few zero bytes
# that a writer left when it crashed.
_TEXT_CONTROLS: Final = b"\t\n\v\f\r\a\b\x1b"
_CONTROLS: Final = bytes(byte for byte in range(32) if byte not in _TEXT_CONTROLS)
_MAX_CONTROL_SHARE: Final = 50
_MAX_STRAY_SHARE: Final = 10
# Most of a log is ASCII, in whatever language.
_ZEROS_OF_UTF16: Final = 0.6


class Encoding(NamedTuple):
    """How a text is written: the codec's name, and whether lines end in a carriage return alone."""

    codec: str
    carriage_returns: bool

    @property
    def is_plain(self) -> bool:
        """Tell whether the bytes can be read as they are."""
        return self.codec == "utf-8" and not self.carriage_returns


def as_utf8(stream: BinaryIO) -> BinaryIO:
    """Return a text as UTF-8 with line feeds: the stream itself where it is that, from its current place."""
    head = _peek(stream)
    encoding = encoding_of(head)
    if encoding.is_plain and stream.seekable():
        stream.seek(-len(head), io.SEEK_CUR)
        return stream
    return io.BufferedReader(_Recoded(head, stream, encoding), LOOK_BYTES)


def encoding_of(head: bytes) -> Encoding:
    """Decide how a text is written, from its first block."""
    codec = next((name for mark, name in _UTF16 if head.startswith(mark)), "") or _unmarked(head)
    text = _decoded(head, codec)
    return Encoding(codec, "\r" in text and "\n" not in text)


def is_text(head: bytes) -> bool:
    """Tell text from binary by the first block of what `as_utf8` gave."""
    controls = len(head) - len(head.translate(None, _CONTROLS))
    if not controls:
        return True
    text = head.decode("utf-8", "replace")
    return _MAX_CONTROL_SHARE * controls <= len(head) and _MAX_STRAY_SHARE * text.count(_STRAY) <= len(text)


def _unmarked(head: bytes) -> str:
    """Tell UTF-16 by its zeros, and UTF-8 with some damage from a code page, whose letters are not UTF-8."""
    for codec, zeros, others in (("utf-16-le", head[1::2], head[::2]), ("utf-16-be", head[::2], head[1::2])):
        if zeros.count(0) > _ZEROS_OF_UTF16 * len(zeros) and not others.count(0):
            return codec
    text = _decoded(head, "utf-8")
    strays = text.count(_STRAY)
    if not strays:
        return "utf-8"
    letters = sum(character > "\x7f" for character in text) - strays
    if letters >= strays or b"\0" in head:
        return "utf-8"
    try:
        head.decode("cp1252")
    except UnicodeDecodeError:
        return "latin-1"
    return "cp1252"


def _decoded(head: bytes, codec: str) -> str:
    """Decode a first block, whose last character may go on in the next one."""
    return codecs.getincrementaldecoder(codec)("replace").decode(head, final=len(head) < LOOK_BYTES)


def _peek(stream: BinaryIO) -> bytes:
    """Take the first block, also from a stream that gives less at a time."""
    blocks: list[bytes] = []
    missing = LOOK_BYTES
    while missing and (block := stream.read(missing)):
        blocks.append(block)
        missing -= len(block)
    return b"".join(blocks)


class _Recoded(io.RawIOBase):
    """Decodes block by block. `head` was taken from the stream before."""

    def __init__(self, head: bytes, stream: BinaryIO, encoding: Encoding) -> None:
        self._stream = stream
        self._encoding = encoding
        self._decoder = codecs.getincrementaldecoder(encoding.codec)("replace")
        self._ended = False
        self._ready = b""
        self._take(head)

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: "WriteableBuffer") -> int:
        while not self._ready and not self._ended:
            self._take(self._stream.read(LOOK_BYTES))
        view = memoryview(buffer).cast("B")
        data, self._ready = self._ready[: len(view)], self._ready[len(view) :]
        view[: len(data)] = data
        return len(data)

    def _take(self, block: bytes) -> None:
        self._ended = not block
        if self._encoding.is_plain:
            self._ready = block
            return
        text = self._decoder.decode(block, final=self._ended)
        if self._encoding.carriage_returns:
            text = text.replace("\r", "\n")
        # Half of a surrogate pair decodes to nothing that UTF-8 can write.
        self._ready = text.encode("utf-8", "replace")
