"""How failures of a handler reach the caller, over a real server."""

from typing import Any

import grpc
import grpc.aio
import pytest
from assay.executor.v1 import executor_pb2
from assay.gatekeeper.v1 import gatekeeper_pb2, gatekeeper_pb2_grpc
from google.rpc import error_details_pb2
from grpc_status import rpc_status
from structlog.testing import capture_logs

from services.common import errors
from services.common.errors import AssayError, InvalidArgumentError, NotFoundError
from services.common.rpc.channels import call_metadata
from services.common.rpc.context import RUN_ID_KEY, run_id
from services.common.rpc.errors import MAX_MESSAGE_CHARS, TABLE
from services.common.rpc.interceptors import Concerns, Interceptor
from tests.fakes.scripted import EXECUTOR, GATE, Check, Context, ScriptedGate, running

CANARY = "canary-7f3a-password"
REQUEST = gatekeeper_pb2.CheckRequest()


def raising(error: Exception) -> Check:
    async def check(_: gatekeeper_pb2.CheckRequest, __: Context) -> gatekeeper_pb2.CheckResponse:
        raise error

    return check


async def failure_of(check: Check) -> grpc.aio.AioRpcError:
    async with running(check) as served:
        with pytest.raises(grpc.aio.AioRpcError) as caught:
            await served.gate.Check(REQUEST, timeout=60)
    return caught.value


def error_info(error: grpc.aio.AioRpcError) -> error_details_pb2.ErrorInfo:
    status = rpc_status.from_call(error)
    info = error_details_pb2.ErrorInfo()
    assert status.details[0].Unpack(info)
    return info


def test_every_domain_error_has_a_row() -> None:
    named = {
        item for item in vars(errors).values() if isinstance(item, type) and issubclass(item, AssayError)
    }
    assert named - {AssayError} == set(TABLE)


@pytest.mark.parametrize("kind", TABLE, ids=lambda kind: kind.__name__)
async def test_a_domain_error_arrives_with_its_code_reason_and_message(kind: type[AssayError]) -> None:
    error = await failure_of(raising(kind("no such bundle: x")))
    assert error.code() is TABLE[kind]
    assert error.details() == "no such bundle: x"
    assert (error_info(error).domain, error_info(error).reason) == ("assay", TABLE[kind].name)


async def test_a_subclass_takes_the_row_of_its_ancestor() -> None:
    class BundleNotFoundError(NotFoundError):
        pass

    assert (await failure_of(raising(BundleNotFoundError("x")))).code() is grpc.StatusCode.NOT_FOUND


async def test_the_field_to_blame_arrives_as_bad_request() -> None:
    error = await failure_of(raising(InvalidArgumentError("it is empty", field="context.question")))
    bad = error_details_pb2.BadRequest()
    assert rpc_status.from_call(error).details[1].Unpack(bad)
    assert [(item.field, item.description) for item in bad.field_violations] == [
        ("context.question", "it is empty")
    ]


async def test_a_long_message_still_arrives_shortened() -> None:
    error = await failure_of(raising(InvalidArgumentError("\N{SNOWMAN}" * 5000, field="f")))
    assert error.code() is grpc.StatusCode.INVALID_ARGUMENT
    assert len(error.details() or "") == MAX_MESSAGE_CHARS


async def test_what_the_table_does_not_name_is_masked_and_logged_once() -> None:
    with capture_logs() as logs:
        error = await failure_of(raising(RuntimeError(CANARY)))
    assert (error.code(), error.details()) == (grpc.StatusCode.INTERNAL, "internal error")
    assert CANARY not in repr(error) + str(tuple(error.trailing_metadata() or ()))
    assert error_info(error).reason == "INTERNAL"
    assert [entry["event"] for entry in logs].count("unexpected error") == 1


async def test_without_the_interceptor_the_text_would_reach_the_caller() -> None:
    server = grpc.aio.server(interceptors=[Interceptor(Concerns())])
    servicer = ScriptedGate(raising(RuntimeError(CANARY)))
    gatekeeper_pb2_grpc.add_GatekeeperServiceServicer_to_server(servicer, server)
    port = server.add_insecure_port("127.0.0.1:0")
    await server.start()
    async with grpc.aio.insecure_channel(f"127.0.0.1:{port}") as channel:
        with pytest.raises(grpc.aio.AioRpcError, match=CANARY):
            await gatekeeper_pb2_grpc.GatekeeperServiceStub(channel).Check(REQUEST, timeout=60)
    await server.stop(None)


@pytest.mark.parametrize("method", [f"/{GATE}/Check", f"/{EXECUTOR}/Execute"])
async def test_bytes_that_are_no_request_are_an_invalid_argument(method: str) -> None:
    """gRPC by itself would answer UNKNOWN, name the exception and log its trace."""
    with capture_logs() as logs:
        async with running() as served:
            channel: Any = served.channel
            streams = method.endswith("Execute")
            call = (channel.unary_stream if streams else channel.unary_unary)(method)(b"\x0c", timeout=60)
            with pytest.raises(grpc.aio.AioRpcError) as caught:
                await (call.read() if streams else call)
    assert caught.value.code() is grpc.StatusCode.INVALID_ARGUMENT
    assert "DecodeError" not in repr(caught.value)
    assert [(entry["method"], entry["code"]) for entry in logs if entry["event"] == "rpc"] == [
        (method, "INVALID_ARGUMENT")
    ]


async def test_a_stream_that_fails_midway_keeps_what_it_sent_and_is_masked() -> None:
    async def execute(_: Context):  # type: ignore[no-untyped-def] # noqa: ANN202 - an async generator
        yield executor_pb2.ExecuteResponse()
        raise KeyError(CANARY)

    async with running(execute=execute) as served:
        call = served.executor.Execute(executor_pb2.ExecuteRequest(), timeout=60)
        received = await call.read()
        with pytest.raises(grpc.aio.AioRpcError) as caught:
            await call.read()
    assert received == executor_pb2.ExecuteResponse()
    assert caught.value.code() is grpc.StatusCode.INTERNAL
    assert CANARY not in repr(caught.value)


async def test_a_call_without_a_deadline_is_refused_before_the_handler() -> None:
    async with running(raising(AssertionError("the handler ran"))) as served:
        with pytest.raises(grpc.aio.AioRpcError, match="deadline") as caught:
            await served.gate.Check(REQUEST)
    assert caught.value.code() is grpc.StatusCode.INVALID_ARGUMENT


@pytest.mark.parametrize(
    "bad", ["", " ", "a b", "x" * 129, "-a", "a/../b", "a\N{LATIN SMALL LETTER E WITH ACUTE}"]
)
async def test_a_malformed_run_id_is_refused_by_both_sides(bad: str) -> None:
    with pytest.raises(InvalidArgumentError, match=RUN_ID_KEY):
        call_metadata(bad)
    if not bad.isascii():
        return  # gRPC itself sends no such metadata
    async with running() as served:
        with pytest.raises(grpc.aio.AioRpcError, match=RUN_ID_KEY) as caught:
            await served.gate.Check(REQUEST, timeout=60, metadata=((RUN_ID_KEY, bad),))
    assert caught.value.code() is grpc.StatusCode.INVALID_ARGUMENT


async def test_two_run_ids_are_refused() -> None:
    async with running() as served:
        with pytest.raises(grpc.aio.AioRpcError, match="2 times"):
            await served.gate.Check(REQUEST, timeout=60, metadata=call_metadata("a") + call_metadata("b"))


async def test_the_handler_and_the_log_line_know_the_run() -> None:
    seen: list[str] = []

    async def check(_: gatekeeper_pb2.CheckRequest, __: Context) -> gatekeeper_pb2.CheckResponse:
        seen.append(run_id())
        return gatekeeper_pb2.CheckResponse()

    with capture_logs() as logs:
        async with running(check) as served:
            await served.gate.Check(REQUEST, timeout=60, metadata=call_metadata("run-1"))
            await served.gate.Check(REQUEST, timeout=60)
    lines = [entry for entry in logs if entry["event"] == "rpc"]
    assert seen == ["run-1", ""]
    assert [(line["method"], line["code"]) for line in lines] == [
        ("/assay.gatekeeper.v1.GatekeeperService/Check", "OK")
    ] * 2
    assert {*lines[0]} == {"event", "log_level", "method", "code", "duration_ms"}


async def test_a_refused_call_is_logged_with_its_code() -> None:
    with capture_logs() as logs:
        await failure_of(raising(NotFoundError("x")))
    assert [entry["code"] for entry in logs if entry["event"] == "rpc"] == ["NOT_FOUND"]
