"""What kind of answer a question asks for: a small rule on its words."""

import re

from assay.common.v1 import context_pb2

# A question that asks for a reason asks for a cause, however it starts.
_CAUSE = re.compile(
    r"\b(why|caus\w*|reasons?|explain\w*|root|culprit|blame|broke|went wrong|what (is|are|was|has) wrong"
    r"|what happened|(is|are|was|were|been) (making|breaking|slowing)|due to|diagnos\w*|troubleshoot\w*)\b"
)
_LOOKUP = re.compile(
    r"^\W*(please\s+)?("
    r"how (many|much|often|long|large|big|high|old)|which|when|since when|where|who|list|show|count"
    r"|(what|which) (is|are|was|were) the (\w+ )?(number|count|version|value|size|state|status|limit|rate)"
    r"|what (version|time|percentage|share)|is there|are there|was there|were there|do we have"
    r")\b"
)


def intent_of(question: str) -> context_pb2.Intent.ValueType:
    """Return the intent that a question suggests: a lookup when it asks for a fact, else a cause."""
    words = question.lower()
    if _LOOKUP.match(words) and not _CAUSE.search(words):
        return context_pb2.INTENT_LOOKUP
    return context_pb2.INTENT_CAUSE
