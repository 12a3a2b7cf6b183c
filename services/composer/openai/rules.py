"""What a sentence of a model may not say beyond what the rules of an answer know: words, not facts. Pure.

The rules find facts by their form. A plain word has none, be it the name of a component or "because".
"""

import re
from collections.abc import Collection, Sequence
from typing import Final

from assay.common.v1 import answer_pb2, evidence_pb2

from services.common.visible import visible

MAX_TEXT_CHARS: Final = 600
_WHY: Final = re.compile(
    r"\b(?:because|caus(?:e[sd]?|ing)|due to|owing to|root cause|culprit|blame[sd]?|responsible"
    r"|l(?:ed|eads?|eading) to|result(?:s|ed|ing)? (?:of|from|in)|trigger(?:s|ed|ing)?|thanks to)\b",
    re.IGNORECASE,
)
_WORD: Final = re.compile(r"[\w.-]+")


def may_say(text: str, cited: Sequence[answer_pb2.AllowedClaim], components: Collection[str]) -> bool:
    """Tell whether a text is one plain line that names and explains no more than what it cites.

    `components` are all that the answer could name.
    """
    if not text.strip() or len(text) > MAX_TEXT_CHARS or visible(text) != text:
        return False
    material = " ".join(_texts(cited))
    said = _names(text)
    foreign = {name for name in components if name.casefold() in said} - _named(components, material)
    explains = any(item.claim.claim_type == evidence_pb2.CLAIM_TYPE_CAUSE for item in cited)
    return not foreign and (explains or not _WHY.search(text) or bool(_WHY.search(material)))


def _named(components: Collection[str], material: str) -> set[str]:
    words = _names(material)
    return {name for name in components if name.casefold() in words or name in material}


def _names(text: str) -> set[str]:
    return {word.strip(".-") for word in _WORD.findall(text.casefold())}


def _texts(cited: Sequence[answer_pb2.AllowedClaim]) -> list[str]:
    """Return what claims say and rest on."""
    said = [text for item in cited for text in (item.claim.statement, item.claim.component)]
    found = [piece.evidence for item in cited for piece in item.evidence]
    owners = [place.owner for piece in found for place in piece.places]
    return [*said, *(piece.matched_text for piece in found), *owners]
