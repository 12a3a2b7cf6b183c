"""Every status code that the contract of DiagnosisService names, from a real server, for every method."""

import asyncio
import sqlite3
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, closing
from pathlib import Path
from typing import Any, TypeAlias

import aiosqlite
import grpc
import grpc.aio
import pytest
from assay.common.v1 import context_pb2
from assay.orchestrator.v1 import diagnosis_pb2, run_pb2
from assay.orchestrator.v1.diagnosis_pb2 import (
    CancelRunRequest,
    DiagnoseRequest,
    GetInvocationRequest,
    GetRunRequest,
    GetTraceRequest,
    ListInvocationsRequest,
    ListRunsRequest,
    ListToolsRequest,
    PruneRunsRequest,
    RecordEvaluationRequest,
    SubmitDiagnosisRequest,
    WatchRunRequest,
)
from google.protobuf.message import Message
from google.protobuf.timestamp_pb2 import Timestamp
from structlog.testing import capture_logs

from orchestrator.agents.executor import ExecutorAgent
from orchestrator.requests import MAX_EVALUATION_BYTES
from orchestrator.store.port import MAX_CHANNELS
from tests.fakes.agents import Stack, changed, hang, hanging, stack
from tests.fakes.connections import failing, failure, held, kept_connections

Code: TypeAlias = grpc.StatusCode
DATA_LOSS = Code.DATA_LOSS
EXHAUSTED = Code.RESOURCE_EXHAUSTED
EXISTS = Code.ALREADY_EXISTS
INTERNAL = Code.INTERNAL
INVALID = Code.INVALID_ARGUMENT
MISSING = Code.NOT_FOUND
PRECONDITION = Code.FAILED_PRECONDITION
TOO_LATE = Code.DEADLINE_EXCEEDED
UNAVAILABLE = Code.UNAVAILABLE

ASKED = DiagnoseRequest(question="why?")
ASKED.scope.bundle = "incident"
EVALUATION = RecordEvaluationRequest(run_id="run", channel="rule_evaluation", value_json=b"{}")
# One legal request per method, but that the run does not exist.
METHODS: dict[str, Message] = {
    "Diagnose": ASKED,
    "SubmitDiagnosis": SubmitDiagnosisRequest(idempotency_key="key", diagnosis=ASKED),
    "WatchRun": WatchRunRequest(run_id="run"),
    "GetRun": GetRunRequest(run_id="run"),
    "ListRuns": ListRunsRequest(),
    "GetTrace": GetTraceRequest(run_id="run"),
    "GetInvocation": GetInvocationRequest(run_id="run", invocation_id="inv-1"),
    "CancelRun": CancelRunRequest(run_id="run"),
    "RecordEvaluation": EVALUATION,
    "PruneRuns": PruneRunsRequest(keep=1),
    "ListInvocations": ListInvocationsRequest(run_id="run"),
    "ListTools": ListToolsRequest(scope=ASKED.scope),
}
# The methods that use the run store.
STORED = {name: request for name, request in METHODS.items() if name != "ListTools"}


async def ending(running: Stack, method: str, request: Message, seconds: float | None = 60) -> Code:
    """Call a method and return how the call ended."""
    return (await ended(running, method, request, seconds))[0]


async def ended(
    running: Stack, method: str, request: Message, seconds: float | None = 60
) -> tuple[Code, str]:
    call: Any = getattr(running.stub, method)(request, timeout=seconds)
    try:
        if method in ("Diagnose", "WatchRun"):
            async for _ in call:
                pass
        else:
            await call
    except grpc.aio.AioRpcError as error:
        return error.code(), error.details() or ""
    return Code.OK, ""


@pytest.fixture
def connections(monkeypatch: pytest.MonkeyPatch) -> list[aiosqlite.Connection]:
    return kept_connections(monkeypatch)


def test_every_method_is_asked() -> None:
    service = diagnosis_pb2.DESCRIPTOR.services_by_name["DiagnosisService"]
    assert METHODS.keys() == {method.name for method in service.methods}


async def test_a_call_without_a_deadline(tmp_path: Path) -> None:
    async with stack(tmp_path / "runs.db") as running:
        for method, request in METHODS.items():
            assert await ending(running, method, request, None) is INVALID, method


@asynccontextmanager
async def occupied(path: Path, **limits: float) -> AsyncIterator[Stack]:
    """A stack in which one Diagnose waits for a verifier that never answers; it ends with the block."""
    agents = hanging("verifier")
    async with (
        stack(path, agents, **limits) as running,
        running.diagnosing(agents.verifier, "Verify") as task,
    ):
        yield running
        await agents.verifier.kill()
        await task


async def test_too_many_calls(tmp_path: Path) -> None:
    async with occupied(tmp_path / "runs.db", max_concurrent_rpcs=1) as running:
        for method, request in METHODS.items():
            assert await ending(running, method, request) is EXHAUSTED, method


async def test_shutting_down(tmp_path: Path) -> None:
    async with occupied(tmp_path / "runs.db", drain_seconds=60) as running:
        stopping = asyncio.create_task(running.stop())
        async with asyncio.timeout(60):
            while await ending(running, "GetRun", METHODS["GetRun"]) is not UNAVAILABLE:
                pass
        for method, request in METHODS.items():
            assert await ending(running, method, request) is UNAVAILABLE, method
        await running.agents.verifier.kill()
        await stopping


async def test_a_deadline_that_passes(connections: list[aiosqlite.Connection], tmp_path: Path) -> None:
    async with stack(tmp_path / "runs.db") as running:
        for method, request in STORED.items():
            with held(connections[0]):
                assert await ending(running, method, request, 0.3) is TOO_LATE, method
        running.agents.executor.replies["ListTools"] = [hang]
        # The executor is given a little less time than the caller has, so that the caller may still be told.
        code = await ending(running, "ListTools", METHODS["ListTools"], 0.3)
        assert code in (TOO_LATE, UNAVAILABLE)


@pytest.mark.parametrize(
    ("result", "code", "says"),
    [
        (sqlite3.SQLITE_FULL, EXHAUSTED, "disk of the run store is full"),
        (sqlite3.SQLITE_BUSY, UNAVAILABLE, "another process holds the run store"),
        (sqlite3.SQLITE_IOERR_READ, UNAVAILABLE, "cannot be read or written"),
        (sqlite3.SQLITE_CORRUPT, DATA_LOSS, "run store is damaged"),
        (0, INTERNAL, "internal error"),
    ],
)
async def test_a_store_that_fails(
    connections: list[aiosqlite.Connection], tmp_path: Path, result: int, code: Code, says: str
) -> None:
    async with stack(tmp_path / "runs.db") as running:
        # Captured, because a traceback that nobody reads takes long to draw.
        with failing(connections[0], failure(result)), capture_logs():
            for method, request in STORED.items():
                found, details = await ended(running, method, request)
                assert (found, method) == (code, method)
                assert says in details
                assert "canary" not in details
        assert await ending(running, "Diagnose", METHODS["Diagnose"]) is Code.OK


WRONG: list[tuple[str, Message, str]] = [
    ("WatchRun", WatchRunRequest(run_id=""), "run_id"),
    ("GetRun", GetRunRequest(run_id=" "), "run_id"),
    ("CancelRun", CancelRunRequest(run_id=""), "run_id"),
    ("RecordEvaluation", changed(EVALUATION, run_id=""), "run_id"),
    ("GetTrace", GetTraceRequest(run_id=""), "run_id"),
    ("GetInvocation", GetInvocationRequest(run_id="", invocation_id="inv-1"), "run_id"),
    ("GetInvocation", GetInvocationRequest(run_id="run", invocation_id=" "), "invocation_id"),
    ("WatchRun", WatchRunRequest(run_id="run", after_sequence=-1), "after_sequence"),
    ("Diagnose", DiagnoseRequest(question=" ", scope=ASKED.scope), "question"),
    ("Diagnose", DiagnoseRequest(question="x" * 4097, scope=ASKED.scope), "question"),
    ("Diagnose", DiagnoseRequest(question="why?"), "scope.bundle"),
    ("SubmitDiagnosis", SubmitDiagnosisRequest(diagnosis=ASKED), "idempotency_key"),
    ("SubmitDiagnosis", SubmitDiagnosisRequest(idempotency_key="x" * 257, diagnosis=ASKED), "idempotency"),
    ("SubmitDiagnosis", SubmitDiagnosisRequest(idempotency_key="key"), "question"),
    ("ListRuns", ListRunsRequest(page_size=-1), "page_size"),
    ("ListRuns", ListRunsRequest(page_token="no!"), "page_token"),  # noqa: S106 - no password
    ("ListRuns", ListRunsRequest(statuses=[run_pb2.RUN_STATUS_UNSPECIFIED]), "statuses"),
    ("ListRuns", ListRunsRequest(statuses=[99]), "statuses"),  # type: ignore[list-item] # any number may come
    ("RecordEvaluation", changed(EVALUATION, channel="A.b"), "channel"),
    ("RecordEvaluation", changed(EVALUATION, channel="verifier_evaluation"), "verifier_evaluation"),
    ("RecordEvaluation", changed(EVALUATION, value_json=b""), "value_json"),
    ("RecordEvaluation", changed(EVALUATION, value_json=b'{"a": 1, "a": 2}'), "duplicate key"),
    ("RecordEvaluation", changed(EVALUATION, value_json=b"[NaN]"), "NaN"),
    ("RecordEvaluation", changed(EVALUATION, value_json=b"\xff"), "UTF-8"),
    ("RecordEvaluation", changed(EVALUATION, value_json=b"[" * 9999), "value_json"),
    ("RecordEvaluation", changed(EVALUATION, value_json=b" " * (MAX_EVALUATION_BYTES + 1)), "larger"),
    ("PruneRuns", PruneRunsRequest(), "keep"),
    ("PruneRuns", PruneRunsRequest(keep=-1), "keep"),
    ("PruneRuns", PruneRunsRequest(keep=1, created_before=Timestamp(seconds=1)), "exactly one"),
    ("PruneRuns", PruneRunsRequest(created_before=Timestamp(seconds=1 << 40)), "created_before"),
    ("ListInvocations", ListInvocationsRequest(run_id=" "), "run_id"),
    ("ListTools", ListToolsRequest(scope=context_pb2.Scope()), "scope.bundle"),
    ("ListTools", ListToolsRequest(scope=context_pb2.Scope(bundle="x" * 1025)), "scope.bundle"),
]


async def test_what_is_wrong_whatever_is_stored(tmp_path: Path) -> None:
    backwards = ListRunsRequest()
    backwards.create_time.start.seconds = 2
    backwards.create_time.end.seconds = 1
    async with stack(tmp_path / "runs.db") as running:
        for method, request, says in [*WRONG, ("ListRuns", backwards, "ends before it starts")]:
            code, details = await ended(running, method, request)
            assert (code, method, request) == (INVALID, method, request)
            assert says in details
        assert not running.agents.executor.wire


async def test_a_token_of_another_list(tmp_path: Path) -> None:
    async with stack(tmp_path / "runs.db") as running:
        for _ in range(2):
            await running.diagnose()
        page = await running.stub.ListRuns(ListRunsRequest(page_size=1), timeout=60)
        request = ListRunsRequest(page_token=page.next_page_token)
        assert await ending(running, "ListRuns", request) is Code.OK
        request.statuses.append(run_pb2.RUN_STATUS_SUCCEEDED)
        assert await ending(running, "ListRuns", request) is INVALID


async def test_what_does_not_exist(tmp_path: Path) -> None:
    named = (
        "WatchRun",
        "GetRun",
        "GetTrace",
        "ListInvocations",
        "GetInvocation",
        "CancelRun",
        "RecordEvaluation",
    )
    async with stack(tmp_path / "runs.db") as running:
        for method in named:
            assert await ending(running, method, METHODS[method]) is MISSING, method
        run_id = (await running.diagnose()).run.run_id
        request = GetInvocationRequest(run_id=run_id, invocation_id="no")
        assert await ending(running, "GetInvocation", request) is MISSING


@pytest.mark.parametrize("method", ["Diagnose", "SubmitDiagnosis", "ListTools"])
@pytest.mark.parametrize("code", [MISSING, PRECONDITION, INVALID])
async def test_a_scope_that_the_executor_refuses(tmp_path: Path, method: str, code: Code) -> None:
    async with stack(tmp_path / "runs.db", max_runs=1, max_waiting_runs=0) as running:
        running.agents.executor.replies["ListTools"] = [code]
        # Twice: what is refused keeps no place.
        for _ in range(2):
            assert await ending(running, method, METHODS[method]) is code
        assert not (await running.stub.ListRuns(ListRunsRequest(), timeout=60)).runs


@pytest.mark.parametrize(
    ("reply", "code"), [(EXHAUSTED, EXHAUSTED), (INTERNAL, UNAVAILABLE), (TOO_LATE, UNAVAILABLE)]
)
async def test_an_executor_that_cannot_list_its_tools(tmp_path: Path, reply: Code, code: Code) -> None:
    async with stack(tmp_path / "runs.db") as running:
        running.agents.executor.replies["ListTools"] = [reply]
        found, details = await ended(running, "ListTools", METHODS["ListTools"])
        assert (found, "executor" in details) == (code, True)


async def test_an_executor_that_is_not_there_or_does_not_answer_in_time(tmp_path: Path) -> None:
    async with stack(tmp_path / "runs.db", list_tools_seconds=0.2) as running:
        running.agents.executor.replies["ListTools"] = [hang]
        assert await ending(running, "ListTools", METHODS["ListTools"]) is UNAVAILABLE
        await running.agents.executor.kill()
        assert await ending(running, "ListTools", METHODS["ListTools"]) is UNAVAILABLE


async def test_a_defect_while_listing_tools(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async def defective(*_: object) -> None:
        raise RuntimeError("canary")

    async with stack(tmp_path / "runs.db") as running:
        monkeypatch.setattr(ExecutorAgent, "offered", defective)
        with capture_logs():
            code, details = await ended(running, "ListTools", METHODS["ListTools"])
    assert (code, "canary" in details) == (INTERNAL, False)


async def test_too_many_runs(tmp_path: Path) -> None:
    async with occupied(tmp_path / "runs.db", max_runs=1, max_waiting_runs=1) as running:
        assert await ending(running, "Diagnose", ASKED) is EXHAUSTED
        waiting = await running.submit("key")
        other = SubmitDiagnosisRequest(idempotency_key="other", diagnosis=ASKED)
        assert await ending(running, "SubmitDiagnosis", other) is EXHAUSTED
        # A repetition begins nothing, so that it is never refused for want of room.
        assert await running.submit("key") == waiting
        await running.cancel(waiting)
        assert await ending(running, "SubmitDiagnosis", other) is Code.OK


async def test_a_key_with_another_diagnosis(tmp_path: Path) -> None:
    async with stack(tmp_path / "runs.db") as running:
        await running.submit("key", "why?")
        request = SubmitDiagnosisRequest(idempotency_key="key", diagnosis=ASKED)
        assert await ending(running, "SubmitDiagnosis", request) is Code.OK
        request.diagnosis.intent = context_pb2.INTENT_LOOKUP
        assert await ending(running, "SubmitDiagnosis", request) is EXISTS
        request.diagnosis.CopyFrom(ASKED)
        request.diagnosis.window.SetInParent()
        assert await ending(running, "SubmitDiagnosis", request) is EXISTS
        assert len((await running.stub.ListRuns(ListRunsRequest(), timeout=60)).runs) == 1


async def test_too_many_channels(tmp_path: Path) -> None:
    async with stack(tmp_path / "runs.db") as running:
        run_id = (await running.diagnose()).run.run_id
        request = RecordEvaluationRequest(run_id=run_id, value_json=b"1")
        for letter in "abcdefghijklmnopqrstuvwxyz"[:MAX_CHANNELS]:
            request.channel = letter
            assert await ending(running, "RecordEvaluation", request) is Code.OK
        request.channel = "one_more"
        assert await ending(running, "RecordEvaluation", request) is PRECONDITION


async def test_a_file_that_is_locked_in_the_middle_of_a_run(tmp_path: Path) -> None:
    path = tmp_path / "runs.db"
    agents = hanging("verifier")
    async with stack(path, agents, database_busy_seconds=0.1) as running:
        diagnosing = asyncio.create_task(ended(running, "Diagnose", ASKED))
        await agents.verifier.arrival("Verify").wait()
        (run,) = (await running.stub.ListRuns(ListRunsRequest(), timeout=60)).runs
        watching = WatchRunRequest(run_id=run.run_id)
        with closing(sqlite3.connect(path, isolation_level=None)) as other:
            other.execute("BEGIN IMMEDIATE")
            await agents.verifier.kill()
            code, details = await diagnosing
            assert (code, "another process holds" in details) == (UNAVAILABLE, True)
            # What was acknowledged is there, and says what it knows.
            assert (await running.stored(run.run_id)).status == run_pb2.RUN_STATUS_RUNNING
            assert len((await running.trace(run.run_id)).events) == 4
            assert await ending(running, "WatchRun", watching) is UNAVAILABLE
            assert await ending(running, "CancelRun", CancelRunRequest(run_id=run.run_id)) is UNAVAILABLE
        ends = await asyncio.gather(*(running.cancel(run.run_id) for _ in range(3)))
        assert ends[0] == ends[1] == ends[2] == (await running.watch(run.run_id)).run
    assert ends[0].failure.reason_code == "cancel_requested"


async def test_a_disk_that_is_full_in_the_middle_of_a_run(
    connections: list[aiosqlite.Connection], tmp_path: Path
) -> None:
    path = tmp_path / "runs.db"
    agents = hanging("verifier")
    async with stack(path, agents) as running:
        diagnosing = asyncio.create_task(ended(running, "Diagnose", ASKED))
        await agents.verifier.arrival("Verify").wait()
        (run,) = (await running.stub.ListRuns(ListRunsRequest(), timeout=60)).runs
        with failing(connections[0], failure(sqlite3.SQLITE_FULL), only="UPDATE"):
            await agents.verifier.kill()
            code, details = await diagnosing
        assert (code, "disk of the run store is full" in details) == (EXHAUSTED, True)
        before = await running.trace(run.run_id)
    async with stack(path) as running:
        found = await running.stored(run.run_id)
        assert (await running.trace(run.run_id)).events == before.events
    assert (found.status, found.failure.reason_code) == (run_pb2.RUN_STATUS_FAILED, "orchestrator_restarted")
    assert found.usage.tool_invocations == 3


async def test_a_step_that_cannot_be_recorded_fails_its_run(
    connections: list[aiosqlite.Connection], tmp_path: Path
) -> None:
    async with stack(tmp_path / "runs.db") as running:
        with failing(connections[0], failure(sqlite3.SQLITE_FULL), only="UPDATE run_state"):
            run = (await running.diagnose()).run
        assert await running.stored(run.run_id) == run
    assert (run.status, run.failure.reason_code) == (run_pb2.RUN_STATUS_FAILED, "store_failed")
