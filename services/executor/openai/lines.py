"""A recorded document as lines that can be cited: one for an object, one for each element of its lists."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final, TypeAlias

from services.common.evidence.places import READER_KEYS, VALUE_KEY, is_reader_made
from services.common.evidence.strict_json import Json

Path: TypeAlias = tuple[str | int, ...]

# What the reader wrote that tells a model something; it may not be cited.
_PLACING: Final = frozenset({"time", "source", "owner"})
# So many elements of a list of plain values stand on the line of its object.
_INLINE: Final = 6


@dataclass(frozen=True, slots=True)
class Leaf:
    """A plain value, and the path to it from its line."""

    path: Path
    value: Json
    citable: bool


@dataclass(frozen=True, slots=True)
class Line:
    """A place of a document and the plain values there.

    `index` and `count` are its place in the list that it is an element of; 0 and 1 of what is in no list.
    """

    path: Path
    leaves: tuple[Leaf, ...]
    index: int = 0
    count: int = 1

    @property
    def group(self) -> str:
        """What elements like this one are called: the names that lead to it, without indexes."""
        return "/".join(str(part) for part in self.path if isinstance(part, str))

    @property
    def is_sample(self) -> bool:
        """Tell whether it is an element such as [instant, value]."""
        return len(self.leaves) == 2 and all(
            isinstance(leaf.path[0], int) for leaf in self.leaves if leaf.path
        )


def lines_of(document: Json) -> Iterator[Line]:
    """Yield every line, in the document's order; one without a value of its own is left out."""
    return _lines(document, (), 0, 1)


def line_at(value: Json, path: Path) -> Line:
    """Return the line of a value that stands at a path; without leaves where it has no plain values."""
    leaves: list[Leaf] = []
    _spread(value, path, (), leaves, [])
    return Line(path, tuple(leaves))


def citable(path: Path) -> bool:
    """Tell whether a value there is a system's own, not the reader's."""
    return not is_reader_made([str(part) for part in path])


def _lines(value: Json, path: Path, index: int, count: int) -> Iterator[Line]:
    leaves: list[Leaf] = []
    lists: list[tuple[Path, list[Json]]] = []
    _spread(value, path, (), leaves, lists)
    if leaves:
        yield Line(path, tuple(leaves), index, count)
    for below, elements in lists:
        for number, element in enumerate(elements):
            yield from _lines(element, (*path, *below, number), number, len(elements))


def _spread(
    value: Json, base: Path, path: Path, leaves: list[Leaf], lists: list[tuple[Path, list[Json]]]
) -> None:
    """Collect the values of an object and of those in it; lists of more than plain values come later."""
    if isinstance(value, dict):
        for key, member in value.items():
            if not _is_bookkeeping(key, (*base, *path)):
                _spread(member, base, (*path, key), leaves, lists)
    elif not isinstance(value, list):
        leaves.append(Leaf(path, value, citable((*base, *path))))
    elif _is_plain(value) and (path or base) and len(value) <= _INLINE:
        for number, element in enumerate(value):
            _spread(element, base, (*path, number), leaves, lists)
    else:
        lists.append((path, value))


def _is_plain(value: list[Json]) -> bool:
    return not any(isinstance(element, dict | list) for element in value)


def _is_bookkeeping(key: str, path: Path) -> bool:
    return key in READER_KEYS and key not in _PLACING and VALUE_KEY not in path
