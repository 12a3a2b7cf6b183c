"""`metrics_shift`: every series before an instant and since, and how far it moved, moved or not."""

from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass

from services.common.evidence import strict_json
from services.common.evidence.strict_json import Json
from services.executor.sources.metrics import Series
from services.executor.sources.stop import never
from services.executor.tools.courses import Course, courses
from services.executor.tools.samples import instant, labels_text, number, place_of
from services.executor.tools.shift_scores import Shift, compared, shift_of

MAX_LISTED = 600
# A document over the tool's cap would be refused as a whole: it holds this much of the list.
MAX_LISTED_BYTES = 400 << 10
# Beyond this a sample lies outside of what is usual (Hampel's rule, "The influence curve", JASA 69, 1974).
_LEAVING = 3.0
# As many as a statement shows, so that what it says is what stands here.
_SIGNIFICANT_DIGITS = 4


@dataclass(frozen=True, slots=True)
class _Moved:
    course: Course
    reference: Sequence[float]
    since: Sequence[float]
    times: Sequence[float]
    """The instants of the samples since."""
    shift: Shift


def metrics_shift(
    series: Sequence[Series],
    split: float,
    bounds: tuple[float | None, float | None] = (None, None),
    components: Collection[str] = (),
    check: Callable[[], None] = never,
) -> dict[str, Json]:
    """Return the document of `metrics_shift` (see DOCUMENTS.md).

    `split` and `bounds` (half-open; None leaves a side open) are in seconds since the epoch. A sample that
    sums up a step belongs to the side on which more of that step lies. With `components`, only series with
    one of these owners are compared. `check` is called for every series and may raise.
    """
    wanted = [each for each in series if not components or each.owner in components]
    made = [(course, _moved(course, split)) for course in courses(wanted, *bounds, check)]
    moved = sorted((each for _, each in made if each is not None), key=lambda each: -abs(each.shift.window))
    return {
        "split": instant(split),
        **{name: instant(at) for name, at in zip(("start", "end"), bounds, strict=True) if at is not None},
        "inputs": [
            {"source": source, "sha256": sha256}
            for source, sha256 in sorted({each.source: each.sha256 for each in wanted}.items())
        ],
        "series": _fitting(_listed(each) for each in moved[:MAX_LISTED]),
        "compared": number(len(moved)),
        "not_compared": number(len(made) - len(moved)),
    }


def _fitting(rows: Iterable[Json]) -> list[Json]:
    """Return the first rows that together are short enough."""
    found: list[Json] = []
    left = MAX_LISTED_BYTES
    for row in rows:
        left -= len(strict_json.dumps(row))
        if left < 0:
            break
        found.append(row)
    return found


def _moved(course: Course, split: float) -> _Moved | None:
    cut = split - course.series.step_seconds / 2
    at = next((index for index, time in enumerate(course.times) if time >= cut), len(course.times))
    reference, since = course.values[:at], course.values[at:]
    shift = shift_of(reference, since, counts=course.counts)
    if shift is None:
        return None
    near = compared(reference, since)
    return _Moved(course, reference, near, course.times[at : at + len(near)], shift)


def _listed(moved: _Moved) -> Json:
    course, shift = moved.course, moved.shift
    own = [course.series, *([course.by] if course.by else [])]
    listed: dict[str, Json] = {
        "source": course.series.source,
        "owner": course.series.owner,
        "inputs": [place_of(each) for each in own],
        "name": course.series.name,
        "labels": labels_text(course.series.labels),
        "judged": course.judged,
        "step_seconds": number(course.series.step_seconds),
        "reference": {
            "samples": number(len(moved.reference)),
            "usual": _rounded(shift.centre),
            "spread": _rounded(shift.spread),
            "window_spread": _rounded(shift.window_spread),
        },
        "since": {
            "samples": number(len(moved.since)),
            "mean": _rounded(shift.since_mean),
            "min": _rounded(min(moved.since)),
            "max": _rounded(max(moved.since)),
            "sum": _rounded(sum(moved.since)),
        },
        "difference": _rounded(shift.difference),
        "scores": {
            name: number(round(getattr(shift, name), 2))
            for name in ("window", "robust", "n_sigma", "median_shift")
        },
        "left_at": _left_at(moved),
    }
    if course.by is not None:
        listed["by"] = {"name": course.by.name, "labels": labels_text(course.by.labels)}
    return listed


def _left_at(moved: _Moved) -> Json:
    """Return the first sample since that lies outside of what is usual, on the side of the shift."""
    shift = moved.shift
    side = 1.0 if shift.difference >= 0 else -1.0
    limit = _LEAVING * max(shift.spread, shift.window_spread)
    outside = (
        time
        for time, value in zip(moved.times, moved.since, strict=True)
        if side * (value - shift.centre) > limit
    )
    first = next(outside, None)
    return None if first is None else instant(first)


def _rounded(value: float) -> Json:
    return number(float(f"{value:.{_SIGNIFICANT_DIGITS}g}"))
