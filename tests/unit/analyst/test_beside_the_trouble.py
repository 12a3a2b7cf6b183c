"""What only happens beside the trouble: rare errors of every day, and troubles of others."""

from pathlib import Path

from tests.fakes.bindings import problems
from tests.fakes.incident import DURATION, FAULT_AT, Incident
from tests.fakes.investigation import Investigation, investigate

STRAY = 'ERROR duplicate key value violates unique constraint "order_key"'


def run(incident: Incident, folder: Path, question: str) -> Investigation:
    found = investigate(incident.write(folder / "bundle"), question)
    assert problems(found.evidence, found.calls) == []
    return found


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
