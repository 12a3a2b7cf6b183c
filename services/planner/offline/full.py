"""The first cycle: what every diagnosis looks at, as far as it is there."""

from collections.abc import Iterator

from assay.common.v1 import tool_pb2

from services.planner.offline.desk import Desk

# One call per source; the few small sources come first, they tell what the others are read for.
_BY_SOURCE = (
    ("topology_get", "Learn which component calls which, from {source}."),
    ("alerts_list", "Find which alerts fire and since when, in {source}."),
    ("change_events_list", "Find what was changed and when, in {source}."),
)
# One call for all sources of the tool's kinds.
_AT_ONCE = (
    ("kubernetes_findings", "Find what is wrong with which object of the cluster."),
    ("metrics_change_points", "Find which metrics changed, when first and by how much."),
    ("metrics_saturation", "Find which bounded resource came near its limit, and who used it."),
)
_LOGS = ("logs_templates", "Find what became new or more frequent in {source}{owner}.")
# A scope with very many small sources must not crowd out the logs.
MAX_SMALL_SOURCES = 8


def full_plan(desk: Desk) -> Iterator[tool_pb2.PlanStep]:
    """Yield the steps in the order of execution, those that matter most first."""
    yield from of_small_sources(desk)
    for tool_name, goal in _AT_ONCE:
        made = desk.step(tool_name, goal, {}) if desk.sources(tool_name) else None
        if made is not None:
            yield made
    yield from _of_sources(desk, *_LOGS)


def of_small_sources(desk: Desk) -> Iterator[tool_pb2.PlanStep]:
    """Yield the steps that read who exists, what fires and what was changed."""
    for tool_name, goal in _BY_SOURCE:
        yield from _of_sources(desk, tool_name, goal, MAX_SMALL_SOURCES)


def _of_sources(
    desk: Desk, tool_name: str, goal: str, limit: int | None = None
) -> Iterator[tool_pb2.PlanStep]:
    for source in desk.sources(tool_name)[:limit]:
        owner = f", written by {source.owner}" if source.owner else ""
        text = goal.format(source=source.name, owner=owner)
        made = desk.step(tool_name, text, {"source": source.name})
        if made is not None:
            yield made
