"""Metrics by the client library of Prometheus. Imported only where they are served."""

from collections.abc import Callable, Mapping
from typing import Final, TypeVar

import prometheus_client
from prometheus_client import CollectorRegistry, ProcessCollector, generate_latest
from prometheus_client.metrics import MetricWrapperBase

from services.common.telemetry.metrics import Counter, Gauge, Histogram, Metric

# From a call that only looks something up to the longest run.
BUCKETS: Final = (0.005, 0.02, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300)

MadeT = TypeVar("MadeT", bound=MetricWrapperBase)


class Prometheus:
    """A meter with a registry of its own. Each metric is made when it is first used."""

    def __init__(self) -> None:
        prometheus_client.disable_created_metrics()  # type: ignore[no-untyped-call] # it has no types
        self._registry = CollectorRegistry()
        ProcessCollector(registry=self._registry)
        self._counters: dict[Metric, prometheus_client.Counter] = {}
        self._gauges: dict[Metric, prometheus_client.Gauge] = {}
        self._histograms: dict[Metric, prometheus_client.Histogram] = {}

    def count(self, metric: Counter, labels: Mapping[str, str], by: int) -> None:
        """Add to a counter."""
        if metric not in self._counters:
            self._counters[metric] = prometheus_client.Counter(
                metric.name, metric.meaning, list(metric.labels), registry=self._registry
            )
        _child(self._counters[metric], metric, labels).inc(by)

    def observe(self, metric: Histogram, labels: Mapping[str, str], seconds: float) -> None:
        """Add a duration."""
        if metric not in self._histograms:
            self._histograms[metric] = prometheus_client.Histogram(
                metric.name, metric.meaning, list(metric.labels), registry=self._registry, buckets=BUCKETS
            )
        _child(self._histograms[metric], metric, labels).observe(seconds)

    def gauge(self, metric: Gauge, labels: Mapping[str, str], value: Callable[[], float]) -> None:
        """Have a value asked for at each scrape."""
        if metric not in self._gauges:
            self._gauges[metric] = prometheus_client.Gauge(
                metric.name, metric.meaning, list(metric.labels), registry=self._registry
            )
        _child(self._gauges[metric], metric, labels).set_function(value)

    def text(self) -> bytes:
        """Return all of it."""
        return generate_latest(self._registry)


def _child(made: MadeT, metric: Metric, labels: Mapping[str, str]) -> MadeT:
    return made.labels(**metric.bounded(labels)) if metric.labels else made
