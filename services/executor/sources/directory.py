"""A directory that strangers filled: only its regular files are opened, and nothing outside it.

A name is resolved once, must stay under the root, and is then opened component by component with
`O_NOFOLLOW`, so that a link swapped in between is an error and not another file.
"""

import io
import os
import stat
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Final

from services.common.errors import InvalidArgumentError

MAX_NAME_CHARS: Final = 1024
MAX_DEPTH: Final = 8
UNPRINTABLE: Final = "its name is not printable UTF-8 text; rename it"
_BUFFER_BYTES: Final = 64 * 1024
_FILE_FLAGS: Final = os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC | os.O_NONBLOCK
_FOLDER_FLAGS: Final = os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC | os.O_DIRECTORY


class SourceError(Exception):
    """A source cannot be read; the message tells a person why."""


@dataclass(frozen=True, slots=True)
class Listed:
    """One name in a folder. `problem` says why it cannot be read; empty when it can be tried."""

    name: str
    size_bytes: int
    problem: str = ""


class Directory:
    """One directory, and what lies below it. `path` is resolved: no part of it is a link."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def open(self, name: str) -> io.BufferedReader:
        """Open a regular file for reading; raises SourceError when that is not what it is."""
        try:
            parts = parts_of(name)
            resolved = self.path.joinpath(*parts).resolve(strict=True)
        except InvalidArgumentError as error:
            raise SourceError(error.message) from None
        except FileNotFoundError:
            raise SourceError("the bundle has no such file") from None
        except (OSError, RuntimeError, ValueError):
            raise SourceError("the name cannot be resolved") from None
        if not resolved.is_relative_to(self.path):
            raise SourceError("a link leads out of the bundle")
        return _open_regular(self.path, resolved.relative_to(self.path).parts)

    def files(self) -> Iterator[Listed]:
        """List the files by name, without hidden ones, 8 levels deep."""
        return self._below(PurePosixPath(), 1)

    def _below(self, folder: PurePosixPath, depth: int) -> Iterator[Listed]:
        try:
            names = sorted(entry.name for entry in (self.path / folder).iterdir())
        except OSError as error:
            yield Listed(str(folder), 0, f"the folder cannot be read: {error.strerror}")
            return
        for name in names:
            if name.startswith("."):
                continue
            if not is_printable(name):
                yield Listed(shown(str(folder / name)), 0, UNPRINTABLE)
                continue
            yield from self._entry(folder / name, depth)

    def _entry(self, name: PurePosixPath, depth: int) -> Iterator[Listed]:
        try:
            status = (self.path / name).lstat()
        except OSError as error:
            yield Listed(str(name), 0, f"it cannot be read: {error.strerror}")
            return
        if stat.S_ISDIR(status.st_mode):
            if depth < MAX_DEPTH:
                yield from self._below(name, depth + 1)
            else:
                yield Listed(str(name), 0, f"folders are nested deeper than {MAX_DEPTH}")
        elif stat.S_ISLNK(status.st_mode):
            yield self._link(name)
        elif stat.S_ISREG(status.st_mode):
            yield Listed(str(name), status.st_size)
        else:
            yield Listed(str(name), 0, "it is not a regular file")

    def _link(self, name: PurePosixPath) -> Listed:
        try:
            with self.open(str(name)) as file:
                return Listed(str(name), os.fstat(file.fileno()).st_size)
        except SourceError as error:
            return Listed(str(name), 0, str(error))


def parts_of(name: str) -> tuple[str, ...]:
    """Return the parts of a relative name; raises InvalidArgumentError for one that is none."""
    if not name.strip():
        raise InvalidArgumentError("the bundle's name is blank", field="scope.bundle")
    if len(name) > MAX_NAME_CHARS:
        raise InvalidArgumentError(f"a name has at most {MAX_NAME_CHARS} characters", field="scope.bundle")
    path = PurePosixPath(name)
    if "\0" in name or path.is_absolute() or ".." in path.parts:
        raise InvalidArgumentError("a name is relative and holds neither '..' nor NUL", field="scope.bundle")
    return path.parts


def _open_regular(root: Path, parts: tuple[str, ...]) -> io.BufferedReader:
    descriptor = -1
    try:
        descriptor = os.open(root, _FOLDER_FLAGS)
        for index, part in enumerate(parts):
            flags = _FILE_FLAGS if index == len(parts) - 1 else _FOLDER_FLAGS
            inner = os.open(part, flags, dir_fd=descriptor)
            os.close(descriptor)
            descriptor = inner
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            raise SourceError("it is not a regular file")
        file: io.BufferedReader = io.BufferedReader(io.FileIO(descriptor, "rb"), _BUFFER_BYTES)
    except OSError as error:
        _close(descriptor)
        raise SourceError(f"it cannot be opened: {error.strerror}") from None
    except SourceError:
        _close(descriptor)
        raise
    return file


def _close(descriptor: int) -> None:
    if descriptor >= 0:
        os.close(descriptor)


def is_printable(name: str) -> bool:
    """Tell whether a name can be shown and sent as it is."""
    try:
        name.encode("utf-8")
    except UnicodeEncodeError:
        return False
    return name.isprintable()


def shown(name: str) -> str:
    """Return a name as text, for want of a better one."""
    return name.encode("utf-8", "replace").decode("utf-8")
