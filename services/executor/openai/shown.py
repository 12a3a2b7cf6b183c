"""What a model is shown in one round: the question, what may still be called, and what was recorded. Pure."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from assay.common.v1 import context_pb2, evidence_pb2

from services.common.evidence.names import rfc3339, short_name
from services.common.llm.quoted import shortened
from services.common.llm.room import weight_of
from services.common.visible import visible
from services.executor.desk import Gathered
from services.executor.openai.answer import StatedClaim
from services.executor.openai.records import Note, Records
from services.executor.tools.tool import Arguments, Tool

_MAX_STATEMENT: Final = 300
_MAX_SOURCES, _MAX_CLAIMS, _MAX_REFS = 40, 32, 8


@dataclass(frozen=True, slots=True)
class Round:
    """What one round is about. `notes` are those of all calls; the first `known` were shown before.

    `rounds_left` counts the rounds of calls that may follow; `room` is the bytes that its text may have.
    """

    context: context_pb2.DiagnosisContext
    gaps: Sequence[evidence_pb2.ClaimGap]
    notes: Sequence[Note]
    claims: Sequence[StatedClaim]
    known: int
    rounds_left: int
    room: int


def material(gathered: Gathered, asked: Round) -> str:
    """Return the text of a round. Every line of data begins with its reference; nothing else begins so."""
    parts = [*_frame(asked), *_claims(asked.claims)]
    if asked.rounds_left:
        parts += [*_offered(gathered.tools, gathered.sources), f"Rounds of calls left: {asked.rounds_left}."]
    else:
        parts.append("No further call can be made: state the claims.")
    about = " ".join(f"{gap.statement} {gap.component}" for gap in asked.gaps)
    records = Records(gathered.calls, asked.notes, asked.known)
    return "\n".join([*parts, *records.shown(asked.context.question, about, asked.room - weight_of(parts))])


def _frame(asked: Round) -> Iterator[str]:
    context = asked.context
    yield f"# Question ({short_name(context_pb2.Intent.DESCRIPTOR, context.intent)})"
    yield visible(context.question)
    window = [
        rfc3339(getattr(context.window, side)) if context.window.HasField(side) else "open"
        for side in ("start", "end")
    ]
    if window != ["open", "open"]:
        yield f"Window: {window[0]} to {window[1]}"
    if asked.gaps:
        yield "# Claims that their evidence did not carry; answer them under their ids"
    for gap in asked.gaps:
        kind = short_name(evidence_pb2.ClaimType.DESCRIPTOR, gap.claim_type)
        yield visible(f"{gap.claim_id} ({kind}, {gap.component}): {shortened(gap.statement, _MAX_STATEMENT)}")


def _claims(claims: Sequence[StatedClaim]) -> Iterator[str]:
    if claims:
        yield "# Your claims of earlier rounds; they stand unless you state their ids again"
    for claim in claims[:_MAX_CLAIMS]:
        refs = " ".join(claim.refs[:_MAX_REFS])
        yield visible(f"{claim.id} ({claim.type}): {shortened(claim.statement, _MAX_STATEMENT)} [{refs}]")


def _offered(tools: Mapping[str, Tool], sources: Sequence[str]) -> Iterator[str]:
    yield "# Tools"
    for tool in tools.values():
        what = tool.description.split(":")[0].rstrip(".")
        yield f"{tool.name}({', '.join(_arguments(tool.arguments))}): {what}"
    if sources:
        more = f" and {len(sources) - _MAX_SOURCES} more" if len(sources) > _MAX_SOURCES else ""
        yield f"Sources: {', '.join(visible(name) for name in sources[:_MAX_SOURCES])}{more}"


def _arguments(model: type[Arguments]) -> Iterator[str]:
    for name, field in model.model_fields.items():
        several = "[]" if "list" in str(field.annotation) else ""
        yield f"{name}{several}{'' if field.is_required() else '?'}"
