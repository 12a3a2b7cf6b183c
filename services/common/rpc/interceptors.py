"""What happens around every call of a service's own methods, in one ordered list.

A concern is an async context manager around the handler; `Interceptor` is the only code that knows the kinds
of handlers. Health and reflection are not the service's own: of them only the caller is checked, because a
probe has no run, and a debugging client sets no deadline.
"""

import asyncio
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import AbstractAsyncContextManager, AsyncExitStack, aclosing, asynccontextmanager
from dataclasses import dataclass
from typing import Any, TypeAlias

import grpc
import grpc.aio
import structlog
from google.protobuf.message import DecodeError

from services.common.errors import (
    AssayError,
    InvalidArgumentError,
    PermissionDeniedError,
    UnauthenticatedError,
)
from services.common.rpc import errors
from services.common.rpc.admission import Admission
from services.common.rpc.context import bind_run_id, remaining_seconds, run_id_of
from services.common.rpc.identity import Peers, allowed_roles
from services.common.rpc.rates import Rates
from services.common.rpc.rpc_metrics import CALL_SECONDS
from services.common.rpc.shares import Shares
from services.common.telemetry.metrics import observe
from services.common.telemetry.spans import tracer

STANDARD_SERVICES = ("/grpc.health.v1.", "/grpc.reflection.v1.", "/grpc.reflection.v1alpha.")

_log = structlog.get_logger("assay.rpc")

Context: TypeAlias = "grpc.aio.ServicerContext[Any, Any]"
Handler: TypeAlias = "grpc.RpcMethodHandler[Any, Any]"


@dataclass(frozen=True, slots=True)
class Call:
    """One call: its full method name and its context."""

    method: str
    context: Context


Concern: TypeAlias = Callable[[Call], AbstractAsyncContextManager[None]]


@dataclass(frozen=True, slots=True)
class Concerns:
    """What is around a server's calls, outermost first: around its own, and around the standard services'."""

    own: Sequence[Concern] = ()
    standard: Sequence[Concern] = ()


def concerns(admission: Admission, caller: Concern) -> Concerns:
    """Return the concerns of a server; `caller` refuses whoever may not call."""

    @asynccontextmanager
    async def admitted(call: Call) -> AsyncIterator[None]:  # noqa: ARG001 - every call counts alike
        with admission.call():
            yield

    return Concerns(
        own=(logged, errors_mapped, caller, run_known, deadline_required, admitted),
        standard=(errors_mapped, caller),
    )


def identified(peers: Peers, rates: Rates, shares: Shares) -> Concern:
    """Return the concern of a server with certificates: who calls is known, may, and asks not too much."""

    @asynccontextmanager
    async def caller(call: Call) -> AsyncIterator[None]:
        try:
            identity = peers.check(call.method, call.context.auth_context())
        except (PermissionDeniedError, UnauthenticatedError) as error:
            _log.warning("the caller is refused", method=call.method, problem=error.message)
            raise
        rates.take(identity)
        with shares.call(identity):
            yield

    return caller


@asynccontextmanager
async def anybody(call: Call) -> AsyncIterator[None]:
    """Let in whoever reaches a server without certificates, but to no method that the table has not."""
    allowed_roles(call.method)
    yield


@asynccontextmanager
async def logged(call: Call) -> AsyncIterator[None]:
    """Write one line per call: method, code, duration. Never what it carried."""
    started = time.perf_counter()
    code = "CANCELLED"
    try:
        yield
        code = "OK"
    except grpc.aio.AbortError:
        code = _code_name(call.context)
        raise
    finally:
        seconds = time.perf_counter() - started
        observe(CALL_SECONDS, {"method": call.method, "code": code}, seconds)
        tracer().called(grpc.StatusCode[code].value[0])
        _log.info("rpc", method=call.method, code=code, duration_ms=round(seconds * 1000, 1))


@asynccontextmanager
async def errors_mapped(call: Call) -> AsyncIterator[None]:
    """Turn domain errors into their codes; log everything else once and mask it."""
    try:
        yield
    except (grpc.aio.AbortError, asyncio.CancelledError):
        raise
    except AssayError as error:
        await errors.abort(call.context, error)
    except Exception:  # noqa: BLE001 - the last place that can keep a failure's text from the caller
        _log.exception("unexpected error", method=call.method)
        await errors.abort_masked(call.context)


@asynccontextmanager
async def run_known(call: Call) -> AsyncIterator[None]:
    """Bind the run id of the metadata to the task, for logs and for calls that follow from this one."""
    bind_run_id(run_id_of(tuple(call.context.invocation_metadata() or ())))
    yield


@asynccontextmanager
async def deadline_required(call: Call) -> AsyncIterator[None]:
    """Refuse a call that would wait for ever."""
    remaining_seconds(call.context)
    yield


class Interceptor(grpc.aio.ServerInterceptor):
    """Runs every call inside its concerns."""

    def __init__(self, around: Concerns) -> None:
        self._around = around

    async def intercept_service(
        self,
        continuation: Callable[[grpc.HandlerCallDetails], Awaitable["Handler | None"]],
        handler_call_details: grpc.HandlerCallDetails,
    ) -> "Handler | None":
        """Return the handler of a method inside its concerns."""
        handler = await continuation(handler_call_details)
        method = handler_call_details.method
        if handler is None:
            return None
        if method.startswith(STANDARD_SERVICES):
            return self._standard(method, handler)
        if handler.request_streaming:
            raise NotImplementedError(f"{method}: only unary and server-streaming methods are handled")
        if handler.response_streaming:
            return self._stream(method, handler)
        return self._unary(method, handler)

    def _unary(self, method: str, handler: Handler) -> Handler:
        behaviour: Any = handler.unary_unary

        async def call(data: bytes, context: Context) -> object:
            async with _entered(self._around.own, Call(method, context)):
                return await behaviour(_parsed(handler, data), context)

        return grpc.unary_unary_rpc_method_handler(call, response_serializer=handler.response_serializer)

    def _stream(self, method: str, handler: Handler) -> Handler:
        behaviour: Any = handler.unary_stream

        async def call(data: bytes, context: Context) -> AsyncIterator[object]:
            # gRPC drops a stream's generator without closing it; what it holds must not wait for that.
            async with (
                _entered(self._around.own, Call(method, context)),
                aclosing(behaviour(_parsed(handler, data), context)) as messages,
            ):
                async for message in messages:
                    yield message

        return grpc.unary_stream_rpc_method_handler(call, response_serializer=handler.response_serializer)

    def _standard(self, method: str, handler: Handler) -> Handler:
        """Wrap a method of health or reflection, whose handlers take what gRPC gives them."""
        checked, given = self._around.standard, (handler.request_deserializer, handler.response_serializer)
        if handler.request_streaming:
            talks: Any = handler.stream_stream

            async def talk(requests: AsyncIterator[object], context: Context) -> AsyncIterator[object]:
                async with _entered(checked, Call(method, context)):
                    async for message in talks(requests, context):
                        yield message

            return grpc.stream_stream_rpc_method_handler(talk, *given)
        answers: Any = handler.unary_stream if handler.response_streaming else handler.unary_unary

        # A watch writes to its context and returns nothing, so that both kinds are awaited.
        async def answer(request: object, context: Context) -> object:
            async with _entered(checked, Call(method, context)):
                return await answers(request, context)

        if handler.response_streaming:
            return grpc.unary_stream_rpc_method_handler(answer, *given)
        return grpc.unary_unary_rpc_method_handler(answer, *given)


@asynccontextmanager
async def _entered(around: Sequence[Concern], call: Call) -> AsyncIterator[None]:
    async with AsyncExitStack() as stack:
        for concern in around:
            await stack.enter_async_context(concern(call))
        yield


def _parsed(handler: Handler, data: bytes) -> object:
    """Return a request; gRPC would answer what is none with UNKNOWN and the text of the exception."""
    deserialize: Callable[[bytes], object] | None = handler.request_deserializer
    try:
        return deserialize(data) if deserialize else data
    except DecodeError:
        raise InvalidArgumentError("the request is not a message that this method takes") from None


def _code_name(context: Context) -> str:
    number: object = context.code()  # the stubs promise a StatusCode; after abort() it is the number
    return next((code.name for code in grpc.StatusCode if number in (code, code.value[0])), "UNKNOWN")
