"""Callers that ask for too much: calls begun and reset, messages and headers beyond the limit."""

import asyncio
import threading
from collections import Counter
from typing import Any

import grpc
import grpc.aio
import pytest
from assay.gatekeeper.v1 import gatekeeper_pb2, gatekeeper_pb2_grpc

from services.common.rpc.channels import open_channel
from tests.fakes.scripted import GATE, Running, ScriptedSettings, running
from tests.load.raw_http2 import Attack

PATH = f"/{GATE}/Check"
REQUEST = gatekeeper_pb2.CheckRequest()


async def good_calls(served: Running, count: int) -> Counter[str]:
    """Make calls one after the other, and tell how they ended."""
    return Counter([(await served.gate.Check(REQUEST, timeout=60).code()).name for _ in range(count)])


async def attacked(settings: ScriptedSettings) -> tuple[Counter[str], Attack]:
    """Make good calls while somebody begins and resets others; at least until many were."""
    async with running(settings=settings) as served:
        attack = Attack(served.address, PATH, threading.Event())
        attacking = asyncio.create_task(asyncio.to_thread(attack.run))
        codes = Counter[str]()
        while not attack.over.is_set():
            codes += await good_calls(served, 10)
            if attack.resets >= 20_000 and codes.total() >= 50:
                attack.over.set()
        await attacking
        return codes, attack


# That of the agents, and that of the orchestrator.
@pytest.mark.parametrize("most", [48, 512])
async def test_calls_that_are_begun_and_reset_starve_nobody(most: int) -> None:
    codes, attack = await attacked(ScriptedSettings(max_concurrent_rpcs=most))
    assert set(codes) == {"OK"}, (codes, attack)


async def test_without_the_limits_of_streams_and_calls_they_do(monkeypatch: pytest.MonkeyPatch) -> None:
    server = grpc.aio.server

    def unlimited(**options: Any) -> grpc.aio.Server:  # noqa: ANN401 - as the real one takes them
        kept = [option for option in options["options"] if option[0] != "grpc.max_concurrent_streams"]
        return server(interceptors=options["interceptors"], options=kept)

    monkeypatch.setattr(grpc.aio, "server", unlimited)
    codes, _ = await attacked(ScriptedSettings())
    assert codes["CANCELLED"] > 0


async def test_messages_and_headers_beyond_the_limit_cost_nobody_else_a_call() -> None:
    settings = ScriptedSettings(max_message_bytes=1 << 16)
    large = gatekeeper_pb2.CheckRequest(document=b"x" * (1 << 17))
    headers = tuple((f"k{number}", "v" * 1000) for number in range(60))
    async with running(settings=settings) as served, open_channel(served.address, 1 << 20) as hostile:
        stub = gatekeeper_pb2_grpc.GatekeeperServiceStub(hostile)

        async def ask_too_much(number: int) -> str:
            request, metadata = (large, ()) if number % 2 else (REQUEST, headers)
            return (await stub.Check(request, metadata=metadata, timeout=60).code()).name

        refused, codes = await asyncio.gather(
            asyncio.gather(*(ask_too_much(number) for number in range(40))), good_calls(served, 50)
        )
    assert set(refused) == {"RESOURCE_EXHAUSTED"}
    assert codes == {"OK": 50}
