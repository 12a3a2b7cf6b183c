"""What `assay doctor` concludes from what it saw, and how it prints that."""

import json
from typing import Any

import pytest
from assay.common.v1.process_pb2 import ModelEndpoint, Process
from assay.common.v1.tool_pb2 import SourceInfo
from assay.orchestrator.v1 import run_pb2, status_pb2
from assay.orchestrator.v1.status_pb2 import AgentStatus, RunCount, SourcesStatus, StoreStatus
from google.protobuf.timestamp_pb2 import Timestamp

from orchestrator.cli import doctor_checks as checks
from orchestrator.cli.doctor import as_json, as_text, exit_code
from orchestrator.cli.doctor_checks import MIN_FREE_BYTES, Check
from orchestrator.cli.layout import Layout
from services.common.settings_report import Report

HOSTILE = "\x1b[2J\u202egnol"


def agent(**changes: object) -> AgentStatus:
    status = AgentStatus(
        name="planner",
        address="127.0.0.1:1",
        ready=True,
        live=True,
        process=Process(name="planner", version="0.1.0", reasoner="offline"),
        clock_skew_seconds=0.0,
        round_trip_seconds=0.1,
    )
    status.MergeFrom(AgentStatus(**changes))  # type: ignore[arg-type]  # fields of the message
    return status


@pytest.mark.parametrize(
    ("status", "ok", "says"),
    [
        (agent(), True, "ready, version 0.1.0"),
        (AgentStatus(name="planner", live=True, process=Process()), False, "NOT ready"),
        (AgentStatus(name="planner", ready=True, process=Process()), False, "NOT live"),
        (AgentStatus(name="planner", problem="it does not answer"), False, "it does not answer"),
        (agent(process=Process(problems=["the folder is gone"])), False, "the folder is gone"),
        # An older service that does not describe itself, but works.
        (AgentStatus(name="planner", ready=True, live=True, problem="it is older"), True, "it is older"),
    ],
)
def test_a_service_is_fine_when_it_is_ready_and_live_and_has_what_it_needs(
    status: AgentStatus, ok: bool, says: str
) -> None:
    check = checks.service(status)
    assert check.ok is ok
    assert says in check.detail


def asking(**changes: Any) -> list[Check]:  # noqa: ANN401 - fields of the message
    told = {"address": "host:1", "name": "small", "mode": "json_schema", "reachable": True, **changes}
    return list(checks.model(agent(process=Process(model=ModelEndpoint(**told)))))


@pytest.mark.parametrize(
    ("changes", "ok", "says"),
    [
        ({}, True, "small at host:1, reachable, answers as json_schema"),
        ({"reachable": False, "mode": ""}, False, "NOT reachable, form of answers not known yet"),
        ({"key_in_clear": True}, True, "WARNING: the key travels there unencrypted"),
    ],
)
def test_a_model_is_fine_when_it_can_be_reached(changes: dict[str, Any], ok: bool, says: str) -> None:
    (check,) = asking(**changes)
    assert (check.group, check.name, check.ok) == ("models", "planner", ok)
    assert says in check.detail
    assert ("WARNING" in check.detail) == bool(changes.get("key_in_clear"))


def test_who_asks_no_model_has_none() -> None:
    assert list(checks.model(agent())) == []


SOUND = status_pb2.INTEGRITY_SOUND


@pytest.mark.parametrize(
    ("status", "ok", "says"),
    [
        (StoreStatus(free_bytes=MIN_FREE_BYTES, integrity=SOUND), True, "integrity: sound"),
        (
            StoreStatus(free_bytes=MIN_FREE_BYTES, integrity=status_pb2.INTEGRITY_NOT_FINISHED),
            True,
            "integrity: not finished",
        ),
        (StoreStatus(free_bytes=MIN_FREE_BYTES - 1, integrity=SOUND), False, "ONLY 100.0 MiB free"),
        (StoreStatus(free_bytes=MIN_FREE_BYTES, problem="it is damaged: x"), False, "it is damaged: x"),
    ],
)
def test_a_store_is_fine_when_it_is_sound_and_has_room(status: StoreStatus, ok: bool, says: str) -> None:
    check = checks.store(status)
    assert check.ok is ok
    assert says in check.detail


def test_runs_are_counted_by_the_names_of_their_status() -> None:
    rows = [RunCount(status=run_pb2.RUN_STATUS_FAILED, count=2), RunCount(status=run_pb2.RUN_STATUS_RUNNING)]
    assert "runs: 2 failed, 0 running" in checks.store(StoreStatus(runs=rows)).detail


@pytest.mark.parametrize(("skew", "fine"), [(0.0, True), (2.04, True), (2.06, False), (-3600.0, False)])
def test_a_clock_may_differ_by_what_the_way_explains(skew: float, fine: bool) -> None:
    found = list(checks.clock([agent(clock_skew_seconds=skew), AgentStatus(name="silent")], Timestamp()))
    assert (exit_code(found) == 0) is fine
    assert any(check.name == "planner" for check in found) is not fine
    assert not any(check.name == "silent" for check in found)


def test_what_a_bundle_lacks_is_no_fault_and_a_bundle_that_cannot_be_listed_is() -> None:
    source = SourceInfo(kind="log", name="a.log", available=True, owner="api", size_bytes=2048)
    lack = SourceInfo(kind="alert", reason="the bundle has no alerts")
    found = list(checks.sources(SourcesStatus(sources=[source, lack]), "incident"))
    assert [check.ok for check in found] == [True, True, None]
    assert [check.detail for check in found] == [
        "1 sources can be read",
        "log, of api, no time, 2.0 KiB",
        "not read: the bundle has no alerts",
    ]
    (check,) = checks.sources(SourcesStatus(problem="it does not exist"), "incident")
    assert check.ok is False


def test_problems_of_the_settings_are_checks_that_fail() -> None:
    told = Report(process="cli", file="/etc/a.toml", settings=[], problems=["A: wrong", "B: wrong"])
    assert [check.ok for check in checks.settings(told)] == [None, False, False]
    told["problems"] = []
    assert [check.ok for check in checks.settings(told)] == [None, True]


def test_one_bad_check_makes_the_exit_code_1_and_what_is_only_told_does_not() -> None:
    told = Check("a", "b", None, "c")
    assert exit_code([told, Check("a", "b", True, "c")]) == 0
    assert exit_code([told, Check("a", "b", False, "c"), Check("a", "b", True, "c")]) == 1


def test_nothing_that_a_stranger_wrote_commands_the_terminal() -> None:
    found = [
        *checks.sources(
            SourcesStatus(sources=[SourceInfo(name=HOSTILE, available=True, owner=HOSTILE)]), "b"
        ),
        checks.service(agent(process=Process(version=HOSTILE, problems=[HOSTILE]), problem=HOSTILE)),
        checks.store(StoreStatus(location=HOSTILE, problem=HOSTILE)),
    ]
    for printed in (as_text(found, Layout()), as_json(found)):
        assert printed.replace("\n", "").isprintable()
        # The positive control: it is shown, as text.
        assert "1b[2J" in printed


def test_the_json_says_the_same() -> None:
    shown = json.loads(as_json([checks.service(agent()), checks.store(StoreStatus(problem="gone"))]))
    assert shown["ok"] is False
    assert [(row["group"], row["name"], row["ok"]) for row in shown["checks"]] == [
        ("services", "planner", True),
        ("store", "runs", False),
    ]
    assert shown["checks"][0]["reasoner"] == "offline"
