"""The verifier node: the same bytes on every attempt, and a reply that is judged before it counts."""

import asyncio

from assay.common.v1 import evidence_pb2
from assay.orchestrator.v1.state_pb2 import RunState
from assay.verifier.v1.verifier_pb2 import VerifierStatus, VerifyRequest

from orchestrator.acceptance import accept_verification
from orchestrator.agents.verifier import VerifierAgent
from orchestrator.components import known_components
from orchestrator.graph import NodeFailedError, NodeResult, Outcome, Reason, RunConfig
from orchestrator.nodes.status import reasoning_of, result_of
from orchestrator.store.port import Store
from services.common.evidence.verifier_protocol import ProtocolError

_REASONS = {
    evidence_pb2.VERDICT_PASS: Reason.VERDICT_PASS,
    evidence_pb2.VERDICT_LOW_CONFID: Reason.VERDICT_LOW_CONFID,
    evidence_pb2.VERDICT_REJECT: Reason.VERDICT_REJECT,
}


class VerifierNode:
    """What the verifier says is guarded and bounded here; its own verdict is only an upper bound."""

    def __init__(self, verifier: VerifierAgent, store: Store) -> None:
        self._verifier = verifier
        self._store = store

    async def __call__(self, state: RunState, config: RunConfig) -> NodeResult:
        """Verify the stored input."""
        response = await self._verifier.verify(state.verified_input, config)
        reasoning = reasoning_of(response)
        result = result_of(VerifierStatus.DESCRIPTOR, response.status, reasoning)
        if result.outcome != Outcome.COMPLETED:
            return result
        if not response.HasField("verification"):
            raise NodeFailedError(Outcome.INVALID_OUTPUT, Reason.MISSING_PAYLOAD, reasoning)
        calls = await self._store.calls(config.run_id)
        arguments = {call.invocation.id: call.invocation.arguments_json for call in calls}
        components = await known_components(self._store, config.run_id, state.catalog, calls)
        request = VerifyRequest.FromString(state.verified_input)
        try:
            accepted = await asyncio.to_thread(
                accept_verification, request, response.verification, arguments, components
            )
        except ProtocolError:
            raise NodeFailedError(Outcome.INVALID_OUTPUT, Reason.PROTOCOL_VIOLATION, reasoning) from None
        return NodeResult(
            Outcome.COMPLETED,
            _REASONS[accepted.effective],
            {"verification": accepted.verification, "effective_verdict": accepted.effective},
            reasoning,
        )
