"""The reasoner behind the port: one question to a model, and the offline judge where that gives nothing."""

import asyncio
from collections.abc import Callable
from functools import partial
from typing import Final

from assay.common.v1 import evidence_pb2
from assay.verifier.v1 import verifier_pb2

from services.common.llm.fallback import or_instead
from services.common.llm.port import Kind, Model
from services.common.llm.prompt import load
from services.common.llm.room import room_for
from services.common.llm.thinking import Thinking
from services.common.reasoning import Reasoned
from services.verifier.domain import Reasoner
from services.verifier.openai.answer import Judgement
from services.verifier.openai.rendering import material
from services.verifier.openai.translation import verification_of

# A check of each of the most claims that a document may have.
MAX_OUTPUT_TOKENS: Final = 16_384

Request = verifier_pb2.VerifyRequest
Made = Reasoned[evidence_pb2.Verification]


class OpenAIReasoner:
    """Judges by a model. `instead` judges what the model did not; None leaves that to the graph."""

    def __init__(self, model: Model, context_tokens: int, instead: Reasoner | None) -> None:
        self._model = model
        self._prompt = load(__package__)
        self._room = room_for(context_tokens, self._prompt, Judgement)
        self._instead = instead

    async def judge(self, request: Request, remaining: Callable[[], float]) -> Made:
        """Return a verification that keeps to the protocol; raises ReasoningFailedError."""
        instead = partial(self._instead.judge, request, remaining) if self._instead else None
        return await or_instead(self._thought(request, remaining), instead)

    async def _thought(self, request: Request, remaining: Callable[[], float]) -> Made:
        thinking = Thinking(self._model, self._prompt)
        # Much evidence takes long to lay out and to look through; health answers meanwhile.
        shown = await asyncio.to_thread(material, request, self._room)
        judgement = await thinking.ask(shown, Judgement, remaining, MAX_OUTPUT_TOKENS)
        verification = await asyncio.to_thread(verification_of, judgement, request)
        if verification is None:
            raise thinking.failed(Kind.BROKE_RULES)
        return Reasoned(verification, thinking.reasoning())
