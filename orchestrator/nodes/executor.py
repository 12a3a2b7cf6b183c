"""The executor node: run the plan, and store every tool call the moment it arrives."""

import asyncio
import hashlib
from contextlib import aclosing
from dataclasses import dataclass

from assay.common.v1.tool_pb2 import DocumentKind, Invocation, InvocationStatus
from assay.executor.v1.executor_pb2 import ExecuteRequest, ExecutorResult, ExecutorStatus
from assay.orchestrator.v1.diagnosis_pb2 import DiagnoseResponse
from assay.orchestrator.v1.state_pb2 import RunState

from orchestrator.agents.executor import ExecutorAgent
from orchestrator.checked import checked_row
from orchestrator.graph import NodeFailedError, NodeResult, Outcome, Reason, RunConfig
from orchestrator.merge import merged_document
from orchestrator.nodes.status import reasoning_of, result_of
from orchestrator.store.port import Store
from services.common.bounds import MAX_ARGUMENT_BYTES, MAX_ID_CHARS, MAX_OUTSIDER_SPANS
from services.common.errors import AlreadyExistsError
from services.common.evidence.document import is_outline


@dataclass(frozen=True, slots=True)
class ExecutionLimit:
    """How many tool calls one execution may record, and how many bytes of output in all."""

    invocations: int
    output_bytes: int


class ExecutorNode:
    """A result counts only when the stream ended properly; tool calls count as they come."""

    def __init__(self, executor: ExecutorAgent, store: Store, limit: ExecutionLimit) -> None:
        self._executor = executor
        self._store = store
        self._limit = limit

    async def __call__(self, state: RunState, config: RunConfig) -> NodeResult:
        """Execute the plan; in cycle 2 the document is merged with that of cycle 1."""
        response = await self._result(execute_request(state), config)
        reasoning = reasoning_of(response)
        result = result_of(ExecutorStatus.DESCRIPTOR, response.status, reasoning)
        if result.outcome != Outcome.COMPLETED:
            return result
        if not response.document:
            raise NodeFailedError(Outcome.INVALID_OUTPUT, Reason.MISSING_PAYLOAD, reasoning)
        # Documents may be large: parsing them on the event loop would hold up every other run.
        if not await asyncio.to_thread(is_outline, response.document):
            raise NodeFailedError(Outcome.INVALID_OUTPUT, Reason.MALFORMED_DOCUMENT, reasoning)
        document = response.document
        if state.HasField("first_verification"):
            document = await asyncio.to_thread(
                merged_document, state.first_verification, response.document, state.gaps
            )
        ended = ExecutorResult(status=response.status, document=document)
        return NodeResult(result.outcome, result.reason, {"executor_result": ended}, reasoning)

    async def _result(self, request: ExecuteRequest, config: RunConfig) -> ExecutorResult:
        result: ExecutorResult | None = None
        recorded = size = 0
        # Closed at once on every way out, so that the executor stops working for an attempt that has failed.
        async with aclosing(self._executor.execute(request, config)) as stream:
            async for message in stream:
                payload = message.WhichOneof("payload")
                if payload is None or result is not None:
                    raise NodeFailedError(Outcome.INVALID_OUTPUT, Reason.PROTOCOL_VIOLATION)
                if payload == "result":
                    result = message.result
                    continue
                recorded += 1
                size += len(message.invocation.output)
                if recorded > self._limit.invocations or size > self._limit.output_bytes:
                    raise NodeFailedError(Outcome.INVALID_OUTPUT, Reason.TOO_LARGE)
                await self._record(message.invocation, config)
        if result is None:
            raise NodeFailedError(Outcome.FAILED, Reason.STREAM_INCOMPLETE)
        return result

    async def _record(self, invocation: Invocation, config: RunConfig) -> None:
        if not _is_sound(invocation):
            raise NodeFailedError(Outcome.INVALID_OUTPUT, Reason.PROTOCOL_VIOLATION)
        try:
            await self._store.add_invocation(config.run_id, invocation)
        except AlreadyExistsError:
            raise NodeFailedError(Outcome.INVALID_OUTPUT, Reason.PROTOCOL_VIOLATION) from None
        config.publish(DiagnoseResponse(invocation=checked_row(invocation, invocation.output)))


def execute_request(state: RunState) -> ExecuteRequest:
    """Return all that the executor may know."""
    return ExecuteRequest(context=state.context, steps=state.plan.steps, gaps=state.gaps)


def _is_sound(invocation: Invocation) -> bool:
    return (
        all(0 < len(name) <= MAX_ID_CHARS for name in (invocation.id, invocation.tool_name))
        and len(invocation.arguments_json) <= MAX_ARGUMENT_BYTES
        and invocation.status in InvocationStatus.values()[1:]
        and invocation.kind in DocumentKind.values()[1:]
        and len(invocation.outsider_spans) <= MAX_OUTSIDER_SPANS
        and hashlib.sha256(invocation.output).hexdigest() == invocation.output_sha256
    )
