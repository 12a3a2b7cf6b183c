"""What crosses from a worker process to the service: everything that desks answer, and nothing else."""

import pytest
from assay.common.v1 import tool_pb2
from hypothesis import given
from hypothesis import strategies as st

from services.common.errors import (
    AssayError,
    FailedPreconditionError,
    InvalidArgumentError,
    NotFoundError,
    UnavailableError,
)
from services.executor.outcome import Outcome, failed, timed_out
from services.executor.replies import IllegalReplyError, WorkerFailedError, parsed, raised, returned
from services.executor.sources.stop import StoppedError

SPAN = tool_pb2.OutsiderSpan(pointer="/lines/0/text", begin=3, end=9)
STEP = tool_pb2.PlanStep(tool_name="logs_search", arguments_json=b'{"source":"a.log"}')
CATALOG = tool_pb2.ToolCatalog(sources=[tool_pb2.SourceInfo(kind="log", name="a.log", available=True)])


@given(
    st.recursive(st.none() | st.booleans() | st.integers() | st.text(st.characters()) | st.binary(), st.lists)
)
def test_plain_values_cross_as_they_are(value: object) -> None:
    assert parsed(returned(value)) == (value, None)


@pytest.mark.parametrize("message", [CATALOG, [STEP, STEP], []])
def test_messages_cross_as_they_are(message: object) -> None:
    assert parsed(returned(message)) == (message, None)


@pytest.mark.parametrize(
    "outcome",
    [
        failed("no such thing", 2),
        timed_out(1.5),
        Outcome(tool_pb2.INVOCATION_STATUS_OK, b"\x00{}", True, 3, [SPAN, SPAN]),
    ],
)
def test_outcomes_cross_as_they_are(outcome: Outcome) -> None:
    value, error = parsed(returned(outcome))
    assert isinstance(value, Outcome)
    assert error is None
    assert list(value.outsider_spans) == list(outcome.outsider_spans)
    assert (value.status, value.output) == (outcome.status, outcome.output)
    assert (value.truncated, value.redactions) == (outcome.truncated, outcome.redactions)


@pytest.mark.parametrize("kind", [FailedPreconditionError, InvalidArgumentError, NotFoundError])
def test_refusals_cross_with_their_field(kind: type[AssayError]) -> None:
    _, error = parsed(raised(kind("it is not there", field="scope.bundle")))
    assert type(error) is kind
    assert isinstance(error, AssayError)
    assert (error.message, error.field) == ("it is not there", "scope.bundle")


def test_other_ends_cross_too() -> None:
    assert isinstance(parsed(raised(StoppedError()))[1], StoppedError)
    _, failure = parsed(raised(WorkerFailedError(["builtins.KeyError", "a.py:1"])))
    assert isinstance(failure, WorkerFailedError)
    assert failure.frames == ["builtins.KeyError", "a.py:1"]


@pytest.mark.parametrize("value", [object(), {"a": 1}, 1.5, (1,), {1}, tool_pb2.Invocation(), [object()]])
def test_a_value_of_another_type_is_refused_where_it_is_sent(value: object) -> None:
    with pytest.raises(TypeError, match="a worker does not answer with"):
        returned(value)


def test_an_error_of_another_class_is_refused_where_it_is_sent() -> None:
    with pytest.raises(TypeError, match="a worker does not raise UnavailableError"):
        raised(UnavailableError("later"))


@pytest.mark.parametrize(
    "reply",
    [
        b"",
        b"\xff",
        b"{}",
        b"[]",
        b'["returned"]',
        b'["returned",1]',
        b'["returned",["object","x"]]',
        b'["returned",["number","1"]]',
        b'["returned",["text",1]]',
        b'["returned",["bytes","*"]]',
        b'["returned",["outcome","AAAA"]]',
        b'["returned",["message","assay.common.v1.Invocation",""]]',
        b'["returned",["message","assay.common.v1.PlanStep","AAAA"]]',
        b'["refused","UnavailableError","","x"]',
        b'["refused","SystemExit","",""]',
        b'["failed","x"]',
        b"[" * 100_000,
    ],
)
def test_other_bytes_are_no_reply(reply: bytes) -> None:
    with pytest.raises(IllegalReplyError):
        parsed(reply)


@given(st.binary())
def test_any_bytes_are_a_reply_or_are_refused(reply: bytes) -> None:
    with pytest.raises(IllegalReplyError):
        parsed(reply)
