"""Which claim comes first: the reader may stop after any sentence."""

import re
from collections.abc import Iterable, Sequence
from typing import Final

from assay.common.v1 import answer_pb2, evidence_pb2

from services.common.evidence.template_slots import CHANGE_POINTS_TOOL, ends, series_of
from services.common.evidence.verdict import unsureness

# What is wrong, then what makes it so, then who suffers, then what was normal.
_FACTS: Final = (
    evidence_pb2.CLAIM_TYPE_SYMPTOM,
    evidence_pb2.CLAIM_TYPE_CAUSE,
    evidence_pb2.CLAIM_TYPE_IMPACT,
    evidence_pb2.CLAIM_TYPE_CONTEXT,
)
_DIRECTIONS: Final = (
    evidence_pb2.CLAIM_TYPE_CAUSE,
    evidence_pb2.CLAIM_TYPE_SYMPTOM,
    evidence_pb2.CLAIM_TYPE_IMPACT,
    evidence_pb2.CLAIM_TYPE_CONTEXT,
)
# What is bound of a series that stays away and of the one that is back.
_TOLD: Final = ("/last/value", "/query", "/ended")
Claims = Sequence[answer_pb2.AllowedClaim]


def confirmed(claims: Claims) -> list[answer_pb2.AllowedClaim]:
    """Return the confirmed facts, the most important first; equals stay in document order."""
    return _ordered([cited for cited in claims if cited.confirmed], _FACTS)


def directions(claims: Claims) -> list[answer_pb2.AllowedClaim]:
    """Return what is only concluded or possible, causes first; equals stay in document order."""
    return _ordered([cited for cited in claims if not cited.confirmed], _DIRECTIONS)


def causes(claims: Claims) -> list[answer_pb2.AllowedClaim]:
    """Return the causes, the surest first."""
    found = [cited for cited in claims if cited.claim.claim_type == evidence_pb2.CLAIM_TYPE_CAUSE]
    return sorted(found, key=unsureness)


def main_symptoms(claims: Claims) -> list[answer_pb2.AllowedClaim]:
    """Return what was seen, the main thing first: symptoms, and impacts where there is no symptom."""
    for claim_type in (evidence_pb2.CLAIM_TYPE_SYMPTOM, evidence_pb2.CLAIM_TYPE_IMPACT):
        found = [cited for cited in claims if cited.claim.claim_type == claim_type]
        if found:
            return sorted(found, key=lambda cited: (not cited.claim.critical, not cited.confirmed))
    return []


def symptoms_then_impacts(claims: Claims) -> list[answer_pb2.AllowedClaim]:
    """Return everything that is wrong, the main thing first."""
    main = main_symptoms(claims)
    shown = {cited.claim.claim_id for cited in main}
    return main + [cited for cited in impacts(claims) if cited.claim.claim_id not in shown]


def impacts(claims: Claims) -> list[answer_pb2.AllowedClaim]:
    """Return who suffers, in document order."""
    return [cited for cited in claims if cited.claim.claim_type == evidence_pb2.CLAIM_TYPE_IMPACT]


def recovered(claims: Claims, question: str) -> list[answer_pb2.AllowedClaim]:
    """Return what was seen of a series that went back, components that the question names first."""
    asked = _words(question)
    seen = main_symptoms(claims)
    order = list(dict.fromkeys(cited.claim.component for cited in seen))
    back = [cited for cited in seen if len(series_of([cited])) == 1 and ends([cited])]
    return sorted(
        back,
        key=lambda cited: (
            cited.claim.component.casefold() not in asked,
            order.index(cited.claim.component),
        ),
    )


def only_looking_back(claims: Claims, question: str) -> list[answer_pb2.AllowedClaim]:
    """Return the claims on a series that stays away only because its query looks back over a window.

    Such a claim sets the last value and the query of one series against the end of another; those on
    components that the question names come first.
    """
    asked = _words(question)
    found = [cited for cited in claims if _sets_a_window_against_an_end(cited)]
    return sorted(found, key=lambda cited: cited.claim.component.casefold() not in asked)


def _sets_a_window_against_an_end(cited: answer_pb2.AllowedClaim) -> bool:
    items = [item.evidence for item in cited.evidence if item.evidence.tool_name == CHANGE_POINTS_TOOL]
    members = {member: item for item in items for member in _TOLD if item.raw_path.endswith(member)}
    series = {member: item.raw_path.removesuffix(member) for member, item in members.items()}
    return (
        len(series) == len(_TOLD)
        and series["/last/value"] == series["/query"] != series["/ended"]
        and cited.confirmed
    )


def _words(question: str) -> set[str]:
    return set(re.findall(r"[\w-]+", question.casefold()))


def answering(claims: Claims) -> list[answer_pb2.AllowedClaim]:
    """Return the claims that answer a lookup, critical and confirmed first."""
    return sorted(claims, key=lambda cited: (not cited.claim.critical, not cited.confirmed))


def _ordered(claims: Claims, types: Sequence[int]) -> list[answer_pb2.AllowedClaim]:
    place = {claim_type: index for index, claim_type in enumerate(types)}
    return sorted(
        claims, key=lambda cited: (place.get(cited.claim.claim_type, len(types)), not cited.claim.critical)
    )


def distinct_components(claims: Iterable[answer_pb2.AllowedClaim]) -> list[answer_pb2.AllowedClaim]:
    """Return the first claim of each component."""
    first: dict[str, answer_pb2.AllowedClaim] = {}
    for cited in claims:
        first.setdefault(cited.claim.component, cited)
    return list(first.values())
