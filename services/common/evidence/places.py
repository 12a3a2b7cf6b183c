"""Where the material at a pointer was read: the file, the lines, the instant, the owner.

Every tool's output uses one vocabulary for that, so that a reader of a binding can be led back to the
source without knowing the tool. An object is *located* when it holds `source` (a file), `n` (a line), or
`first_line` and `last_line`; `owner` and `time` may stand beside them. A derived object may hold `inputs`, a
list of located objects, instead. The innermost object wins, and inherits what it does not say itself.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from services.common.evidence import pointer as json_pointer
from services.common.evidence.strict_json import Json, NumberToken

# What the reader writes about the material. It is not what a system said, so nothing may be cited from it.
READER_KEYS = frozenset(
    {"source", "owner", "n", "time", "first_line", "last_line", "inputs", "sha256", "bytes"}
)
# Below this member everything is a system's own, whatever its keys are called.
VALUE_KEY = "value"
MAX_PLACES = 16


@dataclass(frozen=True, slots=True)
class Place:
    """One location in a source; lines count from 1, 0 when the source has none."""

    source: str = ""
    first_line: int = 0
    last_line: int = 0
    time: str = ""
    owner: str = ""


def is_reader_made(reference: Sequence[str]) -> bool:
    """Tell whether a pointer leads to what the reader wrote rather than to what a system said."""
    for token in reference:
        if token == VALUE_KEY:
            return False
        if token in READER_KEYS:
            return True
    return False


def places(document: Json, reference: Sequence[str]) -> list[Place]:
    """Return the places that the material at a token list comes from, the first one first, at most 16.

    Raises PointerError when the token list does not resolve.
    """
    outer = Place()
    found: list[Place] = []
    inside_value = False
    for value, token in zip(json_pointer.walk(document, reference), [*reference, ""], strict=True):
        if isinstance(value, dict) and not inside_value:
            outer = _located(value, outer)
            inputs = value.get("inputs")
            if isinstance(inputs, list):
                found = _inputs(inputs, outer)
            elif _says_where(value):
                found = [outer]
        inside_value = inside_value or token == VALUE_KEY
    return [place for place in found if place.source][:MAX_PLACES]


def _says_where(value: Mapping[str, Json]) -> bool:
    return any(key in value for key in ("source", "n", "first_line"))


def _inputs(values: Sequence[Json], outer: Place) -> list[Place]:
    bare = replace(outer, first_line=0, last_line=0, time="")
    return [_located(value, bare) for value in values if isinstance(value, dict)]


def _located(value: Mapping[str, Json], outer: Place) -> Place:
    line = _integer(value.get("n"))
    return Place(
        source=_string(value.get("source")) or outer.source,
        first_line=line or _integer(value.get("first_line")) or outer.first_line,
        last_line=line or _integer(value.get("last_line")) or outer.last_line,
        time=_string(value.get("time")) or outer.time,
        owner=_string(value.get("owner")) or outer.owner,
    )


def _string(value: Json) -> str:
    return value if type(value) is str else ""


def _integer(value: Json) -> int:
    return int(value) if isinstance(value, NumberToken) and value.isdigit() else 0
