"""Lines that say that trying again helped: what failed first is no fault of now."""

import re
from typing import Final

_LATER: Final = r"(?:[2-9]|[1-9]\d{1,5})(?:nd|rd|th)?"
_ORDINAL: Final = rf"(?:{_LATER}|second|third|fourth|fifth|another|two|three|four|five|several)"
# An attempt may be the first one, or one at something else, such as a login: then nothing was tried again.
_ATTEMPT: Final = rf"(?:attempt|try)\W{{1,3}}{_LATER}\b|{_ORDINAL} (?:attempts?|tries|try)"
_RETRY: Final = r"retr(?:y|ies|ied|ying)"
_AGAIN: Final = rf"(?:{_RETRY}|{_ATTEMPT})"
_DONE: Final = r"(?:succeeded|successful(?:ly)?)"
_OVERCOME: Final = re.compile(
    # Of several attempts in a line, the one before the word is meant.
    rf"\b{_AGAIN}\b(?P<between>(?:(?!\b(?:{_AGAIN}|attempts?|tries)\b)[^.\n]){{0,80}}?)\b{_DONE}\b"
    rf"|\b(?:{_DONE}|recovered) (?:on|after|at|in|with) "
    rf"(?:(?:\w+ ){{0,3}}{_RETRY}|(?:\w+ ){{0,2}}?(?:{_ATTEMPT}))\b",
    re.IGNORECASE,
)
# What is only hoped, or was so of some or in former times.
_DOUBT: Final = (
    r"not|never|no|none|nor|until|unless|if|once|when|till|before|0|\w*fail\w*|should|would|could|can|may|might"
    r"|must|hopefully|expect(?:s|ed|ing)?|wait(?:s|ed|ing)?|to be|last|previous(?:ly)?|only|few|hardly|rarely"
    r"|seldom|partial(?:ly)?|exhausted|lost"
)
_BEFORE: Final = re.compile(
    r"\b(?:no|not|none|never|neither|without|zero|0|only|few|hardly|rarely|seldom|all but|would|should|could"
    r"|might|last|until|\d+ of \d+|\d+/\d+)\b\W+(?:\w+\W+){0,3}$",
    re.IGNORECASE,
)
_BETWEEN: Final = re.compile(rf"\b(?:{_DOUBT})\b|n't\b", re.IGNORECASE)
_AFTERWARDS: Final = re.compile(
    r"^\W{0,3}(?:(?:false|0)\b|no(?=[^\w\s]|\s*$))|^\?"
    r"|\b(?:but|however|then|lost|still|retrying|exhausted|fail\w*|g(?:ave|iving) up|\d+ of \d+)\b",
    re.IGNORECASE,
)
_LOOK_BACK: Final = 48


def is_overcome(text: str) -> bool:
    """Tell whether a line says that what failed first succeeded when it was tried again.

    What denies or doubts that, before, between or behind its words, or goes on to fail, is no success.
    """
    found = _OVERCOME.search(text)
    if found is None:
        return False
    before = text[max(0, found.start() - _LOOK_BACK) : found.start()]
    denied = _BEFORE.search(before) or _BETWEEN.search(found["between"] or "")
    return not (denied or _AFTERWARDS.search(text[found.end() :]))
