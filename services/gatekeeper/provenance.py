"""Who wrote what a claim rests on: a system, or anyone who sends it a request.

A text that an outsider can write proves that it was sent. A claim's own words show what it takes from where:
those of its statement that stand in outsiders' parts of its citations, against those that a system wrote.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from services.common.evidence.strict_json import Json, NumberToken

Part = tuple[int, int]

_WORD: Final = re.compile(r"[^\W\d_]{3,}")
_MAX_OCCURRENCES: Final = 256


@dataclass(frozen=True, slots=True)
class Cited:
    """A citation's text, apart by who can have written it."""

    outsiders: str
    own: str

    def is_outsiders(self, statement: str) -> bool:
        """Tell whether the words that bear a statement out are an outsider's."""
        if not self.outsiders:
            return False
        said = _words(statement)
        theirs, own = said & _words(self.outsiders), said & _words(self.own)
        return len(theirs) >= len(own) if theirs or own else not _words(self.own)


def cited(text: str, value: Json, parts: Sequence[Part]) -> Cited:
    """Split a citation of a value, whose `parts` are outsiders', at the occurrence that they least share.

    Raises ValueError where the text does not stand in a string that has such parts.
    """
    if not isinstance(value, str) or isinstance(value, NumberToken) or not parts:
        return Cited("", text)
    splits = [_split(text, at, parts) for at in _occurrences(text, value)]
    return min(splits, key=lambda split: len(split.outsiders))


def rests_on_outsiders(statement: str, citations: Iterable[Cited]) -> bool:
    """Tell whether a claim rests on what outsiders can write: no text of a system bears its words out."""
    texts = [each for each in citations if _words(each.outsiders + each.own)]
    if not any(each.is_outsiders(statement) for each in texts):
        return False
    if all(each.is_outsiders(statement) for each in texts):
        return True
    said = _words(statement)
    own = {word for each in texts for word in said & _words(each.own)}
    theirs = {word for each in texts for word in said & _words(each.outsiders)}
    return len(theirs - own) > len(own)


def parts_at(spans: Mapping[str, Sequence[Part]], raw_path: str, value: Json) -> Sequence[Part]:
    """Return the outsiders' parts of the value at a pointer; all of it where all of the output is theirs."""
    if "" in spans and isinstance(value, str):
        return [(0, len(value))]
    return spans.get(raw_path, ())


def _occurrences(text: str, value: str) -> list[int]:
    found: list[int] = []
    at = value.find(text)
    while at >= 0 and len(found) < _MAX_OCCURRENCES:
        found.append(at)
        at = value.find(text, at + 1)
    return found


def _split(text: str, at: int, parts: Sequence[Part]) -> Cited:
    outsiders, own, done = [], [], 0
    for begin, end in sorted(parts):
        first, last = max(begin - at, done), min(end - at, len(text))
        if first < last:
            own.append(text[done:first])
            outsiders.append(text[first:last])
            done = last
    return Cited(" ".join(outsiders), " ".join([*own, text[done:]]).strip())


def _words(text: str) -> frozenset[str]:
    return frozenset(word.casefold() for word in _WORD.findall(text))
