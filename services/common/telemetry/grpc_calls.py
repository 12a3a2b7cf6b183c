"""Spans of gRPC calls, by OpenTelemetry's own interceptors.

Those for clients lose a cancelled call: they wait for its status in between, so that cancelling cancels the
wait alone, while the call goes on at the other side and its span never ends. Those below, around them, end
both.
"""

import asyncio
from collections.abc import Awaitable, Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

import grpc
import grpc.aio
from opentelemetry import trace
from opentelemetry.instrumentation.grpc import aio_client_interceptors, aio_server_interceptor
from opentelemetry.sdk.trace import TracerProvider

from services.common.telemetry.allowed import Value
from services.common.telemetry.rpc_names import STATUS_NUMBER, where_called

_OWN = "/assay."
# Asked by whoever wants to know how things are; no part of a run.
_OF_PROCESSES = "/assay.common.v1.ProcessService/"

Continuation = Callable[[grpc.aio.ClientCallDetails, Any], Awaitable[Any]]


def server_interceptors(provider: TracerProvider) -> list[grpc.aio.ServerInterceptor]:
    """Return what makes a span of each call of the program's own methods."""
    return [aio_server_interceptor(provider, filter_=_is_own)]  # type: ignore[no-untyped-call] # it has no types


def client_interceptors(provider: TracerProvider, address: str) -> list[grpc.aio.ClientInterceptor]:
    """Return what makes a span of each call to an address and sends its ids along."""
    theirs = aio_client_interceptors(provider, filter_=_is_own)  # type: ignore[no-untyped-call] # as above
    by_kind = {kind: item for item in theirs for kind in type(item).__mro__}
    where = where_called(address)
    return [
        CancellableUnary(by_kind[grpc.aio.UnaryUnaryClientInterceptor], where),
        CancellableStream(by_kind[grpc.aio.UnaryStreamClientInterceptor], where),
    ]


class CancellableUnary(grpc.aio.UnaryUnaryClientInterceptor):
    """Unary calls."""

    def __init__(self, theirs: grpc.aio.UnaryUnaryClientInterceptor, where: Mapping[str, Value]) -> None:
        self._theirs = theirs
        self._where = where

    async def intercept_unary_unary(
        self,
        continuation: Continuation,
        client_call_details: grpc.aio.ClientCallDetails,
        request: Any,  # noqa: ANN401 - any message
    ) -> Any:  # noqa: ANN401 - as gRPC takes it
        """Make a call inside its span."""
        begun = _Begun(continuation, self._where)
        with begun.cancelled_together():
            return await self._theirs.intercept_unary_unary(begun.call, client_call_details, request)


class CancellableStream(grpc.aio.UnaryStreamClientInterceptor):
    """Calls with a streamed response, which are safe once the stream has begun."""

    def __init__(self, theirs: grpc.aio.UnaryStreamClientInterceptor, where: Mapping[str, Value]) -> None:
        self._theirs = theirs
        self._where = where

    async def intercept_unary_stream(
        self,
        continuation: Continuation,
        client_call_details: grpc.aio.ClientCallDetails,
        request: Any,  # noqa: ANN401 - as above
    ) -> Any:  # noqa: ANN401 - as above
        """Make a call inside its span."""
        begun = _Begun(continuation, self._where)
        with begun.cancelled_together():
            return await self._theirs.intercept_unary_stream(begun.call, client_call_details, request)


class _Begun:
    """A call that may have begun, and its span."""

    def __init__(self, continuation: Continuation, where: Mapping[str, Value]) -> None:
        self._continuation = continuation
        self._where = where
        self._span: trace.Span | None = None
        self._call: Any = None

    async def call(self, details: grpc.aio.ClientCallDetails, request: object) -> Any:  # noqa: ANN401 - gRPC's
        """Begin the call."""
        self._span = trace.get_current_span()
        self._span.set_attributes(self._where)
        self._call = await self._continuation(details, request)
        self._call.add_done_callback(self._ended)
        return self._call

    @contextmanager
    def cancelled_together(self) -> Iterator[None]:
        """Cancel what has begun when the block is cancelled."""
        try:
            yield
        except asyncio.CancelledError:
            if self._call is not None:
                self._call.cancel()
            raise

    def _ended(self, call: Any) -> None:  # noqa: ANN401 - the calls of gRPC have no common type
        """End the span of a cancelled call, of which theirs may never hear; any other they end."""
        if call.cancelled() and self._span is not None:
            self._span.set_attribute(STATUS_NUMBER, grpc.StatusCode.CANCELLED.value[0])
            self._span.end()


def _is_own(details: Any) -> bool:  # noqa: ANN401 - of a server or of a client, without a common type
    method = details.method.decode() if isinstance(details.method, bytes) else details.method
    return method.startswith(_OWN) and not method.startswith(_OF_PROCESSES)
