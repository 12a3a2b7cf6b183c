"""What a model is told of one request to compose. Pure."""

from collections.abc import Iterator
from typing import Final

from assay.common.v1 import answer_pb2, context_pb2, evidence_pb2
from assay.composer.v1 import composer_pb2

from services.common.bounds import MAX_QUESTION_CHARS
from services.common.evidence.names import short_name
from services.common.llm.quoted import quoted
from services.common.llm.room import weight_of
from services.composer.offline import ordering

MAX_STATEMENT_CHARS: Final = 1024


def material(request: composer_pb2.ComposeRequest, room: int) -> str:
    """Return the question and the claims, the most important first, as many as fit in `room` bytes."""
    lines = list(_frame(request))
    rows = [_claim(label, cited) for label, cited in labelled(request).items()]
    room -= weight_of(lines)
    if weight_of(rows) > room:
        # Without any claim there is nothing to ask; then the client says that the bound is too low.
        shown = max(1, _fitting(rows, room - weight_of([_hidden(len(rows))])))
        lines.append(_hidden(len(rows) - shown))
        rows = rows[:shown]
    return "\n".join([*lines, *rows])


def labelled(request: composer_pb2.ComposeRequest) -> dict[str, answer_pb2.AllowedClaim]:
    """Return the claims as c1, c2, ..., the most important first: causes, then as an answer orders them."""
    ordered = [
        *ordering.causes(request.claims),
        *ordering.confirmed(request.claims),
        *ordering.directions(request.claims),
    ]
    once = {cited.claim.claim_id: cited for cited in ordered}
    return {f"c{index}": cited for index, cited in enumerate(once.values(), start=1)}


def _frame(request: composer_pb2.ComposeRequest) -> Iterator[str]:
    yield quoted("question", request.question, MAX_QUESTION_CHARS)
    yield f"It asks for: {'a fact' if request.intent == context_pb2.INTENT_LOOKUP else 'a cause'}"
    yield "Claims:"


def _claim(label: str, cited: answer_pb2.AllowedClaim) -> str:
    claim_type = short_name(evidence_pb2.ClaimType.DESCRIPTOR, cited.claim.claim_type)
    words = [label, "confirmed" if cited.confirmed else "possible", claim_type]
    return quoted(" ".join(filter(None, words)), cited.claim.statement, MAX_STATEMENT_CHARS)


def _hidden(count: int) -> str:
    return f"{count} more claims, which matter less, are not shown."


def _fitting(rows: list[str], room: int) -> int:
    for count, row in enumerate(rows):
        room -= weight_of([row])
        if room < 0:
            return count
    return len(rows)
