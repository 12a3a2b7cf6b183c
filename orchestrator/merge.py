"""The document of cycle 2 merged into that of cycle 1, by a pure rule."""

from collections.abc import Container, Iterable

from assay.common.v1 import evidence_pb2
from assay.common.v1.evidence_pb2 import ClaimGap, GatekeeperResult
from assay.orchestrator.v1.state_pb2 import FirstVerification

from services.common.bounds import MAX_ID_CHARS
from services.common.evidence import document as contract
from services.common.evidence.document import Claim, DocumentError, EvidenceBinding, ExecutorEvidence

NEW_PREFIX = "cycle2-"


def merged_document(first: FirstVerification, second: bytes, gaps: Iterable[ClaimGap]) -> bytes:
    """Return the merged document.

    A claim of the second that bears a gap's id replaces that claim and keeps its earlier passed bindings;
    what is not answered stays as it was; every other claim is new and gets a prefixed id. Bytes that are no
    legal document are returned as they are, for the gate to refuse.
    """
    try:
        answered = contract.parse(second)
    except DocumentError:
        return second
    earlier = contract.parse(first.document)
    asked = {gap.claim_id for gap in gaps}
    answers = {claim.claim_id: claim for claim in answered.claims if claim.claim_id in asked}
    kept = [
        _replaced(claim, answers.get(claim.claim_id), _passed(first.gate.result, index, claim))
        for index, claim in enumerate(earlier.claims)
    ]
    taken = {claim.claim_id for claim in kept}
    for claim in answered.claims:
        if claim.claim_id not in answers:
            kept.append(claim.model_copy(update={"claim_id": _new_id(claim.claim_id, taken)}))
            taken.add(kept[-1].claim_id)
    merged = ExecutorEvidence(
        version=earlier.version,
        claims=kept[: contract.MAX_CLAIMS],
        evidence_gaps=[*earlier.evidence_gaps, *answered.evidence_gaps][: contract.MAX_GAPS],
    )
    return contract.serialize(merged)


def _replaced(earlier: Claim, answer: Claim | None, passed: list[EvidenceBinding]) -> Claim:
    if answer is None:
        return earlier
    bindings = [*answer.evidence_bindings, *(item for item in passed if item not in answer.evidence_bindings)]
    return answer.model_copy(update={"evidence_bindings": bindings[: contract.MAX_BINDINGS]})


def _passed(gate: GatekeeperResult, index: int, claim: Claim) -> list[EvidenceBinding]:
    indices = {
        item.binding_index
        for item in gate.checked_bindings
        if item.claim_index == index and item.result == evidence_pb2.GATE_RESULT_PASS
    }
    return [binding for position, binding in enumerate(claim.evidence_bindings) if position in indices]


def _new_id(claim_id: str, taken: Container[str]) -> str:
    candidate = (NEW_PREFIX + claim_id)[:MAX_ID_CHARS]
    number = 2
    while candidate in taken:
        suffix = f"-{number}"
        candidate = (NEW_PREFIX + claim_id)[: MAX_ID_CHARS - len(suffix)] + suffix
        number += 1
    return candidate
