"""Robust location and spread of a series, and how far a sample lies from them.

The median and the median absolute deviation (MAD) are the estimators with the highest breakdown point: up to
half of the baseline may be disturbed. 1.4826 makes the MAD consistent with the standard deviation of a normal
distribution (Rousseeuw and Croux, "Alternatives to the Median Absolute Deviation", JASA 88, 1993).
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

MAD_TO_SIGMA = 1.4826
# A level that moves by less than this share of itself is the same level to an operator.
RELATIVE_FLOOR = 0.05
# Part of the baseline that may be warm-up or a known disturbance.
TRIMMED_SHARE = 0.1
# Ratios beyond this are as good as infinite; it keeps the logarithm of zero finite.
_SMALLEST_RATIO = 1e-3


@dataclass(frozen=True, slots=True)
class Baseline:
    """What is normal for one series."""

    median: float
    spread: float
    """Robust standard deviation, never below the series' own resolution; in the unit of `distance`."""
    usual: float
    """Distance that nine of ten baseline samples keep, in multiples of `spread`."""
    logarithmic: bool
    """True when distances are ratios: positive measured quantities such as latencies vary by factors."""

    exact: bool
    """True when the baseline, but for its trimmed part, is one count, or zero: any move leaves it."""

    def distance(self, value: float) -> float:
        """Return the signed distance of a value from the median, in multiples of the spread."""
        return _difference(value, self.median, logarithmic=self.logarithmic) / self.spread


def baseline_of(values: Sequence[float], everything: Sequence[float]) -> Baseline:
    """Describe a baseline; `everything` is the whole series, which tells its resolution.

    Counts and levels that are whole numbers are compared by difference, positive measurements by ratio.
    """
    median = lower_median(values)
    whole = all(value.is_integer() for value in everything)
    logarithmic = not whole and all(value > 0 for value in values)
    deviations = sorted(abs(_difference(value, median, logarithmic=logarithmic)) for value in values)
    spread = max(MAD_TO_SIGMA * lower_median(deviations), _floor(median, everything, whole, logarithmic))
    usual = deviations[min(len(deviations) - 1, int(len(deviations) * (1 - TRIMMED_SHARE)))]
    exact = usual == 0.0 and (whole or median == 0.0)
    return Baseline(median, spread, usual / spread, logarithmic, exact)


def lower_median(values: Sequence[float]) -> float:
    """Return the median that is itself an element."""
    return sorted(values)[(len(values) - 1) // 2]


def _floor(median: float, everything: Sequence[float], whole: bool, logarithmic: bool) -> float:
    if logarithmic:
        return math.log1p(RELATIVE_FLOOR)
    if whole:
        return max(1.0, RELATIVE_FLOOR * abs(median))
    # A baseline that touches zero has no scale of its own but the range of the series.
    return max(RELATIVE_FLOOR * (max(everything) - min(everything)), 1e-12)


def _difference(value: float, median: float, *, logarithmic: bool) -> float:
    if not logarithmic:
        return value - median
    return math.log(max(value / median, _SMALLEST_RATIO))
