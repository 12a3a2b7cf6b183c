"""Questions whose easy answer would be wrong by half: logs that tell of the same requests, alerts that have
ended, a part of a question that bounds it by another event. The true figures are counted by hand here."""

import json
from pathlib import Path

import pytest

from tests.fakes.bundles import Tree, write
from tests.fakes.clusters import text
from tests.lookups.asking import asked

ACCESS = "".join(
    f'10.0.0.1 - - [28/Nov/2026:10:00:{second:02} +0000] "GET /a HTTP/1.1" {200 if second % 3 else 503} 12\n'
    for second in range(30)
)
OF_THE_PROGRAM = "".join(
    json.dumps(
        {"ts": f"2026-11-28T10:00:{second:02}Z", "level": "info", "status": 200 if second % 3 else 503}
    )
    + "\n"
    for second in range(30)
)
ENDED = {"status": "resolved", "endsAt": "2026-11-28T10:15:00Z", "startsAt": "2026-11-28T10:05:00Z"}
FIRING = {"status": "firing", "endsAt": "0001-01-01T00:00:00Z", "startsAt": "2026-11-28T10:20:00Z"}
ALERTS = {
    "version": "4",
    "alerts": [
        {**ENDED, "labels": {"alertname": "DiskFull", "service": "ledger"}},
        {**FIRING, "labels": {"alertname": "QueueLag", "service": "ledger"}},
    ],
}
PENDING = {
    "labels": {"alertname": "Slow", "service": "ledger"},
    "state": "pending",
    "activeAt": "2026-11-28T10:21:00Z",
}
EVENTS = [
    {"time": "2026-11-28T10:01:00Z", "type": "deploy", "service": "api", "summary": "api 7"},
    {"time": "2026-11-28T10:02:00Z", "type": "config_change", "service": "api", "summary": "api pool 3"},
]
FILES: dict[str, Tree] = {
    "topology.json": {
        "services": [
            {"name": "api", "kind": "go service", "logs": ["logs/api.log", "logs/api-access.log"]},
            {"name": "ledger", "kind": "PostgreSQL 16", "logs": ["logs/ledger.log"]},
        ],
        "calls": [{"from": "api", "to": "ledger"}],
    },
    "events.json": EVENTS,
    "alerts.json": ALERTS,
    "logs/api-access.log": ACCESS,
    "logs/api.log": OF_THE_PROGRAM,
    "logs/ledger.log": "2026-11-28T10:00:00Z ERROR deadlock\n2026-11-28T10:09:00Z ERROR deadlock\n",
    "logs/plain.log": "an error without a level\nall is well\n",
    "metrics/m.csv": "time,ledger_depth\n"
    "2026-11-28T10:00:00Z,1\n2026-11-28T10:01:00Z,7\n2026-11-28T10:02:00Z,3\n",
}


def said(folder: Path, question: str, **more: Tree) -> list[str]:
    answer = asked(write(folder / "bundle", {**FILES, **more}), question)
    assert answer.wrong == []
    return answer.statements


def test_two_logs_of_the_same_requests_are_not_added(tmp_path: Path) -> None:
    (answer,) = said(tmp_path, "How many requests of api failed?")
    assert answer.startswith(
        "As each log tells it: api answered 10 of 30 requests with a status of 5xx, in logs/api"
    )
    assert answer.count("10 of 30") == 2
    assert "20 of 60" not in answer


def test_more_logs_than_can_be_told_are_not_left_out_in_silence(tmp_path: Path) -> None:
    many: dict[str, Tree] = {f"logs/pod{chr(97 + number)}.log": ACCESS for number in range(13)}
    assert said(tmp_path, "How many requests failed?", **many) == []


def test_what_fired_may_have_ended(tmp_path: Path) -> None:
    (fired,) = said(tmp_path / "fired", "How many alerts fired?")
    assert fired.startswith("2 alerts of status firing or resolved are recorded")
    assert "DiskFull for ledger, resolved, begun at 2026-11-28T10:05:00Z" in fired
    (firing,) = said(tmp_path / "firing", "Which alerts are firing?")
    assert firing.startswith("1 alert of status firing is recorded: QueueLag")
    assert said(tmp_path / "did", "Did DiskFull fire?")[0].startswith("1 alert of alertname DiskFull")


@pytest.mark.parametrize(
    "question", ["How many alerts were firing at 10:10?", "Which alerts were firing since 10:00?"]
)
def test_what_fired_at_a_time_is_not_told_where_alerts_have_ended(tmp_path: Path, question: str) -> None:
    assert said(tmp_path, question) == []


def test_alerts_of_two_sources_that_state_it_differently_are_not_counted_by_one_of_them(
    tmp_path: Path,
) -> None:
    more: dict[str, Tree] = {"more.json": {"data": {"alerts": [PENDING]}}}
    assert said(tmp_path, "Which alerts are firing?", **more) == []
    assert said(tmp_path / "all", "How many alerts are there?", **more)[0].startswith("3 alerts are recorded")


@pytest.mark.parametrize(
    "question",
    [
        "What changed since the last deploy?",
        "What changed during the deploy?",
        "How many errors did ledger log when api failed?",
        "How many requests failed while ledger failed?",
    ],
)
def test_a_bound_that_is_another_event_is_no_word_to_leave_out(tmp_path: Path, question: str) -> None:
    assert said(tmp_path, question) == []


@pytest.mark.parametrize(
    ("question", "begins"),
    [
        ("Tell me when the last deploy was.", "1 change of type deploy"),
        ("How many errors did ledger log during the incident?", "2 records of logs/ledger.log"),
        ("What was the maximum of ledger_depth and when?", "ledger_depth was greatest with 7"),
        ("Any errors in ledger?", "2 records of logs/ledger.log"),
    ],
)
def test_a_bound_of_another_event_is_not_seen_where_none_is(
    tmp_path: Path, question: str, begins: str
) -> None:
    assert said(tmp_path, question)[0].startswith(begins)


def test_a_log_without_levels_that_speaks_of_errors_is_told_of(tmp_path: Path) -> None:
    (answer,) = said(tmp_path, "How many errors in plain.log?")
    assert answer.startswith("No record of logs/plain.log (2 lines) reports a failure")
    assert answer.endswith("; lines that hold the word error at all: 1.")


def test_the_last_of_several_logs_is_refused_where_one_of_them_has_no_times(tmp_path: Path) -> None:
    more: dict[str, Tree] = {"logs/late.log": "deadlock, and no time\n"}
    assert said(tmp_path, 'What was the last "deadlock" line?')
    assert said(tmp_path / "undated", 'What was the last "deadlock" line?', **more) == []


def test_a_metric_is_compared_with_one_number_and_its_samples_are_told(tmp_path: Path) -> None:
    (answer,) = said(tmp_path, "How often was ledger_depth above 2?")
    assert answer.endswith("and last at 2026-11-28T10:02:00Z, in 2 of 3 samples.")
    assert said(tmp_path / "both", "When was ledger_depth above 2 and below 5?") == []
    assert said(tmp_path / "samples", "How many samples of ledger_depth are there?") == []


CLUSTER: dict[str, Tree] = {
    "nodes.txt": text(
        """
        NAME   STATUS                     ROLES    AGE   VERSION
        n1     Ready                      <none>   28d   v1.31.2
        n2     NotReady                   <none>   28d   v1.31.2
        n3     Ready,SchedulingDisabled   <none>   28d   v1.31.2
        """
    ),
    "pods.txt": text(
        """
        NAME                       READY   STATUS    RESTARTS   AGE   IP           NODE   NOMINATED NODE
        cart-7d9c8b6f5d-x2kqz      1/1     Running   0          2d    10.244.0.6   n2     <none>
        cart-7d9c8b6f5d-z9fwd      1/1     Running   0          2d    10.244.0.7   n1     <none>
        """
    ),
}


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("Which nodes are not ready?", "Of 3 recorded nodes, 1 has another status than Ready or"),
        (
            "How many nodes are ready?",
            "Of 3 recorded nodes, 2 have the status Ready or Ready,SchedulingDisabled",
        ),
        ("Which pods are on node n2?", "Of 2 recorded pods, 1 is on the node n2: cart-7d9c8b6f5d-x2kqz."),
        ("How many pods run on n2?", "Of 2 recorded pods, 1 has the status Running and is on the node n2"),
    ],
)
def test_nodes_have_states_and_pods(tmp_path: Path, question: str, answer: str) -> None:
    answered = asked(write(tmp_path / "bundle", CLUSTER), question)
    assert answered.wrong == []
    assert answered.statements[0].startswith(answer)
    assert "cart-7d9c8b6f5d-z9fwd" not in answered.statements[0]
