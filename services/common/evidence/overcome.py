"""Lines that say that trying again helped: what failed first is no fault of now."""

import re
from typing import Final

_AGAIN: Final = r"(?:retr(?:y|ies|ied|ying)|attempts?|tries)"
_DONE: Final = r"(?:succeeded|successful(?:ly)?)"
_OVERCOME: Final = re.compile(
    # Of several attempts in a line, the one before the word is meant.
    rf"\b{_AGAIN}\b(?P<between>(?:(?!{_AGAIN})[^.\n]){{0,80}}?)\b{_DONE}\b"
    rf"|\b(?:{_DONE}|recovered) (?:on|after|at|in|with) (?:\w+ ){{0,3}}{_AGAIN}\b",
    re.IGNORECASE,
)
_NONE: Final = re.compile(
    r"\b(?:no|not|none|never|neither|without|zero|0)\b\W+(?:\w+\W+){0,3}$", re.IGNORECASE
)
_BETWEEN: Final = re.compile(
    r"\b(?:not|never|no|none|nor|until|unless|if|once|when|till|before|0|\w*fail\w*)\b|n't\b", re.IGNORECASE
)
_AFTERWARDS: Final = re.compile(
    r"^\W{0,3}(?:false|0)\b|\b(?:but|however|fail\w*|g(?:ave|iving) up)\b", re.IGNORECASE
)
_LOOK_BACK: Final = 48


def is_overcome(text: str) -> bool:
    """Tell whether a line says that what failed first succeeded when it was tried again.

    What denies that, before, between or behind its words, or goes on to fail, is no success.
    """
    found = _OVERCOME.search(text)
    if found is None:
        return False
    before = text[max(0, found.start() - _LOOK_BACK) : found.start()]
    denied = _NONE.search(before) or _BETWEEN.search(found["between"] or "")
    return not (denied or _AFTERWARDS.search(text[found.end() :]))
