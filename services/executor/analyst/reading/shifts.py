"""Typed views of what `metrics_shift` compared, and what each component's series together tell."""

import re
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from services.executor.analyst.reading.measures import (
    Measure,
    in_base_unit,
    is_average,
    is_share,
    measure_of_series,
    worse_when_rising,
)
from services.executor.analyst.reading.spot import Spot
from services.executor.analyst.reading.topology import Topology
from services.executor.analyst.reading.words import seconds_of

# Where no topology names anybody: the labels that name the subject of a measurement, the surest first.
SUBJECTS = ("service", "service_name", "component", "app", "application", "container", "workload", "job")
_LABEL = re.compile(r'(?<!\w)(\w++)="((?:[^"\\]|\\.)*+)"')
_FORM_LABELS = ("statistic", "stat", "aggregation", "agg", "quantile")
SCORES = ("window", "robust", "n_sigma", "median_shift")


@dataclass(frozen=True)
class Shift:
    """One series before an instant and since. Scores and differences are positive where it got worse."""

    spot: Spot

    @cached_property
    def name(self) -> str:
        """The metric's name."""
        return self.spot.at("name").text

    @cached_property
    def labels(self) -> str:
        """The labels as PromQL writes them; may be empty."""
        return self.spot.at("labels").text

    @cached_property
    def judged(self) -> str:
        """How it was compared: level, increase, mean, failures."""
        return self.spot.at("judged").text

    @cached_property
    def measure(self) -> Measure | None:
        """What it measures; None for what is none of a service's measures."""
        return measure_of_series(self.name, self.labels, self.judged)

    @cached_property
    def left_at(self) -> float | None:
        """The first sample outside of what is usual, in seconds since the epoch."""
        return seconds_of(self.spot.at("left_at").text)

    @cached_property
    def is_average(self) -> bool:
        """Tell whether it is an average over all requests."""
        return is_average(self.name, self.labels, self.judged)

    @cached_property
    def form(self) -> str:
        """How its samples were summed up, as far as a label says so: sums and averages do not add up."""
        return " ".join(value for name, value in _LABEL.findall(self.labels) if name in _FORM_LABELS)

    @property
    def samples(self) -> int:
        """How many samples since were compared."""
        return self.spot.at("since", "samples").count

    @property
    def amount(self) -> float:
        """The sum of the samples since."""
        return self.spot.at("since", "sum").number or 0.0

    @cached_property
    def worsening(self) -> float:
        """By how much a sample got worse on average, in seconds for latencies."""
        return self._side * in_base_unit(self.name) * (self.spot.at("difference").number or 0.0)

    def score(self, name: str = "window") -> float:
        """Return one of the scores."""
        return self._side * (self.spot.at("scores", name).number or 0.0)

    def subject(self, topology: Topology) -> str:
        """Return the component that it is about: one that its labels name, else its owner."""
        pairs: dict[str, str] = dict(_LABEL.findall(self.labels))
        subject = topology.subject(self.labels, self.spot.at("owner").text)
        if subject or topology.components:
            return subject
        return next((pairs[label] for label in SUBJECTS if label in pairs), "")

    @property
    def _side(self) -> float:
        measure = self.measure
        rising = measure is None or worse_when_rising(measure, self.name, self.judged)
        return 1.0 if rising else -1.0


@dataclass(frozen=True)
class Worsening:
    """What one component's series of one measure tell together."""

    component: str
    shifts: Sequence[Shift]
    requests: float | None
    """How many requests it got since the instant; None where nothing counts them."""

    def score(self, name: str = "window") -> float:
        """Return how clearly it got worse: by its averages, if any, since five quantiles have five tries."""
        return max(shift.score(name) for shift in self._telling)

    @cached_property
    def shown(self) -> Shift:
        """The series to show: the clearest one."""
        return max(self._telling, key=Shift.score)

    @cached_property
    def each(self) -> float:
        """By how much a request got worse, or a sample, by its average where there is one."""
        return self.shown.worsening

    @cached_property
    def _telling(self) -> Sequence[Shift]:
        return [shift for shift in self.shifts if shift.is_average] or self.shifts

    @cached_property
    def total(self) -> float | None:
        """What all requests lost since: seconds, failed requests, missing requests; None where unknown."""
        if self.shifts[0].measure is not Measure.LATENCY:
            # Shares of unknown wholes do not add up.
            if any(is_share(shift.name, shift.judged) for shift in self.shifts):
                return None
            return sum(shift.worsening * shift.samples for shift in self.shifts)
        return None if self.requests is None else self.each * self.requests

    @cached_property
    def left_at(self) -> float | None:
        """When the first of its series left what is usual."""
        instants = [shift.left_at for shift in self.shifts if shift.left_at is not None and shift.score() > 0]
        return min(instants, default=None)


def worsenings(shifts: Sequence[Shift], measure: Measure, topology: Topology) -> dict[str, Worsening]:
    """Return, by component, what its series of a measure tell."""
    of_measure: dict[str, list[Shift]] = {}
    requests: dict[str, defaultdict[str, float]] = {}
    for shift in shifts:
        component = shift.subject(topology)
        if component and shift.measure is measure:
            of_measure.setdefault(component, []).append(shift)
        if component and shift.measure is Measure.THROUGHPUT:
            requests.setdefault(component, defaultdict(float))[f"{shift.name} {shift.form}"] += shift.amount
    return {
        component: Worsening(component, found, max(requests.get(component, {}).values(), default=None))
        for component, found in of_measure.items()
    }
