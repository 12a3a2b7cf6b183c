"""`metrics_change_points`: which series left their level, when, how far, and whether they came back."""

from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from services.common.evidence.strict_json import Json
from services.executor.sources.metrics import Series
from services.executor.sources.stop import never, watched
from services.executor.tools.excursion import RUN, Excursion, find_excursion
from services.executor.tools.samples import (
    Points,
    instant,
    is_raw_counter,
    judged_values,
    labels_text,
    number,
    place_of,
    points_of,
)

MAX_LISTED = 80
# A series that begins this many steps after the others had no value before; a scrape or two may be late, and
# a rate over a window needs a few samples.
_LATE_STEPS = 6
# With less than this share of the samples it could have, a series comes and goes and has no level to leave.
_SPARSE_SHARE = 0.5


@dataclass(frozen=True, slots=True)
class _Change:
    series: Series
    points: Points
    excursion: Excursion | None
    """None for a series that was absent before."""
    onset: int
    extreme: int
    counter: bool = False


def change_points(
    series: Sequence[Series], start: float | None, end: float | None, check: Callable[[], None] = never
) -> dict[str, Json]:
    """Return the document of `metrics_change_points` (see DOCUMENTS.md).

    `start` and `end` bound the samples, half-open, in seconds since the epoch; None leaves a side open.
    `check` is called for every series and may raise.
    """
    read = [(each, points_of(each, start, end)) for each in watched(series, check)]
    begin = min((points.times[0] for _, points in read if points.times), default=0.0)
    named = _names_only(read)
    judged = [(each, points) for each, points in watched(read, check) if _can_be_judged(each, points, begin)]
    levels = [(each, points) for each, points in judged if (each.source, each.name) not in named]
    changes = [change for each, points in watched(levels, check) if (change := _change(each, points, begin))]
    changes.sort(key=lambda change: (change.points.times[change.onset], change.series.name))
    bounds = {"start": start, "end": end}
    return {
        **{side: instant(seconds) for side, seconds in bounds.items() if seconds is not None},
        "inputs": _sources(series),
        "series": [_listed(change) for change in changes[:MAX_LISTED]],
        "unchanged": number(len(judged) - len(changes)),
        "changed": number(len(changes)),
        "not_judged": number(len(read) - len(judged)),
    }


def _sources(series: Sequence[Series]) -> Json:
    """Return the files that the counts were made of."""
    hashes = {each.source: each.sha256 for each in series}
    return [{"source": source, "sha256": sha256} for source, sha256 in sorted(hashes.items())]


def _can_be_judged(series: Series, points: Points, begin: float) -> bool:
    """Tell whether there are enough samples, for as long as the series exists, to speak of a level."""
    if len(points) < RUN:
        return False
    since = points.times[0] if _is_late(series, points, begin) else begin
    step = series.step_seconds
    return step <= 0 or len(points) >= _SPARSE_SHARE * (points.times[-1] - since) / step


def _is_late(series: Series, points: Points, begin: float) -> bool:
    return series.step_seconds > 0 and points.times[0] - begin > _LATE_STEPS * series.step_seconds


def _change(series: Series, points: Points, begin: float) -> _Change | None:
    if _is_late(series, points, begin):
        return _appeared(series, points)
    counter = is_raw_counter(series, points.values)
    excursion = find_excursion(judged_values(points, counter=counter))
    if excursion is None:
        return None
    return _Change(series, points, excursion, excursion.onset, excursion.extreme, counter)


def _appeared(series: Series, points: Points) -> _Change | None:
    extreme = max(range(len(points)), key=lambda index: abs(points.values[index]))
    if points.values[extreme] == 0:
        return None
    onset = next(index for index, value in enumerate(points.values) if value != 0)
    return _Change(series, points, None, onset, extreme)


def _names_only(read: Sequence[tuple[Series, Points]]) -> set[tuple[str, str]]:
    """Return the metrics that say what something is, by labels on a constant 1, and not how much there is."""
    values: dict[tuple[str, str], set[float]] = defaultdict(set)
    for series, points in read:
        values[series.source, series.name].update(points.values)
    labelled = {(series.source, series.name) for series, _ in read if series.labels}
    return {metric for metric, found in values.items() if found == {1.0} and metric in labelled}


def _listed(change: _Change) -> Json:
    series, points, excursion = change.series, change.points, change.excursion
    ended = excursion.ended if excursion else None
    rises = excursion.rises if excursion else points.values[change.extreme] > 0
    return {
        "source": series.source,
        "owner": series.owner,
        "inputs": [place_of(series)],
        "name": series.name,
        "query": series.query,
        "labels": labels_text(series.labels),
        "samples": number(len(points)),
        "step_seconds": number(series.step_seconds),
        "judged": "rate" if change.counter else "level",
        "baseline": _baseline(points, change.onset),
        "onset": instant(points.times[change.onset]),
        "direction": "rise" if rises else "fall",
        "score": number(round(excursion.score, 1)) if excursion else None,
        "before": _sample(points, change.onset - 1) if change.onset else None,
        "at": _sample(points, change.onset),
        "extreme": _sample(points, change.extreme),
        "last": _sample(points, len(points) - 1),
        "ended": None if ended is None else instant(points.times[ended]),
    }


def _baseline(points: Points, samples: int) -> Json:
    if samples == 0:
        return {"samples": number(0)}
    ordered = sorted(range(samples), key=points.values.__getitem__)
    return {
        "samples": number(samples),
        "median": points.tokens[ordered[(samples - 1) // 2]],
        "min": points.tokens[ordered[0]],
        "max": points.tokens[ordered[-1]],
    }


def _sample(points: Points, index: int) -> Json:
    return {"time": instant(points.times[index]), "value": points.tokens[index]}
