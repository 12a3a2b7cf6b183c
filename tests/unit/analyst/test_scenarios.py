"""Invented incidents with random names: the answer follows the evidence, and vanishes with it."""

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.fakes import incident_runs
from tests.fakes.bindings import problems
from tests.fakes.incident import DURATION, FAULT_AT, Incident, Names, iso
from tests.fakes.investigation import Investigation, investigate

QUESTION = "Customers see failing requests: what is the root cause?"
NAMES = [
    Names(),
    Names("gate", "basket", "ledger", "herald", "pgmain", "redis-hot"),
    Names("frontdoor", "billing-api", "rates", "outbox", "postgresql", "cachebox"),
]


def leak(incident: Incident, changed: bool = True) -> None:
    """The front service keeps database connections since a configuration change, until the limit."""
    names = incident.names
    if changed:
        incident.change(FAULT_AT - 2, names.front, "config_change", f"{names.front} config: reuse off -> on")
    incident.steady("db_max_slots", "setting", {"job": names.database}, 60)
    incident.metric(
        "db_slots_by_client", "sum by (client) (slots)", {"client": names.front},
        lambda second: float(min(56, 4 + max(0, second - FAULT_AT + 5))),
    )  # fmt: skip
    incident.steady("db_slots_by_client", "sum by (client) (slots)", {"client": names.back}, 4)
    for second in range(FAULT_AT + 55, DURATION):
        incident.log(names.database, second, "FATAL:  sorry, too many clients already")
        text = "connect failed: FATAL:  sorry, too many clients already"
        incident.log(names.front, second + 0.1, f"ERROR {text}")
        incident.log(names.back, second + 0.2, f"ERROR {text}")
    incident.step_to("error_ratio", "errors / all", {"service": names.front}, 0, 0.5, FAULT_AT + 60)
    incident.alert(FAULT_AT + 70, "ErrorsHigh", names.front)


def cache_full(incident: Incident, changed: bool = True) -> None:
    """The back service writes cache entries that never expire; the cache refuses writes when it is full."""
    names = incident.names
    if changed:
        incident.change(FAULT_AT - 1, names.back, "config_change", "entry ttl 60 -> 0")
    incident.steady("cache_memory_max", "limit", {"job": names.cache}, 64_000_000)
    incident.metric(
        "cache_memory_used", "used", {"job": names.cache},
        lambda second: float(min(64_000_000, 2_000_000 + max(0, second - FAULT_AT) * 400_000)),
    )  # fmt: skip
    for second in range(FAULT_AT + 156, DURATION):
        incident.log(
            names.back,
            second,
            "ERROR cache write failed: OOM command not allowed when used memory > 'maxmemory'",
        )
    incident.step_to("error_ratio", "errors / all", {"service": names.back}, 0, 0.4, FAULT_AT + 160)
    incident.alert(FAULT_AT + 170, "ErrorsHigh", names.back)


def bad_release(incident: Incident, changed: bool = True) -> None:
    """A release of the back service raises an exception; the front service relays it."""
    names = incident.names
    if changed:
        incident.change(FAULT_AT - 3, names.back, "deploy", f"{names.back} 3.1.0 -> 3.2.0")
    for second in range(FAULT_AT + 1, DURATION):
        incident.log(names.back, second, "ERROR unhandled KeyError: 'weight' in price_of")
        incident.log(names.front, second + 0.5, f"ERROR upstream {names.back} answered 500")
    incident.step_to("error_ratio", "errors / all", {"service": names.back}, 0, 0.9, FAULT_AT + 5)
    incident.step_to("error_ratio", "errors / all", {"service": names.front}, 0, 0.5, FAULT_AT + 10)
    incident.alert(FAULT_AT + 30, "ErrorsHigh", names.front)


def lock(incident: Incident, changed: bool = True) -> None:
    """A migration holds a lock; statements of both services wait for it."""
    names = incident.names
    if changed:
        incident.change(
            FAULT_AT - 2, names.database, "migration", "migration 0042 started: rewrite of table parts"
        )
    incident.step_to("db_lock_waiters", "count(waiting)", {"job": names.database}, 0, 7, FAULT_AT)
    for second in range(FAULT_AT + 2, DURATION, 3):
        text = "LOG process 812 still waiting for AccessShareLock on relation 16400 after 1000.1 ms"
        incident.log(names.database, second, text)
    incident.step_to(
        "latency_p95", "histogram_quantile(0.95, x)", {"service": names.front}, 0.02, 9.5, FAULT_AT + 5
    )
    incident.alert(FAULT_AT + 40, "Slow", names.front)


def killed(incident: Incident, changed: bool = True) -> None:
    """The back service is gone; its callers cannot connect. There is no change to blame."""
    del changed
    names = incident.names
    incident.step_to("up", "up", {"job": names.back}, 1, 0, FAULT_AT + 5)
    incident.lines[names.back] = [row for row in incident.lines[names.back] if row[0] < FAULT_AT]
    for second in range(FAULT_AT + 1, DURATION):
        incident.log(names.front, second, f"ERROR call to {names.back} failed: Connection refused")
        incident.log(
            names.edge, second + 0.2, "ERROR connect() failed (111: Connection refused) while connecting"
        )
    incident.step_to("error_ratio", "errors / all", {"service": names.front}, 0, 0.7, FAULT_AT + 5)
    incident.alert(FAULT_AT + 30, "ErrorsHigh", names.front)


Fault = Callable[[Incident, bool], None]
FAULTS: dict[str, tuple[Fault, str, str]] = {
    "leak": (leak, "front", "config.changed"),
    "cache_full": (cache_full, "back", "config.changed"),
    "bad_release": (bad_release, "back", "release.deployed"),
    "lock": (lock, "database", "data.changed"),
    "killed": (killed, "back", "process.down"),
}


def run(incident: Incident, folder: Path, without: frozenset[str] = frozenset()) -> Investigation:
    return incident_runs.run(incident, folder, QUESTION, without)


@pytest.mark.parametrize("names", NAMES, ids=lambda names: names.front)
@pytest.mark.parametrize("fault", FAULTS)
def test_the_cause_is_named_whatever_the_components_are_called(
    fault: str, names: Names, tmp_path: Path
) -> None:
    make, role, expected = FAULTS[fault]
    incident = Incident(names)
    make(incident, True)

    found = run(incident, tmp_path)

    assert found.suspects[0] == (getattr(names, role), expected, "confirmed")
    assert len(found.suspects) == 1


@pytest.mark.parametrize("fault", ["leak", "cache_full", "bad_release", "lock"])
def test_without_the_change_nobody_is_said_to_have_changed_anything(fault: str, tmp_path: Path) -> None:
    incident = Incident()
    FAULTS[fault][0](incident, False)

    found = run(incident, tmp_path)

    assert not {fault for _, fault, _ in found.suspects} & {
        "config.changed",
        "release.deployed",
        "data.changed",
    }


@pytest.mark.parametrize("fault", ["leak", "bad_release", "lock", "killed"])
def test_a_change_elsewhere_without_effect_is_no_cause(fault: str, tmp_path: Path) -> None:
    make, role, expected = FAULTS[fault]
    incident = Incident()
    make(incident, True)
    names = incident.names
    incident.change(FAULT_AT - 10, names.worker, "deploy", f"{names.worker} 1.0.0 -> 1.0.1")
    incident.change(FAULT_AT - 90, names.front, "config_change", f"{names.front} configuration revision 8")

    found = run(incident, tmp_path)

    assert found.suspects[0][:2] == (getattr(names, role), expected)
    assert names.worker not in {component for component, _, _ in found.suspects}


def test_of_two_users_of_a_full_cache_that_changed_neither_is_confirmed(tmp_path: Path) -> None:
    incident = Incident()
    names = incident.names
    cache_full(incident, True)
    incident.change(FAULT_AT - 10, names.worker, "deploy", f"{names.worker} 1.0.0 -> 1.0.1")

    found = run(incident, tmp_path)

    assert {status for _, _, status in found.suspects} == {"possible"}
    assert found.suspects[0][0] == names.back


def test_of_changes_at_the_same_moment_the_dependency_comes_first(tmp_path: Path) -> None:
    incident = Incident()
    names = incident.names
    bad_release(incident, True)
    incident.change(FAULT_AT - 4, names.back, "config_change", f"{names.back} configuration revision 9")
    incident.change(FAULT_AT - 4, names.front, "config_change", f"{names.front} configuration revision 3")

    found = run(incident, tmp_path)

    assert found.suspects[0][0] == names.back


def test_a_change_after_the_first_sign_is_no_confirmed_cause(tmp_path: Path) -> None:
    incident = Incident()
    bad_release(incident, False)
    incident.change(FAULT_AT + 60, incident.names.back, "deploy", f"{incident.names.back} 3.2.0 -> 3.1.0")

    found = run(incident, tmp_path)

    assert "release.deployed" not in {fault for _, fault, _ in found.suspects}


def test_a_quiet_stack_supports_no_cause_and_shows_nothing_wrong(tmp_path: Path) -> None:
    incident = Incident()
    incident.change(FAULT_AT, incident.names.front, "config_change", "revision 3 rolled out")

    found = run(incident, tmp_path)

    assert found.suspects == []
    assert found.of_type("symptom") == []
    assert found.evidence.evidence_gaps != []


def test_a_burst_that_is_over_supports_no_cause(tmp_path: Path) -> None:
    incident = Incident()
    names = incident.names
    incident.change(FAULT_AT - 80, names.front, "config_change", f"{names.front} configuration revision 5")
    incident.metric(
        "latency_p95", "histogram_quantile(0.95, x)", {"service": names.front},
        lambda second: 3.2 if FAULT_AT <= second < FAULT_AT + 25 else 0.02,
    )  # fmt: skip
    incident.metric(
        "latency_p99_long", "histogram_quantile(0.99, rate(x[4m]))", {"service": names.front},
        lambda second: 2.9 if FAULT_AT <= second < FAULT_AT + 290 else 0.03,
    )  # fmt: skip
    incident.alert(FAULT_AT + 8, "SlowLong", names.front)

    found = run(incident, tmp_path)

    assert found.suspects == []
    assert any("was back in its usual range" in claim.statement for claim in found.evidence.claims)
    assert any('"[4m]"' in claim.statement for claim in found.of_type("context"))


def test_work_that_stops_at_the_worker_is_at_most_a_direction(tmp_path: Path) -> None:
    incident = Incident()
    names = incident.names
    incident.step_to("sent_rate", "rate(sent_total[30s])", {"job": names.worker}, 2.5, 0, FAULT_AT)
    incident.metric(
        "queue_depth", "depth", {"job": names.cache}, lambda second: float(max(0, second - FAULT_AT) * 3)
    )
    incident.alert(FAULT_AT + 60, "QueueLong", names.worker)

    found = run(incident, tmp_path)

    assert found.suspects == [(names.worker, "process.down", "possible")]


def test_more_traffic_before_slow_answers_is_at_most_a_direction(tmp_path: Path) -> None:
    incident = Incident()
    names = incident.names
    labels = {"service": names.front, "code": "200"}
    incident.step_to("rps", "rate(requests_total[30s])", labels, 6.1, 31.3, FAULT_AT)
    incident.step_to(
        "latency_p95", "histogram_quantile(0.95, x)", {"service": names.front}, 0.02, 4.5, FAULT_AT + 20
    )
    incident.alert(FAULT_AT + 60, "Slow", names.front)

    found = run(incident, tmp_path)

    assert found.suspects == [(names.front, "load.increased", "possible")]


def test_one_slow_sample_that_is_followed_by_usual_ones_names_no_dependency(tmp_path: Path) -> None:
    incident = Incident()
    names = incident.names
    incident.step_to(
        "latency_p95", "histogram_quantile(0.95, x)", {"service": names.front}, 0.02, 4.5, DURATION - 15
    )
    incident.noise("latency_p95", "histogram_quantile(0.95, x)", {"service": names.back}, 0.02)
    *others, (name, query, labels, usual) = incident.series
    incident.series = [
        *others,
        (name, query, labels, lambda second: 4.5 if second == DURATION - 15 else usual(second)),
    ]
    incident.alert(DURATION - 10, "Slow", names.front)

    found = run(incident, tmp_path)

    assert found.suspects == []


def test_a_slow_dependency_is_named_rather_than_who_waits_for_it(tmp_path: Path) -> None:
    incident = Incident()
    names = incident.names
    for service, at in ((names.back, FAULT_AT), (names.front, FAULT_AT + 5)):
        labels = {"service": service}
        incident.step_to("latency_p95", "histogram_quantile(0.95, x)", labels, 0.02, 4.5, at)
    incident.alert(FAULT_AT + 60, "Slow", names.front)

    found = run(incident, tmp_path)

    assert found.suspects == [(names.back, "dependency.slow", "possible")]


def test_a_reload_line_stands_in_for_a_missing_change_event(tmp_path: Path) -> None:
    incident = Incident()
    names = incident.names
    leak(incident, False)
    incident.log(names.front, FAULT_AT - 2, "INFO configuration reloaded: reuse off -> on")

    found = run(incident, tmp_path)

    assert found.suspects[0][:2] == (names.front, "config.changed")


def test_the_question_alone_can_say_when_it_was_noticed(tmp_path: Path) -> None:
    incident = Incident()
    bad_release(incident, True)
    incident.alerts.clear()
    folder = incident.write(tmp_path / "bundle")

    found = investigate(folder, f"What fails since {iso(FAULT_AT + 40)}?")

    assert found.suspects[0][:2] == (incident.names.back, "release.deployed")


def test_an_alert_that_always_fires_does_not_move_the_story(tmp_path: Path) -> None:
    incident = Incident()
    bad_release(incident, True)
    incident.alert(-86_400, "AlwaysFiring", "monitoring")

    found = run(incident, tmp_path)

    assert found.suspects == [(incident.names.back, "release.deployed", "confirmed")]


def test_without_a_topology_the_names_of_the_change_events_are_enough(tmp_path: Path) -> None:
    incident = Incident()
    leak(incident, True)
    folder = incident.write(tmp_path / "bundle")
    (folder / "topology.json").unlink()

    found = investigate(folder, QUESTION)

    assert problems(found.evidence, found.calls) == []
    assert [component for component, _, _ in found.suspects] == [incident.names.front]


def test_a_job_that_nobody_knows_is_at_most_a_direction(tmp_path: Path) -> None:
    incident = Incident()
    lock(incident, False)
    incident.change(FAULT_AT - 2, "nightly-import", "batch", "nightly-import started")

    found = run(incident, tmp_path)

    assert ("nightly-import", "data.changed", "possible") in found.suspects


def test_who_leaves_a_transaction_open_holds_the_lock(tmp_path: Path) -> None:
    incident = Incident()
    names = incident.names
    lock(incident, False)
    labels = {"application_name": names.back, "state": "idle in transaction"}
    incident.step_to("db_sessions", "count by (application_name, state) (x)", labels, 0, 3, FAULT_AT)

    found = run(incident, tmp_path)

    assert found.suspects[0][:2] == (names.back, "lock.contention")


def test_a_stack_trace_is_a_direction_that_names_its_exception(tmp_path: Path) -> None:
    incident = Incident()
    names = incident.names
    for second in range(FAULT_AT, DURATION, 2):
        trace = "\n".join(
            ["ERROR request failed", "Traceback (most recent call last):", '  File "/app/a.py", line 3, in f',
             "ZeroDivisionError: division by zero"]
        )  # fmt: skip
        incident.log(names.back, second, trace)
    incident.step_to("error_ratio", "errors / all", {"service": names.back}, 0, 0.5, FAULT_AT + 5)

    found = run(incident, tmp_path)

    assert found.suspects == [(names.back, "code.exception", "possible")]
    assert "ZeroDivisionError: division by zero" in found.of_type("cause")[0].statement


def test_text_that_hides_what_it_says_is_not_cited(tmp_path: Path) -> None:
    incident = Incident()
    bad_release(incident, True)
    for second in range(FAULT_AT + 1, DURATION):
        incident.log(incident.names.edge, second, "ERROR all is \u202ewell\u202c here")

    found = run(incident, tmp_path)

    cited = [binding.matched_text for claim in found.evidence.claims for binding in claim.evidence_bindings]
    assert not any("\u202e" in text for text in cited)
    assert not any("\u202e" in claim.statement for claim in found.evidence.claims)


def test_a_log_that_cannot_be_read_is_asked_for_once(tmp_path: Path) -> None:
    incident = Incident()
    bad_release(incident, True)
    folder = incident.write(tmp_path / "bundle")
    found = investigate(folder, QUESTION, frozenset({f"logs/{incident.names.cache}.log"}))

    asked = [
        call for call in found.calls if call.arguments.get("source") == f"logs/{incident.names.cache}.log"
    ]

    assert 1 <= len(asked) <= 2


def test_a_change_of_no_known_kind_has_no_fault_name(tmp_path: Path) -> None:
    incident = Incident()
    bad_release(incident, False)
    incident.change(FAULT_AT - 3, incident.names.back, "other", "something was done to it")

    found = run(incident, tmp_path)

    assert found.suspects == [(incident.names.back, "", "confirmed")]


def test_a_resource_that_was_full_all_along_is_no_cause(tmp_path: Path) -> None:
    incident = Incident()
    names = incident.names
    bad_release(incident, True)
    incident.steady("cache_memory_max", "limit", {"job": names.cache}, 1000)
    incident.noise("cache_memory_used", "used", {"job": names.cache}, 940)

    found = run(incident, tmp_path)

    assert found.suspects == [(names.back, "release.deployed", "confirmed")]
    assert names.cache not in {claim.component for claim in found.of_type("symptom")}


def test_a_change_hides_no_mechanism_in_what_it_depends_on(tmp_path: Path) -> None:
    incident = Incident()
    names = incident.names
    killed(incident)
    incident.change(FAULT_AT - 5, names.front, "config_change", f"{names.front} configuration revision 8")

    found = run(incident, tmp_path)

    assert found.suspects == [(names.back, "process.down", "confirmed")]
