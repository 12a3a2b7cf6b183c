"""The rule by which an answer states what a key asks for in a sentence.

What the sentence quotes (between backticks or double quotes), and its addresses, must stand in the answer
literally, whatever their case; after "either", one of them is enough. Of its other telling words, those of at
least four letters that are no common ones, half must stand in the answer by their first five letters. What
stands in parentheses is optional. The rule is coarse in both directions: a person has to read the misses.
"""

import re
from collections.abc import Iterable

from assay.orchestrator.v1 import run_pb2

from orchestrator.cli.evaluation.judging import text_of

_QUOTED = re.compile(r'`([^`]+)`|"([^"]+)"')
_ADDRESS = re.compile(r"https?://\S+|\b[a-z0-9-]{12,}(?:\.[a-z]{2,})+\b")
_WORD = re.compile(r"[a-z]{4,}")
_STEM = 5
_SHARE = 0.5
_COMMON = frozenset(
    re.findall(
        r"\w+",
        """must mention says state states that this with either exact output there their than then they does
        from into because could should would have been being about point named neither doesn""",
    )
)


def unstated(wanted: Iterable[str], run: run_pb2.Run) -> list[str]:
    """Return the sentences that an answer does not state."""
    answer = text_of(run)
    return [text for text in wanted if not states(answer, text)]


def states(answer: str, wanted: str) -> bool:
    """Tell whether a case folded answer states a sentence."""
    sentence = re.sub(r"\([^)]*\)", " ", wanted).casefold()
    literal = ["".join(found) for found in _QUOTED.findall(sentence)]
    rest = _QUOTED.sub(" ", sentence)
    literal += _ADDRESS.findall(rest)
    stands = [text.rstrip(".,") in answer for text in literal]
    if literal and not (any(stands) if "either" in sentence else all(stands)):
        return False
    words = {word[:_STEM] for word in _WORD.findall(_ADDRESS.sub(" ", rest)) if word not in _COMMON}
    return sum(word in answer for word in words) >= _SHARE * len(words)
