"""Calls between traced processes: whose trace they go on with, how they end, how they are cancelled."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import nullcontext, suppress
from pathlib import Path
from typing import Any

import grpc
import grpc.aio
import pytest
from assay.common.v1 import context_pb2
from assay.common.v1.tool_pb2 import PlanStep
from assay.executor.v1 import executor_pb2_grpc
from assay.executor.v1.executor_pb2 import ExecuteRequest, ExecuteResponse
from assay.gatekeeper.v1 import gatekeeper_pb2, gatekeeper_pb2_grpc
from assay.orchestrator.v1 import run_pb2
from opentelemetry import trace

from orchestrator.settings import OrchestratorSettings
from services.common.errors import NotFoundError
from services.common.llm.model import Greeting
from services.common.llm.port import ModelError, ModelRequest
from services.common.rpc.callers import server_name
from services.common.rpc.channels import ClientTls, open_channel
from services.common.rpc.service import serving
from services.common.telemetry import grpc_calls
from services.executor import __main__ as executor
from services.executor.settings import ExecutorSettings
from tests.bad_input.command import LOG
from tests.fakes import canaries
from tests.fakes.agents import METHODS, hanging, stack
from tests.fakes.bundles import write
from tests.fakes.certificates import DOMAIN, Trust
from tests.fakes.collector import Collector, Received
from tests.fakes.model_endpoint import Reply, agent_settings, asking, replies, scripted
from tests.fakes.scripted import Check, Context, ScriptedSettings, ok, running, service
from tests.fakes.traced import tracing
from tests.load.rotation import CLIENT, SERVER

CHECK = "assay.gatekeeper.v1.GatekeeperService/Check"
EXECUTE = "assay.executor.v1.ExecutorService/Execute"
TRACE_ID, SPAN_ID = "0af7651916cd43dd8448eb211c80319c", "b7ad6b7169203331"
PARENT = f"00-{TRACE_ID}-{SPAN_ID}-01"
CANCELLED = grpc.StatusCode.CANCELLED.name
REQUEST = gatekeeper_pb2.CheckRequest()


def served(collector: Collector, name: str = CHECK) -> Received:
    (span,) = [span for span in collector.named(name) if span.kind == "SERVER"]
    return span


async def called_from_outside(*metadata: tuple[str, str]) -> Collector:
    """Call a traced agent like a client that traces by other means."""
    with tracing() as collector:
        async with running() as agent, grpc.aio.insecure_channel(agent.address) as channel:
            call: Any = channel.unary_unary(f"/{CHECK}")
            await call(REQUEST.SerializeToString(), timeout=60, metadata=metadata)
    return collector


async def test_a_call_goes_on_with_the_trace_of_its_caller() -> None:
    span = served(await called_from_outside(("traceparent", PARENT)))
    assert (span.trace_id, span.parent_id) == (TRACE_ID, SPAN_ID)


@pytest.mark.parametrize(
    "header",
    [
        "",
        "00",
        PARENT.replace("01", "zz"),
        f"ff-{TRACE_ID}-{SPAN_ID}-01",
        f"00-{'0' * 32}-{SPAN_ID}-01",
        f"00-{TRACE_ID}-{'0' * 16}-01",
        "x" * 4000,
        "' OR 1=1 --",
    ],
)
async def test_a_header_that_is_none_begins_a_trace(header: str) -> None:
    span = served(await called_from_outside(("traceparent", header)))
    assert span.parent_id == ""
    assert span.trace_id not in (TRACE_ID, "0" * 32)


async def test_nothing_else_of_a_caller_s_headers_leaves() -> None:
    text = canaries.canary()
    collector = await called_from_outside(
        ("traceparent", PARENT),
        ("tracestate", f"a={text}"),
        ("baggage", f"a={text}"),
        ("assay-other", text),
    )
    assert served(collector).trace_id == TRACE_ID
    assert canaries.where({"sent": collector.wire}, {"header": text}) == {"header": set()}


@pytest.mark.parametrize(
    ("told", "goes_on"),
    [
        ({"listen": "127.0.0.1:0"}, True),
        ({"listen": "0.0.0.0:0", "plaintext": True}, False),
    ],
)
def test_a_user_s_trace_is_gone_on_with_only_from_this_machine_or_with_a_certificate(
    told: dict[str, Any], goes_on: bool
) -> None:
    agents = {f"{name}_address": "127.0.0.1:1" for name in METHODS}
    settings = {**agents, "database": "runs.db", **told}
    with tracing(OrchestratorSettings, **settings):
        assert continues() == goes_on
    # What calls an agent is the orchestrator, wherever both are.
    with tracing(ScriptedSettings, **told):
        assert continues()


def continues() -> bool:
    from opentelemetry import propagate  # noqa: PLC0415 - as it was set last

    context = propagate.extract({"traceparent": PARENT})
    return trace.get_current_span(context).get_span_context().trace_id == int(TRACE_ID, 16)


async def refusing(_: gatekeeper_pb2.CheckRequest, __: Context) -> gatekeeper_pb2.CheckResponse:
    raise NotFoundError("there is no such thing as canary")


async def crashing(_: gatekeeper_pb2.CheckRequest, __: Context) -> gatekeeper_pb2.CheckResponse:
    raise RuntimeError("canary")


@pytest.mark.parametrize(
    ("handler", "code", "is_error"),
    [
        (ok, grpc.StatusCode.OK, False),
        (refusing, grpc.StatusCode.NOT_FOUND, False),
        (crashing, grpc.StatusCode.INTERNAL, True),
    ],
)
async def test_a_span_says_how_its_call_ended_and_not_in_what_words(
    handler: Check, code: grpc.StatusCode, is_error: bool
) -> None:
    with tracing() as collector:
        async with running(handler) as agent:
            call = agent.gate.Check(REQUEST, timeout=60)
            assert await call.code() == code
    span = served(collector)
    assert (span.attributes["rpc.response.status_code"], span.is_error) == (code.name, is_error)
    assert span.attributes.get("error.type") == (code.name if is_error else None)
    assert len(collector.named(CHECK)) == 2
    assert canaries.where({"sent": collector.wire}, {"text": "canary"}) == {"text": set()}


async def cancelled(seconds: float) -> dict[str, Any]:
    """Cancel a call while it is handled; return the codes of its spans by side.

    Raises TimeoutError when the handler does not hear of it.
    """
    begun, dropped = asyncio.Event(), asyncio.Event()

    async def holding(_: gatekeeper_pb2.CheckRequest, __: Context) -> gatekeeper_pb2.CheckResponse:
        begun.set()
        try:
            await asyncio.Event().wait()
        finally:
            dropped.set()
        raise AssertionError

    with tracing() as collector:
        async with running(holding, settings=ScriptedSettings(drain_seconds=0)) as agent:
            call = asyncio.ensure_future(agent.gate.Check(REQUEST, timeout=60))
            async with asyncio.timeout(60):
                await begun.wait()
            call.cancel()
            async with asyncio.timeout(seconds):
                await dropped.wait()
            with pytest.raises(asyncio.CancelledError):
                await call
    return {span.kind: span.attributes["rpc.response.status_code"] for span in collector.named(CHECK)}


async def test_a_call_that_is_cancelled_is_cancelled_there_and_its_spans_say_so() -> None:
    assert await cancelled(seconds=10) == {"CLIENT": CANCELLED, "SERVER": CANCELLED}


async def test_with_the_instrumentation_alone_a_cancelled_call_goes_on(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The control of the test above, and why there are interceptors of our own around theirs."""
    monkeypatch.setattr(grpc_calls._Begun, "cancelled_together", lambda _: nullcontext())  # noqa: SLF001
    with pytest.raises(TimeoutError):
        await cancelled(seconds=1)


@pytest.mark.parametrize("name", METHODS)
async def test_a_traced_run_is_cancelled_by_its_caller_and_by_request(tmp_path: Path, name: str) -> None:
    with tracing() as collector:
        async with stack(tmp_path / "runs.db", hanging(name)) as orchestrator:
            agent = orchestrator.agents.all()[name]
            run_id = await orchestrator.submit()
            async with asyncio.timeout(60):
                await agent.arrival(METHODS[name]).wait()
                run = await orchestrator.cancel(run_id)
                await agent.dropped(METHODS[name]).wait()
            assert run.failure.reason_code == "cancel_requested"

            agent.drops.clear()
            agent.arrivals.clear()
            async with orchestrator.diagnosing(agent, METHODS[name]) as task:
                task.cancel()
                async with asyncio.timeout(60):
                    await agent.dropped(METHODS[name]).wait()
            await orchestrator.stop()
    runs = collector.named("run")
    statuses = {run_pb2.RunStatus.Name(run_pb2.RUN_STATUS_CANCELLED).removeprefix("RUN_STATUS_")}
    assert {run.attributes["assay.run.status"] for run in runs} == statuses
    assert {run.attributes["assay.run.reason"] for run in runs} == {"cancel_requested", "call_cancelled"}
    known = {span.span_id for span in collector.spans}
    assert all(span.parent_id in known for span in collector.spans if span.parent_id)


async def test_a_call_of_a_tool_that_there_is_not_is_told_without_its_name(tmp_path: Path) -> None:
    tool = canaries.canary()
    settings = ExecutorSettings(bundle_root=write(tmp_path / "one", {"app.log": LOG}).parent)
    request = ExecuteRequest(steps=[PlanStep(tool_name=tool, arguments_json=b"{}")])
    request.context.question, request.context.scope.bundle = "why?", "one"
    request.context.intent = context_pb2.INTENT_CAUSE
    with tracing() as collector:
        built = await executor.build(settings)
        async with serving(settings, built) as address, open_channel(address, 1 << 20) as channel:
            call = executor_pb2_grpc.ExecutorServiceStub(channel).Execute(request, timeout=60)
            (called, _) = [message async for message in call]
    (span,) = collector.named("execute_tool")
    assert called.invocation.tool_name == tool
    assert (span.name, span.attributes["error.type"]) == ("execute_tool refused", "BLOCKED")
    assert span.attributes["gen_ai.tool.call.id"] == called.invocation.id
    assert canaries.where({"sent": collector.wire}, {"tool": tool}) == {"tool": set()}


@pytest.mark.parametrize(
    ("reply", "error", "tokens"),
    [
        (replies.answer({"greeting": "hi"}), None, True),
        (replies.failed("500 Internal Server Error", "no words of its own"), "overloaded", False),
        (replies.reset(), "unreachable", False),
    ],
)
async def test_a_span_of_a_model_tells_its_kind_of_failure(
    reply: Reply, error: str | None, tokens: bool
) -> None:
    text = canaries.canary()
    asked = ModelRequest(instructions=text, material=text, answer=Greeting, max_output_tokens=64)
    with tracing() as collector:
        async with (
            scripted(replies.always(reply)) as endpoint,
            asking(agent_settings(endpoint.base_url)) as model,
        ):
            with suppress(ModelError):
                await model.ask(asked, 10)
    (span,) = collector.named("chat")
    assert (span.name, span.kind, span.attributes.get("error.type")) == ("chat scripted", "CLIENT", error)
    assert (span.attributes["gen_ai.usage.output_tokens"] != 0) == tokens
    assert span.attributes["gen_ai.request.max_tokens"] == 64
    assert span.attributes["server.address"] == "127.0.0.1"
    assert canaries.where({"sent": collector.wire}, {"prompt": text}) == {"prompt": set()}


async def test_calls_with_certificates_are_traced_and_cancelled_alike(tmp_path: Path) -> None:
    """Their channel makes each call on a connection that may be renewed, and counts its calls."""
    trust = Trust(tmp_path / "certificates")
    settings, client = trust.settings(SERVER), trust.files(CLIENT)
    begun, dropped = asyncio.Event(), asyncio.Event()

    async def holding(_: Context) -> AsyncIterator[ExecuteResponse]:
        yield ExecuteResponse()
        begun.set()
        try:
            await asyncio.Event().wait()
        finally:
            dropped.set()

    with tracing(**settings) as collector:
        tls = ClientTls(client, server_name(SERVER, DOMAIN))
        async with (
            serving(ScriptedSettings(drain_seconds=0, **settings), service(execute=holding)) as address,
            open_channel(address, 1 << 20, tls) as channel,
        ):
            await gatekeeper_pb2_grpc.GatekeeperServiceStub(channel).Check(REQUEST, timeout=60)
            call = executor_pb2_grpc.ExecutorServiceStub(channel).Execute(ExecuteRequest(), timeout=60)
            async with asyncio.timeout(60):
                await anext(aiter(call))
                await begun.wait()
                call.cancel()
                await dropped.wait()
    sides = {(span.name, span.kind) for span in collector.spans}
    assert sides == {(name, kind) for name in (CHECK, EXECUTE) for kind in ("CLIENT", "SERVER")}
    assert {span.trace_id for span in collector.named(CHECK)} != {
        span.trace_id for span in collector.named(EXECUTE)
    }
