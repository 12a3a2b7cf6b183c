"""What checked claims are worth: verdicts, compatibility facts, allowed claims, suspects and gaps.

Every function takes checks as the guard left them. Nothing here looks at a statement.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Final, TypeAlias

from assay.common.v1 import answer_pb2, context_pb2, evidence_pb2

VerdictValue: TypeAlias = "evidence_pb2.Verdict.ValueType"
IntentValue: TypeAlias = "context_pb2.Intent.ValueType"

FACT_CLASSES: Final[Mapping["evidence_pb2.Classification.ValueType", "evidence_pb2.FactClass.ValueType"]] = {
    evidence_pb2.CLASSIFICATION_DIRECT_OBSERVATION: evidence_pb2.FACT_CLASS_DIRECT_EVIDENCE,
    evidence_pb2.CLASSIFICATION_REASONABLE_INFERENCE: evidence_pb2.FACT_CLASS_INDIRECT_SUPPORT,
    evidence_pb2.CLASSIFICATION_OVERSTATED: evidence_pb2.FACT_CLASS_INDIRECT_SUPPORT,
    evidence_pb2.CLASSIFICATION_UNSUPPORTED: evidence_pb2.FACT_CLASS_NO_EVIDENCE,
    evidence_pb2.CLASSIFICATION_EXTERNAL_UNKNOWN: evidence_pb2.FACT_CLASS_NO_EVIDENCE,
    evidence_pb2.CLASSIFICATION_CONTRADICTED: evidence_pb2.FACT_CLASS_CONTRADICTED,
}

CARRIED: Final = frozenset(
    {evidence_pb2.CLASSIFICATION_DIRECT_OBSERVATION, evidence_pb2.CLASSIFICATION_REASONABLE_INFERENCE}
)
_NOT_PROVEN = frozenset({evidence_pb2.FACT_CLASS_NO_EVIDENCE, evidence_pb2.FACT_CLASS_INDIRECT_SUPPORT})


def is_carried(check: evidence_pb2.ClaimCheck) -> bool:
    """Tell whether the evidence carries a claim: observed or inferred, and nothing in it invented."""
    return check.classification in CARRIED and not check.fabricated


def is_refuted(check: evidence_pb2.ClaimCheck) -> bool:
    """Tell whether a claim, if critical, rejects the whole: contradicted, or something in it invented."""
    return check.classification == evidence_pb2.CLASSIFICATION_CONTRADICTED or check.fabricated


def allowed_by_checks(
    checks: Iterable[evidence_pb2.ClaimCheck],
    output: evidence_pb2.VerifiedExecutorOutput,
    intent: IntentValue,
) -> VerdictValue:
    """Return the best verdict that the checks of one output allow."""
    judged = _by_claim(checks)
    critical = [judged[claim.claim_id] for claim in output.claims if claim.critical]
    if any(is_refuted(check) for check in critical):
        return evidence_pb2.VERDICT_REJECT
    observed = any(
        check.classification == evidence_pb2.CLASSIFICATION_DIRECT_OBSERVATION for check in critical
    )
    if not observed or not all(is_carried(check) for check in critical):
        return evidence_pb2.VERDICT_LOW_CONFID
    if intent == context_pb2.INTENT_CAUSE and not _has_confirmed_cause(judged, output):
        return evidence_pb2.VERDICT_LOW_CONFID
    return evidence_pb2.VERDICT_PASS


def effective(model: VerdictValue, allowed: VerdictValue, ceiling: VerdictValue) -> VerdictValue:
    """Return the lowest of the verifier's verdict, what the checks allow, and the gate's ceiling."""
    return min(model, allowed, ceiling)


def facts_checked(checks: Iterable[evidence_pb2.ClaimCheck]) -> list[evidence_pb2.FactChecked]:
    """Derive the compatibility facts, one per check, in the order of the checks."""
    return [
        evidence_pb2.FactChecked(claim_id=check.claim_id, fact_class=FACT_CLASSES[check.classification])
        for check in checks
    ]


def allowed_claims(
    verdict: VerdictValue,
    checks: Iterable[evidence_pb2.ClaimCheck],
    output: evidence_pb2.VerifiedExecutorOutput,
    evidence: Sequence[evidence_pb2.VerifiedEvidence],
    arguments: Mapping[str, bytes],
) -> list[answer_pb2.AllowedClaim]:
    """Return the claims that may appear in an answer under an effective verdict, in document order.

    `arguments` maps an invocation id to its arguments, a JSON object in UTF-8; every invocation that the
    evidence is bound to must be in it.
    """
    if verdict not in (evidence_pb2.VERDICT_PASS, evidence_pb2.VERDICT_LOW_CONFID):
        return []
    judged = _by_claim(checks)
    return [
        answer_pb2.AllowedClaim(
            claim=claim,
            classification=judged[claim.claim_id].classification,
            confirmed=_is_fact(claim, judged[claim.claim_id]),
            evidence=[
                answer_pb2.AllowedEvidence(evidence=item, arguments_json=arguments[item.source_invocation_id])
                for item in evidence
                if item.claim_id == claim.claim_id
            ],
        )
        for claim in output.claims
        if is_allowable(claim, judged[claim.claim_id])
    ]


def is_allowable(claim: evidence_pb2.VerifiedClaim, check: evidence_pb2.ClaimCheck) -> bool:
    """Tell whether a claim may appear, unless the verdict is REJECT."""
    return is_carried(check) and claim.status in (
        evidence_pb2.CLAIM_STATUS_CONFIRMED,
        evidence_pb2.CLAIM_STATUS_POSSIBLE,
    )


def unsureness(item: answer_pb2.AllowedClaim) -> tuple[bool, bool]:
    """Return what claims are ordered by, the surest first: confirmed before possible, then observed."""
    return (
        item.claim.status != evidence_pb2.CLAIM_STATUS_CONFIRMED,
        item.classification != evidence_pb2.CLASSIFICATION_DIRECT_OBSERVATION,
    )


def suspects(allowed: Sequence[answer_pb2.AllowedClaim]) -> list[answer_pb2.Suspect]:
    """Return one suspect per component of the allowed cause claims, best first.

    Confirmed before possible, observed before inferred, then document order; kind and fault are those of
    the component's best claim.
    """
    causes = [
        item
        for item in allowed
        if item.claim.claim_type == evidence_pb2.CLAIM_TYPE_CAUSE and item.claim.component
    ]
    found: dict[str, answer_pb2.Suspect] = {}
    for item in sorted(causes, key=unsureness):
        claim = item.claim
        suspect = found.setdefault(
            claim.component,
            answer_pb2.Suspect(component=claim.component, kind=claim.component_kind, fault=claim.fault),
        )
        suspect.claim_ids.append(claim.claim_id)
    return list(found.values())


def critical_gaps(
    checks: Iterable[evidence_pb2.ClaimCheck], output: evidence_pb2.VerifiedExecutorOutput
) -> list[evidence_pb2.ClaimGap]:
    """Return the critical claims that the evidence neither says nor refutes: what cycle 2 is about."""
    judged = _by_claim(checks)
    return [
        evidence_pb2.ClaimGap(
            claim_id=claim.claim_id,
            claim_type=claim.claim_type,
            component=claim.component,
            classification=judged[claim.claim_id].classification,
            statement=claim.statement,
        )
        for claim in output.claims
        if claim.critical and FACT_CLASSES[judged[claim.claim_id].classification] in _NOT_PROVEN
    ]


def _by_claim(checks: Iterable[evidence_pb2.ClaimCheck]) -> dict[str, evidence_pb2.ClaimCheck]:
    return {check.claim_id: check for check in checks}


def _has_confirmed_cause(
    judged: Mapping[str, evidence_pb2.ClaimCheck], output: evidence_pb2.VerifiedExecutorOutput
) -> bool:
    return any(
        claim.claim_type == evidence_pb2.CLAIM_TYPE_CAUSE
        and claim.status == evidence_pb2.CLAIM_STATUS_CONFIRMED
        and is_carried(judged[claim.claim_id])
        for claim in output.claims
    )


def _is_fact(claim: evidence_pb2.VerifiedClaim, check: evidence_pb2.ClaimCheck) -> bool:
    return (
        claim.status == evidence_pb2.CLAIM_STATUS_CONFIRMED
        and check.classification == evidence_pb2.CLASSIFICATION_DIRECT_OBSERVATION
    )
