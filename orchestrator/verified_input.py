"""The verifier's input: claims with a passed binding, their passed bindings, and nothing else."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from assay.common.v1 import evidence_pb2, tool_pb2
from assay.common.v1.context_pb2 import DiagnosisContext
from assay.common.v1.evidence_pb2 import (
    ClaimGap,
    Place,
    VerifiedClaim,
    VerifiedEvidence,
    VerifiedExecutorOutput,
)
from assay.common.v1.tool_pb2 import DocumentKind
from assay.gatekeeper.v1 import gatekeeper_pb2
from assay.gatekeeper.v1.gatekeeper_pb2 import CheckResponse
from assay.verifier.v1.verifier_pb2 import RetryContext, VerifyRequest

from services.common.evidence import document as contract
from services.common.evidence import places, pointer
from services.common.evidence.document import Claim, EvidenceBinding
from services.common.evidence.names import number_of
from services.common.evidence.recorded import may_confirm, parse_output
from services.common.evidence.strict_json import Json

_CEILINGS = {
    gatekeeper_pb2.GATEKEEPER_STATUS_PASS: evidence_pb2.VERDICT_PASS,
    gatekeeper_pb2.GATEKEEPER_STATUS_LOW_CONFID: evidence_pb2.VERDICT_LOW_CONFID,
}


class ProjectionError(ValueError):
    """Document, gate result and stored outputs do not fit together."""


@dataclass(frozen=True, slots=True)
class Recorded:
    """What is needed of a stored tool call: what its output is worth, and the output."""

    kind: "DocumentKind.ValueType"
    output: bytes


def ceiling(gate: CheckResponse) -> "evidence_pb2.Verdict.ValueType":
    """Return the highest verdict that the gate leaves open; raises ProjectionError when it leaves none."""
    if gate.status not in _CEILINGS:
        raise ProjectionError("the gate let nothing pass")
    return _CEILINGS[gate.status]


def verify_request(
    context: DiagnosisContext,
    document: bytes,
    gate: CheckResponse,
    recorded: Mapping[str, Recorded],
    gaps: Sequence[ClaimGap],
) -> VerifyRequest:
    """Project a gated document; `gaps` are those of cycle 2, empty in cycle 1.

    Raises ProjectionError, DocumentError or PointerError when the parts do not fit: then nothing goes on.
    """
    claims = contract.parse(document).claims
    passed = _passed(claims, gate)
    request = VerifyRequest(
        diagnosis_context=context,
        verified_executor_output=VerifiedExecutorOutput(
            version=contract.VERSION,
            claims=[
                _verified_claim(claims[index], [recorded[item.source_invocation_id] for item in bindings])
                for index, bindings in passed.items()
            ],
        ),
        verified_evidence=_evidence(claims, passed, recorded),
        gatekeeper_audit=gate.result,
        verdict_ceiling=ceiling(gate),
    )
    if gaps:
        request.retry_context.CopyFrom(_retry_context(gaps))
    return request


def _passed(claims: Sequence[Claim], gate: CheckResponse) -> dict[int, list[EvidenceBinding]]:
    """Return the passed bindings per claim index, in document order."""
    found: dict[int, list[EvidenceBinding]] = {}
    order = sorted(gate.result.checked_bindings, key=lambda item: (item.claim_index, item.binding_index))
    for item in order:
        if item.result != evidence_pb2.GATE_RESULT_PASS:
            continue
        if not 0 <= item.claim_index < len(claims):
            raise ProjectionError("the gate names a claim that the document does not have")
        bindings = claims[item.claim_index].evidence_bindings
        if not 0 <= item.binding_index < len(bindings):
            raise ProjectionError("the gate names a binding that the claim does not have")
        found.setdefault(item.claim_index, []).append(bindings[item.binding_index])
    return found


def _verified_claim(claim: Claim, bound: Sequence[Recorded]) -> VerifiedClaim:
    verified = VerifiedClaim(critical=contract.is_critical(claim))
    for field in VerifiedClaim.DESCRIPTOR.fields:
        value = getattr(claim, field.name)
        if field.enum_type is not None:
            setattr(verified, field.name, number_of(field.enum_type, value))
        elif field.name != "critical":
            setattr(verified, field.name, value)
    if not any(may_confirm(item.kind) for item in bound):
        # Text about systems in general confirms nothing about this one.
        verified.status = evidence_pb2.CLAIM_STATUS_POSSIBLE
    return verified


def _evidence(
    claims: Sequence[Claim],
    passed: Mapping[int, Sequence[EvidenceBinding]],
    recorded: Mapping[str, Recorded],
) -> Iterator[VerifiedEvidence]:
    parsed: dict[str, Json] = {}
    for index, bindings in passed.items():
        for binding in bindings:
            source = recorded[binding.source_invocation_id]
            if binding.source_invocation_id not in parsed:
                parsed[binding.source_invocation_id] = parse_output(source.output)
            yield VerifiedEvidence(
                claim_id=claims[index].claim_id,
                source_invocation_id=binding.source_invocation_id,
                tool_name=binding.tool_name,
                raw_path=binding.raw_path,
                matched_text=binding.matched_text,
                derived=source.kind == tool_pb2.DOCUMENT_KIND_DERIVED,
                places=_places(parsed[binding.source_invocation_id], binding.raw_path),
            )


def _places(document: Json, raw_path: str) -> list[Place]:
    return [
        Place(
            source=place.source,
            first_line=place.first_line,
            last_line=place.last_line,
            time=place.time,
            owner=place.owner,
        )
        for place in places.places(document, pointer.tokens(raw_path))
    ]


def _retry_context(gaps: Sequence[ClaimGap]) -> RetryContext:
    context = RetryContext(evidence_retry_count=1, gaps=gaps)
    for gap in context.gaps:
        gap.ClearField("statement")
    return context
