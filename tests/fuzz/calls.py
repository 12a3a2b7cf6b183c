"""Targets that are calls: every method of every service, asked over the wire with whatever could come."""

import asyncio
import threading
from collections.abc import Coroutine, Mapping
from concurrent.futures import Future
from pathlib import Path
from types import TracebackType
from typing import Any, Final, Self, TypeVar

import grpc
from assay.common.v1 import context_pb2, process_pb2, tool_pb2
from assay.executor.v1 import executor_pb2
from assay.orchestrator.v1 import diagnosis_pb2, run_pb2, status_pb2
from google.protobuf.message import Message
from google.protobuf.timestamp_pb2 import Timestamp

from tests.fakes import claims, compose_requests, documents, gate, plan_requests
from tests.fuzz.contract import documented
from tests.fuzz.servers import BUNDLE, METHODS, Method, Servers, servers
from tests.fuzz.target import Input, Target
from tests.fuzz.wire import wires

T = TypeVar("T")

# Stand for a run that is stored and a tool call of it: what the ids are is known only when they are.
RUN_ID: Final = "0" * 32
INVOCATION_ID: Final = f"inv-{'0' * 12}"
_CALLS_PER_RUN: Final = 30

_CONTEXT: Final = context_pb2.DiagnosisContext(
    question="Why does api fail?", intent=context_pb2.INTENT_CAUSE, scope=context_pb2.Scope(bundle=BUNDLE)
)
_ASKED: Final = diagnosis_pb2.DiagnoseRequest(question=_CONTEXT.question, scope=_CONTEXT.scope)
_GAP: Final = plan_requests.gap("c1", "api refused 12 calls", "api")


def _step(tool: str, arguments: bytes) -> tool_pb2.PlanStep:
    return tool_pb2.PlanStep(goal="read", tool_name=tool, arguments_json=arguments)


# Legal requests that reach far into each method; what is fuzzed lies around them.
SEEDS: Final[Mapping[str, tuple[Message, ...]]] = {
    "PlannerService.Plan": (plan_requests.full(), plan_requests.gaps_only(_GAP)),
    "ExecutorService.ListTools": (executor_pb2.ListToolsRequest(scope=_CONTEXT.scope),),
    "ExecutorService.Execute": (
        executor_pb2.ExecuteRequest(
            context=_CONTEXT,
            steps=[
                _step("logs_templates", b'{"source": "logs/api.log"}'),
                _step("logs_search", b'{"source": "logs/api.log", "contains": ["refused"]}'),
                _step("change_events_list", b'{"source": "events.json"}'),
                _step("metrics_change_points", b"{}"),
            ],
            gaps=[_GAP],
        ),
    ),
    "GatekeeperService.Check": (gate.a_request(documents.a_document(documents.a_claim())),),
    "VerifierService.Verify": (
        claims.request(
            [claims.claim("count is 12 for api", component="db"), claims.claim("it broke", claim_id="c2")],
            [claims.item("count=12"), claims.item("refused", claim_id="c2")],
        ),
    ),
    "ComposerService.Compose": tuple(made() for made in compose_requests.ALL),
    "DiagnosisService.Diagnose": (_ASKED,),
    "DiagnosisService.SubmitDiagnosis": (
        diagnosis_pb2.SubmitDiagnosisRequest(idempotency_key="key", diagnosis=_ASKED),
    ),
    "DiagnosisService.WatchRun": (diagnosis_pb2.WatchRunRequest(run_id=RUN_ID),),
    "DiagnosisService.GetRun": (diagnosis_pb2.GetRunRequest(run_id=RUN_ID),),
    "DiagnosisService.ListRuns": (
        diagnosis_pb2.ListRunsRequest(page_size=3, statuses=[run_pb2.RUN_STATUS_SUCCEEDED]),
        # What looks like a place in a list and is none.
        diagnosis_pb2.ListRunsRequest(page_token="W10="),  # noqa: S106 - no password
    ),
    "DiagnosisService.CancelRun": (diagnosis_pb2.CancelRunRequest(run_id=RUN_ID),),
    "DiagnosisService.RecordEvaluation": (
        diagnosis_pb2.RecordEvaluationRequest(run_id=RUN_ID, channel="rules", value_json=b'{"a": [1.50]}'),
    ),
    "DiagnosisService.PruneRuns": (
        diagnosis_pb2.PruneRunsRequest(keep=3),
        diagnosis_pb2.PruneRunsRequest(created_before=Timestamp(seconds=1), dry_run=True),
    ),
    "DiagnosisService.GetTrace": (diagnosis_pb2.GetTraceRequest(run_id=RUN_ID),),
    "DiagnosisService.GetInvocation": (
        diagnosis_pb2.GetInvocationRequest(run_id=RUN_ID, invocation_id=INVOCATION_ID),
    ),
    "DiagnosisService.ListInvocations": (diagnosis_pb2.ListInvocationsRequest(run_id=RUN_ID),),
    "DiagnosisService.ListTools": (diagnosis_pb2.ListToolsRequest(scope=_CONTEXT.scope),),
    "StatusService.GetStatus": (status_pb2.GetStatusRequest(scope=_CONTEXT.scope),),
    "ProcessService.GetProcess": (process_pb2.GetProcessRequest(),),
}


class Calls:
    """The servers, which run in a thread of their own, and calls to them. A context manager."""

    def __init__(self, folder: Path) -> None:
        self._codes = documented()
        self._run_id = self._invocation_id = ""
        self._calls_left = 0
        self._stop = asyncio.Event()
        self._begun: Future[tuple[asyncio.AbstractEventLoop, Servers]] = Future()
        self._thread = threading.Thread(target=self._serve, args=(folder,), name="servers")

    def __enter__(self) -> Self:
        self._thread.start()
        self._loop, self._servers = self._begun.result()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._loop.call_soon_threadsafe(self._stop.set)
        self._thread.join()

    def _serve(self, folder: Path) -> None:
        async def serve() -> None:
            async with servers(folder) as running:
                self._begun.set_result((asyncio.get_running_loop(), running))
                await self._stop.wait()

        try:
            asyncio.run(serve())
        except Exception as error:
            if self._begun.done():
                raise
            self._begun.set_exception(error)

    def _awaited(self, call: Coroutine[Any, Any, T]) -> T:
        return asyncio.run_coroutine_threadsafe(call, self._loop).result()

    def ask(self, method: Method, request: bytes) -> grpc.StatusCode:
        """Call a method; fails unless it ends as its contract says and nothing went wrong behind it."""
        code, message = self._awaited(self._servers.call(method, self._with_ids(request)))
        logged = self._servers.log.taken()
        assert code in self._codes[method.name], f"{method.name} ended with {code.name}: {message}"
        assert not logged, f"{method.name} ended with {code.name} and logged {logged}"
        return code

    def _with_ids(self, request: bytes) -> bytes:
        """Put the ids of a stored run into a request; they are as long as what stands for them."""
        if RUN_ID.encode() not in request:
            return request
        if not self._calls_left:
            self._run_id, self._invocation_id = self._awaited(self._servers.diagnose(_ASKED))
            self._calls_left = _CALLS_PER_RUN
        self._calls_left -= 1
        request = request.replace(RUN_ID.encode(), self._run_id.encode())
        return request.replace(INVOCATION_ID.encode(), self._invocation_id.encode())

    def check_serving(self) -> None:
        """Fail unless every service still serves."""
        assert self._awaited(self._servers.all_serving())

    def targets(self) -> list[Target]:
        """Return one target for each method."""
        return [self._target(method) for method in METHODS.values()]

    def _target(self, method: Method) -> Target:
        seeds = [seed.SerializeToString() for seed in SEEDS[method.name]]

        def run(request: Input) -> None:
            if self.ask(method, request) is not grpc.StatusCode.OK:
                raise RefusedError

        return Target(
            f"call of {method.name}", wires(type(SEEDS[method.name][0]), seeds), run, refuses=(RefusedError,)
        )


class RefusedError(Exception):
    """A call ended with a code of its contract that is not OK."""
