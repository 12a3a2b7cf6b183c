"""What to do next: undo the change, try to disprove the cause, look, watch, bring what was missing."""

from collections.abc import Iterator, Sequence
from itertools import chain, islice

from assay.common.v1 import answer_pb2, context_pb2
from assay.composer.v1 import composer_pb2

from services.common.evidence.template_slots import CHANGE_TOOL, Material, log_places, series_of, values
from services.common.evidence.template_table import TEMPLATES
from services.common.evidence.templates import provide_sentences, sentence
from services.composer.offline import ordering

MAX_CHECKS = 6
MAX_CAUSES = 2
MAX_FACTS = 2


def next_checks(request: composer_pb2.ComposeRequest) -> list[answer_pb2.Sentence]:
    """Return what to check or revert, at most six, the most useful first, each once."""
    causes = ordering.distinct_components(ordering.causes(request.claims))[:MAX_CAUSES]
    seen = ordering.symptoms_then_impacts(request.claims)
    if request.intent == context_pb2.INTENT_LOOKUP:
        candidates = list(_after_fact(request))
    else:
        candidates = list(_after_cause(request, causes, seen) if causes else _after_none(request, seen))
    if not candidates:
        candidates = list(_made("next.by_hand", Material(allowed=request.claims)))
    fitting = [
        item for item in candidates if request.effective_verdict in TEMPLATES[item.template_id].verdicts
    ]
    return list({item.text: item for item in fitting}.values())[:MAX_CHECKS]


def _after_fact(request: composer_pb2.ComposeRequest) -> Iterator[answer_pb2.Sentence]:
    """A fact that was asked for is no symptom: its own place is what to look at."""
    facts = [cited for cited in ordering.answering(request.claims) if cited.claim.critical]
    for cited in facts[:MAX_FACTS]:
        yield from _made("next.see", Material(claims=[cited]))
    if not facts:
        yield from _made("next.lookup", Material(allowed=request.claims))
    yield from provide_sentences(request.gaps, request.checked)


def _after_cause(
    request: composer_pb2.ComposeRequest,
    causes: Sequence[answer_pb2.AllowedClaim],
    seen: Sequence[answer_pb2.AllowedClaim],
) -> Iterator[answer_pb2.Sentence]:
    for cause in causes:
        yield from _revert(cause)
        yield from _made("next.object", Material(claims=[cause]))
    yield from _release(request, causes[0])
    yield from _refute(causes[0])
    yield from _made("next.decide", Material(claims=causes))
    yield from _read(seen)
    yield from provide_sentences(request.gaps, request.checked)
    for cause in causes[1:]:
        yield from _refute(cause)
    yield from _search_first(seen)


def _after_none(
    request: composer_pb2.ComposeRequest, seen: Sequence[answer_pb2.AllowedClaim]
) -> Iterator[answer_pb2.Sentence]:
    missing = [gap for gap in request.gaps if gap.WhichOneof("reason") == "no_supported_cause"]
    if missing:
        yield from _made("next.hold", Material(gaps=missing))
    watched = [*ordering.recovered(seen, request.question), *seen]
    yield from islice(chain.from_iterable(map(_watch, watched)), 1)
    yield from _read(seen)
    yield from provide_sentences(request.gaps, request.checked)
    yield from _made("next.capture", Material(claims=ordering.distinct_components(seen)))
    yield from _search_first(seen)


def _revert(cause: answer_pb2.AllowedClaim) -> Iterator[answer_pb2.Sentence]:
    """Name the change that the cause cites, at its own place."""
    changes = Material(claims=[_only(cause, CHANGE_TOOL)])
    places = values("place", changes)
    if places:
        yield from _made("next.revert", Material(claims=[cause]), place=places[0])


def _refute(cause: answer_pb2.AllowedClaim) -> Iterator[answer_pb2.Sentence]:
    material = Material(claims=[cause])
    template_id = "next.refute_change" if values("change_time", material) else "next.refute"
    for series in series_of([cause])[:1]:
        yield from _made(template_id, material, series=series.text, source=series.source)


def _release(
    request: composer_pb2.ComposeRequest, cause: answer_pb2.AllowedClaim
) -> Iterator[answer_pb2.Sentence]:
    """Warn that a used-up resource may stay held when the change that filled it is gone."""
    material = Material(claims=[cause], allowed=request.claims)
    for series in series_of([cause])[:1]:
        yield from _made("next.release", material, series=series.text, source=series.source)


def _watch(cited: answer_pb2.AllowedClaim) -> Iterator[answer_pb2.Sentence]:
    for series in series_of([cited])[:1]:
        yield from _made("next.watch", Material(claims=[cited]), series=series.text, source=series.source)


def _read(claims: Sequence[answer_pb2.AllowedClaim]) -> Iterator[answer_pb2.Sentence]:
    """Lead to the first cited log line of each component, citing no more claims than that takes."""
    telling = ordering.distinct_components(cited for cited in claims if log_places([cited]))
    yield from _made("next.read", Material(claims=telling[: len(log_places(telling))]))


def _search_first(claims: Sequence[answer_pb2.AllowedClaim]) -> Iterator[answer_pb2.Sentence]:
    yield from islice(chain.from_iterable(map(_search, claims)), 1)


def _search(cited: answer_pb2.AllowedClaim) -> Iterator[answer_pb2.Sentence]:
    for item in cited.evidence:
        needles = values("needle", Material(claims=[_with(cited, [item])]))
        if needles and item.evidence.places:
            source = item.evidence.places[0].source
            yield from _made("next.search", Material(claims=[cited]), source=source, needle=needles[0])
            return


def _only(cited: answer_pb2.AllowedClaim, tool_name: str) -> answer_pb2.AllowedClaim:
    return _with(cited, [item for item in cited.evidence if item.evidence.tool_name == tool_name])


def _with(
    cited: answer_pb2.AllowedClaim, evidence: Sequence[answer_pb2.AllowedEvidence]
) -> answer_pb2.AllowedClaim:
    return answer_pb2.AllowedClaim(claim=cited.claim, confirmed=cited.confirmed, evidence=evidence)


def _made(template_id: str, material: Material, **picked: str) -> Iterator[answer_pb2.Sentence]:
    made = sentence(template_id, material, **picked)
    if made is not None:
        yield made
