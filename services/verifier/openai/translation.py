"""From a model's judgement to a verification, or to the refusal of the whole judgement. Pure."""

from typing import Final

from assay.common.v1 import evidence_pb2
from assay.verifier.v1 import verifier_pb2

from services.common.evidence.verifier_protocol import ProtocolError, accept
from services.common.visible import visible
from services.verifier.openai.answer import Check, Judgement
from services.verifier.openai.labels import LabelledClaim, labelled

MAX_WHY_CHARS: Final = 200
MAX_RATIONALE_CHARS: Final = 1000


def verification_of(
    judgement: Judgement, request: verifier_pb2.VerifyRequest
) -> evidence_pb2.Verification | None:
    """Return the verification; None when the protocol refuses it, or a label names nothing."""
    claims = {row.label: row for row in labelled(request)}
    try:
        verification = evidence_pb2.Verification(
            model_verdict=evidence_pb2.Verdict.Value(f"VERDICT_{judgement.verdict.upper()}"),
            groundedness_score=judgement.score,
            rationale=visible(judgement.why)[:MAX_RATIONALE_CHARS],
            claim_checks=[_check(check, claims[check.claim]) for check in judgement.checks],
        )
        accept(verification, request.verified_executor_output, request.verified_evidence)
    except (KeyError, ProtocolError):
        return None
    return verification


def _check(check: Check, row: LabelledClaim) -> evidence_pb2.ClaimCheck:
    """Return one check; raises KeyError for a label that is not of this claim."""
    items = [row.items[label] for label in dict.fromkeys(check.refs)]
    return evidence_pb2.ClaimCheck(
        claim_id=row.claim.claim_id,
        classification=evidence_pb2.Classification.Value(f"CLASSIFICATION_{check.judged.upper()}"),
        fabricated=check.invented,
        evidence_refs=[
            evidence_pb2.EvidenceReference(
                claim_id=item.claim_id,
                source_invocation_id=item.source_invocation_id,
                tool_name=item.tool_name,
                raw_path=item.raw_path,
            )
            for item in items
        ],
        reason=visible(check.why)[:MAX_WHY_CHARS],
    )
