"""The judgement of one claim, from its statement and its own evidence alone."""

from collections.abc import Sequence
from typing import Final, TypeAlias

from assay.common.v1 import evidence_pb2

from services.common.evidence.facts import Fact, FactKind
from services.common.evidence.guard import invented_kinds, missing_kinds
from services.common.evidence.holdings import Holdings, is_nothing
from services.common.evidence.quantities import Quantity
from services.verifier.offline import vocabulary
from services.verifier.offline.case import Case
from services.verifier.offline.refutation import refutation

Judgement: TypeAlias = "tuple[evidence_pb2.Classification.ValueType, str]"

# Without any concrete fact, this share of a statement's own words must stand in its evidence.
MIN_SHARED_WORDS: Final = 0.6
# A conclusion joins at least two observations; one that is only offered as the cause may be a single one.
MIN_OBSERVATIONS: Final = 2

_ANCHORS: Final = frozenset(set(FactKind) - {FactKind.INSTANT, FactKind.NEGATION})


def check(
    claim: evidence_pb2.VerifiedClaim,
    evidence: Sequence[evidence_pb2.VerifiedEvidence],
    everything: Holdings,
) -> evidence_pb2.ClaimCheck:
    """Judge one claim; `everything` is what all verified evidence and the diagnosis context hold together."""
    case = Case.of(claim, evidence)
    carriers = [item for item in case.items if _carries(item, case)]
    classification, reason = _judge(case, len(carriers))
    return evidence_pb2.ClaimCheck(
        claim_id=claim.claim_id,
        classification=classification,
        fabricated=bool(invented_kinds(claim, everything, case.facts)),
        evidence_refs=[_reference(item) for item in carriers],
        reason=reason,
    )


def _judge(case: Case, carriers: int) -> Judgement:
    material = _material(case.items)
    if vocabulary.speaks_of_elsewhere(case.words, material):
        return (
            evidence_pb2.CLASSIFICATION_EXTERNAL_UNKNOWN,
            "It rests on knowledge that this run did not record.",
        )
    if not carriers:
        return evidence_pb2.CLASSIFICATION_UNSUPPORTED, "No evidence of this claim bears on the statement."
    reason = refutation(case)
    if reason:
        return evidence_pb2.CLASSIFICATION_CONTRADICTED, reason
    reason = _overstatement(case, material)
    if reason:
        return evidence_pb2.CLASSIFICATION_OVERSTATED, reason
    if not _is_conclusion(case):
        return (
            evidence_pb2.CLASSIFICATION_DIRECT_OBSERVATION,
            "The evidence holds every concrete fact, and what it says bears the statement out.",
        )
    if carriers < _needed(case):
        return (
            evidence_pb2.CLASSIFICATION_OVERSTATED,
            "It draws a conclusion from a single observation.",
        )
    return (
        evidence_pb2.CLASSIFICATION_REASONABLE_INFERENCE,
        "Every part of it is observed; that they belong together is a conclusion.",
    )


def _needed(case: Case) -> int:
    offered = case.claim.status == evidence_pb2.CLAIM_STATUS_POSSIBLE
    return 1 if offered and not vocabulary.concludes(case.words) else MIN_OBSERVATIONS


def _overstatement(case: Case, material: str) -> str:
    missing = missing_kinds(case.claim, case.held, case.facts)
    if missing:
        return f"Its evidence lacks what it states: {', '.join(missing)}."
    if _denies_more_than_bound(case):
        return "It denies something that no bound value denies."
    if vocabulary.names_unseen_mechanism(case.words, material):
        return "It names a mechanism that nothing in its evidence names."
    share = vocabulary.shared_share(case.words, [case.claim.component], material)
    if not case.facts and share < MIN_SHARED_WORDS:
        return "It says more in words than its evidence does."
    if not share and not any(_anchors(fact) for fact in case.facts):
        return "Only the time or the denial is in the evidence, not what is said of it."
    return ""


def _denies_more_than_bound(case: Case) -> bool:
    """Tell whether a denial leans on a bound zero that the statement gives for something else."""
    zeros = [fact for fact in case.facts if isinstance(fact.value, Quantity) and fact.value.number == 0]
    denials = [
        fact
        for fact in case.facts
        if fact.kind is FactKind.NEGATION
        and not case.held.says_denial(fact.text)
        and not any(case.same_clause(fact, zero) for zero in zeros)
    ]
    bound = sum(is_nothing(item.matched_text) for item in case.items)
    # Every denial needs a zero of its own: "never … none before" denies two things.
    return bool(denials) and bound < len(zeros) + len(denials)


def _is_conclusion(case: Case) -> bool:
    return case.claim.claim_type == evidence_pb2.CLAIM_TYPE_CAUSE or vocabulary.concludes(case.words)


def _anchors(fact: Fact) -> bool:
    return fact.kind in _ANCHORS


def _carries(item: evidence_pb2.VerifiedEvidence, case: Case) -> bool:
    held = Holdings([item])
    if any(held.holds(fact) for fact in case.facts):
        return True
    return vocabulary.shared_share(case.words, [case.claim.component], _material([item])) > 0


def _material(items: Sequence[evidence_pb2.VerifiedEvidence]) -> str:
    """Return everything readable of some evidence: texts, pointers, tools, places."""
    parts = [part for item in items for part in (item.matched_text, item.raw_path, item.tool_name)]
    parts += [place.source for item in items for place in item.places]
    return "\n".join(parts)


def _reference(item: evidence_pb2.VerifiedEvidence) -> evidence_pb2.EvidenceReference:
    return evidence_pb2.EvidenceReference(
        claim_id=item.claim_id,
        source_invocation_id=item.source_invocation_id,
        tool_name=item.tool_name,
        raw_path=item.raw_path,
    )
