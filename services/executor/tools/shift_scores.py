"""How far the samples since an instant lie from those before it, by several published scores.

All of them are signed, positive upwards, and in multiples of what the samples before usually vary by.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import fmean, median, pstdev, quantiles

from services.executor.tools.robust import MAD_TO_SIGMA

# Fewer samples before the instant tell nothing about what is usual.
MIN_REFERENCE = 5
# The mean since is compared with means of as many samples before; of those there must be several.
_MOST_OF_REFERENCE = 3
_LEAST_SINCE = 3
# A mean that moves by less than this share of itself is the same to an operator; means are steadier than the
# single samples of `robust.py`, whose floor is higher.
_RELATIVE_FLOOR = 0.02
_SMALLEST = 1e-9


@dataclass(frozen=True, slots=True)
class Shift:
    """The samples before and since an instant, in the unit of the series, and the scores."""

    centre: float
    """What is usual: the median, of counts the mean, since rare events have a median of 0."""
    spread: float
    """Robust standard deviation of one sample."""
    window_spread: float
    """How much a mean over as many samples as those since varies without any trouble."""
    since_mean: float
    window: float
    robust: float
    n_sigma: float
    median_shift: float

    @property
    def difference(self) -> float:
        """The mean since, less what is usual."""
        return self.since_mean - self.centre


def compared(reference: Sequence[float], since: Sequence[float]) -> Sequence[float]:
    """Return the samples since that are compared: the first ones, a third as many as lie before.

    What has been over for long would else hide in the mean what it was.
    """
    return since[: max(_LEAST_SINCE, len(reference) // _MOST_OF_REFERENCE)]


def shift_of(reference: Sequence[float], since: Sequence[float], *, counts: bool) -> Shift | None:
    """Compare; None with too few samples. `counts` are numbers of events per sample, not a level.

    `window`: the mean since against how much means over as many samples vary before, at least by what their
    median absolute deviation (Rousseeuw and Croux, JASA 88, 1993) gives, and for counts by the root of what
    is expected (Poisson) and by one event.
    `robust`: BARO's robust scorer, the farthest sample in interquartile ranges from the median (Pham, Ha and
    Zhang, "BARO: Robust Root Cause Analysis for Microservices", FSE 2024).
    `n_sigma`: the farthest sample in standard deviations from the mean (the same comparison's baseline, after
    Shewhart, "Economic Control of Quality of Manufactured Product", 1931).
    `median_shift`: the difference of the medians in robust standard deviations.
    """
    if len(reference) < MIN_REFERENCE or not since:
        return None
    near = compared(reference, since)
    middle = median(reference)
    spread = MAD_TO_SIGMA * median(abs(value - middle) for value in reference)
    centre = fmean(reference) if counts else middle
    floor = _floor(centre, len(near), counts=counts)
    usual = max(pstdev(_means(reference, len(near))), floor, 0.0 if counts else spread / math.sqrt(len(near)))
    lower, _, upper = quantiles(reference, n=4, method="inclusive")
    difference = fmean(near) - centre
    return Shift(
        centre=centre,
        spread=spread,
        window_spread=usual,
        since_mean=fmean(near),
        window=difference / usual,
        robust=_farthest(near, middle) / max(upper - lower, floor),
        n_sigma=_farthest(near, fmean(reference)) / max(pstdev(reference), floor),
        median_shift=(median(near) - middle) / max(spread, floor),
    )


def _floor(centre: float, samples: int, *, counts: bool) -> float:
    if counts:
        return max(math.sqrt(centre / samples), 1.0 / samples)
    return max(_RELATIVE_FLOOR * abs(centre), _SMALLEST)


def _means(values: Sequence[float], width: int) -> list[float]:
    return [fmean(values[index : index + width]) for index in range(len(values) - width + 1)]


def _farthest(values: Sequence[float], centre: float) -> float:
    return max((value - centre for value in values), key=abs)
