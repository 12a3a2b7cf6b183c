"""What is said where reading was not whole, logs are several, lines repeat, or nothing is there."""

import json
from pathlib import Path

import pytest

from tests.fakes.bundles import Tree, write
from tests.fakes.clusters import text
from tests.fakes.investigation import investigate, look_up
from tests.lookups.asking import asked

TOPOLOGY = {
    "services": [
        {"name": "api", "kind": "go service", "logs": ["logs/api.log", "logs/api.log.1"]},
        {"name": "edge", "kind": "edge proxy", "logs": ["logs/edge.log", "logs/edge.log.1"]},
    ],
    "calls": [{"from": "edge", "to": "api"}],
}


def access(hour: int, *statuses: int) -> str:
    return "".join(
        f'10.0.0.1 - - [30/Nov/2026:{hour:02}:00:{second:02} +0000] "GET /a HTTP/1.1" {status} 12\n'
        for second, status in enumerate(statuses)
    )


FILES: dict[str, Tree] = {
    "topology.json": TOPOLOGY,
    "logs/api.log": "2026-11-30T10:00:00Z ERROR broken pipe\n2026-11-30T10:00:05Z INFO fine\n",
    "logs/api.log.1": "2026-11-30T09:00:00Z ERROR broken pipe\n2026-11-30T09:00:01Z ERROR broken pipe\n",
    "logs/edge.log": access(10, 200, 503, 503),
    "logs/edge.log.1": access(9, 200, 502, 200, 200),
}


def said(folder: Path, question: str, **more: Tree) -> list[str]:
    answer = asked(write(folder / "bundle", {**FILES, **more}), question)
    assert answer.wrong == []
    return answer.statements


def test_rotated_logs_are_summed_from_one_count(tmp_path: Path) -> None:
    (answer,) = said(tmp_path, "How many requests failed?")
    assert answer.startswith("edge answered 3 of 7 requests with a status of 5xx, in logs/edge.log")
    assert "logs/edge.log.1, the first at 2026-11-30T09:00:01Z, the last at 2026-11-30T10:00:02Z" in answer


def test_lines_of_several_logs_are_told_one_by_one(tmp_path: Path) -> None:
    (answer,) = said(tmp_path, 'How many lines of api hold "broken pipe"?')
    assert '3 lines of 2 logs hold "broken pipe": 1 in logs/api.log, 2 in logs/api.log.1' in answer


def test_the_first_of_several_logs_is_the_earliest(tmp_path: Path) -> None:
    (answer,) = said(tmp_path, "Since when does api fail?")
    assert "is logs/api.log.1 line 1 (2026-11-30T09:00:00Z)" in answer


def test_copies_are_told(tmp_path: Path) -> None:
    more: dict[str, Tree] = {"logs/copy.log": FILES["logs/api.log"]}
    (answer,) = said(tmp_path, 'How many lines hold "broken pipe"?', **more)
    assert answer.startswith('4 lines of 5 logs hold "broken pipe"')
    assert "; 1 of these read the same in another of the logs" in answer


def test_what_has_no_time_is_told_beside_a_window(tmp_path: Path) -> None:
    more: dict[str, Tree] = {"logs/plain.log": "broken pipe without a time\n"}
    (answer,) = said(tmp_path, 'How many lines hold "broken pipe" since 09:30?', **more)
    assert answer.startswith("1 line of 5 logs (from 2026-11-30T09:30:00Z)")
    assert answer.endswith("; lines that fit and are undated, counted apart: 1.")


def test_a_log_that_cannot_be_read_leaves_a_zero_open(tmp_path: Path) -> None:
    damaged: dict[str, Tree] = {"logs/old.log.gz": b"\x1f\x8b\x08\x00damaged"}
    assert said(tmp_path / "whole", 'Was there any "kernel panic" line?')[0].startswith("No line of 4 logs")
    assert said(tmp_path / "part", 'Was there any "kernel panic" line?', **damaged) == []
    (answer,) = said(tmp_path / "some", 'Was there any "broken pipe" line?', **damaged)
    assert answer.startswith("at least 3 lines of ")


@pytest.mark.parametrize(
    "question",
    [
        "How many errors in web?",
        "When did the first 418 line of api occur?",
        "How many requests did api answer?",
    ],
)
def test_what_no_log_tells_is_refused(tmp_path: Path, question: str) -> None:
    assert said(tmp_path, question) == []


@pytest.mark.parametrize("question", ["How many 503s since 10:30?", "How many requests since 10:30?"])
def test_a_time_without_a_logged_request_leaves_a_zero_open(tmp_path: Path, question: str) -> None:
    later: dict[str, Tree] = {"logs/other.log": "2026-11-30T10:59:00Z INFO fine\n"}
    bundle = write(tmp_path / "bundle", {**FILES, **later})
    assert asked(bundle, question).statements == []
    assert look_up(bundle, question).evidence.evidence_gaps == [
        "Not answered: no request is logged in the time that is asked about."
    ]


def test_a_refusal_says_what_was_looked_at_and_nothing_else(tmp_path: Path) -> None:
    found = look_up(write(tmp_path / "bundle", FILES), "How many customers were lost in Paris?")
    assert all(claim.statement.startswith("Looked at ") for claim in found.evidence.claims)
    assert not any(claim.critical for claim in found.evidence.claims)
    assert len(found.evidence.evidence_gaps) == 1


def test_an_empty_list_of_alerts_is_a_zero(tmp_path: Path) -> None:
    (answer,) = said(tmp_path, "Are there any alerts?", **{"alerts.json": {"data": {"alerts": []}}})
    assert answer.startswith("No alert is recorded")
    assert said(tmp_path / "without", "Are there any alerts?") == []


def test_a_change_that_speaks_of_a_component_in_passing_leaves_it_open(tmp_path: Path) -> None:
    events = [
        {"time": "2026-11-30T09:00:00Z", "type": "deploy", "service": "edge", "summary": "edge calls api v2"}
    ]
    question = "Was there any change to api?"
    assert said(tmp_path, question, **{"events.json": events}) == []
    events[0]["summary"] = "edge 2"
    assert said(tmp_path / "clear", question, **{"events.json": events})[0].startswith(
        "No change of service api"
    )


def test_a_zero_of_pods_needs_their_states(tmp_path: Path) -> None:
    table = """
        NAME    READY   STATUS    RESTARTS   AGE
        web-0   1/1     Running   0          2d
    """
    bundle = write(tmp_path / "cluster", {"pods.txt": text(table)})
    assert asked(bundle, "How many pods are pending?").statements == [
        "Of 1 recorded pod, none have the status Pending."
    ]
    assert asked(bundle, "Which pods are not running?").statements == [
        "Of 1 recorded pod, none have another status than Running."
    ]
    # A row does not show why containers ended, nor which events there were.
    assert asked(bundle, "Was there any OOM kill?").statements == []
    assert asked(bundle, "Show the events of web-0.").statements == []


def test_a_count_that_does_not_hold_what_was_chosen_is_refused(tmp_path: Path) -> None:
    events: list[dict[str, str]] = [{"time": "2026-11-30T09:00:00Z", "type": "deploy", "summary": "a"}]
    assert said(tmp_path, "What changed?", **{"events.json": events})
    # An entry without a time is recorded and cannot be told.
    events += [{"type": "deploy", "summary": "b"}]
    assert (
        said(tmp_path / "undated", "What changed?", **{"events.json": json.loads(json.dumps(events))}) == []
    )


@pytest.mark.parametrize(
    ("line", "verb"),
    [
        ("INFO shop.pay: POST https://pay.example/charge {} took=12ms", "logged"),
        ('https://pay.example:443 "POST /charge HTTP/1.1" {} 12', "logged"),
        ('10.0.0.1 "POST /charge HTTP/1.1" {} 12 "https://shop.example/"', "answered"),
    ],
)
def test_what_a_component_was_answered_is_not_told_as_its_own_answer(
    tmp_path: Path, line: str, verb: str
) -> None:
    rows = [f"2026-11-30T10:00:{n:02d}Z {line.format(503 if n > 30 else 200)}\n" for n in range(60)]
    bundle = write(tmp_path / "bundle", {"logs/shop.log": "".join(rows)})
    (answer,) = asked(bundle, "How many 503s?").statements
    assert answer.startswith(f"shop {verb} 29 of 60 requests with a status of 503")


def test_nor_is_it_in_the_answer_to_why(tmp_path: Path) -> None:
    line = '2026-11-30T10:0{}:{:02d}Z https://pay.example:443 "POST /charge HTTP/1.1" {} 12\n'
    rows = [line.format(n // 60, n % 60, 503 if n > 90 else 200) for n in range(120)]
    found = investigate(write(tmp_path / "bundle", {"logs/shop.log": "".join(rows)}), "Why does it fail?")
    (symptom,) = found.of_type("symptom")
    assert symptom.statement.startswith("shop logged 29 requests with status 503 from ")
