"""The protocol between a verifier's reasoner and those who rely on it.

The verifier service applies it to its reasoner, and the orchestrator to the service: both refuse the same
output for the same reason.
"""

import math
from collections import Counter
from collections.abc import Mapping, Sequence

from assay.common.v1 import evidence_pb2

from services.common.evidence.verdict import facts_checked, is_refuted

MIN_PASS_GROUNDEDNESS = 0.5
MAX_REASON_CHARS = 2048
MAX_RATIONALE_CHARS = 8192
# Twice as many as a claim may have bindings.
MAX_REFERENCES = 64

_REFERENCE_FIELDS = ("source_invocation_id", "tool_name", "raw_path")


class ProtocolError(ValueError):
    """A verification breaks the protocol. The message names the place and the rule, never a text."""


def accept(
    verification: evidence_pb2.Verification,
    output: evidence_pb2.VerifiedExecutorOutput,
    evidence: Sequence[evidence_pb2.VerifiedEvidence],
) -> evidence_pb2.Verification:
    """Return the verification with its `facts_checked`, derived from the checks when absent.

    `output` and `evidence` are what the verifier was asked about. The argument is not changed. Raises
    ProtocolError when the verification may not be relied on.
    """
    _require_coverage(verification, output)
    own: dict[str, list[evidence_pb2.VerifiedEvidence]] = {}
    for item in evidence:
        own.setdefault(item.claim_id, []).append(item)
    for index, check in enumerate(verification.claim_checks):
        _require_check(f"claim_checks[{index}]", check, own.get(check.claim_id, []))
    _require_facts(verification, output)
    _require_verdict(verification, output)
    accepted = evidence_pb2.Verification()
    accepted.CopyFrom(verification)
    if not accepted.facts_checked:
        accepted.facts_checked.extend(facts_checked(accepted.claim_checks))
    return accepted


def _require_coverage(
    verification: evidence_pb2.Verification, output: evidence_pb2.VerifiedExecutorOutput
) -> None:
    known = {claim.claim_id for claim in output.claims}
    counts = Counter(check.claim_id for check in verification.claim_checks)
    for index, check in enumerate(verification.claim_checks):
        if check.claim_id not in known:
            raise ProtocolError(f"claim_checks[{index}]: no claim has this id")
        if counts[check.claim_id] > 1:
            raise ProtocolError(f"claim_checks[{index}]: its claim has more than one check")
    for index, claim in enumerate(output.claims):
        if claim.claim_id not in counts:
            raise ProtocolError(f"claims[{index}]: it has no check")


def _require_check(
    place: str, check: evidence_pb2.ClaimCheck, own: Sequence[evidence_pb2.VerifiedEvidence]
) -> None:
    _require_member(
        place,
        evidence_pb2.Classification.values(),
        check.classification,
        evidence_pb2.CLASSIFICATION_UNSPECIFIED,
    )
    if check.model_classification or check.guard_reason:
        raise ProtocolError(f"{place}: only the guard may write model_classification and guard_reason")
    if len(check.reason) > MAX_REASON_CHARS:
        raise ProtocolError(f"{place}: the reason is longer than {MAX_REASON_CHARS} characters")
    if check.classification == evidence_pb2.CLASSIFICATION_DIRECT_OBSERVATION and not check.evidence_refs:
        raise ProtocolError(f"{place}: a direct observation needs at least one reference")
    if len(check.evidence_refs) > MAX_REFERENCES:
        raise ProtocolError(f"{place}: more than {MAX_REFERENCES} references")
    for index, reference in enumerate(check.evidence_refs):
        if reference.claim_id != check.claim_id:
            raise ProtocolError(f"{place}.evidence_refs[{index}]: it names another claim")
        if not any(_matches(reference, item) for item in own):
            raise ProtocolError(f"{place}.evidence_refs[{index}]: no verified evidence matches it")


def _matches(reference: evidence_pb2.EvidenceReference, item: evidence_pb2.VerifiedEvidence) -> bool:
    return all(
        not getattr(reference, field) or getattr(reference, field) == getattr(item, field)
        for field in _REFERENCE_FIELDS
    )


def _require_facts(
    verification: evidence_pb2.Verification, output: evidence_pb2.VerifiedExecutorOutput
) -> None:
    known = {claim.claim_id for claim in output.claims}
    for index, fact in enumerate(verification.facts_checked):
        place = f"facts_checked[{index}]"
        if fact.claim_id not in known:
            raise ProtocolError(f"{place}: no claim has this id")
        _require_member(
            place, evidence_pb2.FactClass.values(), fact.fact_class, evidence_pb2.FACT_CLASS_UNSPECIFIED
        )


def _require_verdict(
    verification: evidence_pb2.Verification, output: evidence_pb2.VerifiedExecutorOutput
) -> None:
    verdict = verification.model_verdict
    _require_member("model_verdict", evidence_pb2.Verdict.values(), verdict, evidence_pb2.VERDICT_UNSPECIFIED)
    if len(verification.rationale) > MAX_RATIONALE_CHARS:
        raise ProtocolError(f"rationale: longer than {MAX_RATIONALE_CHARS} characters")
    _require_groundedness(verification)
    checks: Mapping[str, evidence_pb2.ClaimCheck] = {
        check.claim_id: check for check in verification.claim_checks
    }
    refuted = any(claim.critical and is_refuted(checks[claim.claim_id]) for claim in output.claims)
    if verdict == evidence_pb2.VERDICT_REJECT and not refuted:
        raise ProtocolError("model_verdict: REJECT without a contradicted or fabricated critical claim")


def _require_groundedness(verification: evidence_pb2.Verification) -> None:
    present = verification.HasField("groundedness_score")
    score = verification.groundedness_score
    if present and not (math.isfinite(score) and 0 <= score <= 1):
        raise ProtocolError("groundedness_score: outside [0, 1]")
    if verification.model_verdict == evidence_pb2.VERDICT_PASS and not (
        present and score >= MIN_PASS_GROUNDEDNESS
    ):
        raise ProtocolError(f"groundedness_score: PASS needs one of at least {MIN_PASS_GROUNDEDNESS}")


def _require_member(place: str, members: Sequence[int], number: int, unspecified: int) -> None:
    if number == unspecified or number not in members:
        raise ProtocolError(f"{place}: a value that the protocol does not name")
