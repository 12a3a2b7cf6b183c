"""One attempt of an agent to think with a model: every call of it is kept, every failure has one meaning."""

from collections.abc import Callable
from typing import Final

from assay.common.v1 import reasoning_pb2

from services.common.llm.failures import FAILURES
from services.common.llm.port import AnswerT, Kind, Model, ModelError, ModelRequest
from services.common.llm.prompt import Prompt
from services.common.reasoning import OPENAI, ReasoningFailedError

# What a record of an attempt may hold.
MAX_CALLS: Final = 16
# Of the caller's time, for what comes after the model: checking its answer, or answering without it.
KEPT_SECONDS: Final = 1.0


class Thinking:
    """The conversation of one attempt."""

    def __init__(self, model: Model, prompt: Prompt) -> None:
        self._model = model
        self._prompt = prompt
        self._calls: list[reasoning_pb2.ModelCall] = []

    async def ask(
        self,
        material: str,
        answer: type[AnswerT],
        remaining: Callable[[], float],
        max_output_tokens: int,
    ) -> AnswerT:
        """Ask once, at most 16 times in all; raises ReasoningFailedError.

        `remaining` gives the seconds that the caller still waits. A second of them is kept. A question whose
        form alone was refused is asked once more, in the form that was found meanwhile: nobody has thought
        about it yet, and an agent that the graph tries once would never get past an older server.
        """
        request = ModelRequest(self._prompt.text, material, answer, max_output_tokens)
        try:
            return await self._answer(request, remaining)
        except ModelError as error:
            if error.kind is not Kind.UNFIT_MODE:
                raise self.failed(error.kind) from None
        try:
            return await self._answer(request, remaining)
        except ModelError as error:
            raise self.failed(error.kind) from None

    def reasoning(self) -> reasoning_pb2.Reasoning:
        """Return the record of what was thought until now."""
        return reasoning_pb2.Reasoning(
            reasoner=OPENAI,
            prompt_name=self._prompt.id.name,
            prompt_version=self._prompt.id.version,
            model_calls=self._calls,
        )

    async def _answer(self, request: ModelRequest[AnswerT], remaining: Callable[[], float]) -> AnswerT:
        """Make one call and keep its record; raises ModelError."""
        if len(self._calls) >= MAX_CALLS:
            raise RuntimeError(f"an attempt asks a model at most {MAX_CALLS} times")
        try:
            answered = await self._model.ask(request, max(0.0, remaining() - KEPT_SECONDS))
        except ModelError as error:
            self._calls.append(error.call)
            raise
        self._calls.append(answered.call)
        return answered.value

    def failed(self, kind: Kind) -> ReasoningFailedError:
        """Return the failure of this attempt; BROKE_RULES is what an agent itself refuses."""
        reasoning = self.reasoning()
        reasoning.model_failure = kind.value
        return ReasoningFailedError(FAILURES[kind].failed_as, reasoning)
