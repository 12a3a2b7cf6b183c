"""Readiness, liveness, and the order of shutdown inside one process."""

import asyncio
from collections import Counter
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack

import grpc
import grpc.aio
import pytest
from assay.gatekeeper.v1 import gatekeeper_pb2, gatekeeper_pb2_grpc
from grpc_health.v1 import health_pb2, health_pb2_grpc
from structlog.testing import capture_logs

from services.common.rpc.channels import open_channel
from services.common.rpc.health import LIVENESS, is_serving
from services.common.rpc.server import ListenError
from services.common.rpc.service import Service, serving
from tests.fakes.nobody import kept_address
from tests.fakes.scripted import EXECUTOR, GATE, Context, ScriptedSettings, ok, running, service

SERVING = health_pb2.HealthCheckResponse.SERVING
NOT_SERVING = health_pb2.HealthCheckResponse.NOT_SERVING
REQUEST = gatekeeper_pb2.CheckRequest()


async def statuses(channel: grpc.aio.Channel, name: str) -> AsyncIterator[int]:
    stub = health_pb2_grpc.HealthStub(channel)
    async for update in stub.Watch(health_pb2.HealthCheckRequest(service=name), timeout=60):
        yield update.status


async def until(channel: grpc.aio.Channel, name: str, wanted: int) -> None:
    async for status in statuses(channel, name):
        if status == wanted:
            return


@pytest.mark.parametrize("name", ["", GATE, LIVENESS])
async def test_each_health_name_serves(name: str) -> None:
    async with running() as served:
        assert await is_serving(served.channel, name=name, timeout_seconds=60)


async def test_all_health_names_are_listed() -> None:
    async with running() as served:
        stub = health_pb2_grpc.HealthStub(served.channel)
        listed = await stub.List(health_pb2.HealthListRequest(), timeout=60)
    assert {name: item.status for name, item in listed.statuses.items()} == dict.fromkeys(
        ("", GATE, EXECUTOR, LIVENESS), SERVING
    )


async def test_an_unknown_health_name_is_not_serving() -> None:
    async with running() as served:
        assert not await is_serving(served.channel, name="assay.nobody.v1.Nobody", timeout_seconds=60)


async def test_nobody_there_is_not_serving() -> None:
    with kept_address() as nobody:
        async with open_channel(nobody, 1 << 20) as channel:
            assert not await is_serving(channel, timeout_seconds=60)


async def test_readiness_follows_the_service_and_liveness_does_not() -> None:
    is_ready = False

    async def ready() -> bool:
        return is_ready

    async with running(ready=ready) as served:
        assert not await is_serving(served.channel, timeout_seconds=60)
        assert await is_serving(served.channel, name=LIVENESS, timeout_seconds=60)
        is_ready = True
        await until(served.channel, GATE, SERVING)
        is_ready = False
        await until(served.channel, GATE, NOT_SERVING)
        assert await is_serving(served.channel, name=LIVENESS, timeout_seconds=60)


async def test_a_readiness_check_that_raises_means_not_ready() -> None:
    asked = asyncio.Event()

    async def ready() -> bool:
        asked.set()
        raise OSError("the dependency is away")

    async with running(ready=ready) as served:
        await asked.wait()
        assert not await is_serving(served.channel, timeout_seconds=60)


async def test_a_readiness_check_that_does_not_end_in_time_means_not_ready_and_is_no_error(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    asked = asyncio.Queue[None]()

    async def ready() -> bool:
        asked.put_nowait(None)
        return await asyncio.Event().wait()

    monkeypatch.setattr("services.common.rpc.health.READY_TIMEOUT_SECONDS", 0.01)
    with capture_logs() as logged:
        async with running(ready=ready) as served:
            for _ in range(2):
                await asked.get()
            assert not await is_serving(served.channel, timeout_seconds=60)
    said = {entry["event"]: entry["log_level"] for entry in logged}
    assert said["the readiness check did not end in time"] == "warning"
    assert "error" not in said.values()


async def test_shutdown_flips_readiness_first_then_drains_then_closes() -> None:
    entered, release = asyncio.Event(), asyncio.Event()
    order: list[str] = []

    async def check(request: gatekeeper_pb2.CheckRequest, context: Context) -> gatekeeper_pb2.CheckResponse:
        entered.set()
        await release.wait()
        order.append("call finished")
        return await ok(request, context)

    async def close() -> None:
        order.append("closed")

    held = service(check)
    held = Service(names=held.names, register=held.register, close=[close])
    async with AsyncExitStack() as stack:
        address = await stack.enter_async_context(serving(ScriptedSettings(), held))
        async with open_channel(address, 1 << 20) as channel:
            gate = gatekeeper_pb2_grpc.GatekeeperServiceStub(channel)
            call = asyncio.ensure_future(gate.Check(REQUEST, timeout=60))
            await entered.wait()
            stopping = asyncio.create_task(stack.aclose())
            await until(channel, "", NOT_SERVING)
            order.append("not ready")
            assert await is_serving(channel, name=LIVENESS, timeout_seconds=60)
            with pytest.raises(grpc.aio.AioRpcError) as refused:
                await gate.Check(REQUEST, timeout=60)
            release.set()
            assert (await call).status == gatekeeper_pb2.GATEKEEPER_STATUS_PASS
            await stopping
    assert refused.value.code() is grpc.StatusCode.UNAVAILABLE
    assert order == ["not ready", "call finished", "closed"]


async def test_who_asks_again_as_its_last_call_ends_is_refused_and_not_cut_off(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    entered, release = asyncio.Event(), asyncio.Event()

    async def check(request: gatekeeper_pb2.CheckRequest, context: Context) -> gatekeeper_pb2.CheckResponse:
        entered.set()
        await release.wait()
        return await ok(request, context)

    monkeypatch.setattr("services.common.rpc.service.REFUSE_SECONDS", 0)
    async with AsyncExitStack() as stack:
        address = await stack.enter_async_context(serving(ScriptedSettings(), service(check)))
        async with open_channel(address, 1 << 20) as channel:
            gate = gatekeeper_pb2_grpc.GatekeeperServiceStub(channel)
            call = asyncio.ensure_future(gate.Check(REQUEST, timeout=60))
            await entered.wait()
            stopping = asyncio.create_task(stack.aclose())
            await until(channel, "", NOT_SERVING)
            # What was refused before the last call ended is no help to who asks after it.
            assert await gate.Check(REQUEST, timeout=60).code() is grpc.StatusCode.UNAVAILABLE
            monkeypatch.setattr("services.common.rpc.service.REFUSE_SECONDS", 3)
            release.set()
            await call
            following = gate.Check(REQUEST, timeout=60)
            assert await following.code() is grpc.StatusCode.UNAVAILABLE
            assert "the service is shutting down" in (await following.details() or "")
            await stopping


async def test_no_call_that_was_begun_fails_when_a_busy_server_stops() -> None:
    begun, ended = Counter[str](), Counter[str]()
    busy = asyncio.Event()

    async def check(request: gatekeeper_pb2.CheckRequest, context: Context) -> gatekeeper_pb2.CheckResponse:
        begun["OK"] += 1
        if begun["OK"] > 200:
            busy.set()
        # Some other task runs in the middle of every call.
        await asyncio.to_thread(int)
        return await ok(request, context)

    async def calls(channel: grpc.aio.Channel) -> None:
        gate = gatekeeper_pb2_grpc.GatekeeperServiceStub(channel)
        while True:
            code = (await gate.Check(REQUEST, timeout=60).code()).name
            ended[code] += 1
            if code != "OK":
                return

    async with AsyncExitStack() as channels, AsyncExitStack() as server, asyncio.timeout(60):
        address = await server.enter_async_context(serving(ScriptedSettings(), service(check)))
        opened = [await channels.enter_async_context(open_channel(address, 1 << 20)) for _ in range(8)]
        callers = [asyncio.create_task(calls(channel)) for channel in opened]
        await busy.wait()
        await server.aclose()
        await asyncio.gather(*callers)
    assert ended["OK"] == begun["OK"]
    # A code that invites to try elsewhere, and not that of a call that was cut.
    assert set(ended) == {"OK", "UNAVAILABLE"}


async def test_a_call_that_outlives_the_drain_is_cancelled_and_cleans_up_before_the_close() -> None:
    entered = asyncio.Event()
    order: list[str] = []

    async def check(_: gatekeeper_pb2.CheckRequest, __: Context) -> gatekeeper_pb2.CheckResponse:
        entered.set()
        try:
            return await asyncio.Future[gatekeeper_pb2.CheckResponse]()
        finally:
            order.append("cleaned up")

    async def close() -> None:
        order.append("closed")

    stuck = service(check)
    stuck = Service(names=stuck.names, register=stuck.register, close=[close])
    async with AsyncExitStack() as stack:
        address = await stack.enter_async_context(serving(ScriptedSettings(drain_seconds=0), stuck))
        async with open_channel(address, 1 << 20) as channel:
            gate = gatekeeper_pb2_grpc.GatekeeperServiceStub(channel)
            call = asyncio.ensure_future(gate.Check(REQUEST, timeout=60))
            await entered.wait()
            await stack.aclose()
            with pytest.raises(grpc.aio.AioRpcError):
                await call
    assert order == ["cleaned up", "closed"]


async def test_one_part_that_cannot_close_keeps_no_other_open() -> None:
    closed: list[str] = []

    async def breaks() -> None:
        raise OSError("it is stuck")

    async def closes() -> None:
        closed.append("second")

    plain = service()
    async with serving(
        ScriptedSettings(), Service(names=plain.names, register=plain.register, close=[breaks, closes])
    ):
        pass
    assert closed == ["second"]


async def test_two_servers_cannot_share_a_port() -> None:
    async with running() as served:
        with pytest.raises(ListenError, match="already taken"):
            async with serving(ScriptedSettings(listen=served.address), service()):
                pass


async def test_a_channel_finds_a_service_that_came_back() -> None:
    with kept_address() as address:
        async with open_channel(address, 1 << 20) as channel:
            assert not await is_serving(channel, timeout_seconds=60)
            async with running(settings=ScriptedSettings(listen=address)), asyncio.timeout(60):
                await channel.channel_ready()
                assert await is_serving(channel, timeout_seconds=60)
