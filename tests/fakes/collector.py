"""A collector of spans on this machine: it takes OTLP over gRPC, and keeps all that it is sent."""

import asyncio
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import grpc
from opentelemetry.proto.collector.trace.v1 import trace_service_pb2, trace_service_pb2_grpc
from opentelemetry.proto.common.v1.common_pb2 import KeyValue
from opentelemetry.proto.trace.v1 import trace_pb2

Attributes = dict[str, str | int]
Request = trace_service_pb2.ExportTraceServiceRequest
Response = trace_service_pb2.ExportTraceServiceResponse
# Longer than anybody waits for an answer.
HELD_SECONDS = 60.0


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
    """Keeps what comes. While `held` it answers no export; `failing`, it refuses each."""

    endpoint: str = ""
    failing: bool = False
    headers: dict[str, str | bytes] = field(default_factory=dict)
    wire: list[bytes] = field(default_factory=list)
    spans: list[Received] = field(default_factory=list)
    released: threading.Event = field(default_factory=threading.Event)
    changed: threading.Condition = field(default_factory=threading.Condition)

    async def until(self, enough: Callable[[], bool], seconds: float = 60.0) -> None:
        """Wait until enough has come."""

        def wait() -> bool:
            with self.changed:
                return self.changed.wait_for(enough, seconds)

        assert await asyncio.to_thread(wait), [span.name for span in self.spans]

    def named(self, name: str) -> list[Received]:
        """Return the spans of a name, or whose name begins so and goes on after a space."""
        return [span for span in self.spans if span.name == name or span.name.startswith(f"{name} ")]

    def take(self, request: Request) -> None:
        with self.changed:
            self.wire.append(request.SerializeToString())
            self.spans += _received(request)
            self.changed.notify_all()


class _Servicer(trace_service_pb2_grpc.TraceServiceServicer):
    def __init__(self, collector: Collector) -> None:
        self._collector = collector

    def Export(self, request: Request, context: grpc.ServicerContext) -> Response:  # noqa: N802 - the contract's
        if self._collector.failing:
            context.abort(grpc.StatusCode.UNAVAILABLE, "not now")
        self._collector.headers = dict(context.invocation_metadata())
        self._collector.take(request)
        self._collector.released.wait(HELD_SECONDS)
        return Response()


@contextmanager
def collecting(
    *, held: bool = False, credentials: grpc.ServerCredentials | None = None
) -> Iterator[Collector]:
    """Collect inside the block, in threads of its own: what is tested may block the test's."""
    collector = Collector()
    if not held:
        collector.released.set()
    with ThreadPoolExecutor(8) as pool:
        server = grpc.server(pool)
        add = trace_service_pb2_grpc.add_TraceServiceServicer_to_server
        add(_Servicer(collector), server)  # type: ignore[no-untyped-call] # generated without types
        if credentials:
            port, scheme = server.add_secure_port("127.0.0.1:0", credentials), "https"
        else:
            port, scheme = server.add_insecure_port("127.0.0.1:0"), "http"
        server.start()
        collector.endpoint = f"{scheme}://127.0.0.1:{port}"
        try:
            yield collector
        finally:
            collector.released.set()
            server.stop(None).wait()


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
