"""The reasoner behind the port: one question to a model, and the offline answer where that gives none."""

import asyncio
from collections.abc import Callable
from functools import partial
from typing import Final

from assay.common.v1 import answer_pb2
from assay.composer.v1 import composer_pb2

from services.common.llm.fallback import or_instead
from services.common.llm.port import Kind, Model
from services.common.llm.prompt import load
from services.common.llm.room import room_for
from services.common.llm.thinking import Thinking
from services.common.reasoning import Reasoned
from services.composer.domain import Reasoner
from services.composer.offline.reasoner import compose
from services.composer.openai.answer import Composition
from services.composer.openai.rendering import material
from services.composer.openai.translation import answer_of

MAX_OUTPUT_TOKENS: Final = 4096

Request = composer_pb2.ComposeRequest
Made = Reasoned[answer_pb2.Answer]


class OpenAIReasoner:
    """Writes by a model. `instead` writes what the model did not; None leaves that to the graph."""

    def __init__(self, model: Model, context_tokens: int, instead: Reasoner | None) -> None:
        self._model = model
        self._prompt = load(__package__)
        self._room = room_for(context_tokens, self._prompt, Composition)
        self._instead = instead

    async def compose(self, request: Request, remaining: Callable[[], float]) -> Made:
        """Return an answer that keeps to the rules; raises ReasoningFailedError."""
        instead = partial(self._instead.compose, request, remaining) if self._instead else None
        return await or_instead(self._thought(request, remaining), instead)

    async def _thought(self, request: Request, remaining: Callable[[], float]) -> Made:
        thinking = Thinking(self._model, self._prompt)
        if not request.claims:
            # All that is left to say are fixed sentences.
            return Reasoned(await asyncio.to_thread(compose, request), thinking.reasoning())
        shown = await asyncio.to_thread(material, request, self._room)
        composition = await thinking.ask(shown, Composition, remaining, MAX_OUTPUT_TOKENS)
        answer = await asyncio.to_thread(answer_of, composition, request)
        if answer is None:
            raise thinking.failed(Kind.BROKE_RULES)
        return Reasoned(answer, thinking.reasoning())
