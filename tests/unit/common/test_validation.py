import pytest
from assay.common.v1 import context_pb2
from google.protobuf.timestamp_pb2 import Timestamp

from services.common.errors import InvalidArgumentError
from services.common.validation import MAX_SECONDS, MIN_SECONDS, legal_window, required_text, specified

INTENT = context_pb2.Intent.DESCRIPTOR


def test_a_text_within_its_limit_is_returned() -> None:
    assert required_text("why?", "context.question", 4) == "why?"


@pytest.mark.parametrize("value", ["", " \n\t", "why??"])
def test_a_blank_or_long_text_is_refused_with_its_field(value: str) -> None:
    with pytest.raises(InvalidArgumentError) as caught:
        required_text(value, "context.question", 4)
    assert caught.value.field == "context.question"
    assert caught.value.message.startswith("context.question")


def test_a_value_of_the_enum_is_accepted() -> None:
    specified(context_pb2.INTENT_CAUSE, INTENT, "context.intent")


@pytest.mark.parametrize("value", [0, 99, -1])
def test_unspecified_and_unknown_numbers_are_refused(value: int) -> None:
    with pytest.raises(InvalidArgumentError, match="INTENT_CAUSE, INTENT_LOOKUP") as caught:
        specified(value, INTENT, "context.intent")
    assert caught.value.field == "context.intent"


@pytest.mark.parametrize(("start", "end"), [(None, None), (MIN_SECONDS, None), (None, MAX_SECONDS), (1, 2)])
def test_a_window_of_instants_is_legal(start: int | None, end: int | None) -> None:
    window = context_pb2.TimeWindow()
    if start is not None:
        window.start.seconds = start
    if end is not None:
        window.end.seconds = end
    legal_window(window, "context.window")


@pytest.mark.parametrize(
    ("side", "time"),
    [
        ("start", Timestamp(seconds=MIN_SECONDS - 1)),
        ("end", Timestamp(seconds=MAX_SECONDS + 1)),
        ("end", Timestamp(seconds=5, nanos=-1)),
        ("start", Timestamp(nanos=1_000_000_000)),
    ],
)
def test_a_side_that_is_no_instant_is_refused_with_its_field(side: str, time: Timestamp) -> None:
    window = context_pb2.TimeWindow(**{side: time})
    with pytest.raises(InvalidArgumentError) as caught:
        legal_window(window, "context.window")
    assert caught.value.field == f"context.window.{side}"
