"""A zip file that strangers made: its members are streamed, never written to disk, and never believed.

The list of its members is bounded before it is read. A member is opened at the place that the list gives,
must have the same name there, and ends before the next one begins: members that share their data are how a
small file unpacks to petabytes.
"""

import io
import stat
import struct
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import pairwise
from pathlib import PurePosixPath
from typing import Final
from zipfile import ZIP_DEFLATED, ZIP_STORED, BadZipFile, ZipExtFile, ZipFile, ZipInfo

from services.executor.sources.directory import (
    MAX_DEPTH,
    MAX_NAME_CHARS,
    UNPRINTABLE,
    SourceError,
    is_printable,
    shown,
)
from services.executor.sources.packed import FREE_BYTES, MAX_RATIO, Unpacking

_ENDING: Final = ".zip"
# Some 40,000 members of usual names; a list costs ten times its size in memory.
_MAX_LIST_BYTES: Final = 4 * 1024 * 1024
_HEADER: Final = struct.Struct("<4s22xHH")
_HEADER_MAGIC: Final = b"PK\x03\x04"
_ENCRYPTED: Final = 0x1 | 0x40
_UTF8_NAME: Final = 0x800
_UNIX: Final = 3
# What macOS adds for itself.
_RESOURCES: Final = "__MACOSX"

Opened = Callable[[], io.BufferedReader]


def is_archive(name: str) -> bool:
    """Tell whether a file is to be read as an archive."""
    return name.lower().endswith(_ENDING)


@dataclass(frozen=True, slots=True)
class Member:
    """One member: where it lies in its archive, and why it cannot be read; empty when it can be tried."""

    opened: Opened
    info: ZipInfo
    next_offset: int
    problem: str = ""

    @property
    def size_bytes(self) -> int:
        """The size that the archive gives, unpacked."""
        return self.info.file_size

    def open(self) -> io.BufferedReader:
        """Open for reading, without positioning; raises SourceError when it cannot be read."""
        if self.problem:
            raise SourceError(self.problem)
        file = self.opened()
        try:
            self._go_to_data(file)
            return _Member(ZipExtFile(file, "r", self.info, close_fileobj=True), file, self.info).buffered()
        except BaseException:
            file.close()
            raise

    def _go_to_data(self, file: io.BufferedReader) -> None:
        file.seek(self.info.header_offset)
        header = file.read(_HEADER.size)
        if len(header) < _HEADER.size:
            raise SourceError("the archive ends before it")
        magic, name_length, extra_length = _HEADER.unpack(header)
        codec = "utf-8" if self.info.flag_bits & _UTF8_NAME else "cp437"
        name = file.read(name_length).decode(codec, "replace")
        if magic != _HEADER_MAGIC or name != self.info.orig_filename:
            raise SourceError("the archive's list and its content disagree on it")
        data = file.seek(extra_length, io.SEEK_CUR)
        if data + self.info.compress_size > self.next_offset:
            raise SourceError(_OVERLAPS)


class Archive:
    """The list of a zip file's members. Raises SourceError when that cannot be read, or is a bomb's.

    Where all lies in one folder that is called `top`, that folder is left out of the names.
    """

    def __init__(self, opened: Opened, top: str = "") -> None:
        self._opened = opened
        with opened() as file:
            size = file.seek(0, io.SEEK_END)
            self._list_offset, infos = _listed(file)
        self._infos = [info for info in infos if not _is_ignored(info)]
        unpacked = sum(info.file_size for info in self._infos)
        if unpacked > max(FREE_BYTES, MAX_RATIO * size):
            raise SourceError(f"the archive unpacks to more than {MAX_RATIO} times its size")
        if not self._infos:
            raise SourceError("the archive is empty")
        prefix = f"{top}/"
        self._prefix = prefix if all(info.filename.startswith(prefix) for info in self._infos) else ""

    def members(self) -> Iterator[tuple[str, Member]]:
        """Yield the members by name; each name once."""
        counted = Counter(info.filename for info in self._infos)
        overlapping = _overlapping(self._infos)
        by_offset = sorted(info.header_offset for info in self._infos)
        following = dict(zip(by_offset, [*by_offset[1:], self._list_offset], strict=True))
        for info in sorted(
            {info.filename: info for info in self._infos}.values(), key=lambda one: one.filename
        ):
            problem = "its name stands in the archive more than once" if counted[info.filename] > 1 else ""
            problem = problem or _problem(info) or (_OVERLAPS if info.header_offset in overlapping else "")
            name = shown(info.orig_filename).removeprefix(self._prefix)
            yield name, Member(self._opened, info, following[info.header_offset], problem)


class _Member(Unpacking):
    """The content of a member. Closing it closes the archive's file."""

    def __init__(self, content: ZipExtFile, file: io.BufferedReader, info: ZipInfo) -> None:
        super().__init__(content.read1, lambda: info.compress_size, file.fileno)
        self._content = content

    def close(self) -> None:
        self._content.close()
        super().close()


class _BoundedList(io.BufferedReader):
    """The archive's file while its list is read, which is one `read` of as much as the file claims."""

    def read(self, size: int | None = -1, /) -> bytes:
        most = _MAX_LIST_BYTES + 1
        data = super().read(most if size is None or size < 0 else min(size, most))
        if len(data) == most:
            raise SourceError("the archive lists more files than can be looked at; unpack it")
        return data


def _listed(file: io.BufferedReader) -> tuple[int, list[ZipInfo]]:
    """Return where the list of an archive begins, and what it lists."""
    bounded = _BoundedList(file.raw)
    try:
        with ZipFile(bounded) as archive:
            return archive.start_dir, archive.infolist()
    except (BadZipFile, struct.error, UnicodeDecodeError, NotImplementedError, ValueError, OverflowError):
        raise SourceError("it is not a whole zip file: its list of members cannot be read") from None
    finally:
        bounded.detach()


_OVERLAPS: Final = "its data overlaps that of another member of the archive"


def _overlapping(infos: list[ZipInfo]) -> set[int]:
    """Return the offsets of the members that begin before another one ends."""
    ordered = sorted(infos, key=lambda info: info.header_offset)
    found: set[int] = set()
    for first, second in pairwise(ordered):
        if first.header_offset + _HEADER.size + first.compress_size > second.header_offset:
            found |= {first.header_offset, second.header_offset}
    return found


def _is_ignored(info: ZipInfo) -> bool:
    parts = info.filename.split("/")
    return info.is_dir() or any(part == _RESOURCES or (part[:1] == "." and part != "..") for part in parts)


def _problem(info: ZipInfo) -> str:
    """Return why a member cannot be read; empty when it can be tried."""
    return _problem_of_name(info.orig_filename) or _problem_of_content(info)


def _problem_of_name(name: str) -> str:
    if not is_printable(name) or not name:
        return UNPRINTABLE
    path = PurePosixPath(name)
    if path.is_absolute() or ".." in path.parts or "\\" in name or name[1:2] == ":":
        return "its name is not a relative one with slashes"
    if len(name) > MAX_NAME_CHARS or len(path.parts) > MAX_DEPTH:
        return f"its name is longer than {MAX_NAME_CHARS} characters, or deeper than {MAX_DEPTH} folders"
    return ""


def _problem_of_content(info: ZipInfo) -> str:
    mode = info.external_attr >> 16 if info.create_system == _UNIX else 0
    if stat.S_IFMT(mode) not in (0, stat.S_IFREG):
        return "it is not a regular file"
    if info.flag_bits & _ENCRYPTED:
        return "it is encrypted"
    if info.compress_type not in (ZIP_STORED, ZIP_DEFLATED):
        return "it is compressed by a method that is not read; pack it anew, or unpack it"
    return ""
