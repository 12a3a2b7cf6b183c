"""One channel to a service of several pods: each gets its share, and none is missed when it goes."""

import asyncio
from collections import Counter
from contextlib import AsyncExitStack

from assay.gatekeeper.v1 import gatekeeper_pb2, gatekeeper_pb2_grpc

from services.common.rpc.channels import open_channel
from tests.fakes.scripted import Check, Context, ok, running

REQUEST = gatekeeper_pb2.CheckRequest()


def counting(calls: Counter[str], name: str) -> Check:
    async def check(request: gatekeeper_pb2.CheckRequest, context: Context) -> gatekeeper_pb2.CheckResponse:
        calls[name] += 1
        return await ok(request, context)

    return check


async def test_calls_are_spread_over_all_addresses_of_a_name() -> None:
    calls: Counter[str] = Counter()
    async with AsyncExitStack() as stack:
        first = await stack.enter_async_context(running(counting(calls, "first")))
        second = AsyncExitStack()
        other = await second.enter_async_context(running(counting(calls, "second")))
        target = f"ipv4:{first.address},{other.address}"
        channel = await stack.enter_async_context(open_channel(target, 1 << 20))
        gate = gatekeeper_pb2_grpc.GatekeeperServiceStub(channel)
        async with asyncio.timeout(60):
            while len(calls) < 2:
                await gate.Check(REQUEST, timeout=60)
        calls.clear()
        for _ in range(20):
            await gate.Check(REQUEST, timeout=60)
        assert calls == {"first": 10, "second": 10}
        await second.aclose()
        for _ in range(20):
            await gate.Check(REQUEST, timeout=60)
        assert calls == {"first": 30, "second": 10}
