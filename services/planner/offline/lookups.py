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
_OVERVIEWS: Final = (
    ("kubernetes_inventory", "List the objects of the cluster with their states."),
    ("logs_count", "Learn which logs there are, of which time, and how long they are."),
)


def lookup_plan(desk: Desk) -> Iterator[tool_pb2.PlanStep]:
    """Yield the steps in the order of execution: small sources as they are, then overviews of large ones."""
    yield from of_small_sources(desk)
    for tool_name, goal in _OVERVIEWS:
        needed = tool_name != "logs_count" or _OF_LOGS.search(desk.question) is not None
        made = desk.step(tool_name, goal, {}) if needed and desk.sources(tool_name) else None
        if made is not None:
            yield made
