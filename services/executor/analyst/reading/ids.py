"""The ids that a question names behind a word for what bears them: order 88123, request 7f1c…."""

import re
from collections.abc import Collection

from services.executor.analyst.reading.words import vocabulary

MAX_IDS = 2
_HEX = r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}|(?=[a-f]*\d)[0-9a-f]{16,64}"
_ID = rf"{_HEX}|[A-Za-z]{{2,8}}[-_]\d{{3,19}}|\d{{4,19}}"
_BORNE = re.compile(
    rf"(?<![\w./:-])(?P<noun>[A-Za-z]{{3,30}})(?:[ _-]id)?(?: ?[:=#] ?| )#?(?P<id>{_ID})(?![\w%-]|[.:/]\w)",
    re.IGNORECASE,
)
# Behind these a number tells a time, a place or an amount.
_NO_BEARERS = vocabulary(
    """port ports code codes status exit errno line lines year version since until from after before about
    than over under above below exceeds exceeded around roughly only last first next and per the for with was
    january february march april may june july august september october november december
    jan feb mar apr jun jul aug sep sept oct nov dec"""
)


def ids_of(question: str, names: Collection[str]) -> tuple[str, ...]:
    """Return the ids that a question names; what is the name of something known is none."""
    found = (match for match in _BORNE.finditer(question) if match["noun"].lower() not in _NO_BEARERS)
    known = {name.lower() for name in names}
    return tuple(dict.fromkeys(match["id"] for match in found if match["id"].lower() not in known))[:MAX_IDS]
