"""The first cycle of a question for a fact: what tells of what there is, by the words of the question.

Which figures are needed depends on what exists, so that the executor asks for those itself.
"""

import re
from collections.abc import Iterator
from typing import Final

from assay.common.v1 import tool_pb2

from services.planner.offline.desk import Desk
from services.planner.offline.full import of_small_sources

# Words that only logs answer, quoted text among them; else logs are read when the executor finds them needed.
_OF_LOGS: Final = re.compile(
    r"\b(lines?|logs?|logged|messages?|errors?|fail\w*|warnings?|fatal|panics?|requests?|responses?|status"
    r"|[1-5](xx|\d\d)(s|'s)?|oom)\b|[\"\u201c`]",
    re.IGNORECASE,
)
_LOGS_GOAL: Final = "Learn which logs there are, of which time, and how long they are."


def lookup_plan(desk: Desk) -> Iterator[tool_pb2.PlanStep]:
    """Yield the steps in the order of execution: small sources as they are, then overviews of large ones."""
    named = [*of_small_sources(desk), *_overviews(desk)]
    yield from named or _anything(desk)


def _overviews(desk: Desk) -> Iterator[tool_pb2.PlanStep]:
    yield from _overview(desk, "kubernetes_inventory", "List the objects of the cluster with their states.")
    if _OF_LOGS.search(desk.question):
        yield from _overview(desk, "logs_count", _LOGS_GOAL)


def _anything(desk: Desk) -> Iterator[tool_pb2.PlanStep]:
    """Yield what lets the executor begin where the question's words lead nowhere: it knows more words."""
    yield from _overview(desk, "logs_count", _LOGS_GOAL)
    for source in desk.sources("metrics_list")[:1]:
        made = desk.step("metrics_list", "Learn which metrics there are.", {"source": source.name})
        if made is not None:
            yield made


def _overview(desk: Desk, tool_name: str, goal: str) -> Iterator[tool_pb2.PlanStep]:
    made = desk.step(tool_name, goal, {}) if desk.sources(tool_name) else None
    if made is not None:
        yield made
