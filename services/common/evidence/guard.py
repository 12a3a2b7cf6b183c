"""The derivability guard: no claim counts for more than what its own evidence literally holds.

It only lowers; the one thing that it takes back is a fabrication that the verifier, which sees no arguments,
could not know to be none. It runs on an accepted verification, before facts and verdict are derived from it.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from assay.common.v1 import context_pb2, evidence_pb2

from services.common.evidence.directions import contradicts_itself
from services.common.evidence.elsewhere import argument_texts, frame_texts
from services.common.evidence.facts import NAMING, Fact, facts_of
from services.common.evidence.holdings import Holdings, has_word
from services.common.evidence.own_words import ORDINARY_WORDS, foreign_words, says_why, urges_more
from services.common.evidence.subjects import is_about_nobody
from services.common.evidence.verdict import CARRIED

_COMPONENT: Final = "component"
_DIRECTION: Final = "direction"
_REASON: Final = "reason"
_ADVICE: Final = "certainty or advice"
_LANGUAGE: Final = "word of another language"
_SUBJECT: Final = "subject"


def guard_checks(
    checks: Iterable[evidence_pb2.ClaimCheck],
    output: evidence_pb2.VerifiedExecutorOutput,
    evidence: Sequence[evidence_pb2.VerifiedEvidence],
    context: context_pb2.DiagnosisContext,
    arguments: Mapping[str, bytes],
    hearsay: Collection[str] = (),
    components: Collection[str] = (),
) -> list[evidence_pb2.ClaimCheck]:
    """Return the checks, in their order, lowered where a statement says more than its own evidence holds.

    Each check must belong to a claim of the output. `arguments` maps an invocation id to its arguments, a
    JSON object in UTF-8; every invocation that the evidence is bound to must be in it. `hearsay` are the ids
    of causes that only outsiders state, `components` are names that the run knows beside those of its claims
    and its evidence. A changed check keeps the verifier's judgement in `model_classification` and says in
    `guard_reason` which kinds of facts were missing, never the facts themselves.
    """
    claims = {claim.claim_id: claim for claim in output.claims}
    frame = list(frame_texts(context, evidence))
    bound = dict.fromkeys(item.source_invocation_id for item in evidence)
    asked = [text for invocation_id in bound for text in argument_texts(arguments[invocation_id])]
    everything = Holdings(evidence, [*frame, *asked])
    named = {*components, *(claim.component for claim in output.claims)}
    named |= {place.owner for item in evidence for place in item.places}
    run = _Run(evidence, Holdings(evidence, frame), everything, hearsay, named)
    return [_guarded(check, claims[check.claim_id], run) for check in checks]


def missing_kinds(claim: evidence_pb2.VerifiedClaim, held: Holdings, facts: Iterable[Fact]) -> list[str]:
    """Return the kinds of concrete facts that a claim states and its evidence does not hold, each once."""
    kinds = {fact.kind.value: None for fact in facts if not held.holds(fact)}
    if claim.component and not held.names(claim.component):
        kinds[_COMPONENT] = None
    return list(kinds)


def unheld_words(claim: evidence_pb2.VerifiedClaim, held: Holdings, components: Iterable[str]) -> list[str]:
    """Return what a claim says in plain words and its evidence does not, each kind once.

    Another component, a reason unless the claim is a cause, how sure it is or what is to be done, words that
    nobody here can read.
    """
    said = claim.statement.casefold()
    known = (name for name in components if name.casefold() not in ORDINARY_WORDS)
    others = (name for name in known if has_word(said, name.casefold()))
    explains = claim.claim_type != evidence_pb2.CLAIM_TYPE_CAUSE and says_why(claim.statement)
    return [
        kind
        for kind, is_missing in (
            (_COMPONENT, any(not held.mentions(name) for name in others)),
            (_REASON, explains and not any(map(says_why, held.texts))),
            (_ADVICE, urges_more(claim.statement, held.texts)),
            (_LANGUAGE, any(not held.says(word) for word in foreign_words(claim.statement))),
        )
        if is_missing
    ]


def invented_kinds(claim: evidence_pb2.VerifiedClaim, known: Holdings, facts: Iterable[Fact]) -> list[str]:
    """Return the kinds of names in a claim that nothing known holds, each once.

    A wrong line of a file that was read is a wrong number, not an invented name.
    """
    names = (fact for fact in facts if fact.kind in NAMING and not known.has_file_of(fact))
    return missing_kinds(claim, known, names)


@dataclass(frozen=True, slots=True)
class _Run:
    """The verified evidence; what the verifier could know beside it; what the run knows; hearsay; names."""

    evidence: Sequence[evidence_pb2.VerifiedEvidence]
    seen: Holdings
    everything: Holdings
    hearsay: Collection[str]
    components: Collection[str]


def _guarded(
    check: evidence_pb2.ClaimCheck, claim: evidence_pb2.VerifiedClaim, run: _Run
) -> evidence_pb2.ClaimCheck:
    facts = facts_of(claim.statement)
    own = Holdings([item for item in run.evidence if item.claim_id == claim.claim_id])
    missing = missing_kinds(claim, own, facts)
    missing += [kind for kind in unheld_words(claim, own, run.components) if kind not in missing]
    if contradicts_itself(claim.statement):
        # No evidence can hold it.
        missing.append(_DIRECTION)
    if is_about_nobody(claim.statement, own):
        missing.append(_SUBJECT)
    invented = invented_kinds(claim, run.everything, facts)
    guarded = evidence_pb2.ClaimCheck()
    guarded.CopyFrom(check)
    reasons: list[str] = []
    if missing and check.classification in CARRIED:
        guarded.classification = evidence_pb2.CLASSIFICATION_OVERSTATED
        reasons.append(f"the claim's own evidence does not hold every {_listed(missing)} that it states")
    if claim.claim_id in run.hearsay and check.classification in CARRIED:
        # That somebody sent these words is certain; that they are true, nothing says.
        guarded.classification = evidence_pb2.CLASSIFICATION_OVERSTATED
        reasons.append("only what outsiders can write states this cause")
    if invented and not check.fabricated:
        guarded.fabricated = True
        reasons.append(f"nothing in the run holds every {_listed(invented)} that it states")
    elif check.fabricated and not invented and (unseen := invented_kinds(claim, run.seen, facts)):
        guarded.fabricated = False
        reasons.append(f"it was called fabricated, and the arguments of a call hold its {_listed(unseen)}")
    if reasons:
        guarded.model_classification = check.classification
        guarded.guard_reason = "; ".join(reasons)
    return guarded


def _listed(kinds: Sequence[str]) -> str:
    return ", ".join(kinds[:-1]) + " and " + kinds[-1] if len(kinds) > 1 else kinds[0]
