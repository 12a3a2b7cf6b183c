"""From a model's text to the value that was asked for: pure."""

from typing import Final

from pydantic import ValidationError

from services.common.evidence.strict_json import dumps
from services.common.llm.port import AnswerT, Kind
from services.common.llm.repair import NotJsonError, object_in

# What an endpoint that keeps to a schema cannot answer.
_STRUCTURAL: Final = frozenset({"missing", "extra_forbidden"})


class IllegalAnswerError(Exception):
    """A text that holds no legal answer. `unconstrained`: the endpoint kept to no schema."""

    def __init__(self, kind: Kind, *, unconstrained: bool) -> None:
        super().__init__(kind.value)
        self.kind = kind
        self.unconstrained = unconstrained


def parsed(text: str, answer: type[AnswerT]) -> AnswerT:
    """Return the answer that a text holds, strictly validated; raises IllegalAnswerError."""
    try:
        found = object_in(text, answer.model_fields.keys())
    except NotJsonError:
        raise IllegalAnswerError(Kind.NOT_JSON, unconstrained=True) from None
    try:
        return answer.model_validate_json(dumps(found), strict=True, extra="forbid")
    except ValidationError as error:
        unconstrained = any(item["type"] in _STRUCTURAL for item in error.errors(include_input=False))
        raise IllegalAnswerError(Kind.WRONG_SHAPE, unconstrained=unconstrained) from None
