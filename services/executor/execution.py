"""One execution: the plan's calls, the reasoner's follow-ups, the document."""

from collections.abc import AsyncIterator, Callable, Sequence
from functools import partial
from pathlib import Path

from assay.common.v1 import context_pb2, evidence_pb2, tool_pb2
from assay.executor.v1 import executor_pb2

from services.common.errors import FailedPreconditionError
from services.common.evidence import strict_json
from services.executor import domain
from services.executor.reasoner import Reasoner
from services.executor.recorded import RecordedCall
from services.executor.runtime import Runtime
from services.executor.sources.bundle import Bundle, Limits
from services.executor.sources.folder import Folder
from services.executor.sources.stop import Stop, StoppedError
from services.executor.workers import Workers


class Bundles:
    """Opens bundles below a configured root."""

    def __init__(self, root: Path, limits: Limits, workers: Workers, seconds: float) -> None:
        self._root = root
        self._limits = limits
        self._workers = workers
        self._seconds = seconds

    async def open(self, name: str, seconds: float) -> Bundle:
        """Open a bundle by name in at most `seconds`; raises what Folder and Bundle raise."""
        try:
            return await self._workers.run(partial(self._open, name), min(seconds, self._seconds))
        except StoppedError:
            raise FailedPreconditionError(
                "the bundle could not be looked through in time: it holds too much", field="scope.bundle"
            ) from None

    def _open(self, name: str, stop: Stop) -> Bundle:
        return Bundle(Folder(self._root, name), self._limits, stop)


class Execution:
    """Runs plans. `remaining` of a run gives the seconds that its caller still waits."""

    def __init__(
        self, bundles: Bundles, runtime: Runtime, reasoner: Reasoner, analysis_seconds: float
    ) -> None:
        self._bundles = bundles
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
        bundle = await self._bundles.open(context.scope.bundle, remaining())
        calls: list[RecordedCall] = []
        for step in steps:
            finished = await self._runtime.call(bundle, step.tool_name, step.arguments_json, remaining())
            calls.append(finished.call)
            yield finished.invocation
        if domain.all_refused(calls):
            yield executor_pb2.ExecutorResult(status=executor_pb2.EXECUTOR_STATUS_TOOL_BLOCKED)
            return
        try:
            async for invocation in self._follow_ups(bundle, context, calls, remaining):
                yield invocation
            document = await self._reasoner.conclude(context, calls, gaps, self._seconds(remaining))
        except StoppedError:
            yield executor_pb2.ExecutorResult(status=executor_pb2.EXECUTOR_STATUS_FAILED)
            return
        yield domain.result_of(document)

    async def _follow_ups(
        self,
        bundle: Bundle,
        context: context_pb2.DiagnosisContext,
        calls: list[RecordedCall],
        remaining: Callable[[], float],
    ) -> AsyncIterator[tool_pb2.Invocation]:
        for _ in range(domain.MAX_ROUNDS):
            wanted = await self._reasoner.follow_up(context, calls, self._seconds(remaining))
            requests = domain.follow_ups(wanted, calls)
            if not requests:
                return
            for request in requests:
                arguments = strict_json.dumps(dict(request.arguments))
                finished = await self._runtime.call(bundle, request.tool_name, arguments, remaining())
                calls.append(finished.call)
                yield finished.invocation

    def _seconds(self, remaining: Callable[[], float]) -> float:
        return min(self._analysis_seconds, remaining())
