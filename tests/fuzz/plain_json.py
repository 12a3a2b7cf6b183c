"""JSON (RFC 8259) and JSON Pointer (RFC 6901) by hand: what the gate's own reading is compared with.

Nothing here uses `json` or `services`. A number is kept as it is written.
"""

import re
from typing import Final, TypeAlias

MAX_DEPTH: Final = 64
_SPACE: Final = re.compile(r"[ \t\n\r]*")
_NUMBER: Final = re.compile(r"-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?")
_STRING: Final = re.compile(r'"((?:[^"\\\x00-\x1f]|\\["\\/bfnrt]|\\u[0-9a-fA-F]{4})*)"')
_ESCAPE: Final = re.compile(
    r"\\u([dD][89abAB][0-9a-fA-F]{2})\\u([dD][c-fC-F][0-9a-fA-F]{2})|\\u([0-9a-fA-F]{4})|\\(.)"
)
_SHORT: Final = {"b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t"}
_WORDS: Final = {"true": True, "false": False, "null": None}


class Number(str):
    """A number as it is written."""

    __slots__ = ()


Plain: TypeAlias = "dict[str, Plain] | list[Plain] | str | Number | bool | None"


class NotPlainError(ValueError):
    """Not one unambiguous JSON text."""


class NowhereError(LookupError):
    """The pointer names nothing."""


def read(data: bytes) -> Plain:
    """Return the value of a JSON text in UTF-8."""
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError as error:
        raise NotPlainError from error
    value, end = _value(text, _past_space(text, 0), 0)
    if _past_space(text, end) != len(text):
        raise NotPlainError
    return value


def at(value: Plain, pointer: str) -> tuple[list[str], Plain]:
    """Return the unescaped tokens of a pointer and the value that it names."""
    if pointer and pointer[0] != "/":
        raise NowhereError
    names = [_unescaped(part) for part in pointer.split("/")[1:]]
    for name in names:
        if isinstance(value, dict) and name in value:
            value = value[name]
        elif isinstance(value, list) and name in map(str, range(len(value))):
            value = value[int(name)]
        else:
            raise NowhereError
    return names, value


def leaves(value: Plain, path: str = "") -> list[tuple[str, Plain]]:
    """Return the pointer and the value of every scalar."""
    if isinstance(value, dict):
        return [leaf for name, item in value.items() for leaf in leaves(item, f"{path}/{escaped(name)}")]
    if isinstance(value, list):
        return [leaf for index, item in enumerate(value) for leaf in leaves(item, f"{path}/{index}")]
    return [(path, value)]


def escaped(name: str) -> str:
    """Return a name as a pointer writes it."""
    return name.replace("~", "~0").replace("/", "~1")


def _unescaped(part: str) -> str:
    result, position = "", 0
    while position < len(part):
        if part[position] == "~":
            pair = part[position : position + 2]
            if pair not in ("~0", "~1"):
                raise NowhereError
            result += "~" if pair == "~0" else "/"
            position += 2
        else:
            result += part[position]
            position += 1
    return result


def _past_space(text: str, position: int) -> int:
    found = _SPACE.match(text, position)
    return found.end() if found else position


def _value(text: str, position: int, depth: int) -> tuple[Plain, int]:
    first = text[position : position + 1]
    if depth == MAX_DEPTH and first in ("{", "["):
        raise NotPlainError
    if first == "{":
        return _object(text, position, depth + 1)
    if first == "[":
        return _array(text, position, depth + 1)
    if first == '"':
        return _string(text, position)
    for word, value in _WORDS.items():
        if text.startswith(word, position):
            return value, position + len(word)
    number = _NUMBER.match(text, position)
    if not number or len(number.group()) > 512:
        raise NotPlainError
    return Number(number.group()), number.end()


def _string(text: str, position: int) -> tuple[str, int]:
    found = _STRING.match(text, position)
    if not found:
        raise NotPlainError
    result = _ESCAPE.sub(_character, found.group(1))
    if any("\ud800" <= char <= "\udfff" for char in result):
        raise NotPlainError
    return result, found.end()


def _character(escape: re.Match[str]) -> str:
    high, low, code, letter = escape.groups()
    if high:
        return chr(0x10000 + ((int(high, 16) - 0xD800) << 10) + (int(low, 16) - 0xDC00))
    return chr(int(code, 16)) if code else _SHORT.get(letter, letter)


def _array(text: str, position: int, depth: int) -> tuple[list[Plain], int]:
    items: list[Plain] = []
    position = _past_space(text, position + 1)
    if text[position : position + 1] == "]":
        return items, position + 1
    while True:
        item, position = _value(text, _past_space(text, position), depth)
        items.append(item)
        position = _past_space(text, position)
        if text[position : position + 1] == "]":
            return items, position + 1
        position = _expect(text, position, ",")


def _object(text: str, position: int, depth: int) -> tuple[dict[str, Plain], int]:
    members: dict[str, Plain] = {}
    position = _past_space(text, position + 1)
    if text[position : position + 1] == "}":
        return members, position + 1
    while True:
        name, position = _string(text, _past_space(text, position))
        position = _expect(text, _past_space(text, position), ":")
        if name in members:
            raise NotPlainError
        members[name], position = _value(text, _past_space(text, position), depth)
        position = _past_space(text, position)
        if text[position : position + 1] == "}":
            return members, position + 1
        position = _expect(text, position, ",")


def _expect(text: str, position: int, char: str) -> int:
    if text[position : position + 1] != char:
        raise NotPlainError
    return position + 1
