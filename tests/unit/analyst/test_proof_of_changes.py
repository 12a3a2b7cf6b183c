"""A change that came just before is a cause only where something links it to what broke."""

from pathlib import Path

import pytest

from tests.fakes.bindings import problems
from tests.fakes.incident import DURATION, FAULT_AT, Incident
from tests.fakes.investigation import Investigation, investigate
from tests.fakes.plain_logs import FAILS_AT, PlainLogs

QUESTION = "Customers see failing requests: what is the root cause?"
FULL = 'could not write to file "base/pgsql_tmp/7.0": No space left on device'
RELEASE = "cart 2.0.0 -> 2.0.1: another colour for the footer"


def run(bundle: PlainLogs | Incident, folder: Path, question: str = QUESTION) -> Investigation:
    found = investigate(bundle.write(folder / "bundle"), question)
    assert problems(found.evidence, found.calls) == []
    return found


def shop(changed: bool = True) -> PlainLogs:
    bundle = PlainLogs(
        services={"cart": ["logs/cart.log"], "store": ["logs/store.log"]}, calls=[("cart", "store")]
    )
    bundle.routine("logs/cart.log", "logs/store.log")
    if changed:
        bundle.change(FAILS_AT - 20, "cart", RELEASE)
    return bundle


def test_a_release_before_the_disk_of_its_dependency_was_full_is_no_cause(tmp_path: Path) -> None:
    bundle = shop()
    bundle.fails("logs/store.log", f"ERROR {FULL}")
    bundle.fails("logs/cart.log", f"ERROR item 7 failed: {FULL}")

    found = run(bundle, tmp_path)

    assert found.suspects == [("store", "disk.exhausted", "confirmed")]
    assert any(RELEASE in claim.statement for claim in found.of_type("context"))


def test_a_release_does_not_explain_a_mechanism_that_its_own_log_states(tmp_path: Path) -> None:
    bundle = shop()
    bundle.fails("logs/cart.log", "ERROR OSError: [Errno 28] No space left on device")

    found = run(bundle, tmp_path)

    assert found.suspects == [("cart", "disk.exhausted", "confirmed")]


def test_a_release_before_errors_of_a_dependency_is_at_most_a_direction(tmp_path: Path) -> None:
    bundle = shop()
    bundle.fails("logs/store.log", "ERROR index of table parts is damaged")
    bundle.fails("logs/cart.log", "ERROR ValueError: nothing was returned", at=FAILS_AT + 4)

    found = run(bundle, tmp_path)

    assert not [suspect for suspect in found.suspects if suspect[2] == "confirmed"]


def test_words_without_a_link_to_the_change_prove_nothing(tmp_path: Path) -> None:
    bundle = shop()
    bundle.fails("logs/cart.log", "ERROR the order was declined")

    found = run(bundle, tmp_path)

    assert found.suspects == [("cart", "release.deployed", "possible")]


@pytest.mark.parametrize(
    "text",
    ["ERROR TypeError: 'NoneType' object is not iterable", "ERROR cart 2.0.1 cannot read its footer"],
)
def test_the_own_new_code_named_in_an_error_proves_the_release(text: str, tmp_path: Path) -> None:
    bundle = shop()
    bundle.fails("logs/cart.log", text)

    found = run(bundle, tmp_path)

    assert found.suspects == [("cart", "release.deployed", "confirmed")]


def test_an_error_of_a_conversation_with_a_peer_is_not_the_own_code(tmp_path: Path) -> None:
    bundle = shop()
    bundle.fails("logs/cart.log", "ERROR HTTPError: 503 from the bank")

    found = run(bundle, tmp_path)

    assert found.suspects[0][2] == "possible"


def test_a_release_of_somebody_whom_the_others_do_not_need_proves_nothing(tmp_path: Path) -> None:
    bundle = shop(changed=False)
    bundle.services = {**bundle.services, "mailer": ["logs/mailer.log"]}
    bundle.routine("logs/mailer.log")
    bundle.change(FAILS_AT - 5, "mailer", "mailer 1.0.0 -> 1.1.0")
    bundle.fails("logs/mailer.log", "ERROR KeyError: 'address'")
    bundle.fails("logs/cart.log", "ERROR item failed", at=FAILS_AT + 2)

    found = run(bundle, tmp_path)

    assert found.suspects == [("mailer", "release.deployed", "possible")]


def test_where_no_calls_are_known_only_the_first_to_fail_can_be_the_cause(tmp_path: Path) -> None:
    bundle = PlainLogs()
    bundle.routine("cart.log", "store.log")
    bundle.change(FAILS_AT - 5, "cart", RELEASE)
    bundle.fails("store.log", "ERROR index of table parts is damaged", at=FAILS_AT)
    bundle.fails("cart.log", "ERROR KeyError: 'part'", at=FAILS_AT + 5)

    found = run(bundle, tmp_path)

    assert not [suspect for suspect in found.suspects if suspect[2] == "confirmed"]


def test_a_client_that_fills_up_while_it_waits_does_not_excuse_the_release(tmp_path: Path) -> None:
    bundle = shop(changed=False)
    bundle.change(FAILS_AT - 5, "store", "store 4.0.0 -> 4.1.0")
    bundle.fails("logs/store.log", "ERROR TypeError: 'int' object is not callable")
    bundle.fails("logs/cart.log", "ERROR connection pool exhausted", at=FAILS_AT + 9)

    found = run(bundle, tmp_path)

    assert found.suspects == [("store", "release.deployed", "confirmed")]


def test_a_setting_that_the_error_names_proves_the_change(tmp_path: Path) -> None:
    bundle = shop(changed=False)
    bundle.change(FAILS_AT - 5, "cart", "cart configuration: bank.max_amount 900 -> 9", "config_change")
    bundle.fails("logs/cart.log", "ERROR the order was declined: more than bank.max_amount")

    found = run(bundle, tmp_path)

    assert found.suspects == [("cart", "config.changed", "confirmed")]


@pytest.mark.parametrize(("value", "expected"), [(900.0, "confirmed"), (41.0, "possible")])
def test_the_own_level_that_rises_with_the_change_proves_it(
    value: float, expected: str, tmp_path: Path
) -> None:
    incident = Incident()
    names = incident.names
    incident.change(FAULT_AT - 3, names.back, "deploy", f"{names.back} 3.1.0 -> 3.2.0")
    incident.step_to("held_items", "held_items", {"service": names.back}, 41, value, FAULT_AT)
    for second in range(FAULT_AT + 1, 600, 2):
        incident.log(names.back, second, "ERROR the item is not there")
    incident.alert(FAULT_AT + 30, "ErrorsHigh", names.back)

    found = run(incident, tmp_path)

    assert found.suspects == [(names.back, "release.deployed", expected)]


@pytest.mark.parametrize(("begins", "expected"), [(FAULT_AT, "confirmed"), (60, "possible")])
def test_what_was_filling_up_long_before_is_not_filled_by_a_change(
    begins: int, expected: str, tmp_path: Path
) -> None:
    incident = Incident()
    names = incident.names
    incident.change(FAULT_AT - 3, names.back, "deploy", f"{names.back} 3.1.0 -> 3.1.1")
    incident.steady("cache_memory_max", "limit", {"job": names.cache}, 1000)
    full, grows = FAULT_AT + 20, float(FAULT_AT + 20 - begins)
    incident.metric(
        "cache_memory_used", "used", {"job": names.cache},
        lambda second: 100 + 900 * min(1.0, max(0, second - begins) / grows),
    )  # fmt: skip
    for second in range(full + 2, DURATION):
        incident.log(names.back, second, "ERROR OOM command not allowed when used memory > 'maxmemory'")
    incident.alert(FAULT_AT + 60, "ErrorsHigh", names.back)

    found = run(incident, tmp_path)

    assert {status for _, _, status in found.suspects} == {expected}


@pytest.mark.parametrize(
    "text",
    [
        "ERROR LedgerException: store answered 503 Service Unavailable",
        "ERROR LedgerException: what came from store was empty",
        "ERROR LedgerException: status code 502",
    ],
)
def test_an_error_that_tells_of_a_peer_proves_no_change(text: str, tmp_path: Path) -> None:
    bundle = shop()
    bundle.fails("logs/cart.log", text)

    found = run(bundle, tmp_path)

    assert found.suspects == [("cart", "release.deployed", "possible")]


def test_a_recorded_change_is_told_as_a_whole_whatever_words_it_holds(tmp_path: Path) -> None:
    bundle = shop(changed=False)
    summary = "cart configuration 44: log.level info -> debug"
    bundle.change(FAILS_AT - 20, "cart", summary, "config_change")
    bundle.fails("logs/cart.log", "ERROR KeyError: 'weight'")

    found = run(bundle, tmp_path)

    assert f'the change "{summary}" is recorded' in found.of_type("cause")[0].statement


def test_more_work_that_arrives_is_no_effect_of_a_change_of_who_gets_it(tmp_path: Path) -> None:
    incident = Incident()
    names = incident.names
    for service, before in ((names.edge, 9.0), (names.front, 8.0), (names.back, 6.0)):
        incident.step_to(
            "rps", "rate(requests_total[30s])", {"service": service}, before, 4 * before, FAULT_AT
        )
    incident.change(FAULT_AT - 5, names.back, "config_change", f"{names.back} log.level info -> warn")
    for second in range(FAULT_AT + 40, DURATION):
        incident.log(names.front, second, "ERROR request dropped, the queue is full")

    found = run(incident, tmp_path)

    assert found.suspects[0] == (names.edge, "load.increased", "possible")


def test_less_work_for_who_is_called_by_failing_ones_is_no_effect_of_its_change(tmp_path: Path) -> None:
    incident = Incident()
    names = incident.names
    incident.change(FAULT_AT - 5, names.back, "deploy", f"{names.back} 1.0.0 -> 1.0.1")
    incident.step_to("rps", "rate(requests_total[30s])", {"service": names.back}, 6.0, 1.5, FAULT_AT + 10)
    for second in range(FAULT_AT, DURATION):
        incident.log(names.front, second, "ERROR session write failed")

    found = run(incident, tmp_path)

    assert names.back not in {component for component, _, _ in found.suspects}
