"""A model that says what a script says, and keeps what it was asked."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from assay.common.v1 import reasoning_pb2
from pydantic import BaseModel, ValidationError

from services.common.llm.port import OK, Answered, AnswerT, Kind, ModelError, ModelRequest

# Returns an answer as JSON would hold it, or how the call fails.
Script = Callable[[ModelRequest[BaseModel]], dict[str, Any] | Kind]


@dataclass
class ScriptedModel:
    """Answers as a client would: only what fits the answer's model, else a failure."""

    script: Script
    asked: list[ModelRequest[Any]] = field(default_factory=list)
    seconds: list[float] = field(default_factory=list)

    async def ask(self, request: ModelRequest[AnswerT], seconds: float) -> Answered[AnswerT]:
        """Answer as the script says; raises ModelError."""
        self.asked.append(request)
        self.seconds.append(seconds)
        said = self.script(request)  # type: ignore[arg-type]  # a script looks at texts alone
        if isinstance(said, Kind):
            raise ModelError(said, "the model failed", call(said.value))
        try:
            value = request.answer.model_validate(said, strict=True)
        except ValidationError:
            raise ModelError(Kind.WRONG_SHAPE, "another shape", call(Kind.WRONG_SHAPE.value)) from None
        return Answered(value, call(OK))


def saying(said: dict[str, Any] | Kind) -> ScriptedModel:
    """Return a model that always says the same."""
    return ScriptedModel(lambda _: said)


def call(outcome: str) -> reasoning_pb2.ModelCall:
    """Return the record of a call."""
    return reasoning_pb2.ModelCall(model="scripted", input_tokens=10, output_tokens=2, outcome=outcome)
