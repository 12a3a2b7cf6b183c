"""An investigation's claims as the gate would hand them on, and what verifier and guard make of them."""

from collections.abc import Mapping

from assay.common.v1 import evidence_pb2

from services.common.evidence import places, pointer, strict_json
from services.common.evidence.document import Claim, is_critical
from services.common.evidence.guard import guard_checks
from services.common.evidence.strict_json import Json
from services.verifier.offline.reasoner import verification
from tests.fakes.claims import context, request
from tests.fakes.investigation import Investigation

Material = tuple[list[evidence_pb2.VerifiedClaim], list[evidence_pb2.VerifiedEvidence]]
CARRIED = (
    evidence_pb2.CLASSIFICATION_DIRECT_OBSERVATION,
    evidence_pb2.CLASSIFICATION_REASONABLE_INFERENCE,
)


def verified(found: Investigation) -> Material:
    """Return claims and evidence as the gate would hand them on."""
    documents = {call.invocation_id: call.document for call in found.calls}
    claims, evidence = [], []
    for claim in found.evidence.claims:
        confirmed = claim.status == "confirmed"
        claims.append(
            evidence_pb2.VerifiedClaim(
                claim_id=claim.claim_id,
                claim_type=evidence_pb2.ClaimType.Value(f"CLAIM_TYPE_{claim.claim_type.upper()}"),
                status=evidence_pb2.CLAIM_STATUS_CONFIRMED
                if confirmed
                else evidence_pb2.CLAIM_STATUS_POSSIBLE,
                critical=is_critical(claim),
                statement=claim.statement,
                component=claim.component,
            )
        )
        evidence += _items(claim, documents)
    return claims, evidence


def lowered(found: Investigation, question: str) -> list[str]:
    """Return the statements that verifier and guard do not let stand, each with their reasons."""
    claims, evidence = verified(found)
    asked = request(claims, evidence)
    asked.diagnosis_context.question = question
    checks = verification(asked).claim_checks
    arguments = {call.invocation_id: strict_json.dumps(call.arguments) for call in found.calls}
    guarded = guard_checks(checks, asked.verified_executor_output, evidence, context(question), arguments)
    said = {claim.claim_id: claim.statement for claim in claims}
    return [
        f"{said[check.claim_id]} ({check.reason} {check.guard_reason})"
        for check in guarded
        if check.classification not in CARRIED or check.fabricated
    ]


def _items(claim: Claim, documents: Mapping[str, Json]) -> list[evidence_pb2.VerifiedEvidence]:
    return [
        evidence_pb2.VerifiedEvidence(
            claim_id=claim.claim_id,
            **binding.model_dump(),
            places=[
                evidence_pb2.Place(
                    source=place.source,
                    first_line=place.first_line,
                    last_line=place.last_line,
                    time=place.time,
                    owner=place.owner,
                )
                for place in places.places(
                    documents[binding.source_invocation_id], pointer.tokens(binding.raw_path)
                )
            ],
        )
        for binding in claim.evidence_bindings
    ]
