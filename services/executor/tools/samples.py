"""Samples of a series as numbers, and numbers and instants as tokens of a document."""

import itertools
import math
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

from services.common.evidence.strict_json import Json, NumberToken
from services.executor.sources.metrics import Series

_COUNTER_SUFFIXES = ("_total", "_sum", "_bucket")
# The observations of a histogram end so, and so do plain numbers of things.
_COUNT_SUFFIX = "_count"
# A query that applies one of these already asks for the change of a counter.
_RATE_FUNCTIONS = ("rate(", "increase(", "delta(", "deriv(", "resets(", "changes(")


@dataclass(frozen=True, slots=True)
class Points:
    """The finite samples of one series in a window: Unix seconds, the source's token, its value."""

    times: list[float]
    tokens: list[str]
    values: list[float]

    def __len__(self) -> int:
        return len(self.times)


def points_of(series: Series, start: float | None, end: float | None) -> Points:
    """Return the finite samples in the half-open window [start, end) of seconds since the epoch."""
    points = Points([], [], [])
    for time, token in series.samples:
        if (start is not None and time < start) or (end is not None and time >= end):
            continue
        value = _finite(token)
        if value is not None:
            points.times.append(time)
            points.tokens.append(token)
            points.values.append(value)
    return points


def judged_values(points: Points, *, counter: bool) -> list[float]:
    """Return the values whose level is judged: those of a gauge, the rate per second of a raw counter.

    The first rate of a counter is taken as its second one, so that both lists have the same length.
    """
    if not counter:
        return points.values
    rates = [
        max(0.0, after - before) / max(1e-9, points.times[index + 1] - points.times[index])
        for index, (before, after) in enumerate(zip(points.values[:-1], points.values[1:], strict=True))
    ]
    return [rates[0], *rates]


def is_raw_counter(series: Series, values: Sequence[float]) -> bool:
    """Tell whether a series only counts up, so that how fast it grows is its level.

    A name that ends in `_count` may be a counter or a number of things: one that lay still before it rose is
    taken as a number, which is how its values read in either case.
    """
    name = series.labels.get("__name__", series.name)
    ends = name.endswith((*_COUNTER_SUFFIXES, _COUNT_SUFFIX))
    if len(values) < 3 or not ends or any(word in series.query for word in _RATE_FUNCTIONS):
        return False
    if name.endswith(_COUNT_SUFFIX) and values[len(values) // 3] == values[0]:
        return False
    # A counter falls only when it starts again; a gauge with such a name falls to anything.
    return all(after >= before or after <= 0.1 * before for before, after in itertools.pairwise(values))


def instant(seconds: float) -> str:
    """Write seconds since the epoch as RFC 3339 in UTC, with milliseconds only where there are any."""
    moment = datetime.fromtimestamp(round(seconds, 3), UTC)
    precision = "milliseconds" if moment.microsecond else "seconds"
    return moment.isoformat(timespec=precision).replace("+00:00", "Z")


def number(value: float) -> NumberToken:
    """Write a computed number in the shortest form that gives the same float."""
    return NumberToken(str(int(value)) if float(value).is_integer() else repr(float(value)))


def token_of(value: float) -> str:
    """Write a computed value as a string, in the same form as `number`."""
    return str(number(value))


def place_of(series: Series) -> dict[str, Json]:
    """Return where a series was read, as an element of `inputs`."""
    return {
        "source": series.source,
        "first_line": number(series.first_line),
        "last_line": number(series.last_line),
        "sha256": series.sha256,
    }


def labels_text(labels: dict[str, str], hidden: Sequence[str] = ("__name__",)) -> str:
    """Write labels as PromQL does, sorted by name; empty when there are none to show."""
    shown = sorted((name, value) for name, value in labels.items() if name not in hidden)
    if not shown:
        return ""
    quoted = (value.replace("\\", "\\\\").replace('"', '\\"') for _, value in shown)
    pairs = ",".join(f'{name}="{value}"' for (name, _), value in zip(shown, quoted, strict=True))
    return "{" + pairs + "}"


def _finite(token: str) -> float | None:
    try:
        value = float(token)
    except ValueError:
        return None
    return value if math.isfinite(value) else None
