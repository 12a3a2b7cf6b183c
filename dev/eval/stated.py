"""The rule by which an answer states what a key asks for in a sentence: the checker's rule.

What counts of an answer are its summary, its facts and its directions. Both texts are compared case folded
and without quotation marks. A sentence is stated when

1. what it quotes (between backticks or double quotes) and its addresses stand in the answer literally; after
   "either", one of them is enough;
2. of its telling words half stand there, too: words of capitals alone, and words of at least four letters
   that are not common, each by its first five letters without a final s. What stands in parentheses is
   optional.

The rule is coarse in both directions: it knows no synonyms and takes no account of the order of words. A
person has to read the misses, and a test holds every answer against the sentences of all other cases.
"""

import re
from collections.abc import Iterable
from typing import Final

from assay.orchestrator.v1 import run_pb2

from orchestrator.cli.evaluation.judging import text_of

_QUOTED: Final = re.compile(r'`([^`]+)`|"([^"]+)"')
_MARKS: Final = re.compile(r"[\"'`“”\\]")
_ADDRESS: Final = re.compile(r"https?://\S+|\b[a-z0-9-]{12,}(?:\.[a-z]{2,})+\b")
_CAPITALS: Final = re.compile(r"\b[A-Z]{2,}\b")
_WORD: Final = re.compile(r"[a-z]{4,}")
_STEM: Final = 5
_SHARE: Final = 0.5
# Words that tell nothing of an incident: those of sentences, of keys ("must mention"), of being in a state.
_COMMON: Final = frozenset(
    re.findall(
        r"\w+",
        """must mention says state states that this with either exact output there their than then they does
        from into because could should would have been being about point named neither doesn fact seem seems
        experiencing cannot when where which while""",
    )
)


def unstated(wanted: Iterable[str], run: run_pb2.Run) -> list[str]:
    """Return the sentences that an answer does not state."""
    answer = text_of(run)
    return [text for text in wanted if not states(answer, text)]


def states(answer: str, wanted: str) -> bool:
    """Tell whether an answer states a sentence."""
    said = _plain(answer)
    sentence = re.sub(r"\([^)]*\)", " ", wanted)
    unquoted = _QUOTED.sub(" ", sentence)
    rest = unquoted.casefold()
    literal = ["".join(found) for found in _QUOTED.findall(sentence)]
    literal += _ADDRESS.findall(rest)
    stands = [_plain(text).rstrip(".,") in said for text in literal]
    if literal and not (any(stands) if "either" in sentence else all(stands)):
        return False
    words = {_stem(word) for word in _WORD.findall(_ADDRESS.sub(" ", rest)) if word not in _COMMON}
    words |= {word.casefold() for word in _CAPITALS.findall(unquoted)}
    return sum(word in said for word in words) >= _SHARE * len(words)


def _plain(text: str) -> str:
    return _MARKS.sub("", text.casefold())


def _stem(word: str) -> str:
    return word.removesuffix("s")[:_STEM]
