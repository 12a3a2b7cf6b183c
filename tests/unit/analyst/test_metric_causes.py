"""Directions from metrics alone, through the real tools: invented systems, and the recorded cases."""

import json
from pathlib import Path

import pytest

from tests.fakes.bindings import problems
from tests.fakes.investigation import Investigation, investigate
from tests.fakes.judged import lowered
from tests.fakes.metric_case import ONSET, MetricCase, iso

SLOW_SHELF = {"front": 0.3, "catalog": 0.2, "shelf": 0.15, "balancer": 0.2}
FAILING_CATALOG = {"front": 9.0, "catalog": 11.0, "balancer": 2.0}
RENAMED = {
    "front": "w-1",
    "basket": "w-2",
    "catalog": "w-3",
    "balancer": "w-4",
    "shelf": "w-5",
    "vault": "w-6",
}


def ask(folder: Path) -> Investigation:
    found = investigate(folder, f"What is wrong since {iso(ONSET)}?")
    assert problems(found.evidence, found.calls) == []
    return found


def first(found: Investigation) -> tuple[str, str, str] | None:
    return found.suspects[0] if found.suspects else None


@pytest.mark.parametrize("as_csv", [True, False])
@pytest.mark.parametrize("name", ["latency", "request_duration_ms", "response_time"])
def test_a_slow_dependency_two_calls_away_is_a_direction(tmp_path: Path, as_csv: bool, name: str) -> None:
    case = MetricCase(slower=SLOW_SHELF, latency_name=name)
    found = ask(case.write(tmp_path / "b", "FrontLatencyHigh", as_csv=as_csv))
    assert first(found) == ("shelf", "dependency.slow", "possible")
    assert all(claim.status == "possible" for claim in found.of_type("cause"))


def test_the_service_is_named_rather_than_what_its_caller_sees_of_it(tmp_path: Path) -> None:
    found = ask(MetricCase(failing=FAILING_CATALOG).write(tmp_path / "b", "AvailabilityLow"))
    assert first(found) == ("catalog", "dependency.failing", "possible")


def test_the_answer_follows_the_names(tmp_path: Path) -> None:
    found = ask(MetricCase(slower=SLOW_SHELF, rename=RENAMED).write(tmp_path / "b", "LatencyHigh"))
    assert first(found) == ("w-5", "dependency.slow", "possible")


def test_without_a_topology_what_got_worse_is_told_by_its_labels(tmp_path: Path) -> None:
    found = ask(MetricCase(failing=FAILING_CATALOG).write(tmp_path / "b", "Availability", topology=False))
    assert first(found) == ("catalog", "dependency.failing", "possible")


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("alert", ["LatencyHigh", "AvailabilityLow"])
def test_where_nothing_got_worse_nobody_is_blamed_and_the_usual_is_told(
    tmp_path: Path, alert: str, seed: int
) -> None:
    found = ask(MetricCase(seed=seed).write(tmp_path / "b", alert))
    assert found.suspects == []
    told = [claim for claim in found.of_type("context") if claim.component == "front"]
    assert "is usual" in told[0].statement
    assert "such an average varies by" in told[0].statement
    assert lowered(found, alert) == []


def test_what_moved_elsewhere_while_the_complaint_did_not_is_not_blamed(tmp_path: Path) -> None:
    found = ask(MetricCase(slower={"vault": 2.0}).write(tmp_path / "b", "LatencyHigh"))
    assert found.suspects == []


def test_the_recorded_cases_keep_their_floor(shared: Path) -> None:
    """n = 32: 26 issues and 6 controls; `make eval` prints each."""
    right_first = right_of_three = issues = blamed = 0
    for case in sorted((shared / "metric-cases").glob("*/bundle")):
        question = (case / "question.txt").read_text(encoding="utf-8").strip()
        truth = json.loads((case.parent / "truth.json").read_text(encoding="utf-8"))["root_cause_component"]
        found = investigate(case, question)
        assert problems(found.evidence, found.calls) == [], case
        named = [component for component, _, _ in found.suspects]
        issues += truth is not None
        right_first += truth is not None and named[:1] == [truth]
        right_of_three += truth in named[:3]
        blamed += truth is None and bool(named)
    assert issues == 26
    assert (right_first, right_of_three, blamed) == (26, 26, 0)
