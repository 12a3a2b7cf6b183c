"""The executor at work that does not end: over its real server, and as a process of its own."""

import asyncio
import json
import os
import signal
import sys
from asyncio.subprocess import DEVNULL, PIPE, Process
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path

import grpc
import grpc.aio
import pytest
from assay.common.v1 import context_pb2, tool_pb2
from assay.executor.v1 import executor_pb2, executor_pb2_grpc

from services.common.redaction.redactor import Redactor
from services.common.rpc.channels import call_metadata, open_channel
from services.common.rpc.health import is_serving
from services.common.rpc.service import serving
from services.executor.__main__ import NAME, compose
from services.executor.reasoner import OfflineReasoner
from services.executor.settings import ExecutorSettings
from services.executor.tools.tool import Tool
from tests.fakes.bundles import write
from tests.fakes.command_line import wait_gone
from tests.fakes.endless_tools import endless_tools
from tests.fakes.held_work import Listener, listener
from tests.fakes.processes import children_of, is_running, sockets_of, worker_ids

OK = tool_pb2.INVOCATION_STATUS_OK
ERROR = tool_pb2.INVOCATION_STATUS_ERROR
TIMEOUT = tool_pb2.INVOCATION_STATUS_TIMEOUT
COMPLETED = executor_pb2.EXECUTOR_STATUS_COMPLETED
SCOPE = context_pb2.Scope(bundle="b")
LINES = tool_pb2.PlanStep(tool_name="logs_search", arguments_json=b'{"source":"logs/a.log"}')


@pytest.fixture
def root(tmp_path: Path) -> Path:
    write(tmp_path / "b", {"logs/a.log": "2026-11-30T09:00:00Z INFO x\n" * 50})
    return tmp_path


@asynccontextmanager
async def executor(
    root: Path, tools: dict[str, Tool], workers: int = 1, inventory_seconds: float = 30
) -> AsyncIterator[grpc.aio.Channel]:
    settings = ExecutorSettings(
        bundle_root=root, workers=workers, inventory_deadline_seconds=inventory_seconds
    )
    async with (
        serving(settings, compose(settings, tools, Redactor(), OfflineReasoner())) as address,
        open_channel(address, settings.max_message_bytes) as channel,
    ):
        yield channel
    assert worker_ids() == []


def holding(held: Listener) -> tool_pb2.PlanStep:
    """Return a call that begins at the listener and then holds its interpreter."""
    return tool_pb2.PlanStep(tool_name="alerts_list", arguments_json=b'{"source":"%d"}' % held.port)


def execute(
    channel: grpc.aio.Channel, *steps: tool_pb2.PlanStep
) -> "grpc.aio.UnaryStreamCall[executor_pb2.ExecuteRequest, executor_pb2.ExecuteResponse]":
    stub = executor_pb2_grpc.ExecutorServiceStub(channel)
    context = context_pb2.DiagnosisContext(question="why?", intent=context_pb2.INTENT_CAUSE, scope=SCOPE)
    request = executor_pb2.ExecuteRequest(context=context, steps=steps)
    return stub.Execute(request, timeout=60, metadata=call_metadata("run-1"))


async def ended(
    call: "grpc.aio.UnaryStreamCall[executor_pb2.ExecuteRequest, executor_pb2.ExecuteResponse]", plan: int
) -> tuple[list[tool_pb2.Invocation], executor_pb2.ExecutorResult]:
    """Return the invocations of the plan's steps, and the result."""
    messages = [message async for message in call]
    return [message.invocation for message in messages[:plan]], messages[-1].result


async def list_tools(channel: grpc.aio.Channel) -> tool_pb2.ToolCatalog:
    stub = executor_pb2_grpc.ExecutorServiceStub(channel)
    request = executor_pb2.ListToolsRequest(scope=SCOPE)
    response = await stub.ListTools(request, timeout=60, metadata=call_metadata("run-2"))
    return response.catalog


async def test_work_that_holds_its_interpreter_holds_up_no_other_and_a_cancel_frees_its_worker(
    root: Path,
) -> None:
    async with listener() as held, executor(root, endless_tools(600)) as channel:
        call = execute(channel, holding(held))
        reading = asyncio.ensure_future(call.read())
        await held.begun()
        [lost] = worker_ids()
        for _ in range(20):
            assert await is_serving(channel, name=NAME, timeout_seconds=60)
        # The only worker is busy: an execution has to wait, a listing has not.
        waiting = asyncio.ensure_future(ended(execute(channel, LINES), 1))
        assert (await list_tools(channel)).sources
        assert not waiting.done()
        assert call.cancel()
        with pytest.raises(asyncio.CancelledError):
            await reading
        await asyncio.to_thread(wait_gone, [lost])
        _, result = await waiting
        assert result.status == COMPLETED


async def test_a_call_that_runs_out_of_its_own_time_frees_its_worker(root: Path) -> None:
    async with listener() as held, executor(root, endless_tools(600)) as channel:
        stub = executor_pb2_grpc.ExecutorServiceStub(channel)
        context = context_pb2.DiagnosisContext(question="why?", intent=context_pb2.INTENT_CAUSE, scope=SCOPE)
        request = executor_pb2.ExecuteRequest(context=context, steps=[holding(held)])
        with pytest.raises(grpc.aio.AioRpcError) as late:
            await stub.Execute(request, timeout=3).read()
        assert late.value.code() == grpc.StatusCode.DEADLINE_EXCEEDED
        _, result = await ended(execute(channel, LINES), 1)
        assert result.status == COMPLETED


async def test_two_executions_run_at_one_time_in_two_processes(root: Path) -> None:
    async with listener() as held, executor(root, endless_tools(600), workers=2) as channel:
        calls = [execute(channel, holding(held)) for _ in range(2)]
        reading = [asyncio.ensure_future(call.read()) for call in calls]
        for _ in calls:
            await held.begun()
        assert len(worker_ids()) == 2
        listening = sockets_of(os.getpid())
        assert listening
        assert not any(sockets_of(pid) & listening for pid in worker_ids())
        for call in calls:
            call.cancel()
        await asyncio.wait(reading)


async def test_a_tool_over_its_deadline_is_a_timeout_and_the_rest_of_the_plan_runs(root: Path) -> None:
    async with listener() as held, executor(root, endless_tools(1)) as channel:
        invocations, result = await ended(execute(channel, holding(held), LINES), 2)
    assert [invocation.status for invocation in invocations] == [TIMEOUT, OK]
    assert result.status == COMPLETED


async def test_a_killed_worker_is_one_error_and_the_service_goes_on(root: Path) -> None:
    async with listener() as held, executor(root, endless_tools(600)) as channel:
        execution = asyncio.ensure_future(ended(execute(channel, holding(held), LINES), 2))
        await held.begun()
        [pid] = worker_ids()
        os.kill(pid, signal.SIGKILL)
        invocations, result = await execution
        assert [invocation.status for invocation in invocations] == [ERROR, OK]
        assert b"ended (signal 9)" in invocations[0].output
        assert result.status == COMPLETED
        assert await is_serving(channel, name=NAME, timeout_seconds=60)
        invocations, result = await ended(execute(channel, LINES), 1)
        assert (invocations[0].status, result.status) == (OK, COMPLETED)


class Deadly:
    """Ends the process that it is unpickled in."""

    def __reduce__(self) -> tuple[object, tuple[int]]:
        return os._exit, (7,)


async def test_a_worker_that_dies_over_a_bundle_is_unavailable(root: Path) -> None:
    offered = endless_tools(600)
    deadly = offered | {"topology_get": replace(offered["topology_get"], description=Deadly())}  # type: ignore[arg-type] # it must not fit
    async with executor(root, deadly) as channel:
        for call in (list_tools(channel), execute(channel, LINES).read()):
            with pytest.raises(grpc.aio.AioRpcError, match="exit code 7") as caught:
                await call
            assert caught.value.code() == grpc.StatusCode.UNAVAILABLE
        assert await is_serving(channel, name=NAME, timeout_seconds=60)


async def test_a_worker_that_does_not_get_through_a_bundle_is_ended(root: Path) -> None:
    async with executor(root, endless_tools(600), inventory_seconds=5) as channel:
        assert (await list_tools(channel)).sources
        [pid] = worker_ids()
        os.kill(pid, signal.SIGSTOP)
        with pytest.raises(grpc.aio.AioRpcError, match="in time") as caught:
            await list_tools(channel)
        assert caught.value.code() == grpc.StatusCode.FAILED_PRECONDITION
        await asyncio.to_thread(wait_gone, [pid])
        assert (await list_tools(channel)).sources


@asynccontextmanager
async def started(project: Path, root: Path) -> AsyncIterator[tuple[Process, str]]:
    """Start an executor with endless tools; yields it and its address."""
    settings = {"BUNDLE_ROOT": str(root), "DRAIN_SECONDS": "0", "STOP_WITH_PARENT": "1"}
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "tests.fakes.endless_tools"),
        cwd=project,
        env=os.environ | {f"ASSAY_EXECUTOR_{name}": value for name, value in settings.items()},
        stdin=PIPE,
        stdout=PIPE,
        stderr=DEVNULL,
    )
    assert process.stdout is not None
    try:
        async with asyncio.timeout(60):
            yield process, json.loads(await process.stdout.readline())["address"]
    finally:
        if process.returncode is None:
            process.kill()
        await process.communicate()


@pytest.mark.parametrize(
    ("how", "code"), [("SIGKILL", -9), ("SIGTERM", 0), ("SIGINT", 0), ("its parent ends", 0)]
)
async def test_an_executor_that_ends_at_work_leaves_no_process(
    project: Path, root: Path, how: str, code: int
) -> None:
    async with (
        listener() as held,
        started(project, root) as (process, address),
        open_channel(address, 1 << 20) as channel,
    ):
        reading = asyncio.ensure_future(execute(channel, holding(held)).read())
        await held.begun()
        left = children_of(process.pid)
        assert any(map(is_running, left))
        assert process.stdin is not None
        if how == "its parent ends":
            process.stdin.close()
        else:
            process.send_signal(signal.Signals[how])
        with pytest.raises(grpc.aio.AioRpcError):
            await reading
        assert await process.wait() == code
        await asyncio.to_thread(wait_gone, left)
