"""What a sentence announces itself to be about, as in "checkout: the alert is firing"."""

import re
from typing import Final

from services.common.evidence.facts import Fact, FactKind
from services.common.evidence.holdings import Holdings

_SUBJECT: Final = re.compile(r"\s*(?P<name>[^\W\d][\w.-]{0,255}):\s")
# What a sentence may be, or be read from, rather than be about.
_KINDS: Final = frozenset(
    {"after", "alert", "alerts", "before", "cause", "change", "changes", "configuration", "context"}
    | {"deployment", "effect", "error", "errors", "event", "events", "evidence", "fact", "failure"}
    | {"failures", "finding", "further", "impact", "log", "logs", "message", "metric", "metrics", "note"}
    | {"observation", "release", "requests", "result", "summary", "symptom", "timeline", "topology"}
    | {"warning", "warnings"}
)


def is_about_nobody(statement: str, held: Holdings) -> bool:
    """Tell whether a statement begins with a name and a colon, and nothing held has that name."""
    match = _SUBJECT.match(statement)
    if match is None or match["name"].casefold() in _KINDS:
        return False
    return not held.holds(Fact(FactKind.IDENTIFIER, match["name"]))
