"""One execution: the plan's calls, the reasoner's follow-ups, the document."""

import asyncio
from collections.abc import AsyncIterator, Callable, Sequence

from assay.common.v1 import context_pb2, evidence_pb2, tool_pb2
from assay.executor.v1 import executor_pb2

from services.common.reasoning import ReasoningFailedError
from services.executor import domain
from services.executor.reasoner import Asked, Inquiry, Reasoner
from services.executor.runtime import Runtime
from services.executor.session import Session, Sessions
from services.executor.workers import WorkerLostError


class Execution:
    """Runs plans. `remaining` of a run gives the seconds that its caller still waits."""

    def __init__(
        self, sessions: Sessions, runtime: Runtime, reasoner: Reasoner, analysis_seconds: float
    ) -> None:
        self._sessions = sessions
        self._runtime = runtime
        self._reasoner = reasoner
        self._analysis_seconds = analysis_seconds

    async def run(
        self,
        context: context_pb2.DiagnosisContext,
        steps: Sequence[tool_pb2.PlanStep],
        gaps: Sequence[evidence_pb2.ClaimGap],
        remaining: Callable[[], float],
    ) -> AsyncIterator[tool_pb2.Invocation | executor_pb2.ExecutorResult]:
        """Yield each finished invocation, then the result."""
        async with self._sessions.open(context.scope.bundle, remaining) as session:
            for step in steps:
                yield await self._runtime.call(session, step)
            if domain.all_refused(session.invocations):
                yield executor_pb2.ExecutorResult(status=executor_pb2.EXECUTOR_STATUS_TOOL_BLOCKED)
                return
            inquiry = self._reasoner.begin(session, Asked(context, steps, gaps))
            try:
                async for invocation in self._follow_ups(session, inquiry):
                    yield invocation
                made = await inquiry.conclude(self._seconds(session))
            except WorkerLostError:
                yield executor_pb2.ExecutorResult(status=executor_pb2.EXECUTOR_STATUS_FAILED)
                return
            except ReasoningFailedError as error:
                yield domain.failed_result(error)
                return
        # A document may be large: parsing it on the event loop would hold up every other call.
        result = await asyncio.to_thread(domain.result_of, made.value)
        result.reasoning.CopyFrom(made.reasoning)
        yield result

    async def _follow_ups(self, session: Session, inquiry: Inquiry) -> AsyncIterator[tool_pb2.Invocation]:
        for _ in range(domain.MAX_ROUNDS):
            wanted = await inquiry.follow_up(self._seconds(session))
            steps = domain.follow_ups(wanted, session.invocations)
            if not steps:
                return
            for step in steps:
                yield await self._runtime.call(session, step)

    def _seconds(self, session: Session) -> float:
        return min(self._analysis_seconds, session.remaining())
