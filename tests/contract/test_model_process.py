"""A process that asks a model: ready while its endpoint is there, alive whatever happens, and described."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import grpc.aio
import pytest
from assay.common.v1 import process_pb2, process_pb2_grpc
from grpc_health.v1 import health_pb2, health_pb2_grpc

from orchestrator.cli.errors import CommandError
from orchestrator.cli.local_stack.stack import ready_or_dead
from services.common.llm.parts import ModelParts, open_model
from services.common.llm.port import ModelRequest
from services.common.rpc.channels import open_channel
from services.common.rpc.health import LIVENESS, is_serving
from services.common.rpc.service import Service, serving
from tests.fakes.model_endpoint import Asked, ModelEndpoint, Reply, agent_settings, scripted
from tests.fakes.model_endpoint import replies as r
from tests.fakes.model_endpoint.answers import GOOD, Answer

SERVING = health_pb2.HealthCheckResponse.SERVING
NOT_SERVING = health_pb2.HealthCheckResponse.NOT_SERVING


@asynccontextmanager
async def process(endpoint: ModelEndpoint, **settings: object) -> AsyncIterator[grpc.aio.Channel]:
    """Serve a process with a model and nothing else; yields a channel to it."""
    made = agent_settings(endpoint.base_url, listen="127.0.0.1:0", **settings)
    parts = open_model(made)
    async with serving(made, _service(parts)) as address, open_channel(address, 1 << 20) as channel:
        yield channel


def _service(parts: ModelParts) -> Service:
    return Service(
        names=(),
        register=lambda _: None,
        ready=parts.ready,
        problems=parts.problems,
        endpoint=parts.endpoint,
        close=parts.close,
    )


async def until(channel: grpc.aio.Channel, wanted: int) -> None:
    stub = health_pb2_grpc.HealthStub(channel)
    async for update in stub.Watch(health_pb2.HealthCheckRequest(), timeout=60):
        if update.status == wanted:
            return


async def described(channel: grpc.aio.Channel) -> process_pb2.Process:
    stub = process_pb2_grpc.ProcessServiceStub(channel)
    return (await stub.GetProcess(process_pb2.GetProcessRequest(), timeout=60)).process


async def test_readiness_follows_the_endpoint_and_liveness_does_not() -> None:
    async with scripted(r.always(r.answer(GOOD))) as endpoint:
        endpoint.models = r.failed("503 Loading")
        async with process(endpoint) as channel:
            assert not await is_serving(channel, timeout_seconds=60)
            endpoint.models = r.models()
            await until(channel, SERVING)
            endpoint.models = r.failed("401 No")
            await until(channel, NOT_SERVING)
            assert await is_serving(channel, name=LIVENESS, timeout_seconds=60)
            told = await described(channel)
    assert told.problems == [
        f"model endpoint 127.0.0.1:{endpoint.port}: the endpoint refuses the key; check model_api_key"
    ]
    assert not told.model.reachable


async def test_with_another_reasoner_to_fall_back_to_the_process_is_ready_without_its_model() -> None:
    async with scripted(r.always(r.hang())) as endpoint:
        endpoint.models = r.failed("503 Loading")
        async with process(endpoint, fallback_reasoner="offline") as channel:
            await until(channel, SERVING)
            assert (await described(channel)).problems


async def test_a_process_tells_of_its_model_and_nothing_of_its_key() -> None:
    def script(asked: Asked) -> Reply:
        return r.answer({"greeting": "hi"}) if "Greet" in str(asked) else r.answer(GOOD)

    async with scripted(script) as endpoint, process(endpoint, model_api_key="canary-key") as channel:
        told = await described(channel)
        assert (await described(channel)).model == told.model
        probes = endpoint.completions
    assert told.reasoner == "openai"
    assert told.model == process_pb2.ModelEndpoint(
        address=f"127.0.0.1:{endpoint.port}", name="scripted", mode="json_schema", reachable=True
    )
    assert "canary" not in str(told)
    # Found once.
    assert len(probes) == 1


async def test_a_model_that_does_not_answer_keeps_nobody_from_being_told() -> None:
    async with scripted(r.always(r.hang())) as endpoint, process(endpoint) as channel:
        async with asyncio.timeout(60):
            told = await described(channel)
    assert (told.model.reachable, told.model.mode) == (True, "")


async def test_closing_ends_what_is_under_way() -> None:
    async with scripted(r.always(r.hang())) as endpoint:
        parts = open_model(agent_settings(endpoint.base_url))
        await parts.endpoint()
        async with asyncio.timeout(60):
            for step in parts.close:
                await step()
        with pytest.raises(RuntimeError):
            await parts.model.ask(ModelRequest("a", "b", Answer, 10), 1)


async def test_a_stack_that_is_not_ready_is_good_enough_for_who_looks_at_it() -> None:
    async with scripted(r.always(r.hang())) as endpoint:
        endpoint.models = r.failed("503 Loading")
        settings = agent_settings(endpoint.base_url, listen="127.0.0.1:0")
        async with serving(settings, _service(open_model(settings))) as address:
            await ready_or_dead(address, [], 0.2)
            endpoint.models = r.models()
            await ready_or_dead(address, [], None)
        with pytest.raises(CommandError):
            await ready_or_dead(address, [], None)
