"""What may leave in a span."""

import pytest
from opentelemetry.sdk.trace import ReadableSpan, TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from opentelemetry.trace import Link, SpanContext, Status, StatusCode, TraceFlags, TraceState

from services.common.telemetry.allowed import (
    ATTRIBUTES,
    EVALUATION,
    EVENTS,
    TOOL,
    UNNAMED,
    allowed,
    allowed_name,
)
from services.common.telemetry.export import bare
from tests.fakes import canaries

TEXT = canaries.canary()


def full_of(text: str) -> ReadableSpan:
    """Return a span with a text in every place that a span has."""
    kept = InMemorySpanExporter()
    provider = TracerProvider(shutdown_on_exit=False)
    provider.add_span_processor(SimpleSpanProcessor(kept))
    state = TraceState([("a", text)])
    other = SpanContext(1, 2, is_remote=True, trace_flags=TraceFlags(1), trace_state=state)
    tracer = provider.get_tracer("test")
    span = tracer.start_span(f"tool {text}", links=[Link(other, {"a": text})])
    span.set_attributes({"assay.question": text, TOOL: f"read {text}", "gen_ai.input.messages": text})
    span.set_attribute("rpc.method", [text])
    span.add_event(EVALUATION, {"gen_ai.evaluation.explanation": text})
    span.add_event(text)
    span.record_exception(ValueError(text))
    span.set_status(Status(StatusCode.ERROR, text))
    span.end()
    (made,) = kept.get_finished_spans()
    return made


def test_nothing_but_what_the_table_names_is_left_of_a_span() -> None:
    made = full_of(TEXT)
    left = bare(made)
    # The control: it was there, in every place.
    assert made.to_json().count(TEXT) > 8
    assert TEXT not in left.to_json()
    assert TEXT not in str(left.context)
    assert (left.name, left.status.status_code, list(left.attributes or {})) == (
        UNNAMED,
        StatusCode.ERROR,
        [],
    )
    assert [event.name for event in left.events] == [EVALUATION]
    assert (left.context, left.parent) == (made.context, made.parent)
    assert (left.start_time, left.end_time) == (made.start_time, made.end_time)


@pytest.mark.parametrize(
    "value", ["two words", "", "a" * 201, "line\nbreak", "é", True, 1.5, ["list"], None, b"bytes", 7]
)
def test_a_value_of_another_kind_than_a_word_does_not_leave(value: object) -> None:
    assert allowed({TOOL: value}) == {}


def test_what_is_allowed_leaves_as_it_is() -> None:
    given = {TOOL: "logs_search", "server.port": 4, "server.address": "[::1]"}
    assert allowed(given) == given


@pytest.mark.parametrize(
    "name",
    ["run diagnosis", "node planner", "execute_tool logs_search", "chat org/model-7b:latest", "/a.B/C"],
)
def test_names_of_spans(name: str) -> None:
    assert allowed_name(name) == name


@pytest.mark.parametrize("name", ["why does it fail", "chat with me", "tool x", "", "node \n"])
def test_other_names_say_nothing(name: str) -> None:
    assert allowed_name(name) == UNNAMED


def test_no_key_is_for_content() -> None:
    """The keys of the conventions that are, by their last words."""
    keys = {*ATTRIBUTES, *(key for table in EVENTS.values() for key in table)}
    words = (
        "messages",
        "arguments",
        "result",
        "explanation",
        "instructions",
        "message",
        "stacktrace",
        "prompt",
    )
    assert not [key for key in keys if key.rpartition(".")[2] in words]
