"""Sizes, numbers of calls, kinds of handlers, reflection, cancellation."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack

import grpc
import grpc.aio
import pytest
from assay.executor.v1 import executor_pb2
from assay.gatekeeper.v1 import gatekeeper_pb2, gatekeeper_pb2_grpc
from google.rpc import error_details_pb2
from grpc_reflection.v1alpha import reflection_pb2
from grpc_status import rpc_status

from services.common.rpc.channels import open_channel
from services.common.rpc.context import remaining_seconds, time_left
from services.common.rpc.health import LIVENESS, is_serving
from services.common.rpc.interceptors import Concerns, Interceptor
from tests.fakes.scripted import EXECUTOR, GATE, Context, ScriptedSettings, ok, running

REQUEST = gatekeeper_pb2.CheckRequest()


async def test_a_request_over_the_servers_limit_is_refused() -> None:
    async with running(settings=ScriptedSettings(max_message_bytes=4096)) as served:
        await served.gate.Check(gatekeeper_pb2.CheckRequest(document=b"x" * 4000), timeout=60)
        with pytest.raises(grpc.aio.AioRpcError) as caught:
            await served.gate.Check(gatekeeper_pb2.CheckRequest(document=b"x" * 4100), timeout=60)
    assert caught.value.code() is grpc.StatusCode.RESOURCE_EXHAUSTED


async def test_a_response_over_the_clients_limit_is_refused() -> None:
    async def check(_: gatekeeper_pb2.CheckRequest, __: Context) -> gatekeeper_pb2.CheckResponse:
        response = gatekeeper_pb2.CheckResponse()
        response.result.rules.append("x" * 5000)
        return response

    async with running(check, client_bytes=4096) as served:
        with pytest.raises(grpc.aio.AioRpcError) as caught:
            await served.gate.Check(REQUEST, timeout=60)
    assert caught.value.code() is grpc.StatusCode.RESOURCE_EXHAUSTED


async def test_a_full_service_refuses_calls_and_still_answers_probes() -> None:
    entered, release = asyncio.Event(), asyncio.Event()

    async def check(request: gatekeeper_pb2.CheckRequest, context: Context) -> gatekeeper_pb2.CheckResponse:
        entered.set()
        await release.wait()
        return await ok(request, context)

    async with running(check, settings=ScriptedSettings(max_concurrent_rpcs=1)) as served:
        first = asyncio.ensure_future(served.gate.Check(REQUEST, timeout=60))
        await entered.wait()
        with pytest.raises(grpc.aio.AioRpcError) as caught:
            await served.gate.Check(REQUEST, timeout=60)
        alive = await is_serving(served.channel, name=LIVENESS, timeout_seconds=60)
        release.set()
        assert (await first).status == gatekeeper_pb2.GATEKEEPER_STATUS_PASS
        assert (await served.gate.Check(REQUEST, timeout=60)).status == gatekeeper_pb2.GATEKEEPER_STATUS_PASS
    assert caught.value.code() is grpc.StatusCode.RESOURCE_EXHAUSTED
    retry = error_details_pb2.RetryInfo()
    assert rpc_status.from_call(caught.value).details[1].Unpack(retry)
    assert retry.retry_delay.ToSeconds() == 1
    assert alive


async def code(stub: "gatekeeper_pb2_grpc.GatekeeperServiceAsyncStub") -> str:
    return (await stub.Check(REQUEST, timeout=60).code()).name


async def test_one_connection_carries_as_many_calls_as_the_service_admits() -> None:
    settings = ScriptedSettings()

    async def callers_of(stub: "gatekeeper_pb2_grpc.GatekeeperServiceAsyncStub") -> list[str]:
        return [await code(stub) for _ in range(20)]

    async with running(settings=settings) as served:
        codes = await asyncio.gather(*(callers_of(served.gate) for _ in range(settings.max_concurrent_rpcs)))
    assert {item for caller in codes for item in caller} == {"OK"}


async def test_a_thousand_calls_at_once_are_answered_or_refused_and_the_next_is_answered() -> None:
    async with running() as served, AsyncExitStack() as stack:
        channels = [await stack.enter_async_context(open_channel(served.address, 1 << 20)) for _ in range(25)]
        stubs = [gatekeeper_pb2_grpc.GatekeeperServiceStub(channel) for channel in channels]
        codes = await asyncio.gather(*(code(stub) for stub in stubs for _ in range(40)))
        assert await code(served.gate) == "OK"
    assert "OK" in codes
    assert set(codes) <= {"OK", "RESOURCE_EXHAUSTED"}


async def test_a_dropped_stream_closes_its_handler() -> None:
    closed = asyncio.Event()

    async def execute(_: Context) -> AsyncIterator[executor_pb2.ExecuteResponse]:
        try:
            while True:
                yield executor_pb2.ExecuteResponse()
        finally:
            closed.set()

    async with running(execute=execute) as served:
        call = served.executor.Execute(executor_pb2.ExecuteRequest(), timeout=60)
        await call.read()
        call.cancel()
        async with asyncio.timeout(60):
            await closed.wait()


async def test_a_handler_outlives_its_callers_deadline_by_nothing() -> None:
    cancelled = asyncio.Event()

    async def check(_: gatekeeper_pb2.CheckRequest, __: Context) -> gatekeeper_pb2.CheckResponse:
        try:
            return await asyncio.Future[gatekeeper_pb2.CheckResponse]()
        finally:
            cancelled.set()

    async with running(check) as served:
        with pytest.raises(grpc.aio.AioRpcError) as caught:
            await served.gate.Check(REQUEST, timeout=3)
        async with asyncio.timeout(60):
            await cancelled.wait()
    assert caught.value.code() is grpc.StatusCode.DEADLINE_EXCEEDED


@pytest.mark.parametrize("seconds", [5.0, 10.0, 60.0, 100.2, 300.0, 1003.0, 12345.6])
async def test_a_service_takes_no_caller_s_time_for_longer_than_it_is(seconds: float) -> None:
    told: list[float] = []

    async def check(request: gatekeeper_pb2.CheckRequest, context: Context) -> gatekeeper_pb2.CheckResponse:
        told.extend([remaining_seconds(context), time_left(context)()])
        return await ok(request, context)

    async with running(check) as served:
        for _ in range(3):
            await served.gate.Check(REQUEST, timeout=seconds)
    assert len(told) == 6
    assert max(told) <= seconds
    assert max(told) > seconds * 0.9 - 1


@pytest.mark.parametrize("responses", [False, True])
async def test_a_kind_of_handler_that_is_not_handled_is_loud(responses: bool) -> None:
    async def behaviour(*_: object) -> None: ...

    make = grpc.stream_stream_rpc_method_handler if responses else grpc.stream_unary_rpc_method_handler

    async def continuation(_: grpc.HandlerCallDetails) -> object:
        return make(behaviour)

    class Details(grpc.HandlerCallDetails):
        method = "/assay.x.v1.X/Talk"
        invocation_metadata = ()

    with pytest.raises(NotImplementedError, match=r"/assay\.x\.v1\.X/Talk"):
        await Interceptor(Concerns()).intercept_service(continuation, Details())  # type: ignore[arg-type] # any handler will do


async def names_by_reflection(channel: grpc.aio.Channel) -> set[str]:
    # Not through the stub, whose request is sent after the call began: where it follows a refusal, the client
    # tells INTERNAL and loses what the server said.
    ask = channel.unary_stream(
        "/grpc.reflection.v1alpha.ServerReflection/ServerReflectionInfo",
        request_serializer=reflection_pb2.ServerReflectionRequest.SerializeToString,
        response_deserializer=reflection_pb2.ServerReflectionResponse.FromString,
    )
    request = reflection_pb2.ServerReflectionRequest(list_services="")
    async for response in ask(request, timeout=60):
        return {item.name for item in response.list_services_response.service}
    raise AssertionError("no answer")


async def test_reflection_lists_the_services_without_a_deadline_rule() -> None:
    async with running() as served:
        assert {GATE, EXECUTOR, "grpc.health.v1.Health"} <= await names_by_reflection(served.channel)


async def test_reflection_can_be_switched_off() -> None:
    async with running(settings=ScriptedSettings(reflection=False)) as served:
        with pytest.raises(grpc.aio.AioRpcError) as caught:
            await names_by_reflection(served.channel)
    assert caught.value.code() is grpc.StatusCode.UNIMPLEMENTED
