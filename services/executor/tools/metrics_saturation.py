"""`metrics_saturation`: usage series against the constant series that limit them.

A limit is recognised by its name, because nothing else in a metric says that it is one; a usage is matched to
it by the words of both names. What is matched is shown, so that a reader can judge it.
"""

import re
from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from services.common.evidence.strict_json import Json
from services.executor.sources.metrics import Series
from services.executor.sources.stop import never, watched
from services.executor.tools.robust import lower_median
from services.executor.tools.samples import (
    Points,
    instant,
    labels_text,
    number,
    place_of,
    points_of,
    token_of,
)

MAX_PAIRS = 80
# Servers keep a few slots in reserve and scrapes miss the very top.
REACHED_RATIO = 0.95
# A level above a limit by more than this is no use of it: the two count different things.
_MAX_RATIO = 1.5
_LIMIT_WORDS = frozenset(
    {
        "max",
        "maximum",
        "limit",
        "limits",
        "capacity",
        "quota",
        "size",
        "ceiling",
        "hard",
    }
)
# How something is counted or configured, not what.
_FORM_WORDS = frozenset(
    {
        "avg",
        "bytes",
        "by",
        "config",
        "configured",
        "count",
        "current",
        "info",
        "num",
        "number",
        "of",
        "ratio",
        "seconds",
        "setting",
        "settings",
        "sum",
        "total",
    }
)
# An amount that is left over shrinks as the resource fills.
_REMAINDER_WORDS = frozenset(
    {
        "available",
        "avail",
        "free",
        "idle",
        "remaining",
        "left",
        "unused",
    }
)


@dataclass(frozen=True, slots=True)
class _Reading:
    series: Series
    points: Points
    prefix: str
    """The first word of the name, by convention the subsystem: `pg`, `redis`, `process`."""
    words: frozenset[str]
    """The other words of the name, without those of form."""


@dataclass(frozen=True, slots=True)
class _Usage:
    parts: list[_Reading]
    times: list[float]
    values: list[float]


def saturation(
    series: Sequence[Series], start: float | None, end: float | None, check: Callable[[], None] = never
) -> dict[str, Json]:
    """Return the document of `metrics_saturation` (see DOCUMENTS.md).

    `start` and `end` bound the samples, half-open, in seconds since the epoch; None leaves a side open. A
    limit that is 0 or negative means "no limit" and is left out. `check` is called for every series and may
    raise.
    """
    each_points = ((each, points_of(each, start, end)) for each in watched(series, check))
    readings = [_reading(each, points) for each, points in each_points if len(points)]
    by_file: dict[tuple[str, str], list[_Reading]] = defaultdict(list)
    for reading in readings:
        by_file[reading.series.source, reading.series.name].append(reading)
    pairs: list[Json] = []
    for limit in watched(readings, check):
        if _is_limit(limit):
            for group in by_file.values():
                parts = [reading for reading in group if _uses(reading, limit)]
                if parts and (pair := _pair(limit, _usage(parts))) is not None:
                    pairs.append(pair)
    return {"pairs": pairs[:MAX_PAIRS]}


def _reading(series: Series, points: Points) -> _Reading:
    words = [word for word in re.split(r"[^a-z0-9]+", series.name.lower()) if word]
    return _Reading(series, points, words[0] if words else "", frozenset(words[1:]) - _FORM_WORDS)


def _is_limit(reading: _Reading) -> bool:
    values = reading.points.values
    constant = min(values) == max(values)
    return constant and values[0] > 0 and bool(reading.words & _LIMIT_WORDS) and bool(_subject(reading))


def _subject(reading: _Reading) -> frozenset[str]:
    return reading.words - _LIMIT_WORDS


def _uses(reading: _Reading, limit: _Reading) -> bool:
    if reading.words & (_LIMIT_WORDS | _REMAINDER_WORDS) or not _subject(limit) <= reading.words:
        return False
    own, others = reading.series, limit.series
    same_system = reading.prefix == limit.prefix or (own.owner != "" and own.owner == others.owner)
    shared = (own.labels.keys() & others.labels.keys()) - {"__name__"}
    return same_system and all(own.labels[name] == others.labels[name] for name in shared)


def _usage(parts: list[_Reading]) -> _Usage:
    sums: dict[float, float] = defaultdict(float)
    for part in parts:
        for time, value in zip(part.points.times, part.points.values, strict=True):
            sums[time] += value
    times = sorted(sums)
    return _Usage(parts, times, [sums[time] for time in times])


def _pair(limit: _Reading, usage: _Usage) -> Json:
    bound = limit.points.values[0]
    peak = max(range(len(usage.values)), key=usage.values.__getitem__)
    ratio = usage.values[peak] / bound
    if ratio > _MAX_RATIO:
        return None
    reached = next(
        (index for index, value in enumerate(usage.values) if value >= REACHED_RATIO * bound), None
    )
    first_third = usage.values[: max(1, len(usage.values) // 3)]
    pair: dict[str, Json] = {
        "inputs": [place_of(limit.series), *(place_of(part.series) for part in usage.parts)],
        "owner": limit.series.owner,
        "limit_name": limit.series.name,
        "usage_name": usage.parts[0].series.name,
        "limit": limit.points.tokens[0],
        "usage_before": token_of(lower_median(first_third)),
        "usage_max": token_of(usage.values[peak]),
        "max_at": instant(usage.times[peak]),
        "ratio_max": number(round(ratio, 4)),
        "reached": None if reached is None else instant(usage.times[reached]),
    }
    if len(usage.parts) > 1:
        pair["largest"] = _largest(usage, usage.times[peak])
    return pair


def _largest(usage: _Usage, time: float) -> Json:
    """Return the part that is largest at an instant."""
    at_peak = [
        (part, index) for part in usage.parts for index, each in enumerate(part.points.times) if each == time
    ]
    part, index = max(at_peak, key=lambda found: found[0].points.values[found[1]])
    return {
        "source": part.series.source,
        "labels": labels_text(part.series.labels),
        "value": part.points.tokens[index],
    }
