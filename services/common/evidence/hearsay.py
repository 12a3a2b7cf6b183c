"""Causes that nobody but an outsider states: told by the gate's audit. Pure."""

from assay.common.v1 import evidence_pb2


def hearsay(
    audit: evidence_pb2.GatekeeperResult, output: evidence_pb2.VerifiedExecutorOutput
) -> frozenset[str]:
    """Return the ids of the cause claims all of whose passed citations an outsider can have written.

    The output holds exactly the claims with a passed citation, in the order of the document.
    """
    theirs: dict[int, bool] = {}
    for item in audit.checked_bindings:
        if item.result == evidence_pb2.GATE_RESULT_PASS:
            theirs[item.claim_index] = theirs.get(item.claim_index, True) and item.outsider_written
    claims = zip(sorted(theirs), output.claims, strict=False)
    return frozenset(
        claim.claim_id
        for index, claim in claims
        if theirs[index] and claim.claim_type == evidence_pb2.CLAIM_TYPE_CAUSE
    )
