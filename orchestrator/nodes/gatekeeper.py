"""The gatekeeper node: hand the document and the stored outputs to the gate."""

import asyncio

from assay.common.v1 import evidence_pb2
from assay.gatekeeper.v1 import gatekeeper_pb2
from assay.gatekeeper.v1.gatekeeper_pb2 import (
    CheckRequest,
    CheckResponse,
    GatekeeperStatus,
    InvocationOutput,
    InvocationRecord,
)
from assay.orchestrator.v1.state_pb2 import RunState

from orchestrator.agents.gatekeeper import GatekeeperAgent
from orchestrator.graph import NodeFailedError, NodeResult, Outcome, Reason, RunConfig
from orchestrator.nodes.status import result_of
from orchestrator.store.port import Store
from services.common.evidence.document import bound_invocations

_SEVERITY = {
    gatekeeper_pb2.GATEKEEPER_STATUS_PASS: evidence_pb2.SEVERITY_NONE,
    gatekeeper_pb2.GATEKEEPER_STATUS_LOW_CONFID: evidence_pb2.SEVERITY_LOW_CONFID,
    gatekeeper_pb2.GATEKEEPER_STATUS_REJECT: evidence_pb2.SEVERITY_REJECT,
}


class GatekeeperNode:
    """The gate sees what was recorded, not what the executor says was recorded."""

    def __init__(self, gatekeeper: GatekeeperAgent, store: Store) -> None:
        self._gatekeeper = gatekeeper
        self._store = store

    async def __call__(self, state: RunState, config: RunConfig) -> NodeResult:
        """Check the document against the store."""
        document = state.executor_result.document
        request = await check_request(self._store, config.run_id, document)
        response = await self._gatekeeper.check(request, config)
        result = result_of(GatekeeperStatus.DESCRIPTOR, response.status)
        if result.outcome in (Outcome.PASS, Outcome.LOW_CONFID, Outcome.REJECT):
            _require_consistent(response)
        return NodeResult(result.outcome, result.reason, {"gate": response})


async def check_request(store: Store, run_id: str, document: bytes) -> CheckRequest:
    """Return all that the gate may know: every call, and the outputs whose id the document holds."""
    calls = [call.invocation for call in await store.calls(run_id)]
    bound = await asyncio.to_thread(bound_invocations, document)
    outputs = await store.outputs(run_id, bound)
    return CheckRequest(
        document=document,
        invocations=[
            InvocationRecord(
                id=call.id,
                tool_name=call.tool_name,
                status=call.status,
                kind=call.kind,
                truncated=call.truncated,
                outsider_spans=call.outsider_spans,
            )
            for call in calls
        ],
        outputs=[
            InvocationOutput(id=call.id, output=outputs[call.id]) for call in calls if call.id in outputs
        ],
    )


def _require_consistent(response: CheckResponse) -> None:
    if not response.HasField("result"):
        raise NodeFailedError(Outcome.INVALID_OUTPUT, Reason.MISSING_PAYLOAD)
    passed = [
        item for item in response.result.checked_bindings if item.result == evidence_pb2.GATE_RESULT_PASS
    ]
    severity = _SEVERITY[response.status]
    if response.result.severity != severity or response.verified_binding_count != len(passed):
        raise NodeFailedError(Outcome.INVALID_OUTPUT, Reason.PROTOCOL_VIOLATION)
