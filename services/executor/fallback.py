"""Going on without the model: the analyst takes over where it fails, with all that was called until then."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from assay.common.v1 import tool_pb2

from services.common.llm.fallback import or_instead
from services.common.reasoning import Reasoned, ReasoningFailedError
from services.executor.reasoner import Asked, Inquiry, Reasoner
from services.executor.session import Session


@dataclass(frozen=True, slots=True)
class FallbackReasoner:
    """Thinks as `first` does, and as `instead` from its first failure on."""

    first: Reasoner
    instead: Reasoner

    def begin(self, session: Session, asked: Asked) -> "FallbackInquiry":
        """Begin with both; the second reads nothing before it is needed."""
        return FallbackInquiry(self.first.begin(session, asked), self.instead.begin(session, asked))


@dataclass
class FallbackInquiry:
    """One execution's thinking; its record tells who failed, and why."""

    first: Inquiry
    instead: Inquiry
    failed: list[ReasoningFailedError] = field(default_factory=list)

    async def follow_up(self, seconds: float) -> Sequence[tool_pb2.PlanStep]:
        """Ask the first, after its failure the second."""
        if not self.failed:
            try:
                return await self.first.follow_up(seconds)
            except ReasoningFailedError as error:
                self.failed.append(error)
        return await self.instead.follow_up(seconds)

    async def conclude(self, seconds: float) -> Reasoned[bytes]:
        """Have the document made by who did not fail."""
        return await or_instead(self._thought(seconds), lambda: self.instead.conclude(seconds))

    async def _thought(self, seconds: float) -> Reasoned[bytes]:
        if self.failed:
            raise self.failed[0]
        return await self.first.conclude(seconds)
