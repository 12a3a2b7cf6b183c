"""A folder that strangers filled: only its regular files are opened, and nothing outside it.

A name is resolved once, must stay under the root, and is then opened component by component with
`O_NOFOLLOW`, so that a link swapped in between is an error and not another file.
"""

import os
import stat
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from pathlib import Path, PurePosixPath
from typing import BinaryIO, Final

from services.common.errors import FailedPreconditionError, InvalidArgumentError, NotFoundError

MAX_NAME_CHARS: Final = 1024
MAX_DEPTH: Final = 8
MAX_FILES: Final = 2000
# So many names beyond those are counted.
_MAX_COUNTED: Final = 100_000
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


class Folder:
    """One folder, named relative to a configured root.

    Raises InvalidArgumentError for a name that is blank or leaves the root, NotFoundError for one that does
    not exist, FailedPreconditionError for one that is not a folder.
    """

    def __init__(self, root: Path, name: str) -> None:
        parts = _parts(name)
        try:
            top = root.resolve(strict=True)
            self.path = top.joinpath(*parts).resolve(strict=True)
        except FileNotFoundError:
            raise NotFoundError(f"the bundle {name!r} does not exist", field="scope.bundle") from None
        except (OSError, RuntimeError, ValueError):
            raise InvalidArgumentError(
                f"the bundle {name!r} cannot be resolved", field="scope.bundle"
            ) from None
        if not self.path.is_relative_to(top):
            raise InvalidArgumentError(
                f"the bundle {name!r} leaves the configured root", field="scope.bundle"
            )
        if not self.path.is_dir():
            raise FailedPreconditionError(f"the bundle {name!r} is not a folder", field="scope.bundle")

    def open(self, name: str) -> BinaryIO:
        """Open a regular file of the folder for reading; raises SourceError when that is not what it is."""
        try:
            parts = _parts(name)
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
        """List the files below the folder by name, without hidden ones; at most 2,000, 8 levels deep.

        The last entry says how many more there are, where there are more.
        """
        names = self._below(PurePosixPath(), 1)
        yield from islice(names, MAX_FILES)
        left_out = sum(1 for _ in islice(names, _MAX_COUNTED))
        if left_out:
            count = f"{left_out}" if left_out < _MAX_COUNTED else f"at least {left_out}"
            yield Listed("(more files)", 0, f"{count} more files are left out: {MAX_FILES} are looked at")

    def _below(self, folder: PurePosixPath, depth: int) -> Iterator[Listed]:
        try:
            names = sorted(entry.name for entry in (self.path / folder).iterdir())
        except OSError as error:
            yield Listed(str(folder), 0, f"the folder cannot be read: {error.strerror}")
            return
        for name in names:
            if name.startswith("."):
                continue
            if not _is_text(name):
                yield Listed(_shown(str(folder / name)), 0, "its name is not printable UTF-8 text; rename it")
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


def _parts(name: str) -> tuple[str, ...]:
    if not name.strip():
        raise InvalidArgumentError("the bundle's name is blank", field="scope.bundle")
    if len(name) > MAX_NAME_CHARS:
        raise InvalidArgumentError(f"a name has at most {MAX_NAME_CHARS} characters", field="scope.bundle")
    path = PurePosixPath(name)
    if "\0" in name or path.is_absolute() or ".." in path.parts:
        raise InvalidArgumentError("a name is relative and holds neither '..' nor NUL", field="scope.bundle")
    return path.parts


def _open_regular(root: Path, parts: tuple[str, ...]) -> BinaryIO:
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
        file = os.fdopen(descriptor, "rb", buffering=_BUFFER_BYTES)
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


def _is_text(name: str) -> bool:
    try:
        name.encode("utf-8")
    except UnicodeEncodeError:
        return False
    return name.isprintable()


def _shown(name: str) -> str:
    return name.encode("utf-8", "replace").decode("utf-8")
