"""The node that prepares the verifier's input, serialized once."""

import asyncio
from collections.abc import Sequence

from assay.common.v1.evidence_pb2 import ClaimGap
from assay.orchestrator.v1.state_pb2 import RunState

from orchestrator.graph import NodeFailedError, NodeResult, Outcome, Reason, RunConfig
from orchestrator.store.port import Store
from orchestrator.verified_input import ProjectionError, Recorded, verify_request
from services.common.evidence.document import DocumentError, bound_invocations
from services.common.evidence.pointer import PointerError
from services.common.evidence.strict_json import StrictJsonError


class VerifiedInputNode:
    """Reads outputs from the store; what the verifier gets is a projection of them."""

    def __init__(self, store: Store, max_bytes: int) -> None:
        self._store = store
        self._max_bytes = max_bytes

    async def __call__(self, state: RunState, config: RunConfig) -> NodeResult:
        """Build the input; anything that does not fit together ends the attempt."""
        try:
            recorded = await self._recorded(config.run_id, state.executor_result.document)
            # Outputs may be large: parsing them on the event loop would hold up every other run.
            data = await asyncio.to_thread(_project, state, recorded)
        except (ProjectionError, DocumentError, PointerError, StrictJsonError, KeyError):
            raise NodeFailedError(Outcome.INVALID_OUTPUT, Reason.PROTOCOL_VIOLATION) from None
        if len(data) > self._max_bytes:
            raise NodeFailedError(Outcome.INVALID_OUTPUT, Reason.TOO_LARGE)
        return NodeResult(Outcome.COMPLETED, Reason.COMPLETED, {"verified_input": data})

    async def _recorded(self, run_id: str, document: bytes) -> dict[str, Recorded]:
        outputs = await self._store.outputs(run_id, await asyncio.to_thread(bound_invocations, document))
        return {
            call.invocation.id: Recorded(call.invocation.kind, outputs[call.invocation.id])
            for call in await self._store.calls(run_id)
            if call.invocation.id in outputs
        }


def _project(state: RunState, recorded: dict[str, Recorded]) -> bytes:
    gaps: Sequence[ClaimGap] = state.gaps
    request = verify_request(state.context, state.executor_result.document, state.gate, recorded, gaps)
    return request.SerializeToString(deterministic=True)
