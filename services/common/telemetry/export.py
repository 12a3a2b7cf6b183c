"""What leaves for the collector: allowed attributes alone, each attempt bounded, failures told once."""

import threading
from collections.abc import Callable, Mapping, Sequence
from typing import Final

import grpc
import structlog
from opentelemetry.exporter.otlp.proto.grpc.trace_exporter import OTLPSpanExporter
from opentelemetry.sdk.trace import Event, ReadableSpan
from opentelemetry.sdk.trace.export import SpanExporter, SpanExportResult
from opentelemetry.trace import SpanContext, Status, StatusCode

from services.common.telemetry.allowed import EVENTS, allowed, allowed_name
from services.common.telemetry.endpoint import host_of, is_encrypted
from services.common.telemetry.rpc_names import attributes_of_call, name_of_call, of_call

SEND_SECONDS: Final = 2.0
_OPTIONS: Final = (
    # A proxy variable of the environment must not redirect what is sent.
    ("grpc.enable_http_proxy", 0),
    ("grpc.use_local_subchannel_pool", 1),
)

# Returns credentials that are newer than those it returned before; None while there are none.
Renewed = Callable[[], grpc.ChannelCredentials | None]

_log = structlog.get_logger("assay.telemetry")


class BoundedExporter(SpanExporter):
    """Sends spans to one collector, each batch in at most `SEND_SECONDS`. Called by one thread."""

    def __init__(self, endpoint: str, renewed: Renewed) -> None:
        self._endpoint = endpoint
        self._renewed = renewed
        self._inner = self._opened(renewed() if is_encrypted(endpoint) else None)
        self._failing = False
        self._given_up = threading.Event()

    def export(self, spans: Sequence[ReadableSpan]) -> SpanExportResult:
        """Send one batch; what cannot be sent is lost."""
        if self._given_up.is_set():
            return SpanExportResult.FAILURE
        self._renew()
        result = self._inner.export([bare(span) for span in spans])
        self._tell(result is not SpanExportResult.SUCCESS)
        return result

    def give_up(self) -> None:
        """End what is being sent, and send nothing more. From any thread."""
        self._given_up.set()
        self._inner.shutdown()

    def shutdown(self) -> None:
        """Close the connection."""
        if not self._given_up.is_set():
            self._inner.shutdown()

    def _renew(self) -> None:
        credentials = self._renewed() if is_encrypted(self._endpoint) else None
        if credentials is not None:
            old, self._inner = self._inner, self._opened(credentials)
            old.shutdown()

    def _opened(self, credentials: grpc.ChannelCredentials | None) -> OTLPSpanExporter:
        encrypted = is_encrypted(self._endpoint)
        return OTLPSpanExporter(
            endpoint=self._endpoint,
            insecure=not encrypted,
            credentials=credentials or (grpc.ssl_channel_credentials() if encrypted else None),
            timeout=SEND_SECONDS,
            compression=grpc.Compression.NoCompression,
            channel_options=_OPTIONS,  # type: ignore[arg-type] # it takes any number of them, numbers too
        )

    def _tell(self, failing: bool) -> None:
        """Write one line when it begins to fail, and one when it has ended."""
        if failing and not self._failing:
            _log.warning("spans cannot be sent and are lost", collector=host_of(self._endpoint))
        elif self._failing and not failing:
            _log.info("spans can be sent again", collector=host_of(self._endpoint))
        self._failing = failing


def bare(span: ReadableSpan) -> ReadableSpan:
    """Return a span without all that may not leave: also no text of a status, no link, no tracestate."""
    name, attributes = _named(span)
    return ReadableSpan(
        name=allowed_name(name),
        context=_ids(span.context),
        parent=_ids(span.parent),
        resource=span.resource,
        attributes=allowed(attributes),
        events=[
            Event(event.name, allowed(event.attributes or {}, EVENTS[event.name]), event.timestamp)
            for event in span.events
            if event.name in EVENTS
        ],
        kind=span.kind,
        instrumentation_scope=span.instrumentation_scope,
        status=Status(span.status.status_code),
        start_time=span.start_time,
        end_time=span.end_time,
    )


def _named(span: ReadableSpan) -> tuple[str, Mapping[str, object]]:
    attributes = span.attributes or {}
    if not of_call(attributes):
        return span.name, attributes
    is_error = span.status.status_code is StatusCode.ERROR
    return name_of_call(span.name), attributes_of_call(attributes, is_error=is_error)


def _ids(context: SpanContext | None) -> SpanContext | None:
    if context is None:
        return None
    return SpanContext(context.trace_id, context.span_id, context.is_remote, context.trace_flags)
