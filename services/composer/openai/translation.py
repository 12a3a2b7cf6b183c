"""From a model's sections to a whole answer, or to the refusal of all of it. Pure."""

from collections.abc import Mapping, Sequence
from typing import Final

from assay.common.v1 import answer_pb2
from assay.composer.v1 import composer_pb2

from services.common.evidence.answer_rules import MAX_SUMMARY
from services.common.evidence.templates import gap_sentences, restate
from services.composer.domain import is_answer
from services.composer.offline import ordering
from services.composer.offline.next_checks import next_checks
from services.composer.offline.summary import summary
from services.composer.openai.answer import Composition, Line
from services.composer.openai.rendering import labelled

# They speak of the statements beside them, so that these stay those that they were made for.
_OF_ITS_NEIGHBOURS: Final = frozenset({"verdict.fact", "verdict.conclusion", "verdict.partial"})

Claims = Mapping[str, answer_pb2.AllowedClaim]
Sentences = list[answer_pb2.Sentence]


class _RefusedError(ValueError):
    """A sentence cites what is no claim."""


def answer_of(composition: Composition, request: composer_pb2.ComposeRequest) -> answer_pb2.Answer | None:
    """Return the answer; None when a sentence breaks a rule.

    How sure it is, what is not known and what to do next are the fixed sentences of the offline reasoner. A
    critical claim that the model left out stands where it belongs.
    """
    claims = labelled(request)
    try:
        answer = answer_pb2.Answer(
            summary=_summary(request, _sentences(composition.summary, claims)),
            confirmed=_sentences(composition.confirmed, claims),
            possible_directions=_sentences(composition.directions, claims),
            evidence_gaps=gap_sentences(request.gaps),
            next_checks=next_checks(request),
        )
    except _RefusedError:
        return None
    _add_critical(answer, request.claims)
    return answer if is_answer(answer, request) else None


def _sentences(lines: Sequence[Line], claims: Claims) -> Sentences:
    return [sentence for line in lines for sentence in _sentence(line, claims)]


def _sentence(line: Line, claims: Claims) -> Sentences:
    labels = list(dict.fromkeys(line.claims))
    if not claims.keys() >= set(labels):
        raise _RefusedError
    cited = [claims[label] for label in labels]
    if not line.text:
        return [restate(item) for item in cited]
    claim_ids = [item.claim.claim_id for item in cited]
    return [answer_pb2.Sentence(text=line.text.strip(), claim_ids=claim_ids)]


def _summary(request: composer_pb2.ComposeRequest, said: Sentences) -> Sentences:
    """Return the offline summary with the model's sentences in place of the restated ones."""
    made = summary(request)
    if not said or any(sentence.template_id in _OF_ITS_NEIGHBOURS for sentence in made):
        return made
    at = next((place for place, sentence in enumerate(made) if not sentence.template_id), len(made))
    fixed = [sentence for sentence in made[at:] if sentence.template_id]
    return [*made[:at], *said[: MAX_SUMMARY - at - len(fixed)], *fixed]


def _add_critical(answer: answer_pb2.Answer, claims: Sequence[answer_pb2.AllowedClaim]) -> None:
    told = {
        claim_id for section in (answer.confirmed, answer.possible_directions) for sentence in section
        for claim_id in sentence.claim_ids
    }  # fmt: skip
    missing = [cited for cited in claims if cited.claim.critical and cited.claim.claim_id not in told]
    answer.confirmed.extend(map(restate, ordering.confirmed(missing)))
    answer.possible_directions.extend(map(restate, ordering.directions(missing)))
