"""What a worker process holds, without the process: a written bundle and the real tools."""

import errno
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import NoReturn

import pytest
from assay.common.v1 import context_pb2, tool_pb2

from services.common.evidence import strict_json
from services.common.redaction.redactor import Redactor
from services.executor.desk import Desk
from services.executor.sources.bundle import Bundle
from services.executor.sources.stop import Stop
from services.executor.tools.arguments import LogSearch, OneSource
from services.executor.tools.registry import tools
from services.executor.tools.tool import Tool, ToolError, ToolOutput
from services.executor.workers import Workers
from tests.fakes.bundles import LIMITS, write
from tests.fakes.endless_tools import endless_tools
from tests.fakes.processes import loaded

CONTEXT = context_pb2.DiagnosisContext(question="why?", intent=context_pb2.INTENT_CAUSE)


@pytest.fixture
def root(tmp_path: Path) -> Path:
    write(tmp_path / "b", {"logs/a.log": "2026-11-30T09:00:00Z INFO x\n" * 50, "alerts.json": []})
    return tmp_path


def a_desk(root: Path, offered: dict[str, Tool]) -> Desk:
    desk = Desk(offered, root, LIMITS, Redactor())
    desk.open("b", 60)
    return desk


def test_an_answer_over_the_cap_is_an_error_that_says_so(root: Path) -> None:
    desk = a_desk(root, tools(1500, 10))
    wide = desk.call("logs_search", LogSearch(source="logs/a.log", limit=50), 10)
    narrow = desk.call("logs_search", LogSearch(source="logs/a.log", limit=5), 10)
    assert wide.status == tool_pb2.INVOCATION_STATUS_ERROR
    assert b"too large" in wide.output
    assert b"narrow it" in wide.output
    assert (narrow.status, narrow.truncated) == (tool_pb2.INVOCATION_STATUS_OK, True)


def test_a_tool_that_asks_ends_in_its_time(root: Path) -> None:
    outcome = a_desk(root, endless_tools(10)).call("metrics_list", OneSource(source="x"), 0.05)
    assert outcome.status == tool_pb2.INVOCATION_STATUS_TIMEOUT
    assert b"did not answer within 0.05 s" in outcome.output


def telling(_bundle: Bundle, arguments: OneSource, _stop: Stop) -> ToolOutput:
    if arguments.source == "failing":
        raise ToolError("no such thing as password=hunter2hunter2")
    return ToolOutput({"lines": [{"text": "password=hunter2hunter2"}]})


def test_secrets_leave_neither_a_document_nor_a_reason(root: Path) -> None:
    offered = tools(500, 10)
    desk = a_desk(root, offered | {"alerts_list": replace(offered["alerts_list"], run=telling)})
    answered = desk.call("alerts_list", OneSource(source="any"), 10)
    failing = desk.call("alerts_list", OneSource(source="failing"), 10)
    assert b"hunter2" not in answered.output + failing.output
    assert (answered.status, answered.redactions) == (tool_pb2.INVOCATION_STATUS_OK, 1)
    assert (failing.status, failing.redactions) == (tool_pb2.INVOCATION_STATUS_ERROR, 1)


def test_an_answer_that_only_what_stands_for_secrets_makes_too_large_is_an_error(root: Path) -> None:
    offered = tools(500, 10)
    many = replace(offered["alerts_list"], run=many_secrets)
    outcome = a_desk(root, offered | {"alerts_list": many}).call("alerts_list", OneSource(source="x"), 10)
    assert outcome.status == tool_pb2.INVOCATION_STATUS_ERROR
    assert b"too large" in outcome.output


def many_secrets(_bundle: Bundle, _arguments: OneSource, _stop: Stop) -> ToolOutput:
    return ToolOutput({"lines": [{"pwd": "abc"}] * 30})


def breaking(_bundle: Bundle, _arguments: OneSource, _stop: Stop) -> NoReturn:
    raise OSError(errno.EIO, "Input/output error", "/a/path")


@pytest.mark.parametrize(
    ("source", "reason"),
    [
        ("alerts.json", b"the source cannot be read: Input/output error"),
        ("logs/a.log", b"of kind log, not metric"),
    ],
)
def test_a_source_that_cannot_be_read_is_an_error_that_says_why(
    root: Path, source: str, reason: bytes
) -> None:
    offered = tools(1500, 10)
    desk = a_desk(root, offered | {"alerts_list": replace(offered["alerts_list"], run=breaking)})
    tool_name = "alerts_list" if source == "alerts.json" else "metrics_list"
    outcome = desk.call(tool_name, OneSource(source=source), 10)
    assert outcome.status == tool_pb2.INVOCATION_STATUS_ERROR
    assert reason in outcome.output
    assert b"/a/path" not in outcome.output


def test_the_analyst_is_asked_about_every_call_that_the_desk_was_told_of(root: Path) -> None:
    desk = a_desk(root, tools(100_000, 10))
    wanted = desk.follow_up([], CONTEXT)
    assert {step.tool_name for step in wanted} >= {"metrics_change_points"}
    recorded = [
        tool_pb2.Invocation(
            id=f"inv-{number}",
            tool_name=step.tool_name,
            arguments_json=step.arguments_json,
            status=tool_pb2.INVOCATION_STATUS_ERROR,
            output=b'{"error":"no"}',
        )
        for number, step in enumerate(wanted)
    ]
    assert wanted[0] not in desk.follow_up(recorded, CONTEXT)
    document = strict_json.loads(desk.conclude([], CONTEXT, []))
    assert isinstance(document, dict)
    assert document["version"] == "executor_evidence_v2"


def test_opening_forgets_what_was_told(root: Path) -> None:
    desk = a_desk(root, tools(100_000, 10))
    wanted = desk.follow_up([], CONTEXT)
    told = tool_pb2.Invocation(
        id="inv-1",
        tool_name=wanted[0].tool_name,
        arguments_json=wanted[0].arguments_json,
        status=tool_pb2.INVOCATION_STATUS_ERROR,
        output=b'{"error":"no"}',
    )
    assert desk.follow_up([told], CONTEXT) != wanted
    desk.open("b", 60)
    assert desk.follow_up([], CONTEXT) == wanted


async def test_a_process_with_a_desk_loads_no_more_than_it_needs(tmp_path: Path) -> None:
    workers = Workers(1, partial(Desk, tools(1000, 1), tmp_path, LIMITS, Redactor()), Desk.clear)
    async with workers.lease() as worker:
        packages = set(await worker.run(60, loaded))
    await workers.close()
    assert "services" in packages
    assert not packages & {"grpc", "structlog", "pydantic_settings", "orchestrator"}
