"""The node between the cycles: keep the first evaluation, clear its traces, hand the gaps on."""

from assay.orchestrator.v1.state_pb2 import FirstVerification, RunState
from assay.verifier.v1.verifier_pb2 import VerifyRequest

from orchestrator.graph import NodeResult, Outcome, Reason, RunConfig
from services.common.evidence.verdict import critical_gaps


async def evidence_retry(
    state: RunState,
    config: RunConfig,  # noqa: ARG001 - every node is given it
) -> NodeResult:
    """Move the finished evaluation aside and name what cycle 2 is about."""
    verified_input = VerifyRequest.FromString(state.verified_input)
    first = FirstVerification(
        document=state.executor_result.document,
        gate=state.gate,
        verified_input=verified_input,
        verification=state.verification,
        effective_verdict=state.effective_verdict,
    )
    gaps = critical_gaps(state.verification.claim_checks, verified_input.verified_executor_output)
    return NodeResult(
        Outcome.COMPLETED,
        Reason.EVIDENCE_GAPS,
        {
            "first_verification": first,
            "gaps": gaps,
            "plan": None,
            "executor_result": None,
            "gate": None,
            "verified_input": None,
            "verification": None,
            "effective_verdict": None,
        },
    )
