"""The closed table of fixed sentences. Every sentence of an answer that restates no claim is one of these.

Identifiers are only ever added; the texts may be improved. `{slot}` is filled as `template_slots` says.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import Enum
from typing import Final

from assay.common.v1 import evidence_pb2

from services.common.evidence.own_words import says_why
from services.common.evidence.template_slots import (
    CHANGE_TOOL,
    LOG_TOOLS,
    SATURATION_TOOL,
    Material,
    can_be_provided,
    reason_text,
    series_of,
    values,
)


class Cites(Enum):
    """What an instance of a template must cite."""

    NOTHING = "nothing"
    CLAIMS = "claims"
    GAPS = "gaps"


def _always(_: Material) -> bool:
    return True


@dataclass(frozen=True, slots=True)
class Template:
    """A fixed sentence and where it is true.

    `verdicts` are the effective verdicts under which it may stand; UNSPECIFIED means that no verification
    completed, which only the fallback answer knows.
    """

    text: str
    section: str
    cites: Cites
    verdicts: frozenset[int]
    holds: Callable[[Material], bool] = _always


PASS: Final = frozenset({evidence_pb2.VERDICT_PASS})
LOW: Final = frozenset({evidence_pb2.VERDICT_LOW_CONFID})
REJECT: Final = frozenset({evidence_pb2.VERDICT_REJECT})
CARRIED: Final = PASS | LOW
ANY: Final = CARRIED | REJECT
FALLBACK: Final = ANY | {evidence_pb2.VERDICT_UNSPECIFIED}


def _about_causes(material: Material) -> bool:
    return all(cited.claim.claim_type == evidence_pb2.CLAIM_TYPE_CAUSE for cited in material.claims)


def _confirmed_causes(material: Material) -> bool:
    """Tell whether the evidence itself says why; that a fact is the cause is otherwise concluded."""
    return _about_causes(material) and all(
        cited.confirmed and any(says_why(item.evidence.matched_text) for item in cited.evidence)
        for cited in material.claims
    )


def _inferred_causes(material: Material) -> bool:
    stated = evidence_pb2.CLAIM_STATUS_CONFIRMED
    return _about_causes(material) and all(cited.claim.status == stated for cited in material.claims)


def _fills_a_resource(material: Material) -> bool:
    """Tell whether a change is blamed for a series that is what a bounded resource was used up by."""
    held = {series.name for series in series_of(material.claims)}
    used = {
        item.evidence.matched_text
        for cited in material.allowed
        for item in cited.evidence
        if item.evidence.tool_name == SATURATION_TOOL and item.evidence.raw_path.endswith("/usage_name")
    }
    return _about_causes(material) and bool(values("change", material)) and bool(held & used)


def _rival_directions(material: Material) -> bool:
    """Tell whether several components are possible causes, and none for more than its metrics show."""
    shown = [item.evidence.tool_name for cited in material.claims for item in cited.evidence]
    apart = len({cited.claim.component for cited in material.claims}) > 1
    told = any(name == CHANGE_TOOL or name.startswith(LOG_TOOLS) for name in shown)
    confirmed = any(cited.confirmed for cited in material.claims)
    return apart and _about_causes(material) and not told and not confirmed


def _no_cause(material: Material) -> bool:
    return all(gap.WhichOneof("reason") == "no_supported_cause" for gap in material.gaps)


def _no_cause_and_claims(material: Material) -> bool:
    return _no_cause(material) and bool(material.allowed)


def _nothing_allowed(material: Material) -> bool:
    return not material.allowed


def _nothing_critical(material: Material) -> bool:
    return bool(material.allowed) and not any(cited.claim.critical for cited in material.allowed)


def _sources(material: Material) -> bool:
    reasons = {reason_text(gap) for gap in material.gaps}
    return len(reasons) == 1 and all(gap.WhichOneof("reason") == "source" for gap in material.gaps)


def _refused(material: Material) -> bool:
    return all(gap.WhichOneof("reason") == "refusal" for gap in material.gaps)


def _one_series(material: Material) -> bool:
    return len(series_of(material.claims)) == 1


def _left_out(material: Material) -> bool:
    others = ("source", "no_supported_cause", "refusal")
    return _one_subject(material) and all(gap.WhichOneof("reason") not in others for gap in material.gaps)


def _judged(*classifications: int) -> Callable[[Material], bool]:
    def holds(material: Material) -> bool:
        return _one_subject(material) and all(
            gap.WhichOneof("reason") == "classification" and gap.classification in classifications
            for gap in material.gaps
        )

    return holds


def _one_subject(material: Material) -> bool:
    return len({gap.claim_type for gap in material.gaps}) == 1


_OVERSTATED = evidence_pb2.CLASSIFICATION_OVERSTATED
_UNSUPPORTED = evidence_pb2.CLASSIFICATION_UNSUPPORTED
_UNKNOWN = evidence_pb2.CLASSIFICATION_EXTERNAL_UNKNOWN
_CONTRADICTED = evidence_pb2.CLASSIFICATION_CONTRADICTED
# A claim that follows from its evidence is left out only when it names something that nothing holds.
_NAMED_NOTHING = (
    evidence_pb2.CLASSIFICATION_DIRECT_OBSERVATION,
    evidence_pb2.CLASSIFICATION_REASONABLE_INFERENCE,
)

_SUMMARY: Final[Mapping[str, Template]] = {
    "verdict.cause_confirmed": Template(
        "The cause lies in {component}; the evidence shows it directly.",
        "summary",
        Cites.CLAIMS,
        PASS,
        _confirmed_causes,
    ),
    "verdict.cause_inferred": Template(
        "The evidence supports a cause in {component}. It is concluded from the facts below, not quoted "
        "from a log or a metric.",
        "summary",
        Cites.CLAIMS,
        PASS,
        _inferred_causes,
    ),
    "verdict.cause_possible": Template(
        "The evidence points to {component} as a possible cause and does not prove it.",
        "summary",
        Cites.CLAIMS,
        LOW,
        _about_causes,
    ),
    "verdict.no_cause": Template(
        "No root cause was established from what was read, so none is named.",
        "summary",
        Cites.GAPS,
        LOW,
        _no_cause,
    ),
    "verdict.no_cause_meaning": Template(
        "This is neither a finding nor an all-clear: a person may see a cause in what was seen.",
        "summary",
        Cites.GAPS,
        LOW,
        _no_cause_and_claims,
    ),
    "verdict.fact": Template(
        "The evidence says this directly.",
        "summary",
        Cites.CLAIMS,
        PASS,
        lambda material: all(cited.confirmed for cited in material.claims),
    ),
    "verdict.conclusion": Template(
        "This is concluded from the evidence, not quoted from a log or a metric.",
        "summary",
        Cites.CLAIMS,
        PASS,
    ),
    "verdict.partial": Template(
        "The evidence does not carry a full answer; treat this as a lead, not as a result.",
        "summary",
        Cites.CLAIMS,
        LOW,
    ),
    "verdict.nothing": Template(
        "No statement that answers the question was established from what was read.",
        "summary",
        Cites.NOTHING,
        CARRIED,
        _nothing_allowed,
    ),
    "verdict.no_answer": Template(
        "This question was not answered: what was read does not state it in full, or it asks for more than "
        "is looked up.",
        "summary",
        Cites.NOTHING,
        LOW,
        _nothing_critical,
    ),
    "seen.over": Template(
        "{series} was back in its usual range at {ended}.",
        "summary",
        Cites.CLAIMS,
        CARRIED,
        _one_series,
    ),
    "reject.no_conclusion": Template(
        "The evidence cannot support a reliable conclusion.", "summary", Cites.NOTHING, REJECT
    ),
    "reject.meaning": Template(
        "What was concluded from it contradicted the evidence or named something that is not in it, so "
        "none of it is shown.",
        "summary",
        Cites.NOTHING,
        REJECT,
    ),
    "checked.read": Template("What was read: {read}.", "summary", Cites.NOTHING, FALLBACK),
    "checked.unread": Template("Not read: {unread}.", "summary", Cites.NOTHING, FALLBACK),
    "checked.absent": Template("Not in the bundle: {absent}.", "summary", Cites.NOTHING, FALLBACK),
}

# What only the orchestrator's own answer says, about how the run ended.
FALLBACK_TEMPLATES: Final[Mapping[str, Template]] = {
    "fallback.stopped": Template(
        "The diagnosis stopped before its answer was complete: {stage} {outcome}.",
        "summary",
        Cites.NOTHING,
        FALLBACK,
    ),
    "fallback.model": Template(
        "Its language model gave no result: {failure}.", "summary", Cites.NOTHING, FALLBACK
    ),
    "fallback.unverified": Template(
        "Nothing was verified, so no cause is stated.", "summary", Cites.NOTHING, FALLBACK
    ),
    "fallback.nothing_carried": Template(
        "What had been verified until then carries no statement, so no cause is stated.",
        "summary",
        Cites.NOTHING,
        FALLBACK,
    ),
    "fallback.verified": Template(
        "What had been verified until then is listed as possible directions, not as an answer.",
        "summary",
        Cites.NOTHING,
        FALLBACK,
    ),
    "fallback.model_first": Template(
        "Set right what is said of the language model, then ask again; assay doctor looks whether its "
        "endpoint is there.",
        "next_checks",
        Cites.NOTHING,
        FALLBACK,
    ),
    "fallback.ask_again": Template(
        "Ask again; if it stops at the same step, look at that step's log.",
        "next_checks",
        Cites.NOTHING,
        FALLBACK,
    ),
}

_GAPS: Final[Mapping[str, Template]] = {
    "gap.no_cause": Template(
        "What caused this: no cause was found in what was read. Traces, profiles and anything outside "
        "these sources were not read.",
        "evidence_gaps",
        Cites.GAPS,
        ANY,
        _no_cause,
    ),
    "gap.source": Template(
        "Not read: {missing} ({reason}).", "evidence_gaps", Cites.GAPS, FALLBACK, _sources
    ),
    "gap.source_unexplained": Template(
        "Not read: {missing}.", "evidence_gaps", Cites.GAPS, FALLBACK, _sources
    ),
    "gap.refused": Template(
        "Why it is not answered: {refusal}.", "evidence_gaps", Cites.GAPS, FALLBACK, _refused
    ),
    "gap.overstated": Template(
        "Left out because the evidence does not carry it in full: {statements} about {subject}.",
        "evidence_gaps",
        Cites.GAPS,
        ANY,
        _judged(_OVERSTATED),
    ),
    "gap.unsupported": Template(
        "Left out because no evidence bears on it: {statements} about {subject}.",
        "evidence_gaps",
        Cites.GAPS,
        ANY,
        _judged(_UNSUPPORTED),
    ),
    "gap.unknown": Template(
        "Left out because it needs knowledge that the evidence does not hold: {statements} about {subject}.",
        "evidence_gaps",
        Cites.GAPS,
        ANY,
        _judged(_UNKNOWN),
    ),
    "gap.contradicted": Template(
        "Left out because the evidence says otherwise: {statements} about {subject}.",
        "evidence_gaps",
        Cites.GAPS,
        ANY,
        _judged(_CONTRADICTED),
    ),
    "gap.invented": Template(
        "Left out because it names something that the evidence does not hold: {statements} about {subject}.",
        "evidence_gaps",
        Cites.GAPS,
        ANY,
        _judged(*_NAMED_NOTHING),
    ),
    "gap.unverified": Template(
        "Left out because it could not be verified: {statements} about {subject}.",
        "evidence_gaps",
        Cites.GAPS,
        FALLBACK,
        _left_out,
    ),
}

_NEXT: Final[Mapping[str, Template]] = {
    "next.object": Template(
        "For {component}: {check}",
        "next_checks",
        Cites.CLAIMS,
        CARRIED,
        _about_causes,
    ),
    "next.revert": Template(
        'Review and, if it is safe, revert "{change}" on {component} ({place}).',
        "next_checks",
        Cites.CLAIMS,
        CARRIED,
        _about_causes,
    ),
    "next.refute_change": Template(
        "Try to disprove it: plot {series} from {source} around {change_time}. If it had left its usual "
        "range for good before then, look for an earlier cause.",
        "next_checks",
        Cites.CLAIMS,
        CARRIED,
        _about_causes,
    ),
    "next.refute": Template(
        "Try to disprove it: plot {series} from {source}. If it left its usual range only after the first "
        "symptom, look for another cause.",
        "next_checks",
        Cites.CLAIMS,
        CARRIED,
        _about_causes,
    ),
    "next.decide": Template(
        "To decide between {components}: look at the requests of every caller of each. The one that is as "
        "bad for all its callers, while what it calls itself is as usual, comes first.",
        "next_checks",
        Cites.CLAIMS,
        LOW,
        _rival_directions,
    ),
    "next.release": Template(
        "After the change is reverted, watch {series} from {source}: if it does not fall, what holds it has "
        "to be released as well, for example by a restart of {component}.",
        "next_checks",
        Cites.CLAIMS,
        CARRIED,
        _fills_a_resource,
    ),
    "next.read": Template(
        "Read what was reported at {log_places} and in the lines around.",
        "next_checks",
        Cites.CLAIMS,
        CARRIED,
    ),
    "next.see": Template("See it for yourself at {place}.", "next_checks", Cites.CLAIMS, CARRIED),
    "next.lookup": Template(
        "What is looked up: how many, which, since when, the last, or whether there was any, of log lines "
        '(by "quoted text", level or log), requests (by status, path, method, client or how long they took), '
        "alerts, changes, components and their calls, objects and events of a cluster; how many per minute, "
        "status, client or log; and the value, maximum, minimum or mean of a metric by its name.",
        "next_checks",
        Cites.NOTHING,
        LOW,
        _nothing_critical,
    ),
    "next.search": Template(
        'See whether it goes on: search {source} for "{needle}".', "next_checks", Cites.CLAIMS, CARRIED
    ),
    "next.watch": Template(
        "Watch {series} from {source}: see whether it moves again.", "next_checks", Cites.CLAIMS, CARRIED
    ),
    "next.capture": Template(
        "If it comes back, capture the state of {components} at that moment, their hosts included.",
        "next_checks",
        Cites.CLAIMS,
        LOW,
    ),
    "next.hold": Template(
        "Do not revert or restart anything on the strength of this answer alone.",
        "next_checks",
        Cites.GAPS,
        LOW,
        _no_cause,
    ),
    "next.provide": Template(
        "If you can, provide {wanted} and ask again: it could change this answer.",
        "next_checks",
        Cites.GAPS,
        ANY,
        lambda material: all(can_be_provided(gap, material.checked) for gap in material.gaps),
    ),
    "next.by_hand": Template(
        "Go on by hand, or ask again with a narrower question or another time window.",
        "next_checks",
        Cites.NOTHING,
        ANY,
        _nothing_allowed,
    ),
}

# What an answer may be composed from.
TEMPLATES: Final[Mapping[str, Template]] = {**_SUMMARY, **_GAPS, **_NEXT}
