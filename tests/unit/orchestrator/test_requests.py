"""What a caller may ask."""

import pytest
from assay.common.v1 import context_pb2
from assay.common.v1.context_pb2 import Scope, TimeWindow
from assay.orchestrator.v1.diagnosis_pb2 import DiagnoseRequest, RecordEvaluationRequest
from google.protobuf.timestamp_pb2 import Timestamp

from orchestrator.requests import context_of, evaluation_of
from services.common.bounds import MAX_QUESTION_CHARS
from services.common.errors import InvalidArgumentError
from services.common.redaction.redactor import Redactor

REDACTOR = Redactor()


def asked(question: str = "How many pods run?", bundle: str = "b", intent: int = 0) -> DiagnoseRequest:
    return DiagnoseRequest(question=question, scope=Scope(bundle=bundle), intent=intent)  # type: ignore[arg-type] # any number may come


def test_the_intent_is_derived_or_taken() -> None:
    assert context_of(asked(), REDACTOR).intent == context_pb2.INTENT_LOOKUP
    assert context_of(asked(intent=context_pb2.INTENT_CAUSE), REDACTOR).intent == context_pb2.INTENT_CAUSE


def test_a_question_is_taken_without_the_secret_in_it() -> None:
    found = context_of(asked("Why does login with password=hunter2hunter2 fail?"), REDACTOR)
    assert found.question == "Why does login with password=[redacted:password] fail?"


def test_a_question_that_what_stands_for_secrets_makes_too_long_is_refused() -> None:
    question = "pwd=abc " * (MAX_QUESTION_CHARS // 8)
    with pytest.raises(InvalidArgumentError, match="question"):
        context_of(asked(question), REDACTOR)


def test_an_evaluation_is_written_without_the_secrets_in_it() -> None:
    request = RecordEvaluationRequest(run_id="r", channel="rules", value_json=b'{"password":"hunter2"}')
    assert evaluation_of(request, REDACTOR) == ("rules", '{"password":"[redacted:named-value]"}')


def test_an_open_window_is_taken_as_it_is() -> None:
    request = asked()
    request.window.CopyFrom(TimeWindow(start=Timestamp(seconds=5)))
    assert context_of(request, REDACTOR).window == request.window
    assert not context_of(asked(), REDACTOR).HasField("window")


@pytest.mark.parametrize(
    ("request_", "field"),
    [
        (asked(question=" \n"), "question"),
        (asked(question="x" * 4097), "question"),
        (asked(bundle=""), "scope.bundle"),
        (asked(bundle="x" * 1025), "scope.bundle"),
        (asked(intent=9), "intent"),
    ],
)
def test_what_is_refused(request_: DiagnoseRequest, field: str) -> None:
    with pytest.raises(InvalidArgumentError) as error:
        context_of(request_, REDACTOR)
    assert error.value.field == field


@pytest.mark.parametrize("end", [4, 5])
def test_a_window_that_ends_before_it_starts_is_refused(end: int) -> None:
    request = asked()
    request.window.CopyFrom(TimeWindow(start=Timestamp(seconds=5), end=Timestamp(seconds=end)))
    with pytest.raises(InvalidArgumentError, match="before it starts"):
        context_of(request, REDACTOR)


@pytest.mark.parametrize(
    "time", [Timestamp(seconds=253_402_300_800), Timestamp(nanos=-1), Timestamp(nanos=10**9)]
)
@pytest.mark.parametrize("side", ["start", "end"])
def test_an_instant_that_is_none_is_refused(time: Timestamp, side: str) -> None:
    request = asked()
    getattr(request.window, side).CopyFrom(time)
    with pytest.raises(InvalidArgumentError) as error:
        context_of(request, REDACTOR)
    assert error.value.field == f"window.{side}"
