"""What a service is measured by, in the words of the field: its latency, its failures, its throughput."""

import re
from enum import Enum

from services.executor.analyst.reading.words import vocabulary, words_of


class Measure(Enum):
    """What gets worse when a service does."""

    LATENCY = "latency"
    FAILURES = "failures"
    THROUGHPUT = "throughput"


# In this order: the "error rate of requests" is no throughput, the "request duration" neither.
_WORDS: tuple[tuple[Measure, frozenset[str]], ...] = (
    (
        Measure.LATENCY,
        vocabulary("latency latencies duration durations slow slower slowness p50 p90 p95 p99"),
    ),
    (
        Measure.FAILURES,
        vocabulary(
            """availability unavailable success error errors fail fails failed failing failure failures fault
            faults 5xx unsuccessful"""
        ),
    ),
    (Measure.THROUGHPUT, vocabulary("throughput traffic request requests calls invocations rps qps tps")),
)
_PHRASES = re.compile(
    r"(?<![A-Za-z])(?:[Rr]esponse|[Rr]equest|[Pp]rocessing|[Rr]eply)[ _-]?[Tt]imes?(?![a-z])"
)
_FAILED_CODE = re.compile(r'\b(?:code|status|status_code)="(?:5\d\d|5xx|error)"')
_SHARE = vocabulary("availability success successful")
# An average over all requests tells what they took together; a quantile tells of some of them.
_AVERAGE = vocabulary("average avg mean")
_UNITS = (
    (vocabulary("ms millis milliseconds msec"), 1e-3),
    (vocabulary("us micros microseconds usec"), 1e-6),
)


def measure_in(text: str) -> Measure | None:
    """Return the measure that a name or a sentence speaks of; None where it speaks of none."""
    if _PHRASES.search(text):
        return Measure.LATENCY
    words = words_of(text) | frozenset(re.findall(r"[a-z0-9]+", text.lower()))
    return next((measure for measure, known in _WORDS if words & known), None)


def measure_of_series(name: str, labels: str, judged: str) -> Measure | None:
    """Return what a series measures; `judged` is how it was compared."""
    if judged == "failures" or _FAILED_CODE.search(labels):
        return Measure.FAILURES
    return measure_in(name)


def worse_when_rising(measure: Measure, name: str, judged: str) -> bool:
    """Tell which way is worse: a share of good answers falls, and so does throughput."""
    return measure is not Measure.THROUGHPUT and not is_share(name, judged)


def is_share(name: str, judged: str) -> bool:
    """Tell whether a series is a share of good answers."""
    return judged != "failures" and bool(words_of(name) & _SHARE)


def is_average(name: str, labels: str, judged: str) -> bool:
    """Tell whether a series is an average over all requests."""
    return judged == "mean" or bool(words_of(f"{name} {labels}") & _AVERAGE)


def in_base_unit(name: str) -> float:
    """Return by what values are multiplied to be in seconds; 1 where the name has no unit."""
    words = words_of(name)
    return next((factor for units, factor in _UNITS if words & units), 1.0)
