"""A collector of spans on this machine: it takes OTLP over gRPC, and keeps all that it is sent."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

import grpc.aio
from opentelemetry.proto.collector.trace.v1 import trace_service_pb2, trace_service_pb2_grpc
from opentelemetry.proto.common.v1.common_pb2 import KeyValue
from opentelemetry.proto.trace.v1 import trace_pb2

Attributes = dict[str, str | int]
Request = trace_service_pb2.ExportTraceServiceRequest


@dataclass(frozen=True)
class Received:
    """A span as it came, and the process that it came from."""

    process: str
    name: str
    trace_id: str
    span_id: str
    parent_id: str
    kind: str
    is_error: bool
    attributes: Attributes
    events: tuple[tuple[str, tuple[tuple[str, str | int], ...]], ...]


@dataclass
class Collector:
    """Answers each export as `reply` does, by default at once."""

    endpoint: str = ""
    wire: list[bytes] = field(default_factory=list)
    spans: list[Received] = field(default_factory=list)
    changed: asyncio.Condition = field(default_factory=asyncio.Condition)

    async def until(self, enough: Callable[["Collector"], bool], seconds: float = 20.0) -> None:
        """Wait until enough has come."""
        async with asyncio.timeout(seconds), self.changed:
            await self.changed.wait_for(lambda: enough(self))

    def named(self, name: str) -> list[Received]:
        """Return the spans of a name, or whose name begins so and goes on after a space."""
        return [span for span in self.spans if span.name == name or span.name.startswith(f"{name} ")]

    async def take(self, request: Request) -> None:
        self.wire.append(request.SerializeToString())
        self.spans += _received(request)
        async with self.changed:
            self.changed.notify_all()


async def _at_once() -> None:
    return


@asynccontextmanager
async def collecting(
    reply: Callable[[], Awaitable[None]] = _at_once,
    credentials: grpc.ServerCredentials | None = None,
) -> AsyncIterator[Collector]:
    """Collect inside the block. `reply` is awaited before an export is answered."""
    collector = Collector()

    class Servicer(trace_service_pb2_grpc.TraceServiceServicer):
        async def Export(self, request: Request, context: Any) -> Any:  # noqa: ANN401, ARG002, N802 - gRPC's
            await collector.take(request)
            await reply()
            return trace_service_pb2.ExportTraceServiceResponse()

    server = grpc.aio.server()
    trace_service_pb2_grpc.add_TraceServiceServicer_to_server(Servicer(), server)
    if credentials:
        port, scheme = server.add_secure_port("127.0.0.1:0", credentials), "https"
    else:
        port, scheme = server.add_insecure_port("127.0.0.1:0"), "http"
    await server.start()
    collector.endpoint = f"{scheme}://127.0.0.1:{port}"
    try:
        yield collector
    finally:
        await server.stop(None)


def _received(request: Request) -> Iterator[Received]:
    for group in request.resource_spans:
        process = str(_attributes(group.resource.attributes)["service.name"])
        for scope in group.scope_spans:
            yield from (_span(process, span) for span in scope.spans)


def _span(process: str, span: trace_pb2.Span) -> Received:
    return Received(
        process,
        span.name,
        span.trace_id.hex(),
        span.span_id.hex(),
        span.parent_span_id.hex(),
        trace_pb2.Span.SpanKind.Name(span.kind).removeprefix("SPAN_KIND_"),
        span.status.code == trace_pb2.Status.STATUS_CODE_ERROR,
        _attributes(span.attributes),
        tuple((event.name, tuple(_attributes(event.attributes).items())) for event in span.events),
    )


def _attributes(pairs: Any) -> Attributes:  # noqa: ANN401 - a repeated field
    return dict(map(_pair, pairs))


def _pair(pair: KeyValue) -> tuple[str, str | int]:
    value = pair.value
    return pair.key, value.int_value if value.HasField("int_value") else value.string_value
