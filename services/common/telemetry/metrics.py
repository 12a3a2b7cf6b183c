"""What is counted, for whoever scrapes it; by default nobody does.

A metric is data: its name, its meaning, and for each label every value that it can have. Whatever else a
label is given counts as "other", so that no input can make a process hold more series.
"""

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field
from typing import Final, Protocol

OTHER: Final = "other"


@dataclass(frozen=True, eq=False)
class Metric:
    """A metric by its name as it is scraped. The values of a label are closed; None: its process has one."""

    name: str
    meaning: str
    labels: Mapping[str, Collection[str] | None] = field(default_factory=dict)

    def bounded(self, labels: Mapping[str, str]) -> dict[str, str]:
        """Return the labels with values that the metric may have."""
        return {
            key: labels[key] if known is None or labels[key] in known else OTHER
            for key, known in self.labels.items()
        }


class Counter(Metric):
    """Only grows. Its name ends with `_total`."""


class Gauge(Metric):
    """A value of now."""


class Histogram(Metric):
    """How long things took, in seconds. Its name ends with `_seconds`."""


class Meter(Protocol):
    """Takes what is counted."""

    def count(self, metric: Counter, labels: Mapping[str, str], by: int, /) -> None:
        """Add to a counter."""
        ...

    def observe(self, metric: Histogram, labels: Mapping[str, str], seconds: float, /) -> None:
        """Add a duration."""
        ...

    def gauge(self, metric: Gauge, labels: Mapping[str, str], value: Callable[[], float], /) -> None:
        """Have a value asked for whenever somebody scrapes; it takes the place of an earlier one."""
        ...

    def text(self) -> bytes:
        """Return all of it, in the text format of Prometheus."""
        ...


class _Nobody:
    """Takes nothing, at no cost."""

    def count(self, *_: object) -> None:
        return

    observe = gauge = count

    def text(self) -> bytes:
        return b""


_meter: Meter = _Nobody()


def install(meter: Meter | None) -> None:
    """Set the meter of the process, before anything is built; None takes it away."""
    global _meter  # noqa: PLW0603 - one for the process, as the log
    _meter = _Nobody() if meter is None else meter


def meter() -> Meter:
    """Return the meter of the process."""
    return _meter


def count(metric: Counter, labels: Mapping[str, str], by: int = 1) -> None:
    """Add to a counter."""
    _meter.count(metric, labels, by)


def observe(metric: Histogram, labels: Mapping[str, str], seconds: float) -> None:
    """Add a duration."""
    _meter.observe(metric, labels, seconds)


def gauge(metric: Gauge, value: Callable[[], float], **labels: str) -> None:
    """Have a value asked for whenever somebody scrapes."""
    _meter.gauge(metric, labels, value)
