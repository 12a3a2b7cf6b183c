"""Fixed sentences, made and recognised; and the two answers that consist of nothing else.

Composer, fallback and the check of answers share this module, so that what one writes the others know.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice
from string import Formatter
from typing import Final

from assay.common.v1 import answer_pb2, evidence_pb2, tool_pb2

from services.common.evidence.template_slots import Material, can_be_provided, reason_text, values
from services.common.evidence.template_table import FALLBACK_TEMPLATES, TEMPLATES, Cites, Template

_STAGES: Final[Mapping[str, str]] = {
    "planner": "planning",
    "executor": "collecting the evidence",
    "gatekeeper": "checking the citations",
    "verified_input": "preparing the verification",
    "verifier": "verifying the claims",
    "evidence_retry": "preparing a second look",
    "composer": "writing the answer",
}
_OUTCOMES: Final[Mapping[str, str]] = {
    "INVALID_OUTPUT": "gave a result that broke its rules",
    "TOOL_BLOCKED": "was not allowed to make any of its tool calls",
    "REJECT": "found that no citation holds",
    "LOW_CONFID": "found nothing that the evidence carries",
}
_CLASSIFIED: Final[Mapping[int, str]] = {
    evidence_pb2.CLASSIFICATION_OVERSTATED: "gap.overstated",
    evidence_pb2.CLASSIFICATION_UNSUPPORTED: "gap.unsupported",
    evidence_pb2.CLASSIFICATION_EXTERNAL_UNKNOWN: "gap.unknown",
    evidence_pb2.CLASSIFICATION_CONTRADICTED: "gap.contradicted",
    evidence_pb2.CLASSIFICATION_DIRECT_OBSERVATION: "gap.invented",
    evidence_pb2.CLASSIFICATION_REASONABLE_INFERENCE: "gap.invented",
}


def sentence(template_id: str, material: Material, **picked: str) -> answer_pb2.Sentence | None:
    """Return an instance of a template; None where it is not true or a slot has no value.

    A slot that is not picked takes its best value.
    """
    template = TEMPLATES[template_id]
    if not _cites_as_asked(template, material) or not template.holds(material):
        return None
    filled: dict[str, str] = {}
    for slot in _slots(template):
        possible = values(slot, material)
        value = picked.get(slot, possible[0] if possible else "")
        if value not in possible:
            return None
        filled[slot] = value
    return answer_pb2.Sentence(
        text=template.text.format(**filled),
        claim_ids=[cited.claim.claim_id for cited in material.claims],
        gap_ids=[gap.gap_id for gap in material.gaps],
        template_id=template_id,
    )


def is_instance(template: Template, text: str, material: Material) -> bool:
    """Tell whether a text is exactly the template, true of its material, each slot filled from it."""
    if not _cites_as_asked(template, material) or not template.holds(material):
        return False
    pattern = "".join(
        re.escape(literal) + (_any_of(values(slot, material)) if slot else "")
        for literal, slot, _, _ in Formatter().parse(template.text)
    )
    return re.fullmatch(pattern, text) is not None


def restate(cited: answer_pb2.AllowedClaim) -> answer_pb2.Sentence:
    """Return a claim's own statement as a sentence."""
    return answer_pb2.Sentence(text=cited.claim.statement, claim_ids=[cited.claim.claim_id])


def gap_sentences(gaps: Sequence[evidence_pb2.EvidenceGap]) -> list[answer_pb2.Sentence]:
    """Return what is not known, every gap once, gaps of one kind in one sentence."""
    groups: dict[tuple[str, int, str], list[evidence_pb2.EvidenceGap]] = {}
    for gap in gaps:
        groups.setdefault(_gap_group(gap), []).append(gap)
    made = (sentence(key[0], Material(gaps=group)) for key, group in groups.items())
    return [item for item in made if item is not None]


def checked_sentences(checked: Sequence[tool_pb2.Checked]) -> list[answer_pb2.Sentence]:
    """Return what was read and, in one more sentence, what was not."""
    return [*_made("checked.read", Material(checked=checked)), *not_read_sentence(checked)]


def not_read_sentence(
    checked: Sequence[tool_pb2.Checked], *, absent: bool = True
) -> list[answer_pb2.Sentence]:
    """Return at most one sentence on what was not read: what was there and failed before what is not there.

    `absent` tells whether it is worth a sentence that whole kinds of source are not there.
    """
    template_ids = ["checked.unread", *(["checked.absent"] if absent else [])]
    made = (item for template_id in template_ids for item in _made(template_id, Material(checked=checked)))
    return list(islice(made, 1))


def reject_answer(
    gaps: Sequence[evidence_pb2.EvidenceGap], checked: Sequence[tool_pb2.Checked]
) -> answer_pb2.Answer:
    """Return the answer under REJECT: no conclusion, what was checked, what failed; no statement."""
    nothing = Material()
    return answer_pb2.Answer(
        summary=[
            *_made("reject.no_conclusion", nothing),
            *_made("reject.meaning", nothing),
            *checked_sentences(checked),
        ],
        evidence_gaps=gap_sentences(gaps),
        next_checks=[*provide_sentences(gaps, checked), *_made("next.by_hand", nothing)],
    )


def fallback_answer(
    *,
    node: str,
    status: str,
    verdict: int,
    claims: Sequence[answer_pb2.AllowedClaim],
    gaps: Sequence[evidence_pb2.EvidenceGap],
    checked: Sequence[tool_pb2.Checked],
    model_failure: str = "",
) -> answer_pb2.Answer:
    """Return the answer of a run that ended through fallback.

    `node` and `status` led there; `model_failure` says why its language model gave no result, if one is to
    blame. `verdict` is the effective verdict of the completed verification,
    UNSPECIFIED when there was none: then no claim is shown, so no cause is stated. After one, the allowed
    claims stand under the possible directions and nothing is confirmed.
    """
    verified = verdict in (evidence_pb2.VERDICT_PASS, evidence_pb2.VERDICT_LOW_CONFID)
    stopped = _fallback(
        "fallback.stopped",
        stage=_STAGES.get(node, "a step"),
        outcome=_OUTCOMES.get(status, "failed"),
    )
    begun = [stopped, *([_fallback("fallback.model", failure=model_failure)] if model_failure else [])]
    if verdict == evidence_pb2.VERDICT_REJECT:
        answer = reject_answer(gaps, checked)
        return answer_pb2.Answer(
            summary=[*begun, *answer.summary],
            evidence_gaps=answer.evidence_gaps,
            next_checks=answer.next_checks,
        )
    return answer_pb2.Answer(
        summary=[*begun, _meaning(verified, claims), *checked_sentences(checked)],
        possible_directions=[restate(cited) for cited in claims] if verified else [],
        evidence_gaps=gap_sentences(gaps),
        next_checks=[*provide_sentences(gaps, checked), *_after_stop(node, model_failure)],
    )


def _meaning(verified: bool, claims: Sequence[answer_pb2.AllowedClaim]) -> answer_pb2.Sentence:
    if not verified:
        return _fallback("fallback.unverified")
    return _fallback("fallback.verified" if claims else "fallback.nothing_carried")


def _after_stop(node: str, model_failure: str) -> Iterator[answer_pb2.Sentence]:
    if model_failure:
        # The same request would fail in the same way.
        yield _fallback("fallback.model_first")
    elif node == "gatekeeper":
        # The same evidence would be found wanting again.
        yield from _made("next.by_hand", Material())
    else:
        yield _fallback("fallback.ask_again")


def provide_sentences(
    gaps: Sequence[evidence_pb2.EvidenceGap], checked: Sequence[tool_pb2.Checked]
) -> list[answer_pb2.Sentence]:
    """Return the request for the sources that a person could bring, if any were absent or failed."""
    missing = [gap for gap in gaps if can_be_provided(gap, checked)]
    return list(_made("next.provide", Material(gaps=missing, checked=checked)))


def _made(template_id: str, material: Material) -> Iterator[answer_pb2.Sentence]:
    made = sentence(template_id, material)
    if made is not None:
        yield made


def _fallback(template_id: str, **filled: str) -> answer_pb2.Sentence:
    text = FALLBACK_TEMPLATES[template_id].text.format(**filled)
    return answer_pb2.Sentence(text=text, template_id=template_id)


def _slots(template: Template) -> list[str]:
    return [slot for _, slot, _, _ in Formatter().parse(template.text) if slot]


def _any_of(texts: Iterable[str]) -> str:
    return "(?:" + "|".join(map(re.escape, texts)) + ")" if texts else "(?!)"


def _cites_as_asked(template: Template, material: Material) -> bool:
    cited = (bool(material.claims), bool(material.gaps))
    return cited == (template.cites is Cites.CLAIMS, template.cites is Cites.GAPS)


def _gap_group(gap: evidence_pb2.EvidenceGap) -> tuple[str, int, str]:
    """Return the template of a gap and what gaps of one sentence have in common."""
    match gap.WhichOneof("reason"):
        case "no_supported_cause":
            return "gap.no_cause", 0, ""
        case "refusal":
            return "gap.refused", 0, ""
        case "source":
            reason = reason_text(gap)
            return "gap.source" if reason else "gap.source_unexplained", 0, reason
        case "classification":
            return _CLASSIFIED.get(gap.classification, "gap.unverified"), gap.claim_type, ""
        case _:
            return "gap.unverified", gap.claim_type, ""
