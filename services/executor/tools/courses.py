"""What is compared of a file's series: levels, increases of counters, means of histograms, failed requests.

A share of good answers says little without how many were asked for: one failed request of three is a share of
67 %. Where a series of requests with the same labels stands beside it, what is compared is therefore their
product, the number of failed requests. The histogram's sum and count give the mean of its observations.
"""

import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

from services.executor.sources.metrics import Series
from services.executor.sources.stop import never, watched
from services.executor.tools.samples import Points, is_raw_counter, points_of

Judged = Literal["level", "increase", "mean", "failures"]

_SHARE_WORDS = frozenset({"availability", "success", "successful"})
_REQUEST_WORDS = frozenset({"requests", "request", "calls", "invocations"})
# What is counted event by event; a level that is a whole number by chance is none.
_EVENT_WORDS = _REQUEST_WORDS | {"errors", "error", "failures", "faults", "timeouts", "events", "messages"}
# They say how samples were summed up, not of what: a share is an average, its requests are a sum.
_FORM_LABELS = ("__name__", "statistic", "stat", "aggregation", "agg", "quantile")
_WORD = re.compile(r"[a-z]+")
_PERCENT = 100.0


@dataclass(frozen=True, slots=True)
class Course:
    """One series as it is compared; `by` is the second one that it was made with."""

    series: Series
    judged: Judged
    times: Sequence[float]
    values: Sequence[float]
    by: Series | None = None

    @property
    def counts(self) -> bool:
        """Tell whether the values are numbers of events, each sample for itself."""
        if self.judged != "level":
            return self.judged != "mean"
        events = not _EVENT_WORDS.isdisjoint(_WORD.findall(self.series.name.lower()))
        return events and all(value >= 0 and value.is_integer() for value in self.values)


@dataclass(frozen=True, slots=True)
class _Read:
    series: Series
    points: Points

    @property
    def name(self) -> str:
        return self.series.labels.get("__name__") or self.series.name

    @property
    def words(self) -> frozenset[str]:
        return frozenset(_WORD.findall(self.series.name.lower()))

    @property
    def about(self) -> tuple[tuple[str, str], ...]:
        """Whom and what it is about: its labels without those that name the measurement itself."""
        pairs = self.series.labels.items()
        return tuple(sorted(pair for pair in pairs if pair[0] not in _FORM_LABELS))

    @property
    def is_counter(self) -> bool:
        return is_raw_counter(self.series, self.points.values)


def courses(
    series: Sequence[Series], start: float | None, end: float | None, check: Callable[[], None] = never
) -> list[Course]:
    """Return what can be compared, in the order of the series; `check` is called for each and may raise."""
    read = [_Read(each, points_of(each, start, end)) for each in watched(series, check)]
    beside = _by_subject(read)
    made = (_course(each, beside) for each in watched(read, check) if not each.name.endswith("_bucket"))
    return [course for course in made if course is not None]


def _by_subject(read: Iterable[_Read]) -> dict[tuple[tuple[str, str], ...], list[_Read]]:
    found: dict[tuple[tuple[str, str], ...], list[_Read]] = defaultdict(list)
    for each in read:
        found[each.about].append(each)
    return found


def _course(read: _Read, beside: dict[tuple[tuple[str, str], ...], list[_Read]]) -> Course | None:
    if not len(read.points):
        return None
    others = beside[read.about]
    if read.name.endswith("_sum"):
        count = read.name.removesuffix("_sum") + "_count"
        partner = next((each for each in others if each.name == count), None)
        return _mean(read, partner) if partner else _alone(read)
    if read.words & _SHARE_WORDS and not read.is_counter:
        requests = next((each for each in others if each.words & _REQUEST_WORDS and each is not read), None)
        failed = _failures(read, requests) if requests else None
        return failed or _alone(read)
    return _alone(read)


def _alone(read: _Read) -> Course:
    points = read.points
    if read.is_counter:
        increases = _increases(read)
        return Course(read.series, "increase", list(increases), list(increases.values()))
    return Course(read.series, "level", points.times, points.values)


def _increases(read: _Read) -> dict[float, float]:
    """Return by how much a counter grew until each sample; what it grew after a restart is its value."""
    times, values = read.points.times, read.points.values
    pairs = zip(times[1:], values[:-1], values[1:], strict=True)
    return {time: after - before if after >= before else after for time, before, after in pairs}


def _mean(total: _Read, count: _Read) -> Course:
    amounts, numbers = _increases(total), _increases(count)
    means = {time: amounts[time] / number for time, number in numbers.items() if number and time in amounts}
    return Course(total.series, "mean", list(means), list(means.values()), count.series)


def _failures(share: _Read, requests: _Read) -> Course | None:
    """Return the failed requests at the instants of both series; None where the share is none."""
    asked = (
        _increases(requests)
        if requests.is_counter
        else dict(zip(requests.points.times, requests.points.values, strict=True))
    )
    # A share of 1.5 is no share of one: it is a percentage.
    whole = _PERCENT if max(share.points.values) > 1.0 else 1.0
    if min(share.points.values) < 0 or max(share.points.values) > _PERCENT:
        return None
    failed = {
        time: (1.0 - value / whole) * asked[time]
        for time, value in zip(share.points.times, share.points.values, strict=True)
        if time in asked
    }
    if not failed:
        return None
    return Course(share.series, "failures", list(failed), list(failed.values()), requests.series)
