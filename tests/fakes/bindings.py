"""Checks every binding of a document against what was recorded, apart from the code that made it."""

from collections.abc import Sequence

from assay.common.v1 import evidence_pb2

from services.common.evidence import places, pointer
from services.common.evidence.document import Claim, EvidenceBinding, ExecutorEvidence
from services.common.evidence.facts import facts_of
from services.common.evidence.guard import missing_kinds
from services.common.evidence.holdings import Holdings
from services.executor.recorded import RecordedCall


def problems(evidence: ExecutorEvidence, calls: Sequence[RecordedCall]) -> list[str]:
    """Return what is wrong with bindings and statements; empty when everything stands where it is said to."""
    recorded = {call.invocation_id: call for call in calls}
    found = []
    for claim in evidence.claims:
        found += [
            f"{claim.claim_id}: {binding.raw_path}"
            for binding in claim.evidence_bindings
            if not _stands(binding, recorded)
        ]
        found += [f"{claim.claim_id}: {kind} in {claim.statement}" for kind in _not_held(claim, recorded)]
    return found


def _stands(binding: EvidenceBinding, recorded: dict[str, RecordedCall]) -> bool:
    call = recorded[binding.source_invocation_id]
    value = pointer.resolve(call.document, binding.raw_path)
    if call.tool_name != binding.tool_name or places.is_reader_made(pointer.tokens(binding.raw_path)):
        return False
    if not isinstance(value, str):
        return False
    return binding.matched_text == value or (len(binding.matched_text) >= 4 and binding.matched_text in value)


def _not_held(claim: Claim, recorded: dict[str, RecordedCall]) -> list[str]:
    items = [_verified(binding, recorded) for binding in claim.evidence_bindings]
    verified = evidence_pb2.VerifiedClaim(
        claim_id=claim.claim_id, statement=claim.statement, component=claim.component
    )
    return missing_kinds(verified, Holdings(items), facts_of(claim.statement))


def _verified(binding: EvidenceBinding, recorded: dict[str, RecordedCall]) -> evidence_pb2.VerifiedEvidence:
    document = recorded[binding.source_invocation_id].document
    return evidence_pb2.VerifiedEvidence(
        source_invocation_id=binding.source_invocation_id,
        tool_name=binding.tool_name,
        raw_path=binding.raw_path,
        matched_text=binding.matched_text,
        places=[
            evidence_pb2.Place(
                source=place.source, first_line=place.first_line, last_line=place.last_line, time=place.time,
                owner=place.owner,
            )
            for place in places.places(document, pointer.tokens(binding.raw_path))
        ],
    )  # fmt: skip
