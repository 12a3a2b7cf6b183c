"""The composer node: hand over allowed material only, and check what comes back against it."""

import asyncio

from assay.composer.v1.composer_pb2 import ComposeRequest, ComposerStatus
from assay.orchestrator.v1.state_pb2 import RunState

from orchestrator.agents.composer import ComposerAgent
from orchestrator.answering import material_from
from orchestrator.graph import NodeFailedError, NodeResult, Outcome, Reason, RunConfig
from orchestrator.material import Material
from orchestrator.nodes.status import reasoning_of, result_of
from orchestrator.store.port import Store
from services.common.evidence.answer_rules import AnswerError, check_answer


class ComposerNode:
    """The composer checks its own answer, too; this check is the one that counts."""

    def __init__(self, composer: ComposerAgent, store: Store) -> None:
        self._composer = composer
        self._store = store

    async def __call__(self, state: RunState, config: RunConfig) -> NodeResult:
        """Compose the answer."""
        material = await material_from(self._store, config.run_id, state)
        response = await self._composer.compose(compose_request(state, material), config)
        reasoning = reasoning_of(response)
        result = result_of(ComposerStatus.DESCRIPTOR, response.status, reasoning)
        if result.outcome != Outcome.COMPLETED:
            return result
        if not response.HasField("answer"):
            raise NodeFailedError(Outcome.INVALID_OUTPUT, Reason.MISSING_PAYLOAD, reasoning)
        try:
            await asyncio.to_thread(
                check_answer,
                response.answer,
                material.claims,
                material.gaps,
                material.checked,
                material.effective,
            )
        except AnswerError:
            raise NodeFailedError(Outcome.INVALID_OUTPUT, Reason.PROTOCOL_VIOLATION, reasoning) from None
        return NodeResult(result.outcome, result.reason, {"answer": response.answer}, reasoning)


def compose_request(state: RunState, material: Material) -> ComposeRequest:
    """Return all that the composer may know."""
    return ComposeRequest(
        question=state.context.question,
        intent=state.context.intent,
        effective_verdict=material.effective,
        claims=material.claims,
        gaps=material.gaps,
        checked=material.checked,
    )
