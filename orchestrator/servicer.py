"""The orchestrator's gRPC face."""

import asyncio
from collections.abc import AsyncIterator
from typing import Any

import grpc.aio
from assay.orchestrator.v1 import diagnosis_pb2, diagnosis_pb2_grpc

from orchestrator.catalogs import Catalogs
from orchestrator.graph import build_trace
from orchestrator.listing import cursor_of, page_size_of, selection_of, token_after
from orchestrator.reading import invocations_of, run_so_far
from orchestrator.requests import (
    context_of,
    evaluation_of,
    listed_scope,
    required_id,
    retention_of,
    sequence_of,
    submission_of,
)
from orchestrator.runs import Runs
from orchestrator.store.port import Store
from services.common.redaction.redactor import Redactor
from services.common.rpc.context import remaining_seconds


class DiagnosisServicer(diagnosis_pb2_grpc.DiagnosisServiceServicer):
    """Starts runs, and reads them back from the store."""

    def __init__(
        self,
        runs: Runs,
        catalogs: Catalogs,
        store: Store,
        redactor: Redactor,
        *,
        run_seconds: float,
        reserve_seconds: float,
    ) -> None:
        self._runs = runs
        self._catalogs = catalogs
        self._store = store
        self._redactor = redactor
        self._run_seconds = run_seconds
        self._reserve_seconds = reserve_seconds

    async def Diagnose(  # noqa: N802 - the name is the contract's
        self,
        request: diagnosis_pb2.DiagnoseRequest,
        context: grpc.aio.ServicerContext[Any, Any],
    ) -> AsyncIterator[diagnosis_pb2.DiagnoseResponse]:
        """Run one diagnosis; it ends a little before its caller stops waiting, so that the end arrives."""
        diagnosis = context_of(request, self._redactor)
        seconds = min(self._run_seconds, remaining_seconds(context) - self._reserve_seconds)
        async with self._runs.live(diagnosis, seconds) as messages:
            async for message in messages:
                yield message

    async def SubmitDiagnosis(  # noqa: N802 - the name is the contract's
        self,
        request: diagnosis_pb2.SubmitDiagnosisRequest,
        context: grpc.aio.ServicerContext[Any, Any],  # noqa: ARG002 - gRPC passes it
    ) -> diagnosis_pb2.SubmitDiagnosisResponse:
        """Begin one diagnosis that goes on without its caller."""
        submission = submission_of(request)
        diagnosis = context_of(request.diagnosis, self._redactor)
        run_id = await self._runs.submit(diagnosis, submission, self._run_seconds)
        return diagnosis_pb2.SubmitDiagnosisResponse(run_id=run_id)

    async def WatchRun(  # noqa: N802 - the name is the contract's
        self,
        request: diagnosis_pb2.WatchRunRequest,
        context: grpc.aio.ServicerContext[Any, Any],  # noqa: ARG002 - gRPC passes it
    ) -> AsyncIterator[diagnosis_pb2.WatchRunResponse]:
        """Follow one run."""
        run_id = required_id(request.run_id, "run_id")
        async with self._runs.watched(run_id, sequence_of(request)) as messages:
            async for message in messages:
                yield diagnosis_pb2.WatchRunResponse(progress=message)

    async def GetRun(  # noqa: N802 - the name is the contract's
        self,
        request: diagnosis_pb2.GetRunRequest,
        context: grpc.aio.ServicerContext[Any, Any],  # noqa: ARG002 - gRPC passes it
    ) -> diagnosis_pb2.GetRunResponse:
        """Return one run."""
        run = await run_so_far(self._store, required_id(request.run_id, "run_id"))
        return diagnosis_pb2.GetRunResponse(run=run)

    async def ListRuns(  # noqa: N802 - the name is the contract's
        self,
        request: diagnosis_pb2.ListRunsRequest,
        context: grpc.aio.ServicerContext[Any, Any],  # noqa: ARG002 - gRPC passes it
    ) -> diagnosis_pb2.ListRunsResponse:
        """Return one page of the list of runs."""
        selection, size = selection_of(request), page_size_of(request)
        # One more than is shown tells whether there is another page.
        found = await self._store.runs(selection, cursor_of(request), size + 1)
        runs = found[:size]
        token = token_after(runs[-1], selection) if len(found) > size else ""
        return diagnosis_pb2.ListRunsResponse(runs=runs, next_page_token=token)

    async def CancelRun(  # noqa: N802 - the name is the contract's
        self,
        request: diagnosis_pb2.CancelRunRequest,
        context: grpc.aio.ServicerContext[Any, Any],  # noqa: ARG002 - gRPC passes it
    ) -> diagnosis_pb2.CancelRunResponse:
        """End one run."""
        run = await self._runs.cancel(required_id(request.run_id, "run_id"))
        return diagnosis_pb2.CancelRunResponse(run=run)

    async def RecordEvaluation(  # noqa: N802 - the name is the contract's
        self,
        request: diagnosis_pb2.RecordEvaluationRequest,
        context: grpc.aio.ServicerContext[Any, Any],  # noqa: ARG002 - gRPC passes it
    ) -> diagnosis_pb2.RecordEvaluationResponse:
        """Write one channel of a run's self-evaluation."""
        run_id = required_id(request.run_id, "run_id")
        channel, value_json = await asyncio.to_thread(evaluation_of, request, self._redactor)
        await self._store.write_channel(run_id, channel, value_json)
        return diagnosis_pb2.RecordEvaluationResponse()

    async def PruneRuns(  # noqa: N802 - the name is the contract's
        self,
        request: diagnosis_pb2.PruneRunsRequest,
        context: grpc.aio.ServicerContext[Any, Any],  # noqa: ARG002 - gRPC passes it
    ) -> diagnosis_pb2.PruneRunsResponse:
        """Forget ended runs, or count what would be forgotten."""
        prune = self._store.prunable if request.dry_run else self._store.prune
        return diagnosis_pb2.PruneRunsResponse(forgotten=await prune(retention_of(request)))

    async def GetTrace(  # noqa: N802 - the name is the contract's
        self,
        request: diagnosis_pb2.GetTraceRequest,
        context: grpc.aio.ServicerContext[Any, Any],  # noqa: ARG002 - gRPC passes it
    ) -> diagnosis_pb2.GetTraceResponse:
        """Return the path of one run."""
        run_id = required_id(request.run_id, "run_id")
        history = await self._store.history(run_id)
        trace = build_trace(run_id, history.status, history.events, history.evidence_retry_count)
        return diagnosis_pb2.GetTraceResponse(trace=trace)

    async def ListInvocations(  # noqa: N802 - the name is the contract's
        self,
        request: diagnosis_pb2.ListInvocationsRequest,
        context: grpc.aio.ServicerContext[Any, Any],  # noqa: ARG002 - gRPC passes it
    ) -> diagnosis_pb2.ListInvocationsResponse:
        """Return the tool calls of one run without their outputs."""
        return await invocations_of(self._store, required_id(request.run_id, "run_id"))

    async def GetInvocation(  # noqa: N802 - the name is the contract's
        self,
        request: diagnosis_pb2.GetInvocationRequest,
        context: grpc.aio.ServicerContext[Any, Any],  # noqa: ARG002 - gRPC passes it
    ) -> diagnosis_pb2.GetInvocationResponse:
        """Return one stored tool call."""
        run_id = required_id(request.run_id, "run_id")
        invocation_id = required_id(request.invocation_id, "invocation_id")
        invocation = await self._store.invocation(run_id, invocation_id)
        return diagnosis_pb2.GetInvocationResponse(invocation=invocation)

    async def ListTools(  # noqa: N802 - the name is the contract's
        self,
        request: diagnosis_pb2.ListToolsRequest,
        context: grpc.aio.ServicerContext[Any, Any],
    ) -> diagnosis_pb2.ListToolsResponse:
        """Return what the executor offers."""
        catalog = await self._catalogs.listed(listed_scope(request), remaining_seconds(context))
        return diagnosis_pb2.ListToolsResponse(catalog=catalog)
