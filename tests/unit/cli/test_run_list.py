"""A list of runs, for people and for programs."""

import json

from assay.common.v1 import evidence_pb2
from assay.orchestrator.v1 import run_pb2

from orchestrator.cli.run_list import as_json_lines, as_table
from orchestrator.cli.runs_command import Status
from orchestrator.cli.table import Paper
from services.common.evidence.names import number_of
from tests.fakes.runs import instant

ENDED = run_pb2.RunSummary(
    run_id="0123456789abcdef" * 2,
    status=run_pb2.RUN_STATUS_SUCCEEDED,
    create_time=instant("2026-11-30T09:11:37.5Z"),
    end_time=instant("2026-11-30T09:11:40Z"),
    effective_verdict=evidence_pb2.VERDICT_PASS,
)
ENDED.context.question = "why?"
ENDED.context.scope.bundle = "incident"
ENDED.first_suspect.component = "api"
RUNNING = run_pb2.RunSummary(
    run_id="01234567ffffffff" * 2,
    status=run_pb2.RUN_STATUS_RUNNING,
    create_time=instant("2026-11-30T09:12:00Z"),
)
RUNNING.context.question = "why\x1b[2J?"


def test_on_a_terminal_ids_are_as_short_as_tells_them_apart() -> None:
    head, running, ended = as_table([RUNNING, ENDED], Paper(100)).splitlines()
    assert head.split() == ["RUN", "BEGUN", "TOOK", "STATUS", "VERDICT", "SUSPECT", "QUESTION"]
    assert running.split() == [
        "01234567f",
        "2026-11-30",
        "09:12:00Z",
        "-",
        "RUNNING",
        "-",
        "-",
        "why\\x1b[2J?",
    ]
    assert ended.split() == [
        "012345678",
        "2026-11-30",
        "09:11:37Z",
        "2.5s",
        "SUCCEEDED",
        "PASS",
        "api",
        "why?",
    ]
    assert as_table([ENDED], Paper(100)).splitlines()[1].startswith("01234567  ")


def test_in_a_file_ids_are_whole() -> None:
    assert ENDED.run_id in as_table([ENDED], Paper())


def test_a_line_of_json_a_run_with_every_key() -> None:
    running, ended = map(json.loads, as_json_lines([RUNNING, ENDED]))
    assert running.keys() == ended.keys()
    assert ended == {
        "run_id": ENDED.run_id,
        "question": "why?",
        "intent": None,
        "bundle": "incident",
        "create_time": "2026-11-30T09:11:37.500Z",
        "end_time": "2026-11-30T09:11:40Z",
        "status": "SUCCEEDED",
        "effective_verdict": "PASS",
        "first_suspect": {"component": "api", "kind": "", "fault": "", "claim_ids": []},
        "failure": None,
    }
    assert (running["end_time"], running["effective_verdict"], running["first_suspect"]) == (None, None, None)
    for line in as_json_lines([RUNNING]):
        assert line.isascii()
        assert line.count("\n") == 1


def test_every_status_can_be_asked_for() -> None:
    named = {number_of(run_pb2.RunStatus.DESCRIPTOR, status) for status in Status}
    assert named == set(run_pb2.RunStatus.values()) - {run_pb2.RUN_STATUS_UNSPECIFIED}
