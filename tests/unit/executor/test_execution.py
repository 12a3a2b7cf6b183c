"""Runtime and execution with real tools on a written bundle; the reasoner is scripted."""

import hashlib
import itertools
import threading
import time
from collections.abc import AsyncIterator, Callable, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path

import pytest
from assay.common.v1 import context_pb2, evidence_pb2, tool_pb2
from assay.executor.v1 import executor_pb2

from services.common.evidence import strict_json
from services.executor.execution import Bundles, Execution
from services.executor.recorded import RecordedCall, ToolRequest
from services.executor.runtime import Clocks, Runtime
from services.executor.sources.bundle import Bundle
from services.executor.sources.stop import Stop, StoppedError
from services.executor.tools.registry import tools
from services.executor.tools.tool import Tool, ToolOutput
from services.executor.workers import Workers
from tests.fakes.bundles import LIMITS, write

EMPTY = b'{"version":"executor_evidence_v2","claims":[]}'
NOW = datetime(2026, 11, 30, 9, 0, tzinfo=UTC)


@dataclass
class Scripted:
    """A reasoner that asks for what it was given, round by round, and answers with given bytes."""

    rounds: list[list[ToolRequest]] = field(default_factory=list)
    document: bytes = EMPTY
    stops: bool = False
    seen: list[int] = field(default_factory=list)

    async def follow_up(
        self, context: context_pb2.DiagnosisContext, calls: Sequence[RecordedCall], seconds: float
    ) -> list[ToolRequest]:
        del context, seconds
        self.seen.append(len(calls))
        return self.rounds.pop(0) if self.rounds else []

    async def conclude(
        self,
        context: context_pb2.DiagnosisContext,
        calls: Sequence[RecordedCall],
        gaps: Sequence[evidence_pb2.ClaimGap],
        seconds: float,
    ) -> bytes:
        del context, calls, gaps, seconds
        if self.stops:
            raise StoppedError
        return self.document


@pytest.fixture
def root(tmp_path: Path) -> Path:
    write(tmp_path / "b", {"logs/a.log": "2026-11-30T09:00:00Z INFO x\n" * 50, "alerts.json": []})
    return tmp_path


@pytest.fixture
async def workers() -> AsyncIterator[Workers]:
    made = Workers(2, time.monotonic)
    yield made
    await made.close()


def an_execution(
    root: Path, workers: Workers, reasoner: Scripted, offered: dict[str, Tool] | None = None
) -> Execution:
    ids = itertools.count(1)
    runtime = Runtime(
        offered or tools(100_000, 10),
        workers,
        Clocks(lambda: NOW, time.monotonic),
        lambda: f"inv-{next(ids)}",
    )
    return Execution(Bundles(root, LIMITS, workers, 10), runtime, reasoner, 10)


async def run(
    execution: Execution, *steps: tuple[str, bytes]
) -> tuple[list[tool_pb2.Invocation], executor_pb2.ExecutorResult]:
    context = context_pb2.DiagnosisContext(question="why?", scope=context_pb2.Scope(bundle="b"))
    plan = [tool_pb2.PlanStep(tool_name=name, arguments_json=arguments) for name, arguments in steps]
    items = [item async for item in execution.run(context, plan, [], lambda: 30.0)]
    result = items.pop()
    assert isinstance(result, executor_pb2.ExecutorResult)
    return [item for item in items if isinstance(item, tool_pb2.Invocation)], result


def replaced(
    name: str, function: Callable[[Bundle, object, Stop], ToolOutput], seconds: float = 10
) -> dict[str, Tool]:
    offered = tools(100_000, 10)
    return offered | {name: replace(offered[name], run=function, deadline_seconds=seconds)}


ALERTS = ("alerts_list", b'{"source":"alerts.json"}')


async def test_an_invocation_is_recorded_whole(root: Path, workers: Workers) -> None:
    [invocation], result = await run(an_execution(root, workers, Scripted()), ALERTS)
    assert invocation.id == "inv-1"
    assert invocation.arguments_json == b'{"source":"alerts.json"}'
    assert invocation.output == b'{"source":"alerts.json","elements":[]}'
    assert invocation.output_sha256 == hashlib.sha256(invocation.output).hexdigest()
    assert invocation.start_time.ToDatetime(UTC) == NOW
    assert invocation.kind == tool_pb2.DOCUMENT_KIND_RAW
    assert result == executor_pb2.ExecutorResult(
        status=executor_pb2.EXECUTOR_STATUS_COMPLETED, document=EMPTY
    )


async def test_follow_ups_are_made_once_and_at_most_four_rounds(root: Path, workers: Workers) -> None:
    def ask(limit: int) -> list[ToolRequest]:
        same = ToolRequest("alerts_list", {"source": "alerts.json"})
        number = strict_json.NumberToken(limit)
        return [same, ToolRequest("logs_search", {"source": "logs/a.log", "limit": number})]

    reasoner = Scripted(rounds=[ask(limit) for limit in range(1, 9)])
    invocations, _ = await run(an_execution(root, workers, reasoner), ALERTS)
    assert [invocation.tool_name for invocation in invocations] == ["alerts_list", *["logs_search"] * 4]
    assert reasoner.seen == [1, 2, 3, 4]


async def test_an_answer_over_the_cap_is_an_error_that_says_so(root: Path, workers: Workers) -> None:
    offered = tools(1500, 10)
    execution = an_execution(root, workers, Scripted(), offered)
    search = b'{"source":"logs/a.log","limit":%d}'
    [wide, narrow], _ = await run(execution, ("logs_search", search % 50), ("logs_search", search % 5))
    assert wide.status == tool_pb2.INVOCATION_STATUS_ERROR
    assert b"too large" in wide.output
    assert b"narrow it" in wide.output
    assert (narrow.status, narrow.truncated) == (tool_pb2.INVOCATION_STATUS_OK, True)


async def test_a_tool_that_does_not_answer_is_a_timeout_and_is_told_to_stop(
    root: Path, workers: Workers
) -> None:
    told = threading.Event()

    def endless(_bundle: Bundle, _arguments: object, stop: Stop) -> ToolOutput:
        try:
            while True:
                stop.check()
        except StoppedError:
            told.set()
            raise

    execution = an_execution(root, workers, Scripted(), replaced("alerts_list", endless, 0.05))
    [invocation], result = await run(execution, ALERTS)
    assert invocation.status == tool_pb2.INVOCATION_STATUS_TIMEOUT
    assert b"did not answer within 0.05 s" in invocation.output
    assert result.status == executor_pb2.EXECUTOR_STATUS_COMPLETED
    assert told.wait(5)


async def test_an_analysis_out_of_time_fails(root: Path, workers: Workers) -> None:
    _, result = await run(an_execution(root, workers, Scripted(stops=True)), ALERTS)
    assert result == executor_pb2.ExecutorResult(status=executor_pb2.EXECUTOR_STATUS_FAILED)


async def test_an_illegal_document_is_invalid_output(root: Path, workers: Workers) -> None:
    _, result = await run(an_execution(root, workers, Scripted(document=b"because")), ALERTS)
    assert result == executor_pb2.ExecutorResult(status=executor_pb2.EXECUTOR_STATUS_INVALID_OUTPUT)


async def test_a_plan_refused_wholly_asks_no_reasoner(root: Path, workers: Workers) -> None:
    reasoner = Scripted()
    _, result = await run(an_execution(root, workers, reasoner), ("shell", b"{}"))
    assert result == executor_pb2.ExecutorResult(status=executor_pb2.EXECUTOR_STATUS_TOOL_BLOCKED)
    assert reasoner.seen == []
