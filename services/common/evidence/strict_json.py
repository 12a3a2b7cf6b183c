"""JSON (RFC 8259) read strictly and written back verbatim.

The standard parser takes NaN, keeps the last of two equal keys, loses the digits of numbers and lets lone
surrogates through; each of these would let a document mean two things. Here a number stays the token that
the source wrote, and everything ambiguous is an error.
"""

import json
import re
from typing import NoReturn, TypeAlias


class NumberToken(str):
    """A JSON number, exactly as its source wrote it."""

    __slots__ = ()

    def value(self) -> float:
        """Return the number; infinity where a float cannot hold it."""
        return float(self)


Json: TypeAlias = "dict[str, Json] | list[Json] | str | NumberToken | bool | None"

MAX_BYTES = 1 << 20
MAX_DEPTH = 64
MAX_NUMBER_CHARS = 512

_SURROGATE = re.compile("[\ud800-\udfff]")


class StrictJsonError(ValueError):
    """The bytes are not one unambiguous JSON text; the message never quotes them."""


def loads(data: bytes, *, max_bytes: int = MAX_BYTES) -> Json:
    """Parse one JSON text in UTF-8.

    Raises StrictJsonError when it is too large, too deep, not UTF-8, not JSON, or holds a duplicate key,
    NaN, infinity, a lone surrogate or a number of more than 512 characters.
    """
    if len(data) > max_bytes:
        raise StrictJsonError(f"larger than {max_bytes} bytes")
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError as error:
        raise StrictJsonError(f"not UTF-8 at byte {error.start}") from None
    try:
        parsed: Json = _DECODER.decode(text)
    except json.JSONDecodeError as error:
        raise StrictJsonError(f"not JSON at line {error.lineno}, column {error.colno}: {error.msg}") from None
    except RecursionError:
        raise StrictJsonError(f"nested deeper than {MAX_DEPTH}") from None
    if _depth(parsed) > MAX_DEPTH:
        raise StrictJsonError(f"nested deeper than {MAX_DEPTH}")
    # Strings outside any object reach no hook.
    _refuse_surrogates_in([parsed])
    return parsed


def dumps(value: Json) -> bytes:
    """Write compact JSON in UTF-8, number tokens verbatim."""
    parts: list[str] = []
    _write(value, parts)
    return "".join(parts).encode("utf-8")


def _depth(value: Json) -> int:
    depth = 0
    level: list[Json] = [value]
    while level := [item for item in level if isinstance(item, dict | list)]:
        depth += 1
        level = [child for item in level for child in (item.values() if isinstance(item, dict) else item)]
    return depth


def _object(pairs: list[tuple[str, Json]]) -> dict[str, Json]:
    result: dict[str, Json] = {}
    for key, value in pairs:
        if key in result:
            raise StrictJsonError("duplicate key in an object")
        _refuse_surrogates(key)
        if type(value) is str:
            _refuse_surrogates(value)
        elif type(value) is list:
            _refuse_surrogates_in(value)
        result[key] = value
    return result


def _refuse_surrogates(text: str) -> None:
    if _SURROGATE.search(text):
        raise StrictJsonError("lone surrogate in a string")


def _refuse_surrogates_in(values: list[Json]) -> None:
    for value in values:
        if type(value) is str:
            _refuse_surrogates(value)
        elif type(value) is list:
            _refuse_surrogates_in(value)


def _number(token: str) -> NumberToken:
    if len(token) > MAX_NUMBER_CHARS:
        raise StrictJsonError(f"number of more than {MAX_NUMBER_CHARS} characters")
    return NumberToken(token)


def _constant(token: str) -> NoReturn:
    raise StrictJsonError(f"{token} is not a JSON number")


_DECODER = json.JSONDecoder(
    object_pairs_hook=_object, parse_float=_number, parse_int=_number, parse_constant=_constant, strict=True
)


def _write(value: Json, parts: list[str]) -> None:
    match value:
        case None:
            parts.append("null")
        case bool():
            parts.append("true" if value else "false")
        case NumberToken():
            parts.append(str(value))
        case str():
            parts.append(json.dumps(value, ensure_ascii=False))
        case list():
            _write_items(value, parts)
        case dict():
            _write_members(value, parts)


def _write_items(values: list[Json], parts: list[str]) -> None:
    parts.append("[")
    for index, item in enumerate(values):
        if index:
            parts.append(",")
        _write(item, parts)
    parts.append("]")


def _write_members(members: dict[str, Json], parts: list[str]) -> None:
    parts.append("{")
    for index, (key, item) in enumerate(members.items()):
        if index:
            parts.append(",")
        parts.append(json.dumps(key, ensure_ascii=False))
        parts.append(":")
        _write(item, parts)
    parts.append("}")
