"""The channel to a service of several pods: who is ready is asked, and nobody is refused when one stops."""

import asyncio
from collections import Counter
from collections.abc import AsyncGenerator
from contextlib import AsyncExitStack, suppress

import grpc
import grpc.aio
import pytest
from assay.gatekeeper.v1 import gatekeeper_pb2, gatekeeper_pb2_grpc

from services.common.errors import UnavailableError
from services.common.rpc.channels import open_channel, open_preferring
from services.common.rpc.health import is_serving
from services.common.rpc.preferring_channel import (
    Pair,
    PreferringChannel,
    sent_somewhere,
    streamed_from_somewhere,
)
from tests.contract.test_channel_balancing import REQUEST, counting
from tests.fakes.names import name_server
from tests.fakes.scripted import Context, ScriptedSettings, running
from tests.load.rollout import HANDOVER_SECONDS, Open, measure


async def never() -> bool:
    return False


@pytest.mark.parametrize(("pods", "handover_seconds"), [(1, HANDOVER_SECONDS), (2, 3)])
async def test_no_call_fails_when_pods_are_replaced_under_load(pods: int, handover_seconds: float) -> None:
    seen = await measure(pods, 1, handover_seconds)
    assert dict(seen.ended) == {"OK": seen.ended.total()}
    assert seen.ended.total() > 100
    assert seen.exits == [0]


@pytest.mark.parametrize(
    ("open_with", "handover_seconds"), [(open_channel, 0.5), (open_preferring, 0)], ids=["health", "handover"]
)
async def test_calls_fail_without(open_with: Open, handover_seconds: float) -> None:
    """The positive control: without looking at health, and without time to go elsewhere.

    Whether a call meets the moment is the machine's doing, so that more than one pod may have to go.
    """
    failed = 0
    for _ in range(10):
        failed += (await measure(2, 1, handover_seconds, open_with)).failed
        if failed:
            break
    assert failed


async def test_who_is_not_ready_is_not_asked_while_somebody_is() -> None:
    calls: Counter[str] = Counter()
    async with AsyncExitStack() as stack:
        ready = await stack.enter_async_context(running(counting(calls, "ready")))
        other = await stack.enter_async_context(running(counting(calls, "not ready"), ready=never))
        target = f"ipv4:{other.address},{ready.address}"
        channel = await stack.enter_async_context(open_preferring(target, 1 << 20))
        # Until it is known who is ready, whoever is there is asked.
        assert isinstance(channel, PreferringChannel)
        pair = channel.chosen()
        assert isinstance(pair, Pair)
        async with asyncio.timeout(60):
            await pair.ready.channel_ready()
        gate = gatekeeper_pb2_grpc.GatekeeperServiceStub(channel)
        for _ in range(40):
            await gate.Check(REQUEST, timeout=60)
    assert calls == {"ready": 40}


async def test_where_nobody_is_ready_the_service_itself_says_what_is_wrong() -> None:
    async def check(_: gatekeeper_pb2.CheckRequest, __: Context) -> gatekeeper_pb2.CheckResponse:
        raise UnavailableError("the endpoint cannot be reached")

    async with running(check, ready=never) as served, open_preferring(served.address, 1 << 20) as channel:
        gate = gatekeeper_pb2_grpc.GatekeeperServiceStub(channel)
        for _ in range(20):
            with pytest.raises(grpc.aio.AioRpcError) as caught:
                await gate.Check(REQUEST, timeout=60)
            assert caught.value.details() == "the endpoint cannot be reached"


async def test_a_call_that_meets_the_moment_in_which_the_last_pod_says_that_it_stops_is_sent_all_the_same(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    late: list[str] = []
    chosen = Pair.chosen

    def as_it_was_before(pair: Pair) -> grpc.aio.Channel:
        if late:
            late.pop()
            return pair.ready
        return chosen(pair)

    async with running(ready=never) as served, open_preferring(served.address, 1 << 20) as channel:
        gate = gatekeeper_pb2_grpc.GatekeeperServiceStub(channel)
        monkeypatch.setattr(Pair, "chosen", as_it_was_before)
        late.append("the control")
        assert await gate.Check(REQUEST, timeout=60).code() is grpc.StatusCode.UNAVAILABLE
        late.append("a call")
        answer = await sent_somewhere(lambda: gate.Check(REQUEST, timeout=60))
    assert (answer.status, late) == (gatekeeper_pb2.GATEKEEPER_STATUS_PASS, [])


@pytest.mark.parametrize("messages", [0, 1])
async def test_what_a_service_has_begun_is_never_sent_again(messages: int) -> None:
    """Though it ends in the very words of gRPC's own; the control is the call that was never sent."""
    begun = Counter[int]()

    async def stream() -> AsyncGenerator[int, None]:
        begun[messages] += 1
        for number in range(messages):
            yield number
        if begun[messages] == 1:
            words = "connections to all backends failing; last error: none"
            raise grpc.aio.AioRpcError(
                grpc.StatusCode.UNAVAILABLE, grpc.aio.Metadata(), grpc.aio.Metadata(), words
            )

    seen = Counter[int]()
    with suppress(grpc.aio.AioRpcError):
        async for number in streamed_from_somewhere(stream):
            seen[number] += 1
    assert (seen.total(), begun.total()) == ((0, 2) if messages == 0 else (1, 1))


async def test_a_call_under_way_outlives_the_look_at_the_name(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("services.common.rpc.preferring_channel.LOOK_UP_SECONDS", 0)
    entered, release = asyncio.Event(), asyncio.Event()

    async def check(_: gatekeeper_pb2.CheckRequest, __: Context) -> gatekeeper_pb2.CheckResponse:
        entered.set()
        await release.wait()
        return gatekeeper_pb2.CheckResponse(status=gatekeeper_pb2.GATEKEEPER_STATUS_PASS)

    async with AsyncExitStack() as stack:
        names = await stack.enter_async_context(name_server())
        old = await stack.enter_async_context(running(check, ready=never))
        host, _, port = old.address.rpartition(":")
        names.addresses.append(host)
        channel = await stack.enter_async_context(open_preferring(names.target(int(port)), 1 << 20))
        gate = gatekeeper_pb2_grpc.GatekeeperServiceStub(channel)
        held = asyncio.ensure_future(gate.Check(REQUEST, timeout=60))
        await entered.wait()
        settings = ScriptedSettings(listen=f"127.0.0.9:{port}")
        await stack.enter_async_context(running(settings=settings))
        names.addresses[:] = ["127.0.0.9"]
        async with asyncio.timeout(60):
            while not await is_serving(channel, timeout_seconds=60):
                pass
        assert not held.done()
        release.set()
        assert (await held).status == gatekeeper_pb2.GATEKEEPER_STATUS_PASS
