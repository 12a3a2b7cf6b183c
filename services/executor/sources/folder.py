"""What a scope names: a folder, with the members of zip files in it, or one zip file."""

import io
from collections.abc import Iterator
from functools import partial
from itertools import islice
from pathlib import Path
from typing import Final

from services.common.errors import FailedPreconditionError, InvalidArgumentError, NotFoundError
from services.executor.sources.archive import Archive, Member, is_archive
from services.executor.sources.directory import Directory, Listed, SourceError, parts_of

__all__ = ["MAX_FILES", "Folder", "Listed", "SourceError"]

MAX_FILES: Final = 2000
# So many names beyond those are counted.
_MAX_COUNTED: Final = 100_000


class Folder:
    """A folder or a zip file, named relative to a configured root; a zip file in a folder is a folder in it.

    Raises InvalidArgumentError for a name that is blank or leaves the root, NotFoundError for one that does
    not exist, FailedPreconditionError for one that is neither.
    """

    def __init__(self, root: Path, name: str) -> None:
        path = _resolved(root, name)
        self._archive = ""
        if path.is_dir():
            self._directory = Directory(path)
        elif path.is_file() and is_archive(path.name):
            self._directory, self._archive = Directory(path.parent), path.name
        else:
            raise FailedPreconditionError(
                f"the bundle {name!r} is neither a folder nor a zip file", field="scope.bundle"
            )
        self._members: dict[str, Member] = {}

    def open(self, name: str) -> io.BufferedReader:
        """Open a file for reading; raises SourceError when that is not a regular file, or was not listed."""
        if member := self._members.get(name):
            return member.open()
        if self._archive:
            raise SourceError("the bundle has no such file")
        return self._directory.open(name)

    def files(self) -> Iterator[Listed]:
        """List the files by name, without hidden ones; at most 2,000, 8 levels deep.

        The last entry says how many more there are, where there are more.
        """
        everything = self._everything()
        for listed, member in islice(everything, MAX_FILES):
            if member is not None:
                self._members[listed.name] = member
            yield listed
        left_out = sum(1 for _ in islice(everything, _MAX_COUNTED))
        if left_out:
            count = f"{left_out}" if left_out < _MAX_COUNTED else f"at least {left_out}"
            yield Listed("(more files)", 0, f"{count} more files are left out: {MAX_FILES} are looked at")

    def _everything(self) -> Iterator[tuple[Listed, Member | None]]:
        if self._archive:
            yield from self._inside(self._archive, "")
            return
        for listed in self._directory.files():
            if is_archive(listed.name) and not listed.problem:
                yield from self._inside(listed.name, f"{listed.name}/")
            else:
                yield listed, None

    def _inside(self, archive: str, prefix: str) -> Iterator[tuple[Listed, Member | None]]:
        try:
            found = Archive(partial(self._directory.open, archive), "" if prefix else Path(archive).stem)
        except SourceError as error:
            yield Listed(archive, 0, str(error)), None
            return
        for name, member in found.members():
            yield Listed(prefix + name, member.size_bytes, member.problem), member


def _resolved(root: Path, name: str) -> Path:
    parts = parts_of(name)
    try:
        top = root.resolve(strict=True)
        path = top.joinpath(*parts).resolve(strict=True)
    except FileNotFoundError:
        raise NotFoundError(f"the bundle {name!r} does not exist", field="scope.bundle") from None
    except (OSError, RuntimeError, ValueError):
        raise InvalidArgumentError(f"the bundle {name!r} cannot be resolved", field="scope.bundle") from None
    if not path.is_relative_to(top):
        raise InvalidArgumentError(f"the bundle {name!r} leaves the configured root", field="scope.bundle")
    return path
