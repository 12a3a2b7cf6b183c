"""The one JSON object in a model's text: pure, bounded, and in one pass from each of a few places.

Read are: the object itself; an object with text around it, such as code fences or thoughts in
`<think>…</think>`; single quotes, commas before a closing bracket, Python's True, False and None, raw line
ends in strings; a tool call printed as text, of which the arguments are taken. No value is made up: every
string and number of the result stands in the text, and two objects that differ are none.
"""

import json
import re
from collections.abc import Collection
from typing import Final

from services.common.evidence.strict_json import Json, StrictJsonError, dumps, loads

MAX_TEXT_CHARS: Final = 1 << 24
# An opening brace in prose begins no object; so many are tried.
MAX_STARTS: Final = 16

_THOUGHT: Final = re.compile(r"</think(?:ing)?>")
_OPEN_THOUGHT: Final = re.compile(r"\s*<think(?:ing)?>")
_TOKEN: Final = re.compile(
    r"""(?P<space>[ \t\r\n]+)
    |(?P<double>"[^"\\]*(?:\\.[^"\\]*)*")
    |(?P<single>'[^'\\]*(?:\\.[^'\\]*)*')
    |(?P<mark>[\[\]{},:])
    |(?P<word>[A-Za-z]+)
    |(?P<number>-?[0-9][0-9.eE+-]*)""",
    re.VERBOSE | re.DOTALL,
)
# What follows the brace of an object and hardly ever a brace in prose: a name, or nothing.
_MEMBER: Final = re.compile(r"\{\s*[\"'}]")
_WORDS: Final = {
    "true": "true",
    "false": "false",
    "null": "null",
    "True": "true",
    "False": "false",
    "None": "null",
}
_CLOSES: Final = {"}": "{", "]": "["}
# Inside a string: an escape, a quotation mark that needs one, a raw control character.
_SPECIAL: Final = re.compile(r"\\.|[\"\x00-\x1f]", re.DOTALL)
_ARGUMENTS: Final = ("arguments", "parameters")


class NotJsonError(ValueError):
    """The text holds no object, or more than one."""


def object_in(text: str, wanted: Collection[str]) -> dict[str, Json]:
    """Return the object that a text holds; raises NotJsonError.

    `wanted` are the names of the fields that were asked for: an object with one of them is no tool call.
    """
    if len(text) > MAX_TEXT_CHARS:
        raise NotJsonError("the text is too long")
    text = text.removeprefix("\ufeff").strip()
    whole = _read(text)
    objects = _objects(_without_thoughts(text)) if whole is None else [whole]
    unwrapped = [_unwrapped(item, wanted) for item in objects]
    if not unwrapped:
        raise NotJsonError("the text holds no object")
    if any(dumps(item) != dumps(unwrapped[0]) for item in unwrapped):
        raise NotJsonError("the text holds several objects")
    return unwrapped[0]


def _without_thoughts(text: str) -> str:
    """Return what follows the last thought; nothing when a thought does not end."""
    spoken = _THOUGHT.split(text)[-1]
    return "" if _OPEN_THOUGHT.match(spoken) else spoken


def _objects(text: str) -> list[dict[str, Json]]:
    objects: list[dict[str, Json]] = []
    start = text.find("{")
    for _ in range(MAX_STARTS):
        if start < 0:
            return objects
        end = start + 1
        if _MEMBER.match(text, start):
            made, end = _as_json(text, start)
            found = _read(made)
            if found is None:
                # A part of a broken object is not what the model meant.
                raise NotJsonError("the text holds an object that cannot be read")
            objects.append(found)
        start = text.find("{", end)
    raise NotJsonError("the text holds too many braces")


def _read(text: str) -> dict[str, Json] | None:
    try:
        value = loads(text.encode("utf-8", "replace"), max_bytes=4 * MAX_TEXT_CHARS)
    except StrictJsonError:
        return None
    return value if isinstance(value, dict) else None


def _as_json(text: str, start: int) -> tuple[str, int]:
    """Write the object that begins at an opening brace as JSON; "" where it is none. Returns its end, too.

    Only brackets are followed here: whether the result is legal the strict parser says.
    """
    parts: list[str] = []
    opened: list[str] = []
    at = start
    while token := _TOKEN.match(text, at):
        at = token.end()
        written = _written(token)
        if written is None or not _is_balanced(written, opened):
            break
        if written in _CLOSES:
            _drop_comma(parts)
        if written:
            parts.append(written)
        if not opened:
            return "".join(parts), at
    return "", at


def _is_balanced(written: str, opened: list[str]) -> bool:
    """Follow a bracket; False for one that closes another than was opened last."""
    if written in _CLOSES.values():
        opened.append(written)
    return written not in _CLOSES or (bool(opened) and opened.pop() == _CLOSES[written])


def _written(token: re.Match[str]) -> str | None:
    """Return a token as JSON writes it; None for a word that JSON has not."""
    text = token[0]
    match token.lastgroup:
        case "space":
            return ""
        case "word":
            return _WORDS.get(text)
        case "double" | "single":
            return f'"{_SPECIAL.sub(_respelt, text[1:-1])}"'
        case _:
            return text


def _respelt(special: re.Match[str]) -> str:
    """Return a part of a string as one in double quotes spells it; what JSON has no word for stays."""
    text = special[0]
    if text[0] == "\\":
        return "'" if text == "\\'" else text
    return json.dumps(text)[1:-1]


def _drop_comma(parts: list[str]) -> None:
    """Remove a comma before a closing bracket; one that follows no value stays, and is an error."""
    if len(parts) > 1 and parts[-1] == "," and parts[-2] not in ("{", "[", ",", ":"):
        parts.pop()


def _unwrapped(value: dict[str, Json], wanted: Collection[str]) -> dict[str, Json]:
    """Return the arguments of a tool call that was printed as text, and any other object as it is."""
    if not value.keys().isdisjoint(wanted):
        return value
    call = value.get("function") if isinstance(value.get("function"), dict) else value
    if not isinstance(call, dict) or not isinstance(call.get("name"), str):
        return value
    arguments = next((call[key] for key in _ARGUMENTS if key in call), None)
    if isinstance(arguments, str):
        arguments = _read(arguments)
    return arguments if isinstance(arguments, dict) else value
