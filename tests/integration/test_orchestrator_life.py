"""How runs end when something ends them: a killed agent, a caller that leaves, time, a restart."""

import asyncio
import os
import sqlite3
import threading
from collections.abc import Awaitable, Callable
from contextlib import closing
from pathlib import Path
from typing import TypeVar

import grpc
import grpc.aio
import pytest
from assay.common.v1 import tool_pb2
from assay.common.v1.context_pb2 import DiagnosisContext
from assay.gatekeeper.v1 import gatekeeper_pb2
from assay.orchestrator.v1 import diagnosis_pb2, run_pb2
from assay.orchestrator.v1.diagnosis_pb2 import DiagnoseRequest
from assay.orchestrator.v1.run_pb2 import OrchestrationEvent, Run
from assay.orchestrator.v1.state_pb2 import RunState

from orchestrator.agents.call import CallLimit
from orchestrator.agents.executor import ExecutorAgent
from orchestrator.catalogs import Catalogs
from orchestrator.clock import SystemClock
from orchestrator.composition import build
from orchestrator.engine import Engine
from orchestrator.graph import DIAGNOSIS, Node, NodePort, compile_graph
from orchestrator.lifecycle import Lifecycle
from orchestrator.runs import RunLimits, Runs
from orchestrator.settings import OrchestratorSettings
from orchestrator.store.port import StoreOpenError
from orchestrator.store.sqlite import open_store
from services.common.rpc.channels import open_channel
from services.common.rpc.service import serving
from tests.fakes.agents import (
    LOG,
    METHODS,
    Agents,
    AgentSettings,
    Outcome,
    Reply,
    Stack,
    claim,
    executed,
    gate,
    hanging,
    stack,
)
from tests.fakes.graph_states import happy_nodes

T = TypeVar("T")


async def out_of_time(ended: Callable[[float], Awaitable[T | None]]) -> T:
    """Return what came of a time that was up while an agent was at work; None of one that was up before.

    How far a run comes in a second depends on the machine.
    """
    for seconds in (1.0, 5.0, 30.0):
        if (found := await ended(seconds)) is not None:
            return found
    raise AssertionError("no run came to its agent")


async def until_ended(running: Stack, run_id: str) -> Run:
    async with asyncio.timeout(60):
        while (run := await running.stored(run_id)).status == run_pb2.RUN_STATUS_RUNNING:
            pass
    return run


@pytest.mark.parametrize("name", METHODS)
async def test_an_agent_that_is_not_there(tmp_path: Path, name: str) -> None:
    async with stack(tmp_path / "runs.db") as running:
        await running.agents.all()[name].kill()
        outcome = await running.diagnose()
        stored = await running.stored(outcome.run.run_id)
    # Without the executor nothing can be planned: the list of tools is part of the planner's attempt.
    blamed = "planner" if name == "executor" else name
    assert stored.status == run_pb2.RUN_STATUS_DEGRADED
    assert stored.failure.node == blamed
    assert stored.failure.reason_code == "call_unavailable"
    assert outcome.path[-1] == "fallback:COMPLETED"
    retried = blamed in ("planner", "verifier", "composer")
    assert sum(step.startswith(blamed) for step in outcome.path) == (2 if retried else 1)


@pytest.mark.parametrize("name", METHODS)
async def test_an_agent_that_is_killed_in_the_middle_of_its_call(tmp_path: Path, name: str) -> None:
    async with stack(tmp_path / "runs.db", hanging(name)) as running:
        agent = running.agents.all()[name]
        async with running.diagnosing(agent, METHODS[name]) as task:
            await agent.kill()
            outcome = await task
        stored = await running.stored(outcome.run.run_id)
    assert stored.status == run_pb2.RUN_STATUS_DEGRADED
    assert stored.failure.node == name
    assert outcome.path[-1] == "fallback:COMPLETED"


async def test_tool_calls_of_an_executor_that_is_out_of_time_are_kept(tmp_path: Path) -> None:
    async def kept(seconds: float) -> tuple[Run, tool_pb2.Invocation] | None:
        path = tmp_path / f"{seconds}.db"
        async with stack(path, hanging("executor"), executor_seconds=seconds) as running:
            run = (await running.diagnose()).run
            listed = diagnosis_pb2.ListInvocationsRequest(run_id=run.run_id)
            if not (await running.stub.ListInvocations(listed, timeout=60)).invocations:
                return None
            request = diagnosis_pb2.GetInvocationRequest(run_id=run.run_id, invocation_id="inv-1")
            return run, (await running.stub.GetInvocation(request, timeout=60)).invocation

    run, invocation = await out_of_time(kept)
    assert invocation == LOG
    assert run.failure.reason_code == "call_deadline_exceeded"
    assert [row.invocation_id for row in run.checked if row.invocation_id] == ["inv-1"]


@pytest.mark.parametrize("name", METHODS)
async def test_the_run_s_own_deadline(tmp_path: Path, name: str) -> None:
    async def ended(seconds: float) -> tuple[Outcome, run_pb2.Trace] | None:
        async with stack(tmp_path / f"{seconds}.db", hanging(name), run_seconds=seconds) as running:
            outcome = await running.diagnose()
            trace = await running.trace(outcome.run.run_id)
        asked = running.agents.all()[name].arrival(METHODS[name]).is_set()
        return (outcome, trace) if asked else None

    outcome, trace = await out_of_time(ended)
    assert outcome.run.status == run_pb2.RUN_STATUS_CANCELLED
    assert outcome.run.failure.reason_code == "deadline_exceeded"
    assert not outcome.run.HasField("answer")
    assert not outcome.run.suspects
    assert outcome.path[-1].startswith(name)
    assert (trace.final_node, trace.degraded) == ("", False)
    assert trace.events[-1].reason_code == "call_deadline_exceeded"


async def test_the_caller_s_deadline_is_kept_with_a_reserve(tmp_path: Path) -> None:
    # The run may take two of the sixty seconds, and its end has the others to arrive.
    async with stack(tmp_path / "runs.db", hanging("verifier"), reserve_seconds=58) as running:
        outcome = await running.diagnose(timeout_seconds=60)
    assert outcome.run.status == run_pb2.RUN_STATUS_CANCELLED
    assert outcome.run.failure.reason_code == "deadline_exceeded"


@pytest.mark.parametrize("name", METHODS)
async def test_a_caller_that_leaves_cancels_the_run(tmp_path: Path, name: str) -> None:
    async with stack(tmp_path / "runs.db", hanging(name)) as running:
        request = DiagnoseRequest(question="why?")
        request.scope.bundle = "incident"
        call = running.stub.Diagnose(request, timeout=60)
        started = await anext(aiter(call))
        async with asyncio.timeout(60):
            await running.agents.all()[name].arrival(METHODS[name]).wait()
        call.cancel()
        async with asyncio.timeout(60):
            await running.agents.all()[name].dropped(METHODS[name]).wait()
        run = await until_ended(running, started.started.run_id)
    assert run.status == run_pb2.RUN_STATUS_CANCELLED
    assert run.failure.reason_code == "call_cancelled"
    assert not run.HasField("answer")


async def test_a_step_that_was_recorded_as_its_caller_left_is_told_of(tmp_path: Path) -> None:
    store = await open_store(tmp_path / "runs.db", busy_seconds=1, keep_runs=10)
    recorded = asyncio.Event()

    class Journal:
        async def record_step(self, run_id: str, event: OrchestrationEvent, state: RunState) -> None:
            await store.record_step(run_id, event, state)
            recorded.set()
            await asyncio.Event().wait()

    nodes: dict[Node, NodePort] = dict(happy_nodes())
    channel = open_channel("127.0.0.1:1", 1 << 20)
    nobody = ExecutorAgent(channel, CallLimit(1, SystemClock()), CallLimit(1, SystemClock()))
    runs = Runs(
        lifecycle=Lifecycle(
            Engine(compile_graph(DIAGNOSIS, nodes), Journal(), SystemClock()),
            store,
            SystemClock(),
            max_run_bytes=1 << 20,
        ),
        catalogs=Catalogs(nobody),
        store=store,
        clock=SystemClock(),
        new_id=lambda: "run-1",
        limits=RunLimits(running=1, waiting=0),
    )
    async with asyncio.timeout(60), runs.live(DiagnosisContext(question="why?"), 60):
        await recorded.wait()
    run = await store.run("run-1")
    history = await store.history("run-1")
    await channel.close()
    await store.close()
    assert (run.status, run.failure.reason_code) == (run_pb2.RUN_STATUS_CANCELLED, "call_cancelled")
    assert run.usage.node_executions == len(history.events) == 1


async def test_a_run_under_way_shows_how_far_it_has_come(tmp_path: Path) -> None:
    async with stack(tmp_path / "runs.db", hanging("gatekeeper")) as running:
        request = DiagnoseRequest(question="why?")
        request.scope.bundle = "incident"
        call = running.stub.Diagnose(request, timeout=60)
        run_id = (await anext(aiter(call))).started.run_id
        async with asyncio.timeout(60):
            await running.agents.gatekeeper.arrival("Check").wait()
        run = await running.stored(run_id)
        trace = await running.trace(run_id)
        call.cancel()
        await until_ended(running, run_id)
    assert (run.status, trace.status) == (run_pb2.RUN_STATUS_RUNNING, run_pb2.RUN_STATUS_RUNNING)
    assert (run.usage.node_executions, run.usage.tool_invocations) == (2, 3)
    assert len(run.checked) == 3
    assert not run.HasField("answer")
    assert [event.node for event in trace.events] == ["planner", "executor"]


async def test_a_stopping_orchestrator_stores_what_it_cancels_and_tells_the_caller(tmp_path: Path) -> None:
    async with stack(tmp_path / "runs.db", hanging("verifier")) as running:
        async with running.diagnosing(running.agents.verifier, "Verify") as task:
            await running.stop()
            told = (await task).run
        store = await open_store(tmp_path / "runs.db", busy_seconds=1, keep_runs=10)
        run = await store.run(told.run_id)
        await store.close()
    assert (run.status, run.failure.reason_code) == (run_pb2.RUN_STATUS_CANCELLED, "orchestrator_stopped")
    assert run == told


async def test_a_run_that_an_earlier_process_left_is_ended(tmp_path: Path) -> None:
    store = await open_store(tmp_path / "runs.db", busy_seconds=1, keep_runs=10)
    context = DiagnosisContext(question="why?")
    left = Run(run_id="left", status=run_pb2.RUN_STATUS_RUNNING, context=context)
    await store.create_run(left, RunState(context=context))
    event = OrchestrationEvent(
        sequence=1, node="planner", outcome="COMPLETED", reason_code="completed", attempt=1
    )
    await store.record_step("left", event, RunState(context=context, orchestration_events=[event]))
    await store.add_invocation("left", LOG)
    await store.close()
    async with stack(tmp_path / "runs.db") as running:
        run = await running.stored("left")
        trace = await running.trace("left")
    assert run.status == run_pb2.RUN_STATUS_FAILED
    assert run.failure.reason_code == "orchestrator_restarted"
    assert run.usage.tool_invocations == 1
    assert run.HasField("end_time")
    assert [event.node for event in trace.events] == ["planner"]
    assert trace.final_node == ""


async def left_behind(path: Path, state: RunState) -> None:
    store = await open_store(path, busy_seconds=1, keep_runs=10)
    context = DiagnosisContext(question="why?")
    await store.create_run(Run(run_id="left", status=run_pb2.RUN_STATUS_RUNNING, context=context), state)
    await store.close()


async def test_a_checkpoint_that_cannot_be_read_still_ends_its_run(tmp_path: Path) -> None:
    path = tmp_path / "runs.db"
    await left_behind(path, RunState())
    with closing(sqlite3.connect(path)) as database, database:
        database.execute("UPDATE run_state SET body = ?", (b"\xff\xff forged",))
    async with stack(path) as running:
        run = await running.stored("left")
    assert (run.status, run.context.question) == (run_pb2.RUN_STATUS_FAILED, "why?")


@pytest.mark.parametrize("table", ["diagnosis_run", "tool_invocation"])
async def test_a_row_that_cannot_be_read_still_ends_its_run(tmp_path: Path, table: str) -> None:
    path = tmp_path / "runs.db"
    await left_behind(path, RunState())
    store = await open_store(path, busy_seconds=1, keep_runs=10)
    await store.add_invocation("left", LOG)
    await store.close()
    with closing(sqlite3.connect(path)) as database, database:
        database.execute(f"UPDATE {table} SET body = ?", (b"\xff\xff forged",))  # noqa: S608 - our own names
    async with stack(path) as running:
        run = await running.stored("left")
        assert (await running.diagnose()).run.status == run_pb2.RUN_STATUS_SUCCEEDED
    assert (run.status, run.failure.reason_code) == (run_pb2.RUN_STATUS_FAILED, "orchestrator_restarted")


@pytest.mark.parametrize(("changed", "status"), [("' '", "DEGRADED"), ("''", "SUCCEEDED")])
async def test_nothing_is_concluded_from_an_output_that_was_changed_in_the_file(
    tmp_path: Path, changed: str, status: str
) -> None:
    """A blank more says the same to every parser; only the hash tells. Without a change all goes well."""
    path = tmp_path / "runs.db"

    async def gate_and_forge(request: gatekeeper_pb2.CheckRequest) -> Reply:
        with closing(sqlite3.connect(path)) as database, database:
            forge = f"UPDATE tool_invocation SET output = CAST(output || {changed} AS BLOB)"  # noqa: S608 - our own
            database.execute(f"{forge} WHERE invocation_id = ?", (LOG.id,))
        return await gate(request)

    async with stack(path, Agents()) as running:
        running.agents.gatekeeper.replies["Check"] = [gate_and_forge]
        outcome = await running.diagnose()
    assert run_pb2.RunStatus.Name(outcome.run.status) == f"RUN_STATUS_{status}"
    assert (outcome.run.failure.node == "verified_input") == (status == "DEGRADED")


async def test_an_orchestrator_that_cannot_start_leaves_nothing_open(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def fail(_runs: Runs) -> None:
        raise RuntimeError("a defect")

    monkeypatch.setattr(Runs, "recover", fail)
    before = set(threading.enumerate())
    with pytest.raises(RuntimeError, match="a defect"):
        await build(nobody_to_call(tmp_path / "runs.db"))
    # A store that stayed open would hold the process in a thread of its own.
    left = [thread for thread in threading.enumerate() if thread not in before and not thread.daemon]
    stores = [thread for thread in left if "asyncio" not in thread.name]
    for thread in stores:
        # One that has been told to end may need a moment to.
        thread.join(timeout=60)
    assert [thread.name for thread in stores if thread.is_alive()] == []


def nobody_to_call(database: Path) -> OrchestratorSettings:
    nobody = "127.0.0.1:1"
    return OrchestratorSettings(
        planner_address=nobody,
        executor_address=nobody,
        gatekeeper_address=nobody,
        verifier_address=nobody,
        composer_address=nobody,
        database=database,
        database_busy_seconds=0.1,
    )


async def test_a_second_orchestrator_on_one_file_ends_none_of_the_first_s_runs(tmp_path: Path) -> None:
    path = tmp_path / "runs.db"
    async with stack(path, hanging("verifier")) as running:
        run_id = await running.submit()
        await running.agents.verifier.arrival("Verify").wait()
        with pytest.raises(StoreOpenError, match=f"process id {os.getpid()} uses it"):
            await build(nobody_to_call(path))
        assert (await running.stored(run_id)).status == run_pb2.RUN_STATUS_RUNNING
        await running.cancel(run_id)
        await running.stop()
        # The positive control: an orchestrator that has stopped is in nobody's way.
        async with serving(AgentSettings(), await build(nobody_to_call(path))):
            pass


@pytest.mark.parametrize("what", ["diagnosis_run", "diagnosis_run_by_status", "run_state"])
async def test_a_damaged_page_that_is_read_at_the_start_is_an_error_that_names_the_file(
    tmp_path: Path, what: str
) -> None:
    path = tmp_path / "runs.db"
    await left_behind(path, RunState())
    with closing(sqlite3.connect(path)) as database:
        query = "SELECT rootpage FROM sqlite_master WHERE name = ?"
        ((page,),) = database.execute(query, (what,))
        ((size,),) = database.execute("PRAGMA page_size")
    with path.open("r+b") as file:
        file.seek((page - 1) * size)
        file.write(b"\xff" * size)
    with pytest.raises(StoreOpenError, match="damaged") as error:
        await build(nobody_to_call(path))
    assert str(path) in str(error.value)


async def test_a_run_that_could_not_be_sent_is_stored_without_what_it_made(tmp_path: Path) -> None:
    long = 'The log of api says "connection refused by db".' + " " * 1500
    claims = [claim(f"c-{number}", statement=long) for number in range(40)]
    agents = Agents()
    agents.executor.replies["Execute"] = [executed(*claims)]
    async with stack(tmp_path / "runs.db", agents, max_message_bytes=1 << 18) as running:
        run = (await running.diagnose()).run
        assert run == await running.stored(run.run_id)
        trace = await running.trace(run.run_id)
    assert (run.status, run.failure.reason_code) == (run_pb2.RUN_STATUS_FAILED, "too_large")
    assert not run.claims
    assert trace.events[-1].node == "composer"
    # The positive control: where messages may be larger, it is an ordinary run.
    async with stack(tmp_path / "others.db", agents) as running:
        sent = (await running.diagnose()).run
    assert sent.status == run_pb2.RUN_STATUS_SUCCEEDED
    assert sent.ByteSize() > 1 << 18


async def test_a_checkpoint_that_holds_nonsense_still_ends_its_run(tmp_path: Path) -> None:
    await left_behind(tmp_path / "runs.db", RunState(verified_input=b"\xff\xff forged"))
    async with stack(tmp_path / "runs.db") as running:
        run = await running.stored("left")
    assert run.status == run_pb2.RUN_STATUS_FAILED
    assert run.failure.reason_code == "orchestrator_restarted"


async def refused(running: Stack, question: str = "why?", bundle: str = "incident") -> grpc.StatusCode:
    request = DiagnoseRequest(question=question)
    request.scope.bundle = bundle
    with pytest.raises(grpc.aio.AioRpcError) as error:
        async for _ in running.stub.Diagnose(request, timeout=60):
            pass
    return error.value.code()


async def test_a_full_orchestrator_refuses(tmp_path: Path) -> None:
    async with stack(tmp_path / "runs.db", hanging("gatekeeper"), max_runs=1) as running:
        async with running.diagnosing(running.agents.gatekeeper, "Check") as task:
            assert await refused(running) is grpc.StatusCode.RESOURCE_EXHAUSTED
            await running.agents.gatekeeper.kill()
            await task
        # The place is free again.
        assert (await running.diagnose()).path


@pytest.mark.parametrize(
    "code",
    [grpc.StatusCode.NOT_FOUND, grpc.StatusCode.FAILED_PRECONDITION, grpc.StatusCode.INVALID_ARGUMENT],
)
async def test_a_bundle_that_the_executor_refuses_begins_no_run(
    tmp_path: Path, code: grpc.StatusCode
) -> None:
    async with stack(tmp_path / "runs.db") as running:
        running.agents.executor.replies["ListTools"] = [code]
        assert await refused(running) is code
        assert not running.agents.planner.wire
    store = await open_store(tmp_path / "runs.db", busy_seconds=1, keep_runs=10)
    assert await store.running() == []
    await store.close()


async def test_a_list_that_fails_once_is_asked_for_again_by_the_planner_s_attempt(tmp_path: Path) -> None:
    async with stack(tmp_path / "runs.db") as running:
        listed = running.agents.executor.replies["ListTools"]
        running.agents.executor.replies["ListTools"] = [grpc.StatusCode.UNAVAILABLE, *listed]
        outcome = await running.diagnose()
        assert len(running.agents.executor.wire["ListTools"]) == 2
    assert outcome.run.status == run_pb2.RUN_STATUS_SUCCEEDED
    assert outcome.path[0] == "planner:COMPLETED"


async def test_wrong_requests(tmp_path: Path) -> None:
    async with stack(tmp_path / "runs.db") as running:
        assert await refused(running, question=" ") is grpc.StatusCode.INVALID_ARGUMENT
        assert await refused(running, bundle="") is grpc.StatusCode.INVALID_ARGUMENT
        assert not running.agents.executor.wire
        run_id = (await running.diagnose()).run.run_id
        expected = {
            ("", "inv-1"): grpc.StatusCode.INVALID_ARGUMENT,
            (run_id, " "): grpc.StatusCode.INVALID_ARGUMENT,
            ("no-such-run", "inv-1"): grpc.StatusCode.NOT_FOUND,
            (run_id, "no-such-call"): grpc.StatusCode.NOT_FOUND,
        }
        for (run, call), code in expected.items():
            request = diagnosis_pb2.GetInvocationRequest(run_id=run, invocation_id=call)
            with pytest.raises(grpc.aio.AioRpcError) as error:
                await running.stub.GetInvocation(request, timeout=60)
            assert error.value.code() is code
        for run, code in (("", grpc.StatusCode.INVALID_ARGUMENT), ("no", grpc.StatusCode.NOT_FOUND)):
            with pytest.raises(grpc.aio.AioRpcError) as error:
                await running.stub.GetRun(diagnosis_pb2.GetRunRequest(run_id=run), timeout=60)
            assert error.value.code() is code
            with pytest.raises(grpc.aio.AioRpcError) as error:
                await running.stub.GetTrace(diagnosis_pb2.GetTraceRequest(run_id=run), timeout=60)
            assert error.value.code() is code


async def test_a_call_without_a_deadline_is_refused(tmp_path: Path) -> None:
    async with stack(tmp_path / "runs.db") as running:
        with pytest.raises(grpc.aio.AioRpcError) as error:
            await running.stub.GetRun(diagnosis_pb2.GetRunRequest(run_id="x"))
        assert error.value.code() is grpc.StatusCode.INVALID_ARGUMENT


async def test_runs_at_once_do_not_meet(tmp_path: Path) -> None:
    async with stack(tmp_path / "runs.db", max_runs=8) as running:
        outcomes = await asyncio.gather(*(running.diagnose() for _ in range(8)))
    assert len({outcome.run.run_id for outcome in outcomes}) == 8
    for outcome in outcomes:
        assert outcome.run.status == run_pb2.RUN_STATUS_SUCCEEDED
        assert outcome.run.usage.tool_invocations == 3
