"""The strings of a JSON value in order, with what their neighbours say of them, and the value made anew.

Secrets often stand apart from their names: in the member of that name, in `{"name": …, "value": …}`, in a
field whose path ends so, or behind the argument of a command that announces them.
"""

from collections import Counter
from collections.abc import Iterator
from typing import Final, NamedTuple

from services.common.evidence.strict_json import Json, NumberToken
from services.common.redaction.rules import Shape
from services.common.redaction.shapes import is_flag, shape_of_named

# Members that hold a system's own words, line by line.
_COLUMNS: Final = frozenset({"text", "value"})
_NAMES: Final = ("name", "key")


class Leaf(NamedTuple):
    """A key, a string or a number. With a `shape`, all of it is a secret if it has that shape."""

    text: str
    shape: Shape | None = None
    in_column: bool = True


def leaves_of(value: Json) -> Iterator[Leaf]:
    """Yield the keys, strings and numbers of a value in document order."""
    return _leaves(value, None, in_column=True)


def rebuilt(value: Json, texts: Iterator[str]) -> Json:
    """Return a value with other texts for its leaves; keys that became equal are numbered."""
    if isinstance(value, dict):
        result: dict[str, Json] = {}
        repeated: Counter[str] = Counter()
        for child in value.values():
            key = _unused(next(texts), result, repeated)
            result[key] = rebuilt(child, texts)
        return result
    if isinstance(value, list):
        return [rebuilt(child, texts) for child in value]
    if isinstance(value, str):
        text = next(texts)
        return value if text == value else text
    return value


def _leaves(value: Json, shape: Shape | None, *, in_column: bool) -> Iterator[Leaf]:
    if isinstance(value, dict):
        named = _name_beside(value)
        for key, child in value.items():
            yield Leaf(key, in_column=False)
            of_child = shape_of_named(key) or (named if key == "value" else None)
            yield from _leaves(child, of_child, in_column=key in _COLUMNS)
    elif isinstance(value, list):
        yield from _items(value, shape, in_column=in_column)
    elif isinstance(value, str):
        yield Leaf(value, shape, in_column and not isinstance(value, NumberToken))


def _items(values: list[Json], shape: Shape | None, *, in_column: bool) -> Iterator[Leaf]:
    """Yield the leaves of a list, in which an item may announce the next."""
    announced: Shape | None = None
    at = ""
    for item in values:
        if isinstance(item, dict):
            path, text = item.get("path"), item.get("value")
            if isinstance(path, str) and at and path == at:
                yield from _field(item, announced)
                continue
            at, announced = _announced(path, text)
            yield from _leaves(item, None, in_column=in_column)
        else:
            yield from _leaves(item, shape or announced, in_column=in_column)
            announced = Shape.ANY if isinstance(item, str) and is_flag(item) else None


def _field(item: dict[str, Json], shape: Shape | None) -> Iterator[Leaf]:
    """Yield the leaves of a field whose value the field before announced."""
    for key, child in item.items():
        yield Leaf(key, in_column=False)
        yield from _leaves(child, shape if key == "value" else None, in_column=key in _COLUMNS)


def _announced(path: Json, text: Json) -> tuple[str, Shape | None]:
    """Return the path of the value that a field `…/name` names, and the shape of a secret there."""
    if isinstance(path, str) and isinstance(text, str):
        parent, _, last = path.rpartition("/")
        if last in _NAMES and (shape := shape_of_named(text)):
            return f"{parent}/value", shape
        if is_flag(text) and last.isdigit():
            return f"{parent}/{int(last) + 1}", Shape.ANY
    return "", None


def _name_beside(value: dict[str, Json]) -> Shape | None:
    """Return the shape of a secret that the name or the path beside a value tells."""
    path = value.get("path")
    names = [value.get(key) for key in _NAMES] + [path.rpartition("/")[2] if isinstance(path, str) else None]
    shapes = (shape_of_named(name) for name in names if type(name) is str)
    return next((shape for shape in shapes if shape), None)


def _unused(key: str, taken: dict[str, Json], repeated: Counter[str]) -> str:
    found = key
    while found in taken:
        repeated[key] += 1
        found = f"{key} ({repeated[key] + 1})"
    return found
