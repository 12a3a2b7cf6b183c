"""The fallback node: a deterministic answer from fixed sentences and what was allowed so far."""

import asyncio

from assay.orchestrator.v1.run_pb2 import Failure
from assay.orchestrator.v1.state_pb2 import AttemptReasoning, RunState

from orchestrator.answering import material_from
from orchestrator.graph import NodeResult, Outcome, RunConfig, fallback_reason
from orchestrator.store.port import Store
from services.common.evidence.templates import fallback_answer
from services.common.llm.failures import sentence_of


class FallbackNode:
    """Calls nobody, so that nothing can fail behind it but the store."""

    def __init__(self, store: Store) -> None:
        self._store = store

    async def __call__(self, state: RunState, config: RunConfig) -> NodeResult:
        """Say what led here and what is known nevertheless."""
        last = state.orchestration_events[-1]
        material = await material_from(self._store, config.run_id, state)
        model_failure = _model_failure(state, last.node)
        answer = await asyncio.to_thread(
            fallback_answer,
            node=last.node,
            status=last.outcome,
            model_failure=sentence_of(model_failure) if model_failure else "",
            verdict=material.effective,
            claims=material.claims,
            gaps=material.gaps,
            checked=material.checked,
        )
        failure = Failure(
            node=last.node,
            status=last.outcome,
            reason_code=last.reason_code,
            model_failure=model_failure,
        )
        reason = fallback_reason(last.node, last.outcome)
        return NodeResult(Outcome.COMPLETED, reason, {"answer": answer, "failure": failure})


def _model_failure(state: RunState, node: str) -> str | None:
    """Return why the model of the node that failed gave no result; None when none is to blame."""
    last = state.reasonings[-1] if state.reasonings else AttemptReasoning()
    return last.reasoning.model_failure or None if last.node == node else None
