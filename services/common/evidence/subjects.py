"""What a sentence announces itself to be about, as in "checkout: the alert is firing"."""

import re
from typing import Final

from services.common.evidence.facts import Fact, FactKind
from services.common.evidence.holdings import Holdings

_SUBJECT: Final = re.compile(r"\s*(?P<name>[^\W\d][\w.-]{0,255}):\s")
# What a sentence may be, or be read from, rather than be about.
_KINDS: Final = frozenset(
    {"cause", "context", "effect", "evidence", "fact", "finding", "impact", "note", "observation", "result"}
    | {
        "summary",
        "symptom",
        "timeline",
        "before",
        "after",
        "alert",
        "alerts",
        "change",
        "changes",
        "configuration",
    }
    | {"deployment", "error", "errors", "event", "events", "failure", "failures", "log", "logs", "message"}
    | {"metric", "metrics", "release", "requests", "topology", "warning", "warnings"}
)


def is_about_nobody(statement: str, held: Holdings) -> bool:
    """Tell whether a statement begins with a name and a colon, and nothing held has that name."""
    match = _SUBJECT.match(statement)
    if match is None or match["name"].casefold() in _KINDS:
        return False
    return not held.holds(Fact(FactKind.IDENTIFIER, match["name"]))
