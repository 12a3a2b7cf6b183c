"""What lines mention in passing, as routine, is no cause of a trouble that does not begin with it."""

from pathlib import Path

import pytest

from tests.fakes.bindings import problems
from tests.fakes.investigation import Investigation, investigate
from tests.fakes.plain_logs import FAILS_AT, PlainLogs

QUESTION = "Customers see failing requests: what is the root cause?"
POD = "cart-6f7d8c9b5d-abcde"
LISTED = f"NAME{' ' * 20}READY   STATUS    RESTARTS   AGE\n{POD}   1/1     Running   0          3d\n"


def shop(*names: str) -> PlainLogs:
    bundle = PlainLogs()
    bundle.services = {name: [f"logs/{name}.log"] for name in names}
    bundle.calls = [("cart", name) for name in names if name != "cart"]
    bundle.routine(*(f"logs/{name}.log" for name in names))
    return bundle


def run(bundle: PlainLogs, folder: Path) -> Investigation:
    found = investigate(bundle.write(folder / "bundle"), QUESTION)
    assert problems(found.evidence, found.calls) == []
    return found


def damaged(bundle: PlainLogs) -> None:
    bundle.fails("logs/store.log", "ERROR index of table parts is damaged")
    bundle.fails("logs/cart.log", "ERROR item failed", at=FAILS_AT + 2)


@pytest.mark.parametrize("level", ["INFO", "WARN", "ERROR"])
def test_a_retry_that_succeeded_states_no_cause(level: str, tmp_path: Path) -> None:
    bundle = shop("cart", "store", "rates")
    line = f"{level} rates: 429 Too Many Requests, retry 2 succeeded"
    bundle.lines["logs/cart.log"].append((FAILS_AT + 1, line))
    damaged(bundle)

    assert run(bundle, tmp_path).suspects == []


@pytest.mark.parametrize("at", [FAILS_AT - 100, FAILS_AT + 150])
@pytest.mark.parametrize(
    "text", ["rates: 429 Too Many Requests, again in 1s", "rates: connection reset, again in 1s"]
)
def test_what_is_said_once_as_routine_and_away_from_the_trouble_is_noise(
    at: int, text: str, tmp_path: Path
) -> None:
    bundle = shop("cart", "store", "rates")
    bundle.lines["logs/cart.log"].append((at, f"INFO {text}"))
    damaged(bundle)

    found = run(bundle, tmp_path)

    assert found.suspects == []
    assert any("on; none before" in each.statement for each in found.of_type("symptom"))
    assert not any("rates:" in each.statement for each in found.evidence.claims)


def test_where_nothing_else_is_wrong_it_is_no_trouble(tmp_path: Path) -> None:
    bundle = shop("cart", "rates")
    bundle.lines["logs/cart.log"].append((FAILS_AT, "INFO rates: 429 Too Many Requests, again in 1s"))

    found = run(bundle, tmp_path)

    assert found.suspects == []
    assert "Nothing in the recorded material leaves its usual range." in found.evidence.evidence_gaps


@pytest.mark.parametrize(("every", "level"), [(2, "INFO"), (1000, "WARN")])
def test_what_is_said_often_or_as_a_warning_still_tells(every: int, level: str, tmp_path: Path) -> None:
    bundle = shop("cart", "rates")
    bundle.fails("logs/cart.log", f"{level} rates: 429 Too Many Requests, again in 1s", every=every)

    assert run(bundle, tmp_path).suspects == [("rates", "requests.limited", "possible")]


def test_what_is_said_once_as_the_trouble_begins_still_tells(tmp_path: Path) -> None:
    bundle = shop("cart", "rates")
    bundle.lines["logs/cart.log"].append((FAILS_AT, "INFO rates: 429 Too Many Requests"))
    bundle.fails("logs/cart.log", "ERROR item failed", at=FAILS_AT + 2)

    assert run(bundle, tmp_path).suspects == [("rates", "requests.limited", "possible")]


def pod_log(line: str, behind: int = 60) -> str:
    lines = [f"2026-11-30T09:{second // 60:02d}:{second % 60:02d}Z INFO item served" for second in range(240)]
    return "\n".join([*lines, f"2026-11-30T09:04:00Z {line}", *lines[:behind], ""])


def of_pod(folder: Path, log: str) -> Investigation:
    bundle = folder / "bundle"
    (bundle / "pods").mkdir(parents=True)
    (bundle / "pods.txt").write_text(LISTED, encoding="utf-8")
    (bundle / "pods" / f"{POD}.log").write_text(log, encoding="utf-8")
    found = investigate(bundle, "Why is cart failing?")
    assert problems(found.evidence, found.calls) == []
    return found


@pytest.mark.parametrize(
    "line",
    ["INFO 429 too many requests, again in 1s", "ERROR attempt 1: 429 too many requests; retry succeeded"],
)
def test_the_log_of_a_pod_that_is_well_mentions_it_and_nothing_is_wrong(line: str, tmp_path: Path) -> None:
    found = of_pod(tmp_path, pod_log(line))

    assert found.suspects == []
    assert "looks healthy" in found.of_type("context")[0].statement


@pytest.mark.parametrize(
    ("line", "behind"),
    [
        ("ERROR 429 too many requests", 60),
        ("INFO 429 too many requests, giving up", 2),
        ("ERROR 429 too many requests, attempt 8; last succeeded at 09:00", 60),
    ],
)
def test_the_log_of_a_pod_that_says_it_as_a_failure_or_at_its_end_still_tells(
    line: str, behind: int, tmp_path: Path
) -> None:
    found = of_pod(tmp_path, pod_log(line, behind))

    assert [fault for _, fault, _ in found.suspects] == ["dependency.rate_limited"]


def test_a_failure_is_not_hidden_by_what_is_mentioned_in_passing(tmp_path: Path) -> None:
    log = pod_log("INFO 429 too many requests, again in 1s")
    log += "2026-11-30T09:06:00Z ERROR ValueError: no such part\n" * 5

    assert [fault for _, fault, _ in of_pod(tmp_path, log).suspects] == ["code.exception"]
