"""Timeouts tell of a peer without saying what is wrong with it: several callers make it a direction."""

from pathlib import Path

import pytest

from services.executor.analyst.reading.signs import tells_timeout
from tests.fakes.bindings import problems
from tests.fakes.investigation import Investigation, investigate
from tests.fakes.judged import lowered
from tests.fakes.plain_logs import FAILS_AT, PlainLogs

QUESTION = "Customers see failing requests: what is the root cause?"
NAMES = ("cart", "search", "mail", "store", "edge")
CALLS = [("cart", "store"), ("search", "store"), ("cart", "mail"), ("edge", "cart")]
ONE_CALLER = {"cart": "timed out waiting for store after 5000 ms"}
TWO_CALLERS = ONE_CALLER | {"search": "TimeoutError: deadline exceeded calling store"}


def run(told: dict[str, str], folder: Path, known: bool = True) -> Investigation:
    bundle = PlainLogs()
    if known:
        bundle.services, bundle.calls = {name: [f"logs/{name}.log"] for name in NAMES}, CALLS
    bundle.routine(*(f"logs/{name}.log" for name in NAMES))
    for more, (name, text) in enumerate(told.items()):
        bundle.fails(f"logs/{name}.log", f"ERROR {text}", at=FAILS_AT + more)
    found = investigate(bundle.write(folder / "bundle"), QUESTION)
    assert [*problems(found.evidence, found.calls), *lowered(found, QUESTION)] == []
    return found


@pytest.mark.parametrize("known", [True, False], ids=["with a topology", "without one"])
def test_whom_several_wait_for_is_a_direction(known: bool, tmp_path: Path) -> None:
    found = run(TWO_CALLERS, tmp_path, known)

    assert found.suspects == [("store", "dependency.slow", "possible")]
    said = found.of_type("cause")[0].statement
    assert "cart first logged" in said
    assert "search first logged" in said


def test_the_error_that_a_message_names_is_told(tmp_path: Path) -> None:
    told = {
        name: f'msg="{name} failed" err="context deadline exceeded calling store"'
        for name in ("cart", "search")
    }

    found = run(told, tmp_path)

    assert found.suspects == [("store", "dependency.slow", "possible")]
    assert "deadline exceeded calling store" in found.of_type("cause")[0].statement


@pytest.mark.parametrize(
    "told",
    [
        ONE_CALLER,
        {"cart": "timed out waiting for mail", "search": "deadline exceeded calling store"},
        TWO_CALLERS | {"edge": "timed out waiting for cart"},
        {"cart": "TimeoutError: timed out", "search": "i/o timeout"},
        TWO_CALLERS | {"cart": "network is unreachable; timed out waiting for store"},
        {
            "cart": "damaged index of store, no timeout occurred",
            "search": "damaged index of store, timeout set to 5",
        },
        {"cart": "damaged index of store, timeout=50", "search": "damaged index of store, timeout: 50"},
    ],
    ids=[
        "one caller",
        "two that are waited for",
        "a caller of a caller",
        "nobody named",
        "one that is cut off",
        "none and a setting",
        "a setting",
    ],
)
def test_else_a_timeout_blames_nobody(told: dict[str, str], tmp_path: Path) -> None:
    assert run(told, tmp_path).suspects == []


@pytest.mark.parametrize(
    ("line", "is_blamed"),
    [
        ("WARN no answer of ledger yet", False),
        ("ERROR request to ledger failed", False),
        ("WARN page 7 is cold", True),
        ("INFO asked ledger", True),
    ],
)
@pytest.mark.parametrize("earlier", [0, 2])
def test_who_complains_of_another_one_only_waits_itself(
    line: str, is_blamed: bool, earlier: int, tmp_path: Path
) -> None:
    bundle = PlainLogs()
    names = ("cart", "search", "store", "ledger")
    bundle.services = {name: [f"logs/{name}.log"] for name in names}
    bundle.calls = [("cart", "store"), ("search", "store"), ("store", "ledger")]
    bundle.routine(*(f"logs/{name}.log" for name in names))
    for name, text in TWO_CALLERS.items():
        bundle.fails(f"logs/{name}.log", f"ERROR {text}")
    bundle.fails("logs/store.log", line, at=FAILS_AT - earlier)

    found = investigate(bundle.write(tmp_path / "bundle"), QUESTION)

    assert (("store", "dependency.slow", "possible") in found.suspects) is is_blamed


def test_a_client_that_went_away_tells_of_nobody_who_is_called(tmp_path: Path) -> None:
    text = (
        'client timed out (110: Connection timed out) while sending to client, upstream: "http://store:80/"'
    )

    assert run({"cart": text, "search": text}, tmp_path).suspects == []


def test_what_is_stated_comes_before_who_is_waited_for(tmp_path: Path) -> None:
    found = run(TWO_CALLERS | {"store": "write: No space left on device"}, tmp_path)

    assert [suspect[:2] for suspect in found.suspects] == [("store", "disk.exhausted")]


@pytest.mark.parametrize(
    ("text", "is_one"),
    [
        ("connect timeout to store:8080", True),
        ("context deadline exceeded", True),
        ("rpc error: DEADLINE_EXCEEDED", True),
        ("java.net.SocketTimeoutException: Read timed out", True),
        ("connect ETIMEDOUT 10.0.0.5:5432", True),
        ("timeout of 5000ms exceeded", True),
        ("Timeout was reached", True),
        ("http client timed out", True),
        ("did not time out", False),
        ("no timeouts", False),
        ('"timeouts": 0', False),
        ("request timeout is 5 seconds", False),
        ("timeout set to 30s", False),
        ("idle timeout, closing", False),
        ("client timed out (110: Connection timed out) while waiting for request", False),
        ("upstream timed out (110: Connection timed out) while connecting to upstream", True),
        ("request failed (timeout=30s)", False),
        ("timeout: 30 is no number of seconds", False),
        ("read_timeout was changed", False),
    ],
)
def test_words_of_timeouts(text: str, is_one: bool) -> None:
    assert tells_timeout(text) is is_one
