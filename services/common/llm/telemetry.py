"""What is told of calls of a model to those who trace and count them: names, counts and durations."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Final

from assay.common.v1.reasoning_pb2 import ModelCall

from services.common.llm.addresses import host_and_port
from services.common.llm.port import OK, Kind
from services.common.llm.settings import ReasonerSettings
from services.common.processes import REASONING
from services.common.settings import process_name
from services.common.telemetry import allowed, spans
from services.common.telemetry.metrics import Counter, Histogram, count, observe

# The protocol, by its name in the conventions, whoever serves it.
_PROVIDER: Final = "openai"
# The name of the model is a setting of the process, not something that comes in.
CALL_SECONDS: Final = Histogram(
    "assay_model_duration_seconds",
    "Requests to a model endpoint, by outcome.",
    {"agent": REASONING, "model": None, "outcome": [OK, *(kind.value for kind in Kind)]},
)
TOKENS: Final = Counter(
    "assay_model_tokens_total",
    "Tokens of requests to a model endpoint and of its answers; estimated where it counts none.",
    {"agent": REASONING, "model": None, "direction": ["input", "output"]},
)


@contextmanager
def chat_observed(settings: ReasonerSettings, max_tokens: int) -> Iterator[Callable[[ModelCall], None]]:
    """Trace a request inside the block; what it gives takes the record of the request."""
    host, _, port = host_and_port(settings.model_base_url).rpartition(":")
    attributes: dict[str, allowed.Value] = {
        allowed.OPERATION: "chat",
        allowed.PROVIDER: _PROVIDER,
        allowed.MODEL: settings.model_name,
        allowed.MAX_TOKENS: max_tokens,
        allowed.SERVER: host,
        allowed.PORT: int(port),
    }
    with spans.span(f"chat {settings.model_name}", attributes, spans.Kind.CLIENT) as asking:

        def ended(call: ModelCall) -> None:
            asking.note({allowed.INPUT_TOKENS: call.input_tokens, allowed.OUTPUT_TOKENS: call.output_tokens})
            if call.outcome != OK:
                asking.failed(call.outcome)
            _count(process_name(type(settings)), call)

        yield ended


def _count(agent: str, call: ModelCall) -> None:
    who = {"agent": agent, "model": call.model}
    observe(CALL_SECONDS, {**who, "outcome": call.outcome}, call.duration.ToNanoseconds() / 1e9)
    count(TOKENS, {**who, "direction": "input"}, call.input_tokens)
    count(TOKENS, {**who, "direction": "output"}, call.output_tokens)
