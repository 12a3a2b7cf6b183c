"""The time that a source spans, without what lies far from the rest: a clock of 1970, an end set to 2999."""

from collections.abc import Sequence
from typing import Final

from services.executor.sources.instants import Instant, from_seconds

# What one recording holds lies nearer together than this, in seconds.
_APART: Final = 183 * 86_400


def span_of(instants: Sequence[Instant]) -> list[Instant]:
    """Return the first and the last instant of those within half a year of the middle one."""
    if not instants:
        return []
    middle = sorted(instants)[len(instants) // 2].microseconds
    near = [each for each in instants if abs(each.microseconds - middle) <= _APART * 1_000_000]
    return [min(near), max(near)]


def span_of_seconds(times: Sequence[float]) -> tuple[Instant | None, Instant | None]:
    """Return the same of Unix times; None for each where there are none."""
    if not times:
        return None, None
    middle = sorted(times)[len(times) // 2]
    near = [time for time in times if abs(time - middle) <= _APART]
    return from_seconds(min(near)), from_seconds(max(near))
