"""Strangers' text as a model is shown it: one line behind a label of ours. Pure."""

from typing import Final

from services.common.visible import visible

BAR: Final = "| "
_LEFT_OUT: Final = " …[{} characters left out]… "
# A text is cut in its middle: what it is and how it ends tell more than what stands between.
_HEAD: Final = 2 / 3


def quoted(label: str, text: str, limit: int) -> str:
    """Return `label| text` on one line, the text in at most about `limit` characters.

    No character of it ends the line, hides or reorders. What begins a line is always a label of ours.
    """
    return f"{visible(label)}{BAR}{shortened(visible(text), limit)}"


def shortened(text: str, limit: int) -> str:
    """Return at most `limit` characters of a text, and how many of its middle were left out."""
    if len(text) <= limit:
        return text
    head = int(limit * _HEAD)
    tail = limit - head
    return f"{text[:head]}{_LEFT_OUT.format(len(text) - limit)}{text[len(text) - tail :]}"
