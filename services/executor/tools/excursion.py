"""The main excursion of one series: where it leaves its baseline, how far it goes, whether it comes back.

It is back when several samples in a row lie within what the samples before the onset reached, and when it
does not leave again for as long; a plateau elsewhere is no return.

The baseline period is not given. It begins as the first third of the samples and is then everything before
the onset that it led to, until both agree. A step inside of that third has most of it on the new level: it is
looked for by itself, as the place where all samples before lie on one side of all that follow, single ones
apart.

The onset is found backwards from the largest excursion, so that a small disturbance long before does not
count as its beginning. This is a retrospective single change-point test on robustly standardised samples; see
Hampel, "The influence curve and its role in robust estimation", JASA 69, 1974, for its outlier rule.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate

from services.executor.tools.robust import Baseline, baseline_of, lower_median

# Fewer samples tell nothing about what is normal.
MIN_BASELINE = 4
# A peak below this many robust standard deviations is noise (Hampel's rule uses 3 for one sample; a series
# has a hundred of them and there are a hundred series).
PEAK_DISTANCE = 6.0
# Beyond this a sample is outside its baseline (Hampel's rule); it marks the onset of a larger excursion.
LEAVING_DISTANCE = 3.0
# A peak must be this many times farther out than nine of ten baseline samples.
USUAL_FACTOR = 2.0
# So many samples in a row make an excursion sustained, or make a return final.
RUN = 3
# So many samples inside the band do not end an excursion.
GAP = 2
# Above rounding errors.
SMALLEST_MOVE = 1e-9
_MAX_ROUNDS = 4
# A running median over this many samples to each side takes out single ones and keeps the edge of a step.
_REACH = 2


@dataclass(frozen=True, slots=True)
class Excursion:
    """Indices into the samples; `ended` is None while the series stays away."""

    baseline: Baseline
    onset: int
    extreme: int
    ended: int | None
    score: float
    rises: bool


def find_excursion(values: Sequence[float]) -> Excursion | None:
    """Return the main excursion of a series, or None when it stays in its baseline."""
    end = max(MIN_BASELINE, len(values) // 3)
    return _settled(values, end) or _early_step(values, end)


def _settled(values: Sequence[float], end: int) -> Excursion | None:
    """Return the excursion from a baseline that it agrees with, beginning with the first `end` samples."""
    found = None
    for _ in range(_MAX_ROUNDS):
        if end >= len(values):
            return None
        found = _from_baseline(values, end)
        if found is None or found.onset < MIN_BASELINE:
            return None
        if found.onset == end:
            break
        end = found.onset
    return found


def _early_step(values: Sequence[float], limit: int) -> Excursion | None:
    """Return the step to a new, lasting level among the first samples, the widest one if there are more."""
    smooth = [
        lower_median(values[max(0, index - _REACH) : index + _REACH + 1]) for index in range(len(values))
    ]
    before = list(zip(accumulate(smooth, min), accumulate(smooth, max), strict=True))
    back = smooth[::-1]
    after = list(zip(accumulate(back, min), accumulate(back, max), strict=True))[::-1]
    gaps = [
        (_gap(before[at - 1], after[at]), at)
        for at in range(MIN_BASELINE, min(limit, len(values) - MIN_BASELINE) + 1)
    ]
    gap, at = max(gaps, default=(0.0, 0))
    found = _settled(values, at) if gap > 0 else None
    return found if found is not None and found.ended is None and found.onset <= limit else None


def _gap(before: tuple[float, float], after: tuple[float, float]) -> float:
    """Return how far two ranges lie apart; 0 where that is less than either of them is wide."""
    gap = max(after[0] - before[1], before[0] - after[1])
    return gap if gap >= max(before[1] - before[0], after[1] - after[0]) else 0.0


def _from_baseline(values: Sequence[float], end: int) -> Excursion | None:
    baseline = baseline_of(values[:end], values)
    distances = [baseline.distance(value) for value in values]
    extreme = max(range(end, len(values)), key=lambda index: abs(distances[index]))
    rises = distances[extreme] > 0
    outward = [distance if rises else -distance for distance in distances]
    limit = _leaving_distance(baseline)
    onset = _start(outward, extreme, limit, max(limit, USUAL_FACTOR * baseline.usual))
    if not _is_change(outward, onset, extreme, baseline, limit):
        return None
    low, high = min(values[:onset], default=0.0), max(values[:onset], default=0.0)
    away = [abs(distance) > limit for distance in distances]
    back = [low <= value <= high and not out for value, out in zip(values, away, strict=True)]
    ended = _return(back, away, extreme)
    moved = range(onset, len(values) if ended is None else ended)
    farthest = max(moved, key=values.__getitem__) if rises else min(moved, key=values.__getitem__)
    return Excursion(baseline, onset, farthest, ended, abs(distances[extreme]), rises)


def _leaving_distance(baseline: Baseline) -> float:
    # A count that never moved, or a zero that was always zero, is left by any move.
    if baseline.exact:
        return SMALLEST_MOVE
    return max(LEAVING_DISTANCE, baseline.usual)


def _is_change(outward: Sequence[float], onset: int, extreme: int, baseline: Baseline, limit: float) -> bool:
    peak = outward[extreme]
    if peak <= USUAL_FACTOR * baseline.usual:
        return False
    if peak >= PEAK_DISTANCE:
        return True
    stays = outward[onset : onset + RUN]
    return baseline.exact and len(stays) == RUN and min(stays) > limit


def _start(outward: Sequence[float], extreme: int, limit: float, apart: float) -> int:
    """Return where an excursion begins; a sample before a gap must lie beyond `apart`, or it is noise."""
    start = index = extreme
    while index > 0 and start - index <= GAP:
        index -= 1
        if outward[index] > (limit if start - index == 1 else apart):
            start = index
    return start


def _return(back: Sequence[bool], away: Sequence[bool], extreme: int) -> int | None:
    """Return where the first run of samples that are back begins, which no run of samples away follows."""
    ended = None
    inside = outside = 0
    for index in range(extreme + 1, len(back)):
        inside = inside + 1 if back[index] else 0
        outside = outside + 1 if away[index] else 0
        if inside >= RUN and ended is None:
            ended = index - RUN + 1
        elif outside >= RUN:
            ended = None
    return ended
