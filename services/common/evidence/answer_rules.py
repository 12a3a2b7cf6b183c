"""What an answer must be before anyone sees it: every sentence proven by what it cites, or fixed.

Applied by the composer to its own answer and by the orchestrator to the composer's. Texts are never quoted in
an error: the answer may hold what the check is there to keep out.
"""

from collections.abc import Mapping, Sequence
from typing import Final, NamedTuple

from assay.common.v1 import answer_pb2, evidence_pb2, tool_pb2

from services.common.evidence import templates
from services.common.evidence.elsewhere import argument_texts
from services.common.evidence.holdings import Holdings
from services.common.evidence.own_words import may_say
from services.common.evidence.template_slots import Material
from services.common.evidence.template_table import TEMPLATES, Template

MAX_SUMMARY = 4
MAX_SENTENCES = 128
MAX_TEXT_CHARS = 2304
SECTIONS: Final = ("summary", "confirmed", "possible_directions", "evidence_gaps", "next_checks")
# What is said in one's own words restates claims; gaps and next checks are always fixed sentences.
_RESTATING: Final = ("summary", "confirmed", "possible_directions")


class AnswerError(ValueError):
    """The answer breaks a rule; `place` is a section and an index, `rule` says what must hold there."""

    def __init__(self, place: str, rule: str) -> None:
        super().__init__(f"{place}: {rule}")
        self.place = place
        self.rule = rule


class _Allowed(NamedTuple):
    """What the whole answer may draw on."""

    claims: Mapping[str, answer_pb2.AllowedClaim]
    gaps: Mapping[str, evidence_pb2.EvidenceGap]
    checked: Sequence[tool_pb2.Checked]
    verdict: int


def check_answer(
    answer: answer_pb2.Answer,
    claims: Sequence[answer_pb2.AllowedClaim],
    gaps: Sequence[evidence_pb2.EvidenceGap],
    checked: Sequence[tool_pb2.Checked],
    verdict: int,
) -> None:
    """Check a composed answer against all that it may draw on; raises AnswerError at the first broken rule.

    `verdict` is the effective verdict. The question is no source: what only the user said proves nothing.
    """
    allowed = _Allowed(
        {cited.claim.claim_id: cited for cited in claims},
        {gap.gap_id: gap for gap in gaps},
        checked,
        verdict,
    )
    _check_size(answer)
    for section in SECTIONS:
        for index, sentence in enumerate(getattr(answer, section)):
            _check_sentence(sentence, section, f"{section}/{index}", allowed)
    _check_whole(answer, allowed)


def _check_size(answer: answer_pb2.Answer) -> None:
    if not answer.summary:
        raise AnswerError("summary", "an answer has a summary")
    for section in SECTIONS:
        sentences = getattr(answer, section)
        limit = MAX_SUMMARY if section == "summary" else MAX_SENTENCES
        if len(sentences) > limit:
            raise AnswerError(section, f"at most {limit} sentences")
        for index, sentence in enumerate(sentences):
            if not sentence.text.strip() or len(sentence.text) > MAX_TEXT_CHARS:
                raise AnswerError(f"{section}/{index}", f"a sentence has 1 to {MAX_TEXT_CHARS} characters")


def _check_whole(answer: answer_pb2.Answer, allowed: _Allowed) -> None:
    kind = "reject." if allowed.verdict == evidence_pb2.VERDICT_REJECT else "verdict."
    if not any(sentence.template_id.startswith(kind) for sentence in answer.summary):
        raise AnswerError("summary", "a fixed sentence says how sure the answer is")
    admitted = {gap_id for sentence in answer.evidence_gaps for gap_id in sentence.gap_ids}
    if admitted != set(allowed.gaps):
        raise AnswerError("evidence_gaps", "every gap is admitted")


def _check_sentence(sentence: answer_pb2.Sentence, section: str, place: str, allowed: _Allowed) -> None:
    if not set(sentence.claim_ids) <= allowed.claims.keys():
        raise AnswerError(place, "cites allowed claims only")
    if not set(sentence.gap_ids) <= allowed.gaps.keys():
        raise AnswerError(place, "cites known gaps only")
    material = Material(
        claims=[allowed.claims[claim_id] for claim_id in sentence.claim_ids],
        gaps=[allowed.gaps[gap_id] for gap_id in sentence.gap_ids],
        checked=allowed.checked,
        allowed=list(allowed.claims.values()),
    )
    if sentence.template_id:
        _check_fixed(sentence, section, place, material, allowed.verdict)
    else:
        _check_restated(sentence, section, place, material, allowed.verdict)


def _check_fixed(
    sentence: answer_pb2.Sentence, section: str, place: str, material: Material, verdict: int
) -> None:
    template: Template | None = TEMPLATES.get(sentence.template_id)
    if template is None:
        raise AnswerError(place, "names a fixed sentence of the closed table")
    if template.section != section or verdict not in template.verdicts:
        raise AnswerError(place, "a fixed sentence stands in its own section, under a verdict that it fits")
    if not templates.is_instance(template, sentence.text, material):
        raise AnswerError(place, "is exactly its fixed sentence, filled from and true of what it cites")


def _check_restated(
    sentence: answer_pb2.Sentence, section: str, place: str, material: Material, verdict: int
) -> None:
    if verdict not in (evidence_pb2.VERDICT_PASS, evidence_pb2.VERDICT_LOW_CONFID):
        raise AnswerError(place, "under this verdict only fixed sentences stand")
    if section not in _RESTATING:
        raise AnswerError(place, "this section holds fixed sentences only")
    if not material.claims or material.gaps:
        raise AnswerError(place, "a sentence cites allowed claims, or is a fixed sentence")
    if section == "confirmed" and not all(cited.confirmed for cited in material.claims):
        raise AnswerError(place, "what is confirmed cites confirmed claims only")
    # A statement as it stands needs no index of its evidence, which may be large.
    if any(sentence.text == cited.claim.statement for cited in material.claims):
        return
    if _holdings(material.claims).missing(sentence.text):
        raise AnswerError(place, "every concrete fact stands in what the sentence cites")
    components = {cited.claim.component for cited in material.allowed} - {""}
    if not may_say(sentence.text, material.claims, components):
        raise AnswerError(place, "it names, explains and urges no more than what the sentence cites")


def _holdings(claims: Sequence[answer_pb2.AllowedClaim]) -> Holdings:
    """Return all that the cited claims say and rest on."""
    items = [item for cited in claims for item in cited.evidence]
    texts = [text for cited in claims for text in (cited.claim.statement, cited.claim.component)]
    arguments = [text for item in items for text in argument_texts(item.arguments_json)]
    return Holdings([item.evidence for item in items], [*texts, *arguments])
