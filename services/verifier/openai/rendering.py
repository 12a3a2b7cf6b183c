"""What a model is told of one request to verify. Pure."""

import re
from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple

from assay.common.v1 import context_pb2, evidence_pb2
from assay.verifier.v1 import verifier_pb2

from services.common.bounds import MAX_QUESTION_CHARS
from services.common.evidence.names import short_name
from services.common.llm.quoted import quoted
from services.common.llm.room import weight_of
from services.verifier.openai.labels import LabelledClaim, in_brackets, labelled

_MAX_PLACE_CHARS: Final = 400
# A shorter text costs less than the words that it was shown before.
_REPEATED_CHARS: Final = 48
# Parts of a pointer to an element of a list: the root, the list and its index.
_ELEMENT: Final = 3
_WORD: Final = re.compile(r"\w+")
_TIME_OF_DAY: Final = slice(len("2026-11-30T"), len("2026-11-30T09:10:53"))


class Bounds(NamedTuple):
    """How much is shown: characters of a statement and of an evidence text, pieces of evidence per claim."""

    statement: int
    text: int
    items: int


# The first that fits is taken.
LEVELS: Final = (
    Bounds(2048, 800, 32),
    Bounds(1024, 400, 24),
    Bounds(600, 200, 16),
    Bounds(400, 120, 8),
    Bounds(300, 80, 4),
    Bounds(200, 60, 2),
)


def material(request: verifier_pb2.VerifyRequest, room: int) -> str:
    """Return question, claims and evidence in `room` bytes, or as few as the strictest bounds make them."""
    claims = labelled(request)
    frame = list(_frame(request))
    lines: list[str] = []
    for bounds in LEVELS:
        lines = [*frame, *_Sheet(bounds, _earlier(request)).lines(claims)]
        if weight_of(lines) <= room:
            break
    return "\n".join(lines)


def _frame(request: verifier_pb2.VerifyRequest) -> Iterator[str]:
    yield quoted("question", request.diagnosis_context.question, MAX_QUESTION_CHARS)
    lookup = request.diagnosis_context.intent == context_pb2.INTENT_LOOKUP
    yield f"It asks for: {'a fact' if lookup else 'a cause'}"
    if request.verdict_ceiling == evidence_pb2.VERDICT_LOW_CONFID:
        yield "The verdict is at most low_confid: the check of the citations left no more."
    yield "Claims:"


def _earlier(request: verifier_pb2.VerifyRequest) -> dict[str, str]:
    """Return how claims were judged before they were looked into again."""
    return {
        gap.claim_id: short_name(evidence_pb2.Classification.DESCRIPTOR, gap.classification)
        for gap in request.retry_context.gaps
        if gap.classification
    }


class _Sheet:
    """The lines of claims under given bounds; each piece of evidence once, under the first claim of it."""

    def __init__(self, bounds: Bounds, earlier: dict[str, str]) -> None:
        self._bounds = bounds
        self._earlier = earlier
        self._shown: set[str] = set()
        self._texts: dict[str, str] = {}
        self._place: tuple[str, ...] = ()

    def lines(self, claims: Sequence[LabelledClaim]) -> Iterator[str]:
        for row in claims:
            picked = _telling(row, self._bounds.items)
            yield self._claim(row, picked)
            places: dict[tuple[str, ...], list[str]] = {}
            for label in picked:
                if label not in self._shown:
                    places.setdefault(_place(row.items[label]), []).append(label)
            self._shown.update(picked)
            for place, labels in places.items():
                if place != self._place:
                    yield quoted("from", _where(row.items[labels[0]]), _MAX_PLACE_CHARS)
                self._place = place
                yield from (self._evidence(label, row.items[label]) for label in labels)

    def _claim(self, row: LabelledClaim, picked: list[str]) -> str:
        claim = row.claim
        words = [
            row.label,
            short_name(evidence_pb2.ClaimType.DESCRIPTOR, claim.claim_type),
            short_name(evidence_pb2.ClaimStatus.DESCRIPTOR, claim.status),
            "critical" if claim.critical else "",
            f"earlier {self._earlier[claim.claim_id]}" if claim.claim_id in self._earlier else "",
        ]
        hidden = len(row.items) - len(picked)
        cited = in_brackets(picked) + (f", {hidden} more not shown" if hidden else "")
        return quoted(f"{' '.join(filter(None, words))} [{cited}]", _said(claim), self._bounds.statement)

    def _evidence(self, label: str, item: evidence_pb2.VerifiedEvidence) -> str:
        _, member = _split(item.raw_path)
        before = self._texts.setdefault(item.matched_text, label)
        if before != label and len(item.matched_text) >= _REPEATED_CHARS:
            return quoted(f"{label} same text as {before}", member, _MAX_PLACE_CHARS)
        return quoted(label, f"{member}: {item.matched_text}", self._bounds.text)


def _said(claim: evidence_pb2.VerifiedClaim) -> str:
    """Return a claim's statement, and what it asserts besides."""
    besides = [
        f"component {claim.component}" if claim.component and claim.component not in claim.statement else "",
        f"fault {claim.fault}" if claim.fault else "",
    ]
    told = ", ".join(filter(None, besides))
    return f"{claim.statement} ({told})" if told else claim.statement


def _telling(row: LabelledClaim, most: int) -> list[str]:
    """Return the labels of at most so many pieces, those that share most words with the statement."""
    if len(row.items) <= most:
        return list(row.items)
    said = set(_WORD.findall(row.claim.statement.casefold()))
    ranked = sorted(
        row.items,
        key=lambda label: -len(said.intersection(_WORD.findall(row.items[label].matched_text.casefold()))),
    )
    kept = set(ranked[:most])
    return [label for label in row.items if label in kept]


def _split(raw_path: str) -> tuple[str, str]:
    """Return the element that a pointer lies in, empty for the document, and the way on from there."""
    parts = raw_path.split("/")
    cut = _ELEMENT if len(parts) > _ELEMENT else 1
    # Everything in an element of a JSON source is in its value.
    return "/".join(parts[:cut]), "/".join(parts[cut:]).removeprefix("value/")


def _place(item: evidence_pb2.VerifiedEvidence) -> tuple[str, ...]:
    """Return what pieces of evidence have in common that are shown together."""
    sources = [place.source for place in item.places[:1]]
    return (item.source_invocation_id, _split(item.raw_path)[0], *sources)


def _where(item: evidence_pb2.VerifiedEvidence) -> str:
    """Return the tool, the element of its output, and the file, line, owner and time of what was read."""
    told = [f"{item.tool_name} {_split(item.raw_path)[0]}".strip()]
    for place in item.places[:1]:
        told += [f"{place.source}:{place.first_line}".removesuffix(":0"), place.owner]
        # Most lines say themselves when they were written.
        if not item.derived and place.time[_TIME_OF_DAY] not in item.matched_text:
            told.append(place.time)
    if len(item.places) > 1:
        told.append(f"{len(item.places) - 1} more places")
    return ", ".join(filter(None, told))
