"""The reasoner behind the port: one question to a model, and the offline plan where that gives none."""

import asyncio
from collections.abc import Callable, Sequence
from functools import partial
from typing import Final

from assay.common.v1 import tool_pb2
from assay.planner.v1 import planner_pb2

from services.common.llm.fallback import or_instead
from services.common.llm.port import Kind, Model
from services.common.llm.prompt import load
from services.common.llm.room import room_for
from services.common.llm.thinking import Thinking
from services.common.reasoning import Reasoned
from services.planner.domain import Reasoner
from services.planner.openai.answer import Plan
from services.planner.openai.rendering import material
from services.planner.openai.signatures import usable
from services.planner.openai.translation import steps_of

MAX_OUTPUT_TOKENS: Final = 4096

Request = planner_pb2.PlanRequest
Made = Reasoned[Sequence[tool_pb2.PlanStep]]


class OpenAIReasoner:
    """Plans by a model. `instead` plans what the model did not; None leaves that to the graph."""

    def __init__(self, model: Model, context_tokens: int, instead: Reasoner | None) -> None:
        self._model = model
        self._prompt = load(__package__)
        self._room = room_for(context_tokens, self._prompt, Plan)
        self._instead = instead

    async def plan(self, request: Request, remaining: Callable[[], float]) -> Made:
        """Return the steps; raises ReasoningFailedError."""
        instead = partial(self._instead.plan, request, remaining) if self._instead else None
        return await or_instead(self._thought(request, remaining), instead)

    async def _thought(self, request: Request, remaining: Callable[[], float]) -> Made:
        thinking = Thinking(self._model, self._prompt)
        if not usable(request.catalog):
            # There is nothing to read, and so nothing to ask.
            return Reasoned([], thinking.reasoning())
        # Many sources take long to lay out; health answers meanwhile.
        shown = await asyncio.to_thread(material, request, self._room)
        plan = await thinking.ask(shown, Plan, remaining, MAX_OUTPUT_TOKENS)
        steps = await asyncio.to_thread(steps_of, plan, request)
        if steps is None:
            raise thinking.failed(Kind.BROKE_RULES)
        return Reasoned(steps, thinking.reasoning())
