import pytest
from assay.common.v1 import context_pb2

from services.common.errors import InvalidArgumentError
from services.common.validation import required_text, specified

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
