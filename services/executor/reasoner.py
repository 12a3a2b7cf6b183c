"""The reasoner of the executor: one port, and the adapter that is code."""

from collections.abc import Sequence
from typing import Final, Protocol

from assay.common.v1 import context_pb2, evidence_pb2, tool_pb2

from services.common.reasoning import PromptId, Reasoned, offline
from services.executor.desk import Desk
from services.executor.session import Session

PROMPT: Final = PromptId("executor_offline_rules", "1")


class Reasoner(Protocol):
    """Decides from a session's invocations. Raises WorkerLostError when its time is up."""

    async def follow_up(
        self, session: Session, context: context_pb2.DiagnosisContext, seconds: float
    ) -> Sequence[tool_pb2.PlanStep]:
        """Return calls to make before concluding; empty when satisfied."""
        ...

    async def conclude(
        self,
        session: Session,
        context: context_pb2.DiagnosisContext,
        gaps: Sequence[evidence_pb2.ClaimGap],
        seconds: float,
    ) -> Reasoned[bytes]:
        """Return an `executor_evidence_v2` document, not yet checked."""
        ...


class OfflineReasoner:
    """The analyst, in the session's worker."""

    async def follow_up(
        self, session: Session, context: context_pb2.DiagnosisContext, seconds: float
    ) -> Sequence[tool_pb2.PlanStep]:
        """Ask the analyst."""
        return await session.reason(seconds, Desk.follow_up, context)

    async def conclude(
        self,
        session: Session,
        context: context_pb2.DiagnosisContext,
        gaps: Sequence[evidence_pb2.ClaimGap],
        seconds: float,
    ) -> Reasoned[bytes]:
        """Ask the analyst."""
        return Reasoned(await session.reason(seconds, Desk.conclude, context, list(gaps)), offline(PROMPT))
