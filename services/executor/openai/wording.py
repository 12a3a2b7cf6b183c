"""One line as a model reads it: its reference, then its values by name."""

import re
from collections.abc import Iterator, Sequence
from typing import Final

from services.common.evidence import pointer, strict_json
from services.common.evidence.places import VALUE_KEY
from services.common.evidence.strict_json import Json
from services.common.llm.quoted import BAR, shortened
from services.common.visible import visible
from services.executor.openai.lines import Leaf, Line, Path

# A text that is no longer than that is shown whole.
MAX_TEXT: Final = 220
# Of a longer one so much is shown around what tells in its middle.
_AROUND: Final = 80
_MAX_NAME: Final = 60
# Of an object with more values than that, those at its beginning and its end are shown.
_FIRST, _LAST = 14, 8
_PLAIN: Final = re.compile(r"[A-Za-z0-9_+-][A-Za-z0-9_.:/@%+-]{0,79}")
# What a reference may hold: a model has to copy it, and it must not look like anything else.
_COPIED: Final = re.compile(r"[!-{}~]{0,200}")
_TEXT: Final = "text"
_MARKS: Final = str.maketrans({"“": "\\u201c", "”": "\\u201d"})
# Shorter texts are shown however alike they are.
_LONG: Final = 16
_DIGITS: Final = re.compile(r"\d+")


def reference(number: int, path: Path) -> str:
    """Return what a model writes to cite a place of an invocation, such as `2/lines/0`."""
    return f"{number}{pointer.build(*path)}"


def can_be_copied(path: Path) -> bool:
    """Tell whether a path can be shown as a reference as it is."""
    return _COPIED.fullmatch(pointer.build(*path)) is not None


def shown_line(number: int, line: Line, telling: "re.Pattern[str]", known: str = "") -> str:
    """Return a line, or nothing when its heading says it all.

    `telling` finds what should be seen of a long text, `known` is the heading.
    """
    label = reference(number, line.path)
    if len(line.leaves) == 1 and not line.leaves[0].path:
        return f"{label}{BAR}{shown_value(line.leaves[0].value, telling, marked=False)}"
    leaves = list(_worth_showing(line.leaves, known))
    shown = [_named(leaf, telling) for leaf in leaves]
    if len(shown) > _FIRST + _LAST:
        left = len(shown) - _FIRST - _LAST
        shown[_FIRST:-_LAST] = [f"({left} values left out)"]
    return f"{label}{BAR}{', '.join(shown)}" if shown else ""


def shown_value(value: Json, telling: "re.Pattern[str]", *, marked: bool = True) -> str:
    """Return a plain value on one line: a number as its source wrote it, a text between marks if need be."""
    if not isinstance(value, str):
        return strict_json.dumps(value).decode()
    if not marked or _PLAIN.fullmatch(value):
        return _excerpt(value, telling)
    # Marks that a text seldom holds: what it quotes itself stands as it is.
    return f"“{_excerpt(value, telling).translate(_MARKS)}”"


def _worth_showing(leaves: Sequence[Leaf], known: str) -> Iterator[Leaf]:
    """Yield the values of an object but those that are empty, in its heading, or like an earlier one."""
    said: list[str] = []
    placed: set[str] = set()
    for leaf in leaves:
        value = leaf.value
        if value == "":
            continue
        if not leaf.citable and isinstance(value, str):
            if f'"{value}"' in known or value in placed:
                continue
            placed.add(value)
        if type(value) is str and len(value) >= _LONG and " " in value:
            shape = _DIGITS.sub("#", value)
            if any(shape in each for each in said):
                continue
            said.append(shape)
        yield leaf


def _excerpt(text: str, telling: "re.Pattern[str]") -> str:
    """Return a text, of a long one its beginning, its end, and what tells in between."""
    if len(text) <= MAX_TEXT:
        return visible(text)
    found = telling.search(text, MAX_TEXT * 2 // 3, max(0, len(text) - MAX_TEXT // 3))
    if found is None:
        return shortened(visible(text), MAX_TEXT)
    begin = max(0, found.start() - _AROUND // 4)
    before, middle, after = text[:begin], text[begin : begin + _AROUND], text[begin + _AROUND :]
    return f"{_half(before)}{visible(middle)}{_half(after)}"


def _half(text: str) -> str:
    return shortened(visible(text), (MAX_TEXT - _AROUND) // 2)


def _named(leaf: Leaf, telling: "re.Pattern[str]") -> str:
    name = _name(leaf.path)
    value = shown_value(leaf.value, telling)
    return f"{'' if leaf.citable else '@'}{name} {value}" if name else value


def _name(path: Path) -> str:
    """Return what a value is called, without the `value` before and the `text` behind other names."""
    names = [str(part) for part in path if len(path) > 1 or isinstance(part, str)]
    if len(names) > 1 and names[0] == VALUE_KEY:
        names.pop(0)
    if len(names) > 1 and names[-1] == _TEXT:
        names.pop()
    if not names:
        return ""
    name = visible(shortened(".".join(names), _MAX_NAME))
    return name if _PLAIN.fullmatch(name) else f"“{name.translate(_MARKS)}”"
