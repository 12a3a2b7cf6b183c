"""What the sentences say, against the lines and samples of invented incidents: nothing more than is there."""

import re
from pathlib import Path

import pytest

from services.common.evidence import places, pointer
from services.common.evidence.document import Claim
from tests.fakes import incident_runs
from tests.fakes.incident import DURATION, FAULT_AT, Incident, iso
from tests.fakes.investigation import Investigation

QUESTION = "Customers see failing requests: what is the root cause?"
WAIT = "still waiting for ShareLock on relation"


def run(incident: Incident, folder: Path, question: str = QUESTION) -> Investigation:
    return incident_runs.run(incident, folder, question)


def statements(found: Investigation) -> str:
    return "\n".join(claim.statement for claim in found.evidence.claims)


def claim_with(found: Investigation, text: str) -> Claim:
    return next(claim for claim in found.evidence.claims if text in claim.statement)


def lines_of(folder: Path, component: str) -> list[str]:
    return (folder / "bundle/logs" / f"{component}.log").read_text(encoding="utf-8").splitlines()


def waiting(incident: Incident) -> None:
    """A session that is no part of the stack holds a lock; each line of a wait has its own values."""
    names = incident.names
    level = {second: float(min(10, max(0, (second - FAULT_AT) // 8))) for second in range(DURATION)}
    labels = {"__name__": "db_lock_waiters_count", "job": names.database}
    incident.metric("db_lock_waiters", "db_lock_waiters_count", labels, lambda second: level[second])
    incident.steady("db_sessions", "sessions", {"client": names.front, "state": "idle"}, 4)
    incident.metric(
        "db_sessions", "sessions", {"client": "auditor", "state": "idle in transaction"},
        lambda second: 1.0 if second >= FAULT_AT else None,
    )  # fmt: skip
    for number, second in enumerate(range(FAULT_AT + 2, DURATION, 3)):
        incident.log(names.database, second, f"LOG process {number} {WAIT} 16400 after 1000.{number} ms")
        incident.log(
            names.database, second + 0.0004, f"DETAIL Process holding the lock: 901. Queue: {number}."
        )
    for second in range(FAULT_AT + 6, DURATION):
        text = f"ERROR rid=a{second}f POST /reserve 503 qty=1 gave up after waiting 5000.{second}ms"
        incident.log(names.back, second, text)
    incident.alert(FAULT_AT + 40, "Slow", names.front)


def test_a_quoted_text_stands_as_often_as_is_said(tmp_path: Path) -> None:
    incident = Incident()
    waiting(incident)
    found = run(incident, tmp_path)

    told = re.findall(r'(\S+) logged "([^"]+)" (\d+) times from', statements(found))
    assert WAIT in {text for _, text, _ in told}
    assert "gave up after waiting" in {text for _, text, _ in told}
    for component, text, count in told:
        assert sum(text in line for line in lines_of(tmp_path, component)) == int(count)


def test_words_that_stood_in_other_lines_before_do_not_hide_a_new_failure(tmp_path: Path) -> None:
    incident = Incident()
    names = incident.names
    for second in range(0, DURATION, 4):
        incident.log(names.back, second, f"INFO price lookup of item={second} took 3 ms")
    for second in range(FAULT_AT, DURATION, 2):
        incident.log(names.back, second, f"ERROR price lookup of item={second} timed out")
    incident.alert(FAULT_AT + 30, "ErrorsHigh", names.front)
    found = run(incident, tmp_path)

    told = next(claim.statement for claim in found.of_type("symptom") if claim.critical)
    example = f"price lookup of item={FAULT_AT} timed out"
    assert f'logged 150 lines of the same kind as "{example}" from {iso(FAULT_AT)[:19]}Z' in told


def test_a_number_of_waiters_that_stays_high_is_not_said_to_be_over(tmp_path: Path) -> None:
    incident = Incident()
    waiting(incident)
    found = run(incident, tmp_path)

    told = claim_with(found, "db_lock_waiters").statement
    assert "rose from 0 to 10" in told
    assert "was back" not in told


def test_a_wait_names_its_holder_and_the_session_that_is_new(tmp_path: Path) -> None:
    incident = Incident()
    waiting(incident)
    found = run(incident, tmp_path)

    (cause,) = found.of_type("cause")
    assert (cause.fault, cause.component) == ("lock.contention", incident.names.database)
    assert 'Process holding the lock: 901. Queue: 0."' in cause.statement
    assert 'db_sessions{client="auditor",state="idle in transaction"} appeared at' in cause.statement


def test_a_decisive_quotation_is_bound_to_the_raw_line_first(tmp_path: Path) -> None:
    incident = Incident()
    waiting(incident)
    found = run(incident, tmp_path)

    claim = next(claim for claim in found.of_type("symptom") if claim.critical)
    calls = {call.invocation_id: call for call in found.calls}
    binding = claim.evidence_bindings[0]
    assert binding.tool_name == "logs_search"
    place = places.places(calls[binding.source_invocation_id].document, pointer.tokens(binding.raw_path))[0]
    assert binding.matched_text in lines_of(tmp_path, incident.names.database)[place.first_line - 1]


@pytest.mark.parametrize("kept", [3, 8])
def test_no_sentence_shows_a_log_that_it_does_not_speak_of(kept: int, tmp_path: Path) -> None:
    incident = Incident(seed=kept)
    waiting(incident)
    found = run(incident, tmp_path)

    calls = {call.invocation_id: call for call in found.calls}
    for claim in found.evidence.claims:
        if " logged " not in claim.statement or claim.claim_type == "cause":
            continue
        shown = {
            place.source
            for binding in claim.evidence_bindings
            for place in places.places(
                calls[binding.source_invocation_id].document, pointer.tokens(binding.raw_path)
            )
        }
        assert shown == {f"logs/{claim.component}.log"}


def test_the_log_of_a_victim_or_with_new_warnings_is_not_called_quiet(tmp_path: Path) -> None:
    incident = Incident()
    names = incident.names
    waiting(incident)
    for second in range(FAULT_AT, DURATION, 5):
        incident.log(names.worker, second, "WARN queue grows")
    found = run(incident, tmp_path)

    quiet = claim_with(found, "Lines that report a failure").statement
    assert f"logs/{names.cache}.log" in quiet
    for component in (names.worker, names.back, names.database):
        assert f"logs/{component}.log" not in quiet


def test_without_a_symptom_nothing_is_called_the_trouble_and_what_is_normal_is_told(tmp_path: Path) -> None:
    incident = Incident()
    names = incident.names
    incident.change(FAULT_AT - 60, names.worker, "deploy", f"{names.worker} 1.0.0 -> 1.0.1")
    incident.alert(FAULT_AT, "Slow", names.front)
    found = run(incident, tmp_path)

    text = statements(found)
    assert found.of_type("symptom") == []
    assert "first sign" not in text
    assert (
        f'Recorded changes: {names.worker} "{names.worker} 1.0.0 -> 1.0.1" at {iso(FAULT_AT - 60)[:19]}Z.'
        in text
    )
    steady = claim_with(found, "Metric series that kept their usual level")
    assert any(binding.raw_path == "/unchanged" for binding in steady.evidence_bindings)


def test_a_changed_component_s_own_line_supports_the_change(tmp_path: Path) -> None:
    incident = Incident()
    names = incident.names
    incident.change(FAULT_AT - 3, names.back, "deploy", f"{names.back} 3.1.0 -> 3.2.0")
    incident.log(names.back, FAULT_AT - 2.5, f"INFO {names.back} 3.2.0 started, pid 17")
    incident.log(names.back, FAULT_AT - 2.4, "INFO started a job for item 8")
    for second in range(FAULT_AT + 1, DURATION):
        incident.log(names.back, second, "ERROR unhandled KeyError: 'weight' in price_of")
    incident.alert(FAULT_AT + 30, "ErrorsHigh", names.front)
    found = run(incident, tmp_path)

    (cause,) = found.of_type("cause")
    own = [binding for binding in cause.evidence_bindings if "3.2.0 started" in binding.matched_text]
    assert [binding.tool_name for binding in own] == ["logs_search"]


def test_many_alerts_are_told_in_two_sentences_and_causes_come_first(tmp_path: Path) -> None:
    incident = Incident()
    names = incident.names
    waiting(incident)
    for number in range(3):
        incident.alert(FAULT_AT + 50 + number, f"More{number}", names.front)
    incident.alert(FAULT_AT + 60, "Full", names.database)
    found = run(incident, tmp_path)

    kinds = [claim.claim_type for claim in found.evidence.claims]
    assert kinds[0] == "cause"
    assert len(kinds) - kinds.count("cause") <= 12
    assert sum("the alert" in claim.statement for claim in found.evidence.claims) <= 2


def filled_by_a_change(incident: Incident) -> None:
    """A change after which one client takes all sessions of the database, one by one."""
    names = incident.names
    text = f"{names.front} configuration revision 7 rolled out: sessions.keep_open_while_idle false -> true"
    incident.change(FAULT_AT - 4, names.front, "config_rollout", text)
    incident.steady("db_max_sessions_in_this_database", "max", {"job": names.database}, 60)
    for client in (names.back, names.worker):
        incident.steady("db_sessions_in_this_database", "sessions", {"client": client, "state": "idle"}, 4)
    incident.metric(
        "db_sessions_in_this_database", "sessions", {"client": names.front, "state": "idle"},
        lambda second: float(min(52, 4 + max(0, second - FAULT_AT))),
    )  # fmt: skip
    for second in range(FAULT_AT + 48, DURATION):
        incident.log(names.database, second, "FATAL sorry, too many clients already")
    for number in range(4):
        incident.alert(FAULT_AT + 60 + number, f"ErrorBudgetBurnsTooFastInWindow{number}", names.front)


def test_no_sentence_is_too_long_and_what_a_cause_leaves_unsaid_still_supports_it(tmp_path: Path) -> None:
    incident = Incident()
    filled_by_a_change(incident)
    found = run(incident, tmp_path)

    assert max(len(claim.statement) for claim in found.evidence.claims) <= 350
    (cause,) = found.of_type("cause")
    assert (cause.fault, cause.status) == ("config.changed", "confirmed")
    assert f"recorded at {iso(FAULT_AT - 4)[:19]}Z, before " in cause.statement
    limit = claim_with(found, "where db_max_sessions_in_this_database is 60")
    assert (limit.claim_type, "db_max_sessions" in cause.statement) == ("symptom", False)
    assert set(limit.evidence_bindings) <= set(cause.evidence_bindings)


def killed(incident: Incident, *, restarts: int = 0) -> None:
    """The back service stops; with `restarts` it writes again from that second on."""
    names = incident.names
    incident.metric("up", "up", {"job": names.back}, lambda second: 0.0 if second > FAULT_AT else 1.0)
    lines = incident.lines[names.back]
    incident.lines[names.back] = [
        line for line in lines if line[0] < FAULT_AT or (restarts and line[0] >= restarts)
    ]
    incident.log(names.back, FAULT_AT - 0.3, "INFO drained no connections")
    for second in range(FAULT_AT + 1, DURATION):
        incident.log(names.front, second, f"ERROR call to {names.back} failed: Connection refused")
    incident.alert(FAULT_AT + 30, "ErrorsHigh", names.front)


def test_a_stopped_process_is_told_with_its_last_line(tmp_path: Path) -> None:
    incident = Incident()
    killed(incident)
    found = run(incident, tmp_path)

    (cause,) = found.of_type("cause")
    last = f'stock logged its last line, "drained no connections", at {iso(FAULT_AT - 0.3)[:19]}Z'
    assert (cause.fault, last in cause.statement) == ("process.down", True)
    assert any("drained no connections" in binding.matched_text for binding in cause.evidence_bindings)


def test_a_process_that_came_back_is_told_with_its_pause(tmp_path: Path) -> None:
    incident = Incident()
    killed(incident, restarts=FAULT_AT + 200)
    found = run(incident, tmp_path)

    (cause,) = found.of_type("cause")
    assert f"stock logged its last line before a pause at {iso(FAULT_AT - 0.3)[:19]}Z" in cause.statement


def test_a_stopped_process_that_goes_on_to_write_is_not_called_silent(tmp_path: Path) -> None:
    incident = Incident()
    kept = list(incident.lines[incident.names.back])
    killed(incident)
    incident.lines[incident.names.back] = kept
    found = run(incident, tmp_path)

    assert "its last line" not in found.of_type("cause")[0].statement
