"""`metrics_summary`: the ends and extremes of series, the sample at an instant, those beyond a bound."""

import statistics
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from typing import Final

from services.common.evidence import strict_json
from services.common.evidence.strict_json import Json
from services.executor.sources.instants import FIRST_SECOND, LAST_SECOND
from services.executor.sources.metrics import Series
from services.executor.sources.stop import never
from services.executor.tools.samples import (
    Points,
    instant,
    labels_text,
    number,
    place_of,
    points_of,
)

MAX_LISTED: Final = 400
# A document over the tool's cap would be refused as a whole: it holds this much of the list.
MAX_LISTED_BYTES: Final = 400 << 10


@dataclass(frozen=True, slots=True)
class Asked:
    """What to say of each series. Instants are Unix seconds; the window is half-open."""

    start: float | None = None
    end: float | None = None
    at: float | None = None
    above: float | None = None
    below: float | None = None


def metrics_summary(
    series: Sequence[Series], words: Collection[str], asked: Asked, check: Callable[[], None] = never
) -> tuple[dict[str, Json], bool]:
    """Return the document (see DOCUMENTS.md), and whether it lists all that was looked for."""
    lowered = [word.casefold() for word in words]
    wanted = [each for each in series if not lowered or _is_named(each, lowered)]
    listed: list[Json] = []
    size = 0
    for each in wanted[:MAX_LISTED]:
        check()
        row = _row(each, asked)
        size += len(strict_json.dumps(row))
        if size > MAX_LISTED_BYTES:
            break
        listed.append(row)
    document: dict[str, Json] = {
        **_given(asked),
        "words": [*words],
        "inputs": [
            {"source": source, "sha256": sha256}
            for source, sha256 in sorted({each.source: each.sha256 for each in wanted}.items())
        ],
        "series": listed,
        "matching": number(len(wanted)),
        "read": number(len(series)),
    }
    return document, len(listed) == len(wanted)


def _is_named(series: Series, lowered: Sequence[str]) -> bool:
    text = "\n".join((series.name, series.query, series.source, *series.labels.values())).casefold()
    return any(word in text for word in lowered)


def _given(asked: Asked) -> dict[str, Json]:
    instants = {"start": asked.start, "end": asked.end, "instant": asked.at}
    given: dict[str, Json] = {name: instant(at) for name, at in instants.items() if at is not None}
    bounds = {"above": asked.above, "below": asked.below}
    return given | {name: number(bound) for name, bound in bounds.items() if bound is not None}


def _row(series: Series, asked: Asked) -> Json:
    points = points_of(series, _later(asked.start, FIRST_SECOND), _sooner(asked.end, LAST_SECOND))
    row: dict[str, Json] = {
        "source": series.source,
        "owner": series.owner,
        "inputs": [{**place_of(series), "sha256": series.sha256}],
        "name": series.name,
        "query": series.query,
        "labels": labels_text(series.labels),
        "samples": number(len(points)),
    }
    if not len(points):
        return row
    row |= _sample("first", points, 0) | _sample("last", points, len(points) - 1)
    least, greatest = min(points.values), max(points.values)
    row |= _sample("min", points, points.values.index(least))
    row |= _sample("max", points, points.values.index(greatest))
    row |= _mean(points)
    if asked.at is not None:
        row |= _until(series, asked.at)
    if asked.above is not None or asked.below is not None:
        row |= _beyond(points, asked)
    return row


def _later(one: float | None, other: float) -> float:
    return other if one is None else max(one, other)


def _sooner(one: float | None, other: float) -> float:
    return other if one is None else min(one, other)


def _mean(points: Points) -> dict[str, Json]:
    """Return the mean of the samples in six digits; nothing where their sum has no number."""
    try:
        return {"mean": number(float(f"{statistics.fmean(points.values):.6g}"))}
    except OverflowError:
        return {}


def _until(series: Series, at: float) -> dict[str, Json]:
    """Return the last sample until an instant, unless it is older than two steps: then there is none."""
    points = points_of(series, FIRST_SECOND, LAST_SECOND)
    before = [index for index, time in enumerate(points.times) if time <= at]
    if not before or at - points.times[before[-1]] > 2 * series.step_seconds:
        return {}
    return _sample("value", points, before[-1])


def _beyond(points: Points, asked: Asked) -> dict[str, Json]:
    found = [
        index
        for index, value in enumerate(points.values)
        if (asked.above is None or value > asked.above) and (asked.below is None or value < asked.below)
    ]
    row: dict[str, Json] = {"beyond": number(len(found))}
    if found:
        row |= _sample("beyond_first", points, found[0]) | _sample("beyond_last", points, found[-1])
    return row


def _sample(name: str, points: Points, index: int) -> dict[str, Json]:
    # The source's own token, which need not be a number in JSON's sense.
    return {name: points.tokens[index], f"{name}_at": instant(points.times[index])}
