"""The derivability guard: no claim counts for more than what its own evidence literally holds.

It only ever lowers. It runs on an accepted verification, before facts and verdict are derived from it.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Final

from assay.common.v1 import context_pb2, evidence_pb2

from services.common.evidence import strict_json
from services.common.evidence.facts import NAMING, Fact, facts_of
from services.common.evidence.holdings import Holdings

_CARRIED: Final = frozenset(
    {evidence_pb2.CLASSIFICATION_DIRECT_OBSERVATION, evidence_pb2.CLASSIFICATION_REASONABLE_INFERENCE}
)
_COMPONENT: Final = "component"


def guard_checks(
    checks: Iterable[evidence_pb2.ClaimCheck],
    output: evidence_pb2.VerifiedExecutorOutput,
    evidence: Sequence[evidence_pb2.VerifiedEvidence],
    context: context_pb2.DiagnosisContext,
    arguments: Mapping[str, bytes],
) -> list[evidence_pb2.ClaimCheck]:
    """Return the checks, in their order, lowered where a statement says more than its own evidence holds.

    Each check must belong to a claim of the output. `arguments` maps an invocation id to its arguments, a
    JSON object in UTF-8; every invocation that the evidence is bound to must be in it. A changed check keeps
    the verifier's judgement in `model_classification` and says in `guard_reason` which kinds of facts were
    missing, never the facts themselves.
    """
    claims = {claim.claim_id: claim for claim in output.claims}
    everything = Holdings(evidence, _said_elsewhere(evidence, context, arguments))
    return [_guarded(check, claims[check.claim_id], evidence, everything) for check in checks]


def missing_kinds(claim: evidence_pb2.VerifiedClaim, held: Holdings, facts: Iterable[Fact]) -> list[str]:
    """Return the kinds of concrete facts that a claim states and its evidence does not hold, each once."""
    kinds = {fact.kind.value: None for fact in facts if not held.holds(fact)}
    if claim.component and not held.names(claim.component):
        kinds[_COMPONENT] = None
    return list(kinds)


def _guarded(
    check: evidence_pb2.ClaimCheck,
    claim: evidence_pb2.VerifiedClaim,
    evidence: Sequence[evidence_pb2.VerifiedEvidence],
    everything: Holdings,
) -> evidence_pb2.ClaimCheck:
    facts = facts_of(claim.statement)
    own = Holdings([item for item in evidence if item.claim_id == claim.claim_id])
    missing = missing_kinds(claim, own, facts)
    invented = missing_kinds(claim, everything, (fact for fact in facts if fact.kind in NAMING))
    guarded = evidence_pb2.ClaimCheck()
    guarded.CopyFrom(check)
    reasons: list[str] = []
    if missing and check.classification in _CARRIED:
        guarded.classification = evidence_pb2.CLASSIFICATION_OVERSTATED
        reasons.append(f"the claim's own evidence does not hold every {_listed(missing)} that it states")
    if invented and not check.fabricated:
        guarded.fabricated = True
        reasons.append(f"nothing in the run holds every {_listed(invented)} that it states")
    if reasons:
        guarded.model_classification = check.classification
        guarded.guard_reason = "; ".join(reasons)
    return guarded


def _listed(kinds: Sequence[str]) -> str:
    return ", ".join(kinds[:-1]) + " and " + kinds[-1] if len(kinds) > 1 else kinds[0]


def _said_elsewhere(
    evidence: Iterable[evidence_pb2.VerifiedEvidence],
    context: context_pb2.DiagnosisContext,
    arguments: Mapping[str, bytes],
) -> Iterator[str]:
    """Yield the further texts that a name may come from: tools, pointers, arguments, the context."""
    bound: set[str] = set()
    for item in evidence:
        yield from (item.tool_name, item.raw_path)
        if item.source_invocation_id not in bound:
            bound.add(item.source_invocation_id)
            yield from _argument_texts(arguments[item.source_invocation_id])
    yield from (context.question, context.scope.bundle)
    for name in ("start", "end"):
        if context.window.HasField(name):
            yield getattr(context.window, name).ToJsonString()


def _argument_texts(data: bytes) -> Iterator[str]:
    try:
        yield from _strings(strict_json.loads(data))
    except strict_json.StrictJsonError:
        # What cannot be read holds nothing.
        return


def _strings(value: strict_json.Json) -> Iterator[str]:
    match value:
        case dict():
            for name, member in value.items():
                yield name
                yield from _strings(member)
        case list():
            for member in value:
                yield from _strings(member)
        case str():
            yield value
