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
        {"cart": "damaged index of store, timeout=50", "search": "damaged index of store, timeout: 50"},
    ],
    ids=["one caller", "two that are waited for", "a caller of a caller", "nobody named", "a setting"],
)
def test_else_a_timeout_blames_nobody(told: dict[str, str], tmp_path: Path) -> None:
    assert run(told, tmp_path).suspects == []


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
        ("request failed (timeout=30s)", False),
        ("timeout: 30 is no number of seconds", False),
        ("read_timeout was changed", False),
    ],
)
def test_words_of_timeouts(text: str, is_one: bool) -> None:
    assert tells_timeout(text) is is_one
