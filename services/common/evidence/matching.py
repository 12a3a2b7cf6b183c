"""Whether a quoted text stands, literally, at a place of a document.

Matching is on the raw text and never on a normalized form: zero-width characters and look-alike letters then
fail by themselves. Text that a person sees as something else does match, so it is refused for what it is.
"""

import re

from services.common.evidence.strict_json import Json, NumberToken

MIN_SUBSTRING = 4

_HIDING = re.compile(
    "["
    "\x00-\x08\x0b-\x1f\x7f-\x9f"  # escape sequences, carriage return, backspace; not tab, line feed
    "\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069"  # bidirectional controls
    "\U000e0000-\U000e01ef"  # tag characters and variation selectors that carry invisible text
    "]"
)


def hides(text: str) -> bool:
    """Tell whether a text holds characters that hide or reorder what a person sees."""
    return _HIDING.search(text) is not None


def stands_at(matched_text: str, value: Json) -> bool:
    """Tell whether a text is what a scalar says.

    At a string: a substring of at least 4 characters, or all of it. At a number, a boolean or null: the token
    as it is stored. Nowhere else.
    """
    match value:
        case NumberToken():
            return matched_text == str(value)
        case str():
            return matched_text == value or (len(matched_text) >= MIN_SUBSTRING and matched_text in value)
        case bool():
            return matched_text == ("true" if value else "false")
        case None:
            return matched_text == "null"
        case _:
            return False
