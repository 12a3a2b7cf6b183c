"""JSON Pointer (RFC 6901) on strict JSON values."""

import re
from collections.abc import Sequence

from services.common.evidence.strict_json import Json

_INDEX = re.compile(r"0|[1-9][0-9]{0,9}")
_BAD_ESCAPE = re.compile(r"~(?![01])")


class PointerError(LookupError):
    """The pointer is malformed or names nothing; the message never quotes the document."""


def tokens(pointer: str) -> list[str]:
    """Split a pointer into unescaped reference tokens; raises PointerError when it is malformed."""
    if pointer == "":
        return []
    if not pointer.startswith("/"):
        raise PointerError("a pointer is empty or starts with '/'")
    if _BAD_ESCAPE.search(pointer):
        raise PointerError("'~' is only allowed as '~0' or '~1'")
    return [token.replace("~1", "/").replace("~0", "~") for token in pointer[1:].split("/")]


def build(*parts: str | int) -> str:
    """Join reference tokens into a pointer."""
    return "".join("/" + str(part).replace("~", "~0").replace("/", "~1") for part in parts)


def step(value: Json, token: str) -> Json:
    """Follow one reference token; raises PointerError when it names nothing."""
    if isinstance(value, dict):
        if token not in value:
            raise PointerError("no such member")
        return value[token]
    if isinstance(value, list):
        if not _INDEX.fullmatch(token) or int(token) >= len(value):
            raise PointerError("no such element")
        return value[int(token)]
    raise PointerError("the pointer goes on below a scalar")


def resolve(document: Json, pointer: str) -> Json:
    """Return the value at a pointer; raises PointerError when it does not resolve."""
    return walk(document, tokens(pointer))[-1]


def walk(document: Json, reference: Sequence[str]) -> list[Json]:
    """Return the values from the root to the end of a token list, both included."""
    path = [document]
    for token in reference:
        path.append(step(path[-1], token))
    return path
