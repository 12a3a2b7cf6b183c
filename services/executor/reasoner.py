"""The reasoner of the executor: one port, and the adapter that is code."""

from collections.abc import Callable, Sequence
from functools import partial
from typing import Protocol, TypeVar

from assay.common.v1 import context_pb2, evidence_pb2

from services.common.evidence import document
from services.executor.analyst.analyst import Analyst
from services.executor.recorded import RecordedCall, ToolRequest
from services.executor.sources.stop import Stop
from services.executor.workers import Workers

T = TypeVar("T")


class Reasoner(Protocol):
    """Decides what else to look at, and writes the document. Raises StoppedError when its time is up."""

    async def follow_up(
        self, context: context_pb2.DiagnosisContext, calls: Sequence[RecordedCall], seconds: float
    ) -> list[ToolRequest]:
        """Return calls to make before concluding; empty when satisfied."""
        ...

    async def conclude(
        self,
        context: context_pb2.DiagnosisContext,
        calls: Sequence[RecordedCall],
        gaps: Sequence[evidence_pb2.ClaimGap],
        seconds: float,
    ) -> bytes:
        """Return an `executor_evidence_v2` document, not yet checked."""
        ...


class OfflineReasoner:
    """The analyst, off the event loop."""

    def __init__(self, analyst: Analyst, workers: Workers) -> None:
        self._analyst = analyst
        self._workers = workers

    async def follow_up(
        self, context: context_pb2.DiagnosisContext, calls: Sequence[RecordedCall], seconds: float
    ) -> list[ToolRequest]:
        """Ask the analyst."""
        return await self._run(partial(self._analyst.follow_up, context, calls), seconds)

    async def conclude(
        self,
        context: context_pb2.DiagnosisContext,
        calls: Sequence[RecordedCall],
        gaps: Sequence[evidence_pb2.ClaimGap],
        seconds: float,
    ) -> bytes:
        """Ask the analyst."""
        evidence = await self._run(partial(self._analyst.conclude, context, calls, gaps), seconds)
        return document.serialize(evidence)

    async def _run(self, work: Callable[[], T], seconds: float) -> T:
        def ignoring(_stop: Stop) -> T:
            return work()

        return await self._workers.run(ignoring, seconds)
