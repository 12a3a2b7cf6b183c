"""Strangers' text made safe to show: what would hide, reorder or command a terminal stands escaped."""

import unicodedata
from functools import lru_cache

from services.common.evidence.matching import hides

# Control, format (bidi, zero-width, tags), surrogate, private use, unassigned, and the two line separators.
# What the gate refuses because it hides is escaped besides, such as variation selectors that carry text.
_UNPRINTABLE = frozenset({"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"})


def visible(text: str) -> str:
    """Return text on one line in which every character that is not plainly visible stands as its escape."""
    return text if text.isascii() and text.isprintable() else "".join(map(_shown, text))


@lru_cache(maxsize=4096)
def _shown(character: str) -> str:
    if unicodedata.category(character) not in _UNPRINTABLE and not hides(character):
        return character
    return character.encode("unicode_escape").decode("ascii")
