"""What a model is told of one request to plan. Pure."""

from collections.abc import Iterable, Sequence
from typing import Final

from assay.common.v1 import context_pb2, evidence_pb2
from assay.planner.v1 import planner_pb2

from services.common.bounds import MAX_QUESTION_CHARS
from services.common.evidence.names import short_name
from services.common.llm.quoted import quoted
from services.common.llm.room import weight_of
from services.planner.openai.inventory import inventory_lines, words_of
from services.planner.openai.signatures import tool_line, usable

MAX_STATEMENT_CHARS: Final = 600


def material(request: planner_pb2.PlanRequest, room: int) -> str:
    """Return the question, the tools and the sources in about `room` bytes; sources give way."""
    gaps = gaps_of(request)
    tools = usable(request.catalog)
    lines = [*_frame(request.context), *_gap_lines(gaps), "Tools:", *map(tool_line, tools), "Sources:"]
    kinds = {kind for tool in tools for kind in tool.source_kinds}
    sources = [source for source in request.catalog.sources if source.available and source.kind in kinds]
    asked = words_of([request.context.question, *(f"{gap.component} {gap.statement}" for gap in gaps)])
    lines += inventory_lines(sources, asked, room - weight_of(lines))
    return "\n".join(lines)


def gaps_of(request: planner_pb2.PlanRequest) -> Sequence[evidence_pb2.ClaimGap]:
    """Return the gaps that the plan must serve: none in the first cycle."""
    second = request.mode == planner_pb2.PLAN_MODE_EVIDENCE_GAP_ONLY
    return request.gaps if second else ()


def gap_label(index: int) -> str:
    """Return what a gap is called towards the model."""
    return f"g{index + 1}"


def _frame(context: context_pb2.DiagnosisContext) -> Iterable[str]:
    yield quoted("question", context.question, MAX_QUESTION_CHARS)
    yield f"It asks for: {'a fact' if context.intent == context_pb2.INTENT_LOOKUP else 'a cause'}"
    window = context.window
    bounds = [getattr(window, side).ToJsonString() for side in ("start", "end") if window.HasField(side)]
    if bounds:
        yield f"Window: {' to '.join(bounds)}"


def _gap_lines(gaps: Sequence[evidence_pb2.ClaimGap]) -> Iterable[str]:
    if gaps:
        yield "Gaps, statements that the evidence did not carry:"
    for index, gap in enumerate(gaps):
        kind = short_name(evidence_pb2.ClaimType.DESCRIPTOR, gap.claim_type)
        judged = short_name(evidence_pb2.Classification.DESCRIPTOR, gap.classification)
        about = f" about {gap.component}" if gap.component else ""
        yield quoted(gap_label(index), f"{kind}{about}, {judged}: {gap.statement}", MAX_STATEMENT_CHARS)
