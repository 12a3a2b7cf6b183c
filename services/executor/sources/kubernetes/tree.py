"""One tree for every way in which an object can be written down; each value knows its line."""

from collections.abc import Iterator
from dataclasses import dataclass

from services.common.evidence.strict_json import Json


class ShapeError(ValueError):
    """A text is not what it looked like; the message says what was wrong and where."""


@dataclass(frozen=True, slots=True)
class Node:
    """A value with its key: a scalar, or the members or elements below it. Lines count from 1.

    Elements of a list have their index as their key. A line of `kubectl describe` may be both: `State:
    Waiting` with lines below it.
    """

    key: str
    value: Json
    line: int
    last_line: int
    children: tuple["Node", ...] = ()

    @property
    def text(self) -> str:
        """The scalar as the source writes it; empty for null and for what only holds others."""
        match self.value:
            case None:
                return ""
            case bool(truth):
                return "true" if truth else "false"
            case str(text):
                return text
        return ""

    def at(self, *keys: str) -> "Node":
        """Return the node that keys lead to; one that holds nothing where they lead nowhere."""
        found = self
        for key in keys:
            found = next((child for child in found.children if child.key == key), NOTHING)
        return found

    def leaves(self, path: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], "Node"]]:
        """Yield every scalar below here with the keys that lead to it, in the order of the source."""
        for child in self.children:
            below = (*path, child.key)
            if child.text:
                yield below, child
            yield from child.leaves(below)


NOTHING = Node("", None, 0, 0)


@dataclass(frozen=True, slots=True)
class KubeObject:
    """One object as one file shows it: whole, or as the row of a table.

    `kind` is empty where the text does not tell; `namespace` where it is unsaid. `parent` is the row above
    in a tree of owners, as `Kind/name`.
    """

    kind: str
    namespace: str
    name: str
    named: Node
    source: str
    root: Node
    parent: str = ""
    is_row: bool = False
