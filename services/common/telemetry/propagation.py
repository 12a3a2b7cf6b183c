"""How a trace crosses from process to process: the header traceparent of W3C Trace Context, and nothing else.

Tracestate and baggage would carry any text of a caller on to every process and to the collector.
"""

from typing import Final

from opentelemetry.context import Context
from opentelemetry.propagators.textmap import (
    CarrierT,
    Getter,
    Setter,
    TextMapPropagator,
    default_getter,
    default_setter,
)
from opentelemetry.trace.propagation.tracecontext import TraceContextTextMapPropagator

TRACEPARENT: Final = "traceparent"


class Traceparent(TextMapPropagator):
    """Writes the header always; reads it only where the process `continues` the traces of its callers.

    A header that is none is as good as none.
    """

    def __init__(self, *, continues: bool) -> None:
        self._continues = continues
        self._inner = TraceContextTextMapPropagator()

    def extract(
        self, carrier: CarrierT, context: Context | None = None, getter: Getter[CarrierT] = default_getter
    ) -> Context:
        """Return the context of a caller's trace."""
        if not self._continues:
            return Context() if context is None else context
        values = getter.get(carrier, TRACEPARENT) or []
        return self._inner.extract({TRACEPARENT: list(values)[:1]}, context)

    def inject(
        self, carrier: CarrierT, context: Context | None = None, setter: Setter[CarrierT] = default_setter
    ) -> None:
        """Write the header of the current span."""
        written: dict[str, str] = {}
        self._inner.inject(written, context)
        if TRACEPARENT in written:
            setter.set(carrier, TRACEPARENT, written[TRACEPARENT])

    @property
    def fields(self) -> set[str]:
        """The names of the headers."""
        return {TRACEPARENT}
