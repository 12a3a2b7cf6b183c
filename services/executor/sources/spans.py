"""Instants without those that lie far from all others: a clock of 1970, an end set to the year 2999."""

from collections.abc import Sequence
from typing import Final

from services.executor.sources.instants import MICROSECONDS, Instant

# What one recording holds lies nearer together than this.
_APART: Final = 183 * 86_400 * MICROSECONDS


def usual(instants: Sequence[Instant]) -> list[Instant]:
    """Return the instants within half a year of the middle one."""
    if not instants:
        return []
    middle = sorted(instants)[len(instants) // 2].microseconds
    return [each for each in instants if abs(each.microseconds - middle) <= _APART]
