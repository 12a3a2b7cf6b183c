"""The reasoner of the executor: one port, and the adapter that is code."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, Protocol

from assay.common.v1 import context_pb2, evidence_pb2, tool_pb2

from services.common.reasoning import PromptId, Reasoned, offline
from services.executor.desk import Desk
from services.executor.session import Session

# The version changes when the rules say something else.
PROMPT: Final = PromptId("executor_offline_rules", "2")


@dataclass(frozen=True, slots=True)
class Asked:
    """What an execution is to answer: the question, the plan whose calls were made, the gaps of cycle 2."""

    context: context_pb2.DiagnosisContext
    steps: Sequence[tool_pb2.PlanStep]
    gaps: Sequence[evidence_pb2.ClaimGap]


class Inquiry(Protocol):
    """The thinking of one execution, about all that its session has recorded when it is asked.

    `seconds` bounds each step of the analysis. Raises WorkerLostError when that time is up, and
    ReasoningFailedError.
    """

    async def follow_up(self, seconds: float) -> Sequence[tool_pb2.PlanStep]:
        """Return calls to make before concluding; empty when satisfied."""
        ...

    async def conclude(self, seconds: float) -> Reasoned[bytes]:
        """Return an `executor_evidence_v2` document, not yet checked."""
        ...


class Reasoner(Protocol):
    """Decides from a session's invocations."""

    def begin(self, session: Session, asked: Asked) -> Inquiry:
        """Begin to think about one execution, whose plan has been carried out."""
        ...


@dataclass(frozen=True, slots=True)
class OfflineInquiry:
    """The analyst, in the session's worker."""

    session: Session
    asked: Asked

    async def follow_up(self, seconds: float) -> Sequence[tool_pb2.PlanStep]:
        """Ask the analyst."""
        return await self.session.reason(seconds, Desk.follow_up, self.asked.context)

    async def conclude(self, seconds: float) -> Reasoned[bytes]:
        """Ask the analyst."""
        gaps = list(self.asked.gaps)
        document = await self.session.reason(seconds, Desk.conclude, self.asked.context, gaps)
        return Reasoned(document, offline(PROMPT))


class OfflineReasoner:
    """Thinks by rules."""

    def begin(self, session: Session, asked: Asked) -> OfflineInquiry:
        """Begin; nothing is read before it is asked."""
        return OfflineInquiry(session, asked)
