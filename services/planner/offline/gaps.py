"""The second cycle: only what the evidence did not carry is looked for again, where it would be found."""

import re
from collections.abc import Iterator, Sequence

from assay.common.v1 import evidence_pb2, tool_pb2

from services.planner.offline.desk import Desk

# A shorter quotation matches everywhere.
_QUOTED = re.compile(r'"([^"]{4,400})"')
_WORD = re.compile(r"\w+")
MAX_QUOTATIONS = 4


def gap_plan(desk: Desk, gap: evidence_pb2.ClaimGap) -> Iterator[tool_pb2.PlanStep]:
    """Yield the steps that could carry one gap's statement, the most telling first."""
    yield from filter(None, _searches(desk, gap))
    if gap.claim_type == evidence_pb2.CLAIM_TYPE_CAUSE:
        yield from filter(None, _changes(desk, gap))
    yield from filter(None, _series(desk, gap))
    yield from filter(None, _objects(desk, gap))


def _searches(desk: Desk, gap: evidence_pb2.ClaimGap) -> Iterator[tool_pb2.PlanStep | None]:
    """Search the component's logs for what was quoted; without a quotation, count what is in them."""
    quoted = list(dict.fromkeys(_QUOTED.findall(gap.statement)))[:MAX_QUOTATIONS]
    for source in _owned_or_all(desk.sources("logs_search"), gap.component):
        for text in quoted:
            goal = f"Find the lines of {source.name} that hold the quoted text."
            arguments = {"source": source.name, "contains": [text]}
            yield desk.step("logs_search", goal, arguments, gap_claim_id=gap.claim_id)
        if not quoted:
            goal = f"Find what became new or more frequent in {source.name}."
            yield desk.step("logs_templates", goal, {"source": source.name}, gap_claim_id=gap.claim_id)


def _changes(desk: Desk, gap: evidence_pb2.ClaimGap) -> Iterator[tool_pb2.PlanStep | None]:
    for source in desk.sources("change_events_list"):
        goal = f"Find what was changed and when, in {source.name}."
        yield desk.step("change_events_list", goal, {"source": source.name}, gap_claim_id=gap.claim_id)


def _series(desk: Desk, gap: evidence_pb2.ClaimGap) -> Iterator[tool_pb2.PlanStep | None]:
    """Read the series that the statement names, and those of the component."""
    words = set(_WORD.findall(gap.statement))
    sources = desk.sources("metrics_query_range")
    named = [source for source in sources if _stem(source.name) in words]
    owned = [source for source in sources if source.owner and source.owner == gap.component]
    for source in {source.name: source for source in (*named, *owned)}.values():
        goal = f"Read the samples of {source.name}."
        yield desk.step("metrics_query_range", goal, {"source": source.name}, gap_claim_id=gap.claim_id)


def _objects(desk: Desk, gap: evidence_pb2.ClaimGap) -> Iterator[tool_pb2.PlanStep | None]:
    """Read the component as the sources of a cluster show it."""
    for source in desk.sources("kubernetes_objects") if gap.component else []:
        goal = f"Read {gap.component} as {source.name} shows it."
        arguments = {"source": source.name, "names": [gap.component]}
        yield desk.step("kubernetes_objects", goal, arguments, gap_claim_id=gap.claim_id)


def _stem(name: str) -> str:
    """Return a file's name without folder and ending."""
    return name.rpartition("/")[2].partition(".")[0]


def _owned_or_all(sources: Sequence[tool_pb2.SourceInfo], component: str) -> list[tool_pb2.SourceInfo]:
    owned = [source for source in sources if source.owner and source.owner == component]
    return owned or list(sources)
