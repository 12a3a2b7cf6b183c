"""The executor's reasoner that asks a model: rounds of calls, then claims by reference."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final

from assay.common.v1 import tool_pb2

from services.common.llm.port import Model
from services.common.llm.prompt import load
from services.common.llm.room import room_for
from services.common.llm.thinking import Thinking
from services.common.reasoning import Reasoned
from services.executor.desk import Desk
from services.executor.domain import MAX_CALLS, MAX_ROUNDS
from services.executor.openai.answer import Conclusion, StatedClaim, Step, WantedCall
from services.executor.openai.document import document
from services.executor.openai.records import Note
from services.executor.openai.shown import Round, material
from services.executor.reasoner import Asked
from services.executor.session import Session

# Of a round's wanted calls so many are made.
MAX_WANTED: Final = 16
MAX_OUTPUT_TOKENS: Final = 4096


class OpenAIReasoner:
    """Thinks with a model, in requests of at most so many estimated tokens."""

    def __init__(self, model: Model, context_tokens: int) -> None:
        self._model = model
        self._prompt = load(__package__)
        # The larger of its two answers.
        self._room = room_for(context_tokens, self._prompt, Step)

    def begin(self, session: Session, asked: Asked) -> "OpenAIInquiry":
        """Begin; the model is not asked before a call or a conclusion is wanted."""
        return OpenAIInquiry(session, asked, Thinking(self._model, self._prompt), self._room)


@dataclass
class OpenAIInquiry:
    """One conversation. What was shown is shown again in brief only; claims stay until they are restated."""

    session: Session
    asked: Asked
    thinking: Thinking
    room: int
    rounds: int = 0
    known: int = 0
    is_done: bool = False
    claims: dict[str, StatedClaim] = field(default_factory=dict)

    async def follow_up(self, seconds: float) -> Sequence[tool_pb2.PlanStep]:
        """Ask the model; without a wish its claims are the last word."""
        self.rounds += 1
        left = MAX_ROUNDS - self.rounds + 1
        if len(self.session.invocations) >= MAX_CALLS:
            return []
        step = await self.thinking.ask(
            await self._material(seconds, left), Step, self.session.remaining, MAX_OUTPUT_TOKENS
        )
        self._keep(step.claims)
        self.is_done = not step.calls
        return [_step(call) for call in step.calls[:MAX_WANTED]]

    async def conclude(self, seconds: float) -> Reasoned[bytes]:
        """Return the document of the claims; they are asked for unless they were the last word."""
        if not self.is_done:
            last = await self.thinking.ask(
                await self._material(seconds, 0), Conclusion, self.session.remaining, MAX_OUTPUT_TOKENS
            )
            self._keep(last.claims)
        stated = list(self.claims.values())
        made = await self.session.reason(seconds, Desk.work, document, stated)
        return Reasoned(made, self.thinking.reasoning())

    async def _material(self, seconds: float, rounds_left: int) -> str:
        made = self.session.invocations
        known, self.known = self.known, len(made)
        goals = [step.goal for step in self.asked.steps] + [""] * len(made)
        round_ = Round(
            context=self.asked.context,
            gaps=list(self.asked.gaps),
            notes=[Note(goals[i], call.truncated, call.kind) for i, call in enumerate(made)],
            claims=list(self.claims.values()),
            known=known,
            rounds_left=rounds_left,
            room=self.room,
        )
        return await self.session.reason(seconds, Desk.work, material, round_)

    def _keep(self, claims: Sequence[StatedClaim]) -> None:
        for number, claim in enumerate(claims):
            key = claim.id if claim.id.strip() else f"{self.rounds}.{number}"
            self.claims[key] = claim


def _step(call: WantedCall) -> tool_pb2.PlanStep:
    return tool_pb2.PlanStep(tool_name=call.tool, arguments_json=call.args.encode())
