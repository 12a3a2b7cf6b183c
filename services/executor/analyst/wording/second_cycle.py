"""What a second cycle answers: the claims that the first one could not carry, and nothing else."""

from collections.abc import Iterable, Sequence

from assay.common.v1 import evidence_pb2

from services.common.evidence.document import Claim


def answers(claims: Iterable[Claim], gaps: Sequence[evidence_pb2.ClaimGap]) -> list[Claim]:
    """Return the claims that this cycle's calls support about the gaps' components; all without any gap.

    A claim that states what a gap states bears the gap's id, so that its bindings strengthen that claim. Any
    other one is a claim of its own: it never takes the id of a gap, which would put its sentence in the place
    of another. Where the calls brought nothing about a gap, there is no claim for it.
    """
    if not gaps:
        return list(claims)
    asked = {gap.statement: gap.claim_id for gap in gaps if gap.statement}
    taken = {gap.claim_id for gap in gaps}
    components = {gap.component for gap in gaps if gap.component}
    found = []
    for claim in claims:
        if claim.statement in asked:
            found.append(claim.model_copy(update={"claim_id": asked[claim.statement]}))
        elif claim.component in components:
            own = f"more-{claim.claim_id}" if claim.claim_id in taken else claim.claim_id
            found.append(claim.model_copy(update={"claim_id": own}))
    return found
