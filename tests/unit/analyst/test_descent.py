"""From the complaint along the calls to where it begins, on views of a real document."""

from collections.abc import Mapping
from typing import Any

import pytest
from assay.common.v1 import tool_pb2

from services.executor.analyst.reading.measures import Measure, measure_in, worse_when_rising
from services.executor.analyst.reading.shifts import Shift, worsenings
from services.executor.analyst.reading.spot import Spot
from services.executor.analyst.reading.topology import Topology
from services.executor.analyst.story.descent import Descent
from services.executor.recorded import RecordedCall

CALLS = frozenset({("front", "mid"), ("front", "edge"), ("mid", "deep"), ("deep", "mid")})
KNOWN = dict.fromkeys(("front", "mid", "edge", "deep", "far"), "")


def row(name: str, component: str, difference: float, score: float, amount: float = 100.0) -> dict[str, Any]:
    return {
        "name": name,
        "owner": component,
        "labels": f'{{service="{component}"}}',
        "judged": "failures" if name == "availability" else "level",
        "since": {"samples": "3", "sum": str(amount)},
        "difference": str(difference),
        "scores": {each: str(score) for each in ("window", "robust", "n_sigma", "median_shift")},
        "left_at": None,
    }


def descent(
    moved: Mapping[str, tuple[float, float]], asked: Mapping[str, float] | None = None, start: str = "front",
    calls: frozenset[tuple[str, str]] = CALLS,
) -> Descent:  # fmt: skip
    rows = [row("latency", name, difference, score) for name, (difference, score) in moved.items()]
    rows += [row("requests", name, 0, 0, amount) for name, amount in (asked or {}).items()]
    call = RecordedCall("c", "metrics_shift", {}, tool_pb2.INVOCATION_STATUS_OK, {"series": [*rows]})
    topology = Topology(KNOWN if calls else {}, {}, calls)
    shifts = [Shift(spot) for spot in Spot(call).at("series").items()]
    return Descent(start, worsenings(shifts, Measure.LATENCY, topology), topology)


def suspects(found: Descent) -> list[str]:
    return [each.component for each in found.suspects]


def test_the_deepest_component_that_explains_its_caller_comes_first_and_the_symptom_is_none() -> None:
    found = descent({"front": (1.0, 9), "mid": (1.0, 20), "deep": (1.0, 5), "edge": (0.1, 40)})
    assert suspects(found)[0] == "deep"
    assert set(suspects(found)) == {"deep", "mid", "edge"}


def test_calls_that_lead_round_end() -> None:
    assert [each.component for each in descent({"front": (1, 9), "mid": (1, 9), "deep": (1, 9)}).path] == [
        "front",
        "mid",
        "deep",
    ]


def test_a_callee_that_lost_little_explains_nothing_however_clearly_it_moved() -> None:
    found = descent({"front": (1.0, 9), "mid": (0.9, 9), "deep": (0.05, 50)})
    assert suspects(found)[0] == "mid"


def test_amounts_are_compared_where_requests_are_counted() -> None:
    moved = {"front": (1.0, 9), "mid": (1.0, 9), "edge": (4.0, 30)}
    assert suspects(descent(moved))[0] == "edge"
    asked = {"front": 100.0, "mid": 100.0, "edge": 5.0}
    assert suspects(descent(moved, asked))[0] == "mid"


@pytest.mark.parametrize(
    ("own", "below", "blamed"),
    [
        (3.1, 3.1, True),
        (2.0, 3.9, True),
        (0.4, 30.0, False),
        (0.6, 30.0, True),
        (2.0, 3.2, False),
        (-2.0, 9.0, False),
    ],
)
def test_the_complaint_must_be_borne_out_by_itself_or_together(
    own: float, below: float, blamed: bool
) -> None:
    found = descent({"front": (1.0 if own > 0 else -1.0, own), "mid": (1.0, below)})
    assert bool(found.suspects) is blamed


def test_what_stands_alone_is_a_symptom_without_a_suspect() -> None:
    found = descent({"front": (1.0, 20), "mid": (0.0, 0.5)})
    assert found.stands_alone
    assert suspects(found) == []


def test_without_calls_the_scores_decide_and_nothing_is_told_where_nothing_moved() -> None:
    none: frozenset[tuple[str, str]] = frozenset()
    moved = {"front": (1.0, 9.0), "mid": (0.5, 4.0), "deep": (1.0, 30.0)}
    assert suspects(descent(moved, calls=none)) == ["deep", "mid"]
    assert suspects(descent({"front": (1.0, 1.0), "mid": (0.5, 4.0)}, calls=none)) == []


@pytest.mark.parametrize(
    ("text", "measure"),
    [
        ("CheckoutLatencyHigh", Measure.LATENCY),
        ("http_response_time_ms", Measure.LATENCY),
        ("Response times of the shop doubled", Measure.LATENCY),
        ("request_duration_seconds", Measure.LATENCY),
        ("AvailabilitySLO", Measure.FAILURES),
        ("http_5xx_total", Measure.FAILURES),
        ("requests_failed", Measure.FAILURES),
        ("TrafficDrop", Measure.THROUGHPUT),
        ("requests_total", Measure.THROUGHPUT),
        ("process_resident_memory_bytes", None),
    ],
)
def test_a_measure_is_known_by_the_words_of_the_field(text: str, measure: Measure | None) -> None:
    assert measure_in(text) is measure


def test_which_way_is_worse() -> None:
    assert worse_when_rising(Measure.LATENCY, "latency", "level")
    assert not worse_when_rising(Measure.FAILURES, "availability", "level")
    assert worse_when_rising(Measure.FAILURES, "availability", "failures")
    assert not worse_when_rising(Measure.THROUGHPUT, "requests", "level")
