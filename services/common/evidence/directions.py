"""Sentences that contradict themselves: that something rose to less, or fell to more."""

import re
from typing import Final

from services.common.evidence.quantities import quantities_in

_MOVED: Final = re.compile(
    r"(?<![\w-])(?:(?P<up>rose|rises|rising|risen|climbed|grew|grown|increased|jumped|went up)"
    r"|fell|falls|falling|fallen|dropped|dropping|declined|decreased|shrank|sank|went down)\s+from\s+",
    re.IGNORECASE,
)
_TO: Final = re.compile(r"\s+to\s+")
# Longer than any two numbers with their units.
_REACH: Final = 160


def contradicts_itself(text: str) -> bool:
    """Tell whether a sentence says "rose from X to Y" of an X above Y, or "fell" of an X below Y.

    Only two numbers in digits of one dimension are compared; all else contradicts nothing.
    """
    return any(_is_wrong(match, text) for match in _MOVED.finditer(text))


def _is_wrong(match: re.Match[str], text: str) -> bool:
    rest = text[match.end() : match.end() + _REACH]
    ends = list(quantities_in(rest))[:2]
    if len(ends) < 2 or ends[0][0] != 0 or not _TO.fullmatch(rest, ends[0][1], ends[1][0]):
        return False
    before, after = ends[0][2], ends[1][2]
    if before.has_unit and before.dimension is not after.dimension:
        return False
    # "from 4 to 76 ms" leaves the first unit out.
    factor = before.factor if before.has_unit else after.factor
    difference = after.number * after.factor - before.number * factor
    return difference < 0 if match["up"] else difference > 0
