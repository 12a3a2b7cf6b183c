"""What stands where a secret was taken out of a recorded text, and what of such a text can be cited."""

import re
from typing import Final

# A source may hold such a text itself: then it cannot be cited either, which is the safe side.
_MARKER: Final = re.compile(r"\[redacted:[a-z0-9-]{1,48}\]")


def marker(rule_id: str) -> str:
    """Return what stands for a secret that a rule found."""
    return f"[redacted:{rule_id}]"


def is_marker(text: str) -> bool:
    """Tell whether a text is a marker and nothing else."""
    return _MARKER.fullmatch(text) is not None


def holds_marker(text: str) -> bool:
    """Tell whether a marker stands in a text."""
    return _MARKER.search(text) is not None


def citable_parts(text: str) -> list[str]:
    """Return what stands between the markers of a text, in order; all of it where there is none."""
    return _MARKER.split(text)
