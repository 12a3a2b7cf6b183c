"""What only happens beside the trouble: rare errors of every day, and troubles of others."""

from pathlib import Path

import pytest

from tests.fakes.incident import DURATION, FAULT_AT, Incident
from tests.fakes.incident_runs import run

STRAY = 'ERROR duplicate key value violates unique constraint "order_key"'


def answers_late(incident: Incident) -> None:
    """The front service gets errors from nobody knows where."""
    names = incident.names
    for second in range(FAULT_AT + 20, DURATION):
        incident.log(names.front, second, f"ERROR call of {names.back} gave up after 3 s")
    incident.step_to("error_ratio", "errors / all", {"service": names.front}, 0, 0.3, FAULT_AT + 30)
    incident.alert(FAULT_AT + 60, "ErrorsHigh", names.front)


def test_a_stray_error_of_what_two_share_blames_no_change_of_the_other(tmp_path: Path) -> None:
    incident = Incident()
    names = incident.names
    answers_late(incident)
    incident.change(FAULT_AT - 5, names.worker, "config_change", "font of letters: serif -> sans")
    incident.log(names.cache, FAULT_AT + 1, STRAY)
    incident.log(names.cache, FAULT_AT + 200, STRAY)

    found = run(incident, tmp_path, f"Calls of {names.front} fail, what is broken?")

    assert [component for component, _, _ in found.suspects] == []


def test_what_goes_on_all_the_time_after_a_change_is_no_chance(tmp_path: Path) -> None:
    incident = Incident()
    names = incident.names
    answers_late(incident)
    incident.change(FAULT_AT - 5, names.worker, "config_change", "size of batches: 10 -> 1000")
    for second in range(FAULT_AT + 1, DURATION, 20):
        incident.log(names.cache, second, STRAY)

    found = run(incident, tmp_path, f"Calls of {names.front} fail, what is broken?")

    assert (names.worker, "config.changed", "possible") in found.suspects


def test_rare_errors_are_told_after_what_hurts(tmp_path: Path) -> None:
    incident = Incident()
    names = incident.names
    incident.log(names.database, FAULT_AT + 1, STRAY)
    answers_late(incident)

    found = run(incident, tmp_path, f"Calls of {names.front} fail, what is broken?")

    told = [claim.component for claim in found.of_type("symptom")]
    assert told[0] == names.front
    assert names.database in told
    assert [claim.component for claim in found.of_type("symptom") if claim.critical] == [names.front]


def test_a_release_of_who_has_a_trouble_of_its_own_is_no_answer_about_another(tmp_path: Path) -> None:
    incident = Incident()
    names = incident.names
    answers_late(incident)
    incident.change(FAULT_AT - 5, names.worker, "deploy", f"{names.worker} 0.8.0 -> 0.8.1")
    for second in range(FAULT_AT + 20, DURATION, 4):
        incident.log(names.worker, second, "ERROR smtp relay unavailable")

    found = run(incident, tmp_path, f"Why are there errors of {names.front}?")

    assert names.worker not in {component for component, _, _ in found.suspects}


def test_what_a_caller_measures_of_another_is_about_the_other(tmp_path: Path) -> None:
    incident = Incident()
    names = incident.names
    latency = "histogram_quantile(0.95, x)"
    for service in (names.front, names.back):
        incident.step_to("latency_p95", latency, {"service": service}, 0.02, 4.5, FAULT_AT + 5)
    # The cache measures nothing itself.
    of_cache = {"service": names.back, "target": names.cache}
    incident.step_to("client_latency_p95", latency, of_cache, 0.01, 4.4, FAULT_AT)
    incident.alert(FAULT_AT + 60, "LatencyHigh", names.back)

    found = run(incident, tmp_path, "Everything got slow. Whose fault is it?")

    assert found.suspects[:1] == [(names.cache, "dependency.slow", "possible")]


def test_what_rose_in_a_dependency_is_told_where_no_cause_is_proven(tmp_path: Path) -> None:
    incident = Incident()
    names = incident.names
    latency = "histogram_quantile(0.95, x)"
    incident.step_to("latency_p95", latency, {"service": names.front}, 0.02, 4.5, FAULT_AT + 5)
    incident.step_to("disk_busy", "rate(io_time[1m])", {"job": names.database}, 0.08, 0.97, FAULT_AT)
    incident.alert(FAULT_AT + 60, "LatencyHigh", names.front)

    found = run(incident, tmp_path, "What is it that makes everything slow?")

    told = [claim.component for claim in found.of_type("context") if "disk_busy" in claim.statement]
    assert told == [names.database]


@pytest.mark.parametrize(("until", "suspects"), [(DURATION, True), (FAULT_AT + 20, False)])
def test_a_dependency_whose_own_log_is_slow_to_the_end_is_a_direction(
    until: int, suspects: bool, tmp_path: Path
) -> None:
    incident = Incident()
    names = incident.names
    latency = "histogram_quantile(0.95, x)"
    for service in (names.front, names.edge):
        incident.step_to("latency_p95", latency, {"service": service}, 0.02, 2.5, FAULT_AT + 5)
    for second in range(FAULT_AT, until, 2):
        incident.log(names.database, second, "LOG duration: 2210.418 ms  execute s1: SELECT 1")
    incident.alert(FAULT_AT + 60, "LatencyHigh", names.front)

    found = run(incident, tmp_path, "Everything got slow, what is it?")

    assert ((names.database, "dependency.slow", "possible") in found.suspects) is suspects
