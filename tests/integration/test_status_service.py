"""StatusService and ProcessService over real servers: everything that is wrong is told, and hides nothing."""

import asyncio
import re
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any, TypeAlias

import grpc
import grpc.aio
import pytest
from assay.common.v1 import process_pb2, process_pb2_grpc
from assay.common.v1.context_pb2 import Scope
from assay.executor.v1.executor_pb2 import ListToolsResponse
from assay.orchestrator.v1 import run_pb2, status_pb2, status_pb2_grpc
from assay.orchestrator.v1.status_pb2 import GetStatusRequest, GetStatusResponse, StoreStatus

from orchestrator.status import LOOK_SECONDS
from orchestrator.store.inspection import inspect
from services.common.processes import AGENTS
from services.common.rpc.channels import open_channel
from services.common.rpc.process import own_version
from services.common.rpc.service import serving
from services.executor.__main__ import build
from services.executor.settings import ExecutorSettings
from tests.fakes import scripted
from tests.fakes.agents import CATALOG, Stack, hang, hanging, stack
from tests.fakes.silence import silent_listener

Code: TypeAlias = grpc.StatusCode


async def status(running: Stack, bundle: str | None = None, seconds: float = 60) -> GetStatusResponse:
    request = GetStatusRequest(scope=Scope(bundle=bundle)) if bundle is not None else GetStatusRequest()
    return await status_pb2_grpc.StatusServiceStub(running.channel).GetStatus(request, timeout=seconds)


async def test_every_agent_tells_how_it_is(tmp_path: Path) -> None:
    async with stack(tmp_path / "runs.db") as running:
        told = await status(running)
    assert tuple(agent.name for agent in told.agents) == AGENTS
    for agent in told.agents:
        assert (agent.ready, agent.live, agent.problem) == (True, True, "")
        assert (agent.process.name, agent.process.version) == ("scripted", own_version())
        assert agent.process.grpc_version == grpc.__version__
        assert agent.round_trip_seconds > 0
        # Both clocks are this machine's, which may hold a process between two looks at them.
        assert abs(agent.clock_skew_seconds) <= agent.round_trip_seconds / 2 + 5
    assert not told.HasField("sources")


async def test_what_a_dead_agent_does_hides_no_other(tmp_path: Path) -> None:
    async with stack(tmp_path / "runs.db") as running:
        await running.agents.verifier.kill()
        told = {agent.name: agent for agent in (await status(running)).agents}
    assert {name for name, agent in told.items() if agent.ready and agent.live} == set(AGENTS) - {"verifier"}
    assert "nothing answers at its address" in told["verifier"].problem
    assert not told["verifier"].HasField("process")
    assert not told["verifier"].HasField("clock_skew_seconds")


async def test_an_agent_that_never_answers_is_told_so_in_time(tmp_path: Path) -> None:
    async with silent_listener() as address, stack(tmp_path / "runs.db", planner_address=address) as running:
        told = await status(running)
    planner, *others = told.agents
    assert (planner.address, planner.ready, planner.live) == (address, False, False)
    # An attempt to connect has a time of its own, which may be up first.
    assert planner.problem in (
        f"it does not answer within {LOOK_SECONDS:.1f} s",
        "nothing answers at its address, or it is stopping",
    )
    assert all(agent.ready for agent in others)
    assert told.store.integrity == status_pb2.INTEGRITY_SOUND


async def test_a_short_deadline_shortens_each_look(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    # The answer has all the time to come back that a busy machine needs.
    monkeypatch.setattr("orchestrator.status._RESERVE_SECONDS", 58.5)
    async with stack(tmp_path / "runs.db") as running:
        running.agents.executor.replies["ListTools"] = [hang]
        told = await status(running, "incident")
    (seconds,) = re.findall(r"no list within (\d\.\d) s", told.sources.problem)
    assert float(seconds) <= 1.5


async def test_the_store_is_looked_at(tmp_path: Path) -> None:
    async with stack(tmp_path / "runs.db") as running:
        await running.diagnose()
        store = (await status(running)).store
    assert (store.location, store.problem) == (str(tmp_path / "runs.db"), "")
    assert {row.status: row.count for row in store.runs} == {run_pb2.RUN_STATUS_SUCCEEDED: 1}
    assert store.integrity == status_pb2.INTEGRITY_SOUND


async def test_the_sources_of_a_scope_are_listed(tmp_path: Path) -> None:
    async with stack(tmp_path / "runs.db") as running:
        told = await status(running, "incident")
    assert list(told.sources.sources) == list(CATALOG.sources)
    assert told.sources.problem == ""


@pytest.mark.parametrize(
    ("reply", "problem"),
    [(Code.NOT_FOUND, "scripted"), (hang, f"no list within {LOOK_SECONDS:.1f} s"), (ListToolsResponse(), "")],
)
async def test_why_there_is_no_list_is_told(tmp_path: Path, reply: Any, problem: str) -> None:  # noqa: ANN401
    async with stack(tmp_path / "runs.db") as running:
        running.agents.executor.replies["ListTools"] = [reply]
        told = await status(running, "incident")
    assert told.sources.problem == problem
    assert told.HasField("sources")
    assert all(agent.ready for agent in told.agents)


# The codes of both services.


async def endings(channel: grpc.aio.Channel, seconds: float | None = 60) -> set[Code]:
    """Call both services and return how the calls ended."""
    calls: Sequence[Any] = (
        status_pb2_grpc.StatusServiceStub(channel).GetStatus(GetStatusRequest(), timeout=seconds),
        process_pb2_grpc.ProcessServiceStub(channel).GetProcess(
            process_pb2.GetProcessRequest(), timeout=seconds
        ),
    )
    return {await call.code() for call in calls}


def test_each_service_has_the_one_method_that_is_asked() -> None:
    for module, name in ((status_pb2, "StatusService"), (process_pb2, "ProcessService")):
        assert len(module.DESCRIPTOR.services_by_name[name].methods) == 1


async def test_a_call_without_a_deadline(tmp_path: Path) -> None:
    async with stack(tmp_path / "runs.db") as running:
        assert await endings(running.channel) == {Code.OK}
        assert await endings(running.channel, None) == {Code.INVALID_ARGUMENT}


@asynccontextmanager
async def occupied(path: Path, **limits: float) -> AsyncIterator[Stack]:
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
        assert await endings(running.channel) == {Code.RESOURCE_EXHAUSTED}


async def test_shutting_down(tmp_path: Path) -> None:
    async with occupied(tmp_path / "runs.db", drain_seconds=60) as running:
        stopping = asyncio.create_task(running.stop())
        async with asyncio.timeout(60):
            while Code.OK in await endings(running.channel):
                pass
        assert await endings(running.channel) == {Code.UNAVAILABLE}
        await running.agents.verifier.kill()
        await stopping


async def never(*_: object) -> Any:  # noqa: ANN401 - it never returns
    await asyncio.Event().wait()


async def test_a_deadline_that_passes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    # A disk that never answers, and what a process needs that never tells.
    monkeypatch.setattr("orchestrator.composition.inspect", never)
    async with stack(tmp_path / "runs.db") as running:
        with pytest.raises(grpc.aio.AioRpcError) as caught:
            await status(running, seconds=0.3)
        assert caught.value.code() is Code.DEADLINE_EXCEEDED
    service = replace(scripted.service(scripted.ok), problems=never)
    async with (
        serving(scripted.ScriptedSettings(drain_seconds=0), service) as address,
        open_channel(address, 1 << 20) as channel,
    ):
        stub = process_pb2_grpc.ProcessServiceStub(channel)
        assert (
            await stub.GetProcess(process_pb2.GetProcessRequest(), timeout=0.3).code()
            is Code.DEADLINE_EXCEEDED
        )


async def test_the_store_is_looked_at_for_one_caller_at_a_time(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    looking, enough = asyncio.Event(), asyncio.Event()

    async def slow(path: Path, seconds: float) -> StoreStatus:
        looking.set()
        await enough.wait()
        return await inspect(path, seconds)

    monkeypatch.setattr("orchestrator.composition.inspect", slow)
    async with stack(tmp_path / "runs.db") as running:
        first = asyncio.create_task(status(running))
        await looking.wait()
        with monkeypatch.context() as patch:
            # It waits for half a second, and its answer has long to come back.
            patch.setattr("orchestrator.status._RESERVE_SECONDS", 59.5)
            second = await status(running)
        enough.set()
        assert (await first).store.integrity == status_pb2.INTEGRITY_SOUND
        third = await status(running)
    assert second.store.problem == "it is being looked at for somebody else; try again later"
    assert third.store.integrity == status_pb2.INTEGRITY_SOUND


async def test_the_executor_tells_that_its_bundles_are_gone(tmp_path: Path) -> None:
    root = tmp_path / "bundles"
    root.mkdir()
    settings = ExecutorSettings(bundle_root=root)
    async with (
        serving(settings, await build(settings)) as address,
        open_channel(address, 1 << 20) as channel,
    ):
        stub = process_pb2_grpc.ProcessServiceStub(channel)
        before = (await stub.GetProcess(process_pb2.GetProcessRequest(), timeout=60)).process
        root.rmdir()
        after = (await stub.GetProcess(process_pb2.GetProcessRequest(), timeout=60)).process
    assert (before.name, before.reasoner, list(before.problems)) == ("executor", "offline", [])
    assert list(after.problems) == [f"the folder of bundles {root} cannot be read: No such file or directory"]
