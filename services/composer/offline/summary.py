"""The first lines of an answer: how sure it is, the cause or the fact, and what was seen."""

from collections.abc import Sequence

from assay.common.v1 import answer_pb2, context_pb2
from assay.composer.v1 import composer_pb2

from services.common.evidence.answer_rules import MAX_SUMMARY
from services.common.evidence.template_slots import Material
from services.common.evidence.template_table import TEMPLATES
from services.common.evidence.templates import not_read_sentence, restate, sentence
from services.composer.offline import ordering

_ON_CAUSES = ("verdict.cause_confirmed", "verdict.cause_inferred", "verdict.cause_possible")
_ON_CLAIMS = ("verdict.fact", "verdict.conclusion", "verdict.partial")


def summary(request: composer_pb2.ComposeRequest) -> list[answer_pb2.Sentence]:
    """Return one to four sentences; exactly one of them says how sure the answer is."""
    if request.intent == context_pb2.INTENT_LOOKUP:
        return _unanswered(request) or _lookup(request)
    leading = ordering.causes(request.claims)[:1]
    return (_with_cause(request, leading) if leading else _without_cause(request))[:MAX_SUMMARY]


def _with_cause(
    request: composer_pb2.ComposeRequest, leading: list[answer_pb2.AllowedClaim]
) -> list[answer_pb2.Sentence]:
    seen = ordering.main_symptoms(request.claims)[:1]
    suffering = [cited for cited in ordering.impacts(request.claims) if cited not in seen][:1]
    return [
        *_first_true(request, [*_ON_CAUSES, *_ON_CLAIMS], Material(claims=leading)),
        *map(restate, leading),
        *not_read_sentence(request.checked, absent=False),
        *map(restate, [*seen, *suffering]),
    ]


def _without_cause(request: composer_pb2.ComposeRequest) -> list[answer_pb2.Sentence]:
    missing = [gap for gap in request.gaps if gap.WhichOneof("reason") == "no_supported_cause"]
    # Symptoms may be none; then what frames them is all there is to say.
    seen = ordering.main_symptoms(request.claims) or ordering.confirmed(request.claims)
    gap_material = Material(gaps=missing, allowed=request.claims)
    opening = _first_true(request, ["verdict.no_cause"], gap_material)
    if not opening:
        return _lookup(request)
    closing = _first_true(request, ["verdict.no_cause_meaning"], gap_material) or _nothing(request)
    return [*opening, *_two_more(request, seen), *closing]


def _two_more(
    request: composer_pb2.ComposeRequest, seen: Sequence[answer_pb2.AllowedClaim]
) -> list[answer_pb2.Sentence]:
    """Return why an alert still fires; else what was seen; and what weighs most beside it."""
    unread = not_read_sentence(request.checked)
    lasting = ordering.only_looking_back(request.claims, request.question)[:1]
    told = [restate(cited) for cited in seen if cited not in lasting]
    if lasting:
        return [*(unread or told[:1]), *map(restate, lasting)]
    beside = [*unread, *_over(request), *told[1:2]]
    return [*told[:1], *beside[:1]]


def _over(request: composer_pb2.ComposeRequest) -> list[answer_pb2.Sentence]:
    back = ordering.recovered(request.claims, request.question)
    return _first_true(request, ["seen.over"], Material(claims=back[:1]))


def _unanswered(request: composer_pb2.ComposeRequest) -> list[answer_pb2.Sentence]:
    """Refuse plainly where something was seen, and no claim answers the question."""
    refusal = _first_true(request, ["verdict.no_answer"], Material(allowed=request.claims))
    return [*refusal, *not_read_sentence(request.checked)] if refusal else []


def _lookup(request: composer_pb2.ComposeRequest) -> list[answer_pb2.Sentence]:
    """Return the fact first, then how sure it is."""
    answers = ordering.answering(request.claims)[:2]
    sure = _first_true(request, _ON_CLAIMS, Material(claims=answers)) or _nothing(request)
    return [*map(restate, answers), *sure, *not_read_sentence(request.checked, absent=not answers)]


def _nothing(request: composer_pb2.ComposeRequest) -> list[answer_pb2.Sentence]:
    return _first_true(request, ["verdict.nothing"], Material(allowed=request.claims))


def _first_true(
    request: composer_pb2.ComposeRequest, template_ids: Sequence[str], material: Material
) -> list[answer_pb2.Sentence]:
    """Return the first of the fixed sentences that is true here, as a list of at most one."""
    for template_id in template_ids:
        if request.effective_verdict in TEMPLATES[template_id].verdicts:
            made = sentence(template_id, material)
            if made is not None:
                return [made]
    return []
