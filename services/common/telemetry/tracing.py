"""Spans by OpenTelemetry. Imported only where they are exported: it is large, and slows every call.

Nothing here is configured by the variables of the SDK but the headers of the exporter.
"""

import logging
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, Final

from opentelemetry import propagate, trace
from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import SpanLimits, TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor
from opentelemetry.sdk.trace.sampling import ALWAYS_ON, ParentBased
from opentelemetry.trace import SpanKind, Status, StatusCode

from services.common.telemetry.allowed import (
    ERROR,
    EVALUATION,
    EVALUATION_LABEL,
    EVALUATION_NAME,
    Value,
)
from services.common.telemetry.export import BoundedExporter, Renewed
from services.common.telemetry.grpc_calls import client_interceptors, server_interceptors
from services.common.telemetry.propagation import Traceparent
from services.common.telemetry.rpc_names import STATUS_NUMBER
from services.common.telemetry.spans import Kind

# A span is small; what a slow collector leaves waiting is at most some MiB, and the oldest go.
MAX_WAITING_SPANS: Final = 4096
MAX_SPANS_AT_ONCE: Final = 512
SEND_EVERY_SECONDS: Final = 1.0
# What waits at the end is sent for so long, whatever the collector does.
FLUSH_SECONDS: Final = 3.0
_LAST_SECONDS: Final = 1.0
_KINDS: Final = {Kind.INTERNAL: SpanKind.INTERNAL, Kind.CLIENT: SpanKind.CLIENT}


class _Span:
    """A span of this program's own."""

    def __init__(self, inner: trace.Span) -> None:
        self._inner = inner
        self._has_failed = False

    def note(self, attributes: Mapping[str, Value]) -> None:
        """Add attributes."""
        self._inner.set_attributes(dict(attributes))

    def evaluated(self, name: str, label: str) -> None:
        """Add an evaluation, as an event of the conventions for generative AI."""
        self._inner.add_event(EVALUATION, {EVALUATION_NAME: name, EVALUATION_LABEL: label})

    def failed(self, error_type: str) -> None:
        """Set the error and the status; the first one counts."""
        if self._has_failed:
            return
        self._has_failed = True
        self._inner.set_attribute(ERROR, error_type)
        self._inner.set_status(Status(StatusCode.ERROR))


class Tracing:
    """The tracer of a process that exports. `continues`: calls go on with the trace of their caller."""

    def __init__(
        self, resource: Mapping[str, str], endpoint: str, renewed: Renewed, *, continues: bool
    ) -> None:
        # They quote what a collector says, and repeat themselves; the exporter here tells what matters.
        logging.getLogger("opentelemetry").setLevel(logging.CRITICAL)
        self._exporter = BoundedExporter(endpoint, renewed)
        self._provider = TracerProvider(
            sampler=ParentBased(ALWAYS_ON),
            resource=Resource(dict(resource)),
            span_limits=SpanLimits(
                max_events=16, max_links=1, max_span_attributes=32, max_attribute_length=256
            ),
            shutdown_on_exit=False,
        )
        self._provider.add_span_processor(
            BatchSpanProcessor(
                self._exporter,
                max_queue_size=MAX_WAITING_SPANS,
                schedule_delay_millis=SEND_EVERY_SECONDS * 1000,
                max_export_batch_size=MAX_SPANS_AT_ONCE,
                export_timeout_millis=FLUSH_SECONDS * 1000,
            )
        )
        propagate.set_global_textmap(Traceparent(continues=continues))
        self._tracer = self._provider.get_tracer("assay")
        self.server_interceptors: list[Any] = server_interceptors(self._provider)

    def client_interceptors(self, address: str) -> Sequence[Any]:
        """Return what each channel to an address puts around its calls."""
        return client_interceptors(self._provider, address)

    @contextmanager
    def span(self, name: str, kind: Kind, attributes: Mapping[str, Value]) -> Iterator[_Span]:
        """Make one span of a block; an exception out of it is its error, without its text."""
        with self._tracer.start_as_current_span(
            name,
            kind=_KINDS[kind],
            attributes=dict(attributes),
            record_exception=False,
            set_status_on_exception=False,
        ) as inner:
            made = _Span(inner)
            try:
                yield made
            except BaseException as error:
                made.failed(type(error).__name__)
                raise

    def current(self) -> tuple[str, str] | None:
        """Return the ids of the current trace and span; None outside one."""
        context = trace.get_current_span().get_span_context()
        if not context.is_valid:
            return None
        return trace.format_trace_id(context.trace_id), trace.format_span_id(context.span_id)

    def called(self, code: int) -> None:
        """Note the status that a call ended with: the instrumentation takes a cancelled one for OK."""
        trace.get_current_span().set_attribute(STATUS_NUMBER, code)

    def close(self) -> None:
        """Send what waits, in bounded time whatever the collector does. Blocks."""
        closing = threading.Thread(target=self._provider.shutdown, name="telemetry", daemon=True)
        closing.start()
        closing.join(FLUSH_SECONDS)
        if closing.is_alive():
            self._exporter.give_up()
            closing.join(_LAST_SECONDS)
