"""What an answer may be made of: the allowed claims, the gaps, where the run looked. Pure."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from assay.common.v1 import context_pb2, evidence_pb2
from assay.common.v1.answer_pb2 import AllowedClaim
from assay.common.v1.context_pb2 import DiagnosisContext
from assay.common.v1.evidence_pb2 import EvidenceGap, GatekeeperResult, Verification
from assay.common.v1.tool_pb2 import Checked
from assay.orchestrator.v1.state_pb2 import RunState
from assay.verifier.v1.verifier_pb2 import VerifyRequest

from services.common.evidence import document as contract
from services.common.evidence import verdict
from services.common.evidence.document import ClaimTypeName, DocumentError, ExecutorEvidence
from services.common.evidence.gaps import evidence_gaps
from services.common.evidence.refusals import refusal_in


@dataclass(frozen=True, slots=True)
class Evaluation:
    """The last evaluation that a run completed, or as much of one as there is."""

    document: bytes
    gate: GatekeeperResult
    verified_input: VerifyRequest
    verification: Verification
    effective: "evidence_pb2.Verdict.ValueType"


@dataclass(frozen=True, slots=True)
class Material:
    """What the answer of a run may be made of, and the verdict that it rests on."""

    effective: "evidence_pb2.Verdict.ValueType"
    verification: Verification
    claims: Sequence[AllowedClaim]
    gaps: Sequence[EvidenceGap]
    checked: Sequence[Checked]


def last_evaluation(state: RunState) -> Evaluation:
    """Return this cycle's evaluation if it completed, else that of cycle 1, else what the gate left."""
    if not state.HasField("verification") and state.HasField("first_verification"):
        first = state.first_verification
        return Evaluation(
            first.document,
            first.gate.result,
            first.verified_input,
            first.verification,
            first.effective_verdict,
        )
    return Evaluation(
        state.executor_result.document,
        state.gate.result,
        VerifyRequest.FromString(state.verified_input),
        state.verification,
        state.effective_verdict,
    )


def material_of(state: RunState, checked: Sequence[Checked], arguments: Mapping[str, bytes]) -> Material:
    """Return the material of a run as far as it has come; `arguments` are those of its calls, by id."""
    evaluation = last_evaluation(state)
    output = evaluation.verified_input.verified_executor_output
    claims = verdict.allowed_claims(
        evaluation.effective,
        evaluation.verification.claim_checks,
        output,
        evaluation.verified_input.verified_evidence,
        arguments,
    )
    gaps = evidence_gaps(
        checks=evaluation.verification.claim_checks,
        output=output,
        gate=evaluation.gate,
        claim_types=_claim_types(evaluation),
        checked=checked,
        allowed=claims,
        intent=state.context.intent,
        refusal=_refusal(evaluation, state.context, claims),
    )
    return Material(evaluation.effective, evaluation.verification, claims, gaps, checked)


def _refusal(evaluation: Evaluation, context: DiagnosisContext, allowed: Sequence[AllowedClaim]) -> str:
    """Return why a question for a fact is not answered, where nothing answers it."""
    document = _document(evaluation)
    if document is None or context.intent != context_pb2.INTENT_LOOKUP:
        return ""
    if any(cited.claim.critical for cited in allowed):
        return ""
    return refusal_in(document.evidence_gaps, context.question)


def _claim_types(evaluation: Evaluation) -> list[ClaimTypeName]:
    """Return the claim types of a document that a gate has seen, in document order."""
    document = _document(evaluation)
    return [claim.claim_type for claim in document.claims] if document else []


def _document(evaluation: Evaluation) -> ExecutorEvidence | None:
    if not evaluation.gate.severity:
        return None
    try:
        return contract.parse(evaluation.document)
    except DocumentError:
        return None
