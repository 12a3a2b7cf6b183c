"""The shape of a message: what differs from one occurrence to the next becomes a mark.

After Drain (He et al., "Drain: An Online Log Parsing Approach with Fixed Depth Tree", ICWS 2017) in its first
step, domain masks; grouping here is by the masked text itself, which needs no similarity threshold and keeps
two messages apart that differ in a single word.
"""

import re
from functools import lru_cache
from typing import Final

MARK: Final = "<*>"
_MAX_SHAPE: Final = 512

# Alternatives in order: the longest kinds of token first, so that none is left in pieces. What says why
# something failed is no variable, whatever its form.
_VARIABLE = re.compile(
    r"""
      (?P<kept>\b(?:error|err|exception|reason|cause|status|state)=(?:"(?:[^"\\]|\\.)*"|[^\s,;]+))
    | (?P<number_of_error>(?<=\()[0-9]{1,3}(?=:\ [A-Z])|\[Errno\ [0-9]{1,3}\])   # stands for its text
    | "(?:[^"\\]|\\.)*"                                              # quoted
    | '(?:[^'\\\s]|\\.){0,256}'                                      # quoted word
    | (?<=[\w.\]]=)(?!["'])[^\s,;)\]}]+                              # value of key=value
    | (?<![\w.])[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12} # UUID
    | (?<![\w.:])(?:[0-9]{1,3}\.){3}[0-9]{1,3}(?::[0-9]+)?           # IPv4 with port
    | (?<![\w:])(?:[0-9a-fA-F]{0,4}:){3,7}[0-9a-fA-F]{1,4}(?![\w:])  # IPv6, MAC
    | (?<=/)[\w.~%@:+-]*[0-9][\w.~%@:+-]*                            # segment of a path that holds a digit
    | (?<![\w])0x[0-9a-fA-F]+                                        # pointer
    | (?<![\w-])(?=[0-9a-fA-F-]*[0-9])[0-9a-fA-F-]{7,}(?![\w-])      # hexadecimal id
    | (?<![\w])[A-Za-z]+[-_:][0-9][\w-]*                             # name-17
    | (?<![\w])[+-]?[0-9]+(?:[.:,][0-9]+)*(?:[a-zµ%]{1,7}\b)?        # number, with unit
    """,
    re.VERBOSE,
)
_MARKS = re.compile(rf"(?:{re.escape(MARK)}[\s,;:]*){{2,}}")


# The pattern is slow. Only what begins like this can be variable beyond a blank; without it the pattern gives
# the same for each word by itself, and most words were seen before.
_SPANNING = re.compile(r'["\\]|\([0-9]{1,3}: |\[Errno ')
# What no word without can be, and what is variable as a whole: most words are either.
_SUSPECT = re.compile(r"[0-9:='\"-]")
_NUMBER = re.compile(r"[0-9]+|[0-9]{1,6}\.[0-9]+")
_QUOTED = re.compile(r'(?:^|(?<=\s))"[^"\\]*"')
_DIGITS = re.compile(r"[0-9][0-9a-fA-F]*")


@lru_cache(maxsize=8192)
def shape_of(message: str) -> str:
    """Return the shape of a message, at most 512 characters of it."""
    message = message[: 2 * _MAX_SHAPE]
    parts = _QUOTED.split(message) if '"' in message else [message]
    if any(map(_SPANNING.search, parts)):
        masked = _VARIABLE.sub(_mask, message)
    else:
        masked = MARK.join(" ".join(map(_masked_word, part.split(" "))) for part in parts)
    return _MARKS.sub(f"{MARK} ", masked).strip()[:_MAX_SHAPE]


@lru_cache(maxsize=16384)
def _masked_word(word: str) -> str:
    if not _SUSPECT.search(word):
        return word
    if _NUMBER.fullmatch(word):
        return MARK
    return _VARIABLE.sub(_mask, word)


def pieces_of(shape: str) -> list[str]:
    """Return what all messages of a shape have in common, as literal pieces in order."""
    return shape.split(MARK)


def _mask(match: re.Match[str]) -> str:
    if number := match.group("number_of_error"):
        return str(number)
    kept = match.group("kept")
    return _DIGITS.sub(MARK, kept) if kept else MARK
