"""The one JSON object of `--json`."""

import json
from typing import Any

from assay.orchestrator.v1 import run_pb2

from orchestrator.cli.json_output import as_object, dumps
from tests.fakes.runs import proven_run

_KEYS = {
    "run_id",
    "question",
    "intent",
    "status",
    "effective_verdict",
    "window",
    "answer",
    "suspects",
    "claims",
    "checked",
    "failure",
    "trace",
    "usage",
}


def _object(run: run_pb2.Run) -> dict[str, Any]:
    return as_object(run, run_pb2.Trace(run_id=run.run_id))


def test_a_proven_run() -> None:
    shown = _object(proven_run())
    assert set(shown) == _KEYS
    assert (shown["run_id"], shown["status"], shown["effective_verdict"]) == ("run-1", "SUCCEEDED", "PASS")
    assert (shown["question"], shown["intent"]) == ("why?", "cause")
    assert shown["window"] == {"start": "2026-11-30T09:00:00Z", "end": "2026-11-30T09:10:00Z"}
    assert shown["answer"] == {
        "summary": "It broke. It is proven.",
        "confirmed": [{"text": "api was reconfigured.", "claim_ids": ["c1"]}],
        "possible_directions": [],
        "evidence_gaps": [{"text": "No events.", "claim_ids": [], "gap_ids": ["gap-1"]}],
        "next_checks": [{"text": "Roll it back.", "claim_ids": ["c1"]}],
    }
    assert shown["suspects"] == [
        {"component": "api", "kind": "service", "fault": "config.changed", "claim_ids": ["c1"]}
    ]


def test_a_claim_shows_its_check_and_where_it_was_read() -> None:
    claim = _object(proven_run())["claims"][0]
    assert (claim["id"], claim["type"], claim["component"]) == ("c1", "cause", "api")
    assert claim["check"]["classification"] == "direct_observation"
    raw, derived = claim["evidence_bindings"]
    assert raw == {
        "source_invocation_id": "inv-1",
        "tool_name": "logs_search",
        "raw_path": "/lines/0/text",
        "matched_text": "connection refused",
        "derived": False,
        "file": "logs/api.log",
        "line": 7,
    }
    assert (derived["file"], derived["line"]) == ("metrics/a.json", 3)
    assert derived["inputs"] == [{"file": "metrics/a.json", "line": 3}, {"file": "metrics/b.json", "line": 9}]


def test_checked_tells_a_read_source_from_a_missing_one() -> None:
    rows = _object(proven_run())["checked"]
    assert [(row["tool_name"], row["status"], row["reason"]) for row in rows] == [
        ("logs_search", "OK", ""),
        ("alerts_list", "ERROR", "too large, narrow it"),
        ("", "", "the bundle has none"),
    ]


def test_what_does_not_exist_is_null_or_empty() -> None:
    shown = _object(run_pb2.Run(run_id="run-2", status=run_pb2.RUN_STATUS_FAILED))
    assert set(shown) == _KEYS
    assert shown["effective_verdict"] is None
    assert shown["window"] is None
    assert (shown["question"], shown["intent"]) == ("", None)
    assert shown["failure"] is None
    assert shown["answer"]["summary"] == ""
    assert shown["suspects"] == shown["claims"] == shown["checked"] == []


def test_the_text_is_one_line_of_printable_ascii() -> None:
    run = proven_run()
    run.answer.summary[0].text = "\x1b[2J\u202e größer \x7f\n"
    text = dumps(run, run_pb2.Trace())
    assert text.isascii()
    assert text.isprintable()
    assert json.loads(text)["answer"]["summary"].startswith("\x1b[2J\u202e größer \x7f\n")
