"""Runtime and execution with real workers and tools on a written bundle; the reasoner is scripted."""

import asyncio
import hashlib
import itertools
import os
import signal
import time
from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import partial

import pytest
import pytest_asyncio
from assay.common.v1 import context_pb2, reasoning_pb2, tool_pb2
from assay.executor.v1 import executor_pb2

from services.common.reasoning import FailedAs, Reasoned, ReasoningFailedError
from services.common.redaction.redactor import Redactor
from services.executor.desk import Desk
from services.executor.execution import Execution
from services.executor.reasoner import Asked, Inquiry, OfflineInquiry, OfflineReasoner, Reasoner
from services.executor.runtime import Clocks, Runtime
from services.executor.session import Session, Sessions
from services.executor.workers import Workers
from tests.fakes.bundles import LIMITS, write
from tests.fakes.command_line import wait_gone
from tests.fakes.endless_tools import endless_tools
from tests.fakes.held_work import listener
from tests.fakes.processes import worker_ids
from tests.fakes.reasoned import by_script

EMPTY = b'{"version":"executor_evidence_v2","claims":[]}'
FAILED_REASONING = reasoning_pb2.Reasoning(reasoner="openai", model_failure="broke_rules")
NOW = datetime(2026, 11, 30, 9, 0, tzinfo=UTC)
OK = tool_pb2.INVOCATION_STATUS_OK
TIMEOUT = tool_pb2.INVOCATION_STATUS_TIMEOUT


@dataclass
class Scripted:
    """A reasoner that asks for what it was given, round by round, and answers with given bytes."""

    rounds: list[list[tool_pb2.PlanStep]] = field(default_factory=list)
    document: bytes = EMPTY
    seen: list[int] = field(default_factory=list)
    failed_as: FailedAs | None = None

    def begin(self, session: Session, asked: Asked) -> Inquiry:
        del asked
        return ScriptedInquiry(self, session)


@dataclass
class ScriptedInquiry:
    """Goes by the script of its reasoner."""

    script: Scripted
    session: Session

    async def follow_up(self, seconds: float) -> list[tool_pb2.PlanStep]:
        del seconds
        self.script.seen.append(len(self.session.invocations))
        return self.script.rounds.pop(0) if self.script.rounds else []

    async def conclude(self, seconds: float) -> Reasoned[bytes]:
        del seconds
        if self.script.failed_as is not None:
            raise ReasoningFailedError(self.script.failed_as, FAILED_REASONING)
        return by_script(self.script.document)


@dataclass
class Killed(OfflineReasoner):
    """The analyst, whose worker is killed before it is first asked."""

    lost: list[int] = field(default_factory=list)

    def begin(self, session: Session, asked: Asked) -> OfflineInquiry:
        self.lost = worker_ids()
        for pid in self.lost:
            os.kill(pid, signal.SIGKILL)
        wait_gone(self.lost)
        return super().begin(session, asked)


@dataclass(frozen=True, slots=True)
class CuriousInquiry(OfflineInquiry):
    """The analyst, who in the end wants one call more."""

    last: tool_pb2.PlanStep
    asked_for: list[tool_pb2.PlanStep] = field(default_factory=list)

    async def follow_up(self, seconds: float) -> Sequence[tool_pb2.PlanStep]:
        wanted = await OfflineInquiry.follow_up(self, seconds)
        if wanted or self.asked_for:
            return wanted
        self.asked_for.append(self.last)
        return self.asked_for


@dataclass
class Curious(OfflineReasoner):
    """The reasoner of a curious inquiry."""

    last: tool_pb2.PlanStep

    def begin(self, session: Session, asked: Asked) -> OfflineInquiry:
        return CuriousInquiry(session, asked, self.last)


# A process takes long to start, and a lease leaves nothing in it: one serves all tests that do not kill it.
pytestmark = pytest.mark.asyncio(loop_scope="module")


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def workers(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Workers[Desk]]:
    root = tmp_path_factory.mktemp("bundles")
    write(root / "b", {"logs/a.log": "2026-11-30T09:00:00Z INFO x\n" * 50, "alerts.json": []})
    errors = "".join(f"2026-11-30T09:00:{second:02d}Z ERROR it failed\n" for second in range(60))
    write(root / "failing", {"logs/a.log": errors, "alerts.json": []})
    made = Workers(2, partial(Desk, endless_tools(60), root, LIMITS, Redactor()), Desk.clear)
    yield made
    await made.close()


def an_execution(
    workers: Workers[Desk], reasoner: Reasoner, tool_seconds: float = 60, analysis_seconds: float = 60
) -> Execution:
    ids = itertools.count(1)
    clocks = Clocks(lambda: NOW, time.monotonic)
    runtime = Runtime(endless_tools(tool_seconds), clocks, lambda: f"inv-{next(ids)}", Redactor())
    return Execution(Sessions(workers, workers, 60), runtime, reasoner, analysis_seconds)


async def run(
    execution: Execution, *steps: tool_pb2.PlanStep, bundle: str = "b"
) -> tuple[list[tool_pb2.Invocation], executor_pb2.ExecutorResult]:
    context = context_pb2.DiagnosisContext(question="why?", scope=context_pb2.Scope(bundle=bundle))
    items = [item async for item in execution.run(context, steps, [], lambda: 60.0)]
    result = items.pop()
    assert isinstance(result, executor_pb2.ExecutorResult)
    return [item for item in items if isinstance(item, tool_pb2.Invocation)], result


def a_step(tool_name: str, arguments: bytes) -> tool_pb2.PlanStep:
    return tool_pb2.PlanStep(tool_name=tool_name, arguments_json=arguments)


LINES = a_step("logs_search", b'{"source":"logs/a.log","limit":2}')
REFUSED = a_step("shell", b"{}")
ASKING = a_step("metrics_list", b'{"source":"x"}')


def holding(port: int) -> tool_pb2.PlanStep:
    """Return a call that begins at a port and then holds its interpreter."""
    return a_step("alerts_list", b'{"source":"%d"}' % port)


async def test_an_invocation_is_recorded_whole(workers: Workers[Desk]) -> None:
    [invocation], result = await run(an_execution(workers, Scripted()), LINES)
    assert invocation.id == "inv-1"
    assert invocation.arguments_json == b'{"source":"logs/a.log","limit":2}'
    assert invocation.output.startswith(b'{"source":"logs/a.log"')
    assert invocation.output_sha256 == hashlib.sha256(invocation.output).hexdigest()
    assert invocation.start_time.ToDatetime(UTC) == NOW
    assert invocation.kind == tool_pb2.DOCUMENT_KIND_RAW
    assert (result.status, result.document) == (executor_pb2.EXECUTOR_STATUS_COMPLETED, EMPTY)
    assert result.reasoning.prompt_name == "scripted"


async def test_follow_ups_are_made_once_and_at_most_four_rounds(workers: Workers[Desk]) -> None:
    rounds = [
        [LINES, a_step("logs_search", b'{"source":"logs/a.log","limit":1%d}' % number)] for number in range(8)
    ]
    reasoner = Scripted(rounds=rounds)
    invocations, _ = await run(an_execution(workers, reasoner), LINES)
    assert [invocation.tool_name for invocation in invocations] == ["logs_search"] * 5
    assert reasoner.seen == [1, 2, 3, 4]


async def test_a_tool_that_asks_ends_in_time_and_keeps_the_process(
    workers: Workers[Desk], monkeypatch: pytest.MonkeyPatch
) -> None:
    # However late the process gets to say that it has ended.
    monkeypatch.setattr("services.executor.runtime.GRACE_SECONDS", 60.0)
    async with workers.lease() as worker:
        await worker.run(60, Desk.clear)
    kept = worker_ids()
    invocations, result = await run(an_execution(workers, Scripted(), tool_seconds=0.05), ASKING, ASKING)
    assert [invocation.status for invocation in invocations] == [TIMEOUT, TIMEOUT]
    assert b"did not answer within 0.05 s" in invocations[0].output
    assert result.status == executor_pb2.EXECUTOR_STATUS_COMPLETED
    assert worker_ids() == kept


async def test_a_tool_that_does_not_ask_is_killed_and_the_plan_goes_on(workers: Workers[Desk]) -> None:
    async with listener() as held:
        execution = an_execution(workers, OfflineReasoner(), tool_seconds=3)
        [first, hung, last, *_], result = await run(execution, LINES, holding(held.port), LINES)
        await held.begun()
    assert [first.status, hung.status, last.status] == [OK, TIMEOUT, OK]
    assert b"did not answer within 3 s" in hung.output
    assert first.output == last.output
    assert result.status == executor_pb2.EXECUTOR_STATUS_COMPLETED


async def test_a_killed_process_is_an_error_of_that_call_alone(workers: Workers[Desk]) -> None:
    async with listener() as held:
        execution = asyncio.create_task(
            run(an_execution(workers, OfflineReasoner()), LINES, holding(held.port), LINES)
        )
        await held.begun()
        [pid] = worker_ids()
        os.kill(pid, signal.SIGKILL)
        [first, killed, last, *_], result = await execution
    assert [first.status, killed.status, last.status] == [OK, tool_pb2.INVOCATION_STATUS_ERROR, OK]
    assert b"the process of this call ended (signal 9)" in killed.output
    assert killed.kind == tool_pb2.DOCUMENT_KIND_RAW
    assert killed.arguments_json == b'{"source":"%d"}' % held.port
    assert result.status == executor_pb2.EXECUTOR_STATUS_COMPLETED


async def test_an_analysis_whose_process_is_killed_fails(workers: Workers[Desk]) -> None:
    reasoner = Killed()
    _, result = await run(an_execution(workers, reasoner), LINES)
    assert reasoner.lost
    assert result == executor_pb2.ExecutorResult(status=executor_pb2.EXECUTOR_STATUS_FAILED)
    [_, *_], result = await run(an_execution(workers, OfflineReasoner()), LINES)
    assert result.status == executor_pb2.EXECUTOR_STATUS_COMPLETED


async def test_an_analysis_out_of_time_fails(workers: Workers[Desk]) -> None:
    _, result = await run(an_execution(workers, OfflineReasoner(), analysis_seconds=0), LINES)
    assert result == executor_pb2.ExecutorResult(status=executor_pb2.EXECUTOR_STATUS_FAILED)


async def test_an_analysis_in_a_new_process_knows_every_call(workers: Workers[Desk]) -> None:
    """The process that was told of the first call is killed at the last one."""
    templates = a_step("logs_templates", b'{"source":"logs/a.log"}')

    async def document(last: tool_pb2.PlanStep) -> bytes:
        execution = an_execution(workers, Curious(last), tool_seconds=1)
        _, result = await run(execution, templates, bundle="failing")
        return result.document

    async with listener() as held:
        killed = await document(holding(held.port))
    assert b"it failed" in killed
    assert killed == await document(REFUSED)


async def test_an_illegal_document_is_invalid_output(workers: Workers[Desk]) -> None:
    _, result = await run(an_execution(workers, Scripted(document=b"because")), LINES)
    assert (result.status, result.document) == (executor_pb2.EXECUTOR_STATUS_INVALID_OUTPUT, b"")


async def test_a_plan_refused_wholly_asks_no_reasoner(workers: Workers[Desk]) -> None:
    reasoner = Scripted()
    _, result = await run(an_execution(workers, reasoner), REFUSED)
    assert result == executor_pb2.ExecutorResult(status=executor_pb2.EXECUTOR_STATUS_TOOL_BLOCKED)
    assert reasoner.seen == []


@pytest.mark.parametrize(
    ("failed_as", "status"),
    [
        (FailedAs.INVALID_OUTPUT, executor_pb2.EXECUTOR_STATUS_INVALID_OUTPUT),
        (FailedAs.RETRYABLE_FAILED, executor_pb2.EXECUTOR_STATUS_FAILED),
        (FailedAs.NON_RETRYABLE_FAILED, executor_pb2.EXECUTOR_STATUS_FAILED),
    ],
)
async def test_a_reasoner_without_a_result_ends_the_execution(
    workers: Workers[Desk], failed_as: FailedAs, status: "executor_pb2.ExecutorStatus.ValueType"
) -> None:
    invocations, result = await run(an_execution(workers, Scripted(failed_as=failed_as)), LINES)
    assert len(invocations) == 1
    assert result == executor_pb2.ExecutorResult(status=status, reasoning=FAILED_REASONING)
