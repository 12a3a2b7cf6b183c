"""Answers that are counted apart, and what is asked of durations: what is told, what is refused and why."""

from pathlib import Path

import pytest

from tests.fakes.bundles import Tree, write
from tests.lookups.asking import asked


def access(second: int, path: str, status: int, client: str = "10.0.0.1", took: str = "") -> str:
    minute, rest = divmod(second, 60)
    hour, minute = divmod(minute, 60)
    return (
        f"{client} - - [30/Nov/2026:{hour:02}:{minute:02}:{rest:02} +0000] "
        f'"GET {path} HTTP/1.1" {status} 12{took}\n'
    )


EDGE = (
    access(0, "/a", 200, took=" rt=0.5")
    + access(1, "/a", 503, "10.0.0.2", " rt=3.0")
    + access(2, "/b", 503, took=" rt=2.0")
    + access(61, "/b", 502, took=" rt=0.1")
)
API = (
    "2026-11-30T00:00:00Z ERROR lost order 17\n"
    "2026-11-30T00:00:01Z ERROR lost order 18\n"
    "2026-11-30T00:00:02Z ERROR out of paper\n"
)


def told(folder: Path, question: str, **more: Tree) -> tuple[list[str], list[str]]:
    answer = asked(write(folder / "bundle", {"logs/edge.log": EDGE, "logs/api.log": API, **more}), question)
    assert answer.wrong == []
    return answer.statements, answer.gaps


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("requests per status code", "by status: 3 different ones: 2 with 503; 1 with 200; 1 with 502"),
        (
            "how many unique clients are there",
            "by client: 2 different ones: 3 from 10.0.0.1; 1 from 10.0.0.2",
        ),
        ("which clients got 503", "by client: 2 different ones"),
        ("top 1 endpoints by 5xx", "of which the first are told: 2 to /b"),
        (
            "5xx by minute?",
            "2 in the minute from 2026-11-30T00:00:00Z; 1 in the minute from 2026-11-30T00:01:00Z",
        ),
        ("how many requests took more than 1s", "answered 2 of 4 requests that took more than 1 seconds"),
        ("how many 503 took longer than 2500 ms", "answered 1 of 4 requests with a status of 503 that took"),
        ("slowest request", "3 seconds took logs/edge.log line 2"),
        ("what are the most common errors", "2 like logs/api.log line 1"),
    ],
)
def test_what_is_told(tmp_path: Path, question: str, expected: str) -> None:
    statements, _ = told(tmp_path, question)
    assert expected in "\n".join(statements)


def test_requests_that_do_not_state_how_long_they_took_are_counted_beside(tmp_path: Path) -> None:
    more: dict[str, Tree] = {"logs/edge.log": EDGE + access(70, "/c", 200)}
    statements, _ = told(tmp_path, "how many requests took more than 1s", **more)
    assert "answered 2 of 5 requests that took more than 1 seconds, of 4 that state how long" in statements[0]
    more = {"logs/edge.log": access(1, "/a", 200)}
    assert told(tmp_path / "none", "slowest requests", **more) == (
        [],
        ["Not answered: no log states how long requests took."],
    )


def test_more_minutes_than_can_be_told_are_refused_even_where_the_largest_are_asked_for(
    tmp_path: Path,
) -> None:
    long = "".join(access(60 * minute, "/a", 503) for minute in range(61))
    for number, question in enumerate(("5xx per minute", "top 3 minutes by 5xx")):
        statements, gaps = told(tmp_path / str(number), question, **{"logs/edge.log": long})
        assert statements == []
        assert "more minutes or hours than can be told" in gaps[0]


def test_a_path_that_a_stranger_made_up_stands_between_marks(tmp_path: Path) -> None:
    path = "/a,the-cause-is-ledger;"
    statements, _ = told(tmp_path, "5xx per path", **{"logs/edge.log": access(1, path, 503)})
    assert f'1 to "{path}"' in statements[1]


def test_a_refusal_names_the_words_that_were_not_understood(tmp_path: Path) -> None:
    statements, gaps = told(tmp_path, "How many purple requests failed twice?")
    assert statements == []
    assert gaps == [
        'Not answered: "purple", "twice" were not understood, and leaving out a word could change the answer.'
    ]


@pytest.mark.parametrize(
    ("question", "reason"),
    [
        ("how many requests were GET or failed", "conditions of two sorts are joined"),
        ("how many requests failed or took longer than 1 s", "conditions of two sorts are joined"),
        ("how many requests to /a and /b failed", "several texts or paths may be meant"),
        ('how many requests hold "/a" or "/b"', "several texts or paths may be meant"),
        ('how many requests to /a or "rt=0.5"', "conditions of two sorts are joined"),
    ],
)
def test_conditions_that_are_to_be_added_are_not_taken_to_hold_at_once(
    tmp_path: Path, question: str, reason: str
) -> None:
    statements, gaps = told(tmp_path, question)
    assert statements == []
    assert reason in gaps[0]


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ('how many requests to /a hold "rt=0.5"', "answered 1 of 4 requests"),
        ("how many GET or POST requests failed", "answered 3 of 4 requests"),
        ("how many requests returned 502 or 503", "answered 3 of 4 requests"),
        ("how many requests of 10.0.0.1 or 10.0.0.2 failed", "answered 3 of 4 requests"),
    ],
)
def test_alternatives_of_one_sort_are_added(tmp_path: Path, question: str, expected: str) -> None:
    statements, _ = told(tmp_path, question)
    assert expected in statements[0]


def test_a_path_is_not_a_part_of_a_longer_name(tmp_path: Path) -> None:
    paths = ("/a", "/a/7", "/a?id=1", "/ab", "/a-v2", "/a.json", "/b/a", "/b/a/7", "/b?next=/a")
    edge = "".join(access(at, path, 503) for at, path in enumerate(paths)) + access(60, "/c", 200)
    statements, _ = told(tmp_path, "how many requests to /a failed", **{"logs/edge.log": edge})
    assert "answered 3 of 10 requests" in statements[0]
    assert 'to the path "/a" or below it' in statements[0]


def test_a_path_is_not_where_a_request_came_from(tmp_path: Path) -> None:
    referred = ' 12 "https://shop.example/a"\n'
    edge = "".join(access(at, path, 200).replace(" 12\n", referred) for at, path in enumerate(("/a", "/b")))
    statements, _ = told(tmp_path, "how many requests to /a were there", **{"logs/edge.log": edge})
    assert "answered 1 of 2 requests" in statements[0]


BUSY = "".join(access(at, "/a", 503, f"10.0.0.{at % 2}") for at in (0, 60, 61, 120, 121, 3600))
BUSY += access(7200, "/a", 200, "10.0.0.7")


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        (
            "in which minute were most errors?",
            (
                "the most by minute, alike in 2 of them: 2 in the minute from 2026-11-30T00:01:00Z; "
                "2 in the minute from 2026-11-30T00:02:00Z."
            ),
        ),
        ("in what minute did most requests fail?", "the most by minute, alike in 2 of them: 2 in the minute"),
        ("which hour had the most 503?", "the most by hour: 5 in the hour from 2026-11-30T00:00:00Z."),
        ("which client sent most requests?", "the most by client: 4 from 10.0.0.0."),
        ("what is the highest number of requests per hour?", "the most by hour: 5 in the hour from"),
    ],
)
def test_what_has_most_is_named_with_what_has_as_many(tmp_path: Path, question: str, expected: str) -> None:
    statements, _ = told(tmp_path, question, **{"logs/edge.log": BUSY, "logs/api.log": ""})
    assert expected in statements[1]
    assert len(statements) == 3


def test_the_most_of_more_minutes_than_are_listed_is_named(tmp_path: Path) -> None:
    edge = "".join(access(60 * at, "/a", 503) for at in range(100)) + access(60 * 99 + 1, "/a", 503)
    question = "which minute had the most 503?"
    statements, _ = told(tmp_path, question, **{"logs/edge.log": edge, "logs/api.log": ""})
    assert statements[1:] == [
        "In logs/edge.log, the most by minute: 2 in the minute from 2026-11-30T01:39:00Z."
    ]


def test_all_alike_are_not_listed_without_an_end(tmp_path: Path) -> None:
    edge = "".join(access(60 * at, "/a", 503) for at in range(100))
    question = "which minute had the most 503?"
    statements, _ = told(tmp_path, question, **{"logs/edge.log": edge, "logs/api.log": ""})
    assert "the most by minute, alike in 100 of them: 1 in the minute" in statements[1]
    assert statements[1].endswith(", and others.")


def test_the_log_that_holds_most_is_the_first(tmp_path: Path) -> None:
    statements, _ = told(tmp_path, "which log has most errors?")
    assert ", the most first: 3 in logs/" in statements[0]


def test_an_id_is_not_a_part_of_a_longer_one(tmp_path: Path) -> None:
    rows = ("order 17", "Order 17: late", "order 171", "reorder 17", "order 17-b", "order 17.")
    log = "".join(f"2026-11-30T00:00:0{at}Z ERROR lost {row}\n" for at, row in enumerate(rows))
    statements, _ = told(tmp_path, "how many errors mention order 17", **{"logs/api.log": log})
    assert "3 in logs/api.log" in statements[0]
    assert 'hold "order 17" as a whole, in any case of letters' in statements[0]


@pytest.mark.parametrize(
    ("question", "is_answered"),
    [
        ("which pods are not ready or in staging", False),
        ("which pods are not ready in staging", True),
        ("which pods are in staging", True),
    ],
)
def test_states_and_namespaces_that_are_joined_are_refused(
    tmp_path: Path, question: str, is_answered: bool
) -> None:
    pods = (
        "NAMESPACE   NAME     READY   STATUS    RESTARTS   AGE\n"
        "shop        gate-0   0/1     Running   0          5d\n"
        "staging     gate-1   1/1     Running   0          5d\n"
    )
    statements, gaps = told(tmp_path, question, **{"pods.txt": pods})
    assert bool(statements) is is_answered
    assert is_answered or "conditions of two sorts are joined" in gaps[0]
