"""What a sentence in a model's own words may not say beyond what its material holds: words, not facts. Pure.

Facts are found by their form. A plain word has none, be it the name of a component, "because", "certainly" or
"restart it".
"""

import re
from collections.abc import Collection, Iterable, Sequence
from typing import Final
from unicodedata import category

from assay.common.v1 import answer_pb2, evidence_pb2

from services.common.evidence.matching import hides
from services.common.evidence.quantities import is_unit

MAX_TEXT_CHARS: Final = 600
_WHY: Final = re.compile(
    r"\b(?:because|caus(?:e[sd]?|ing)|due to|owing to|root cause|culprit|blame[sd]?|responsible"
    r"|l(?:ed|eads?|eading) to|result(?:s|ed|ing)? (?:of|from|in)|trigger(?:s|ed|ing)?|thanks to"
    r"|therefore|hence|consequen(?:ce|tly)|as a result|so that)\b",
    re.IGNORECASE,
)
_DOUBTS: Final = re.compile(
    r"\b(?:may|might|could|possibl[ey]|probabl[ey]|likely|perhaps|suspect(?:s|ed)?|unproven|not proven)\b",
    re.IGNORECASE,
)
# How sure an answer is, whether all is well again and what to do are the fixed sentences' to say.
_OTHERS_TO_SAY: Final = re.compile(
    r"\b(?:certain(?:ly|ty)|definite(?:ly)?|undoubted(?:ly)?|obvious(?:ly)?|clearly|surely|proven|proves?"
    r"|guaranteed?|resolved|recovered|harmless|all clear|(?:healthy|well|normal) again|back to normal"
    r"|(?:should|must|ought to|needs? to)(?=\s+[a-z])|please|recommend(?:s|ed)?|advis(?:e[sd]?|able)"
    r"|(?<!to )(?<!not )(?:restart|reboot|revert|roll back|delete|disable|kill)"
    r"\s+(?:the|it|its|them|all|this|that|your|every|each))\b",
    re.IGNORECASE,
)
# A component may bear one of these names; a sentence that has the word seldom speaks of that component.
ORDINARY_WORDS: Final = frozenset(
    {"alert", "alerts", "change", "changes", "configuration", "container", "deployment", "event"}
    | {"events", "failure", "file", "files", "host", "image", "job", "jobs", "level", "line", "lines"}
    | {"log", "logs", "memory", "message", "metric", "metrics", "node", "nodes", "object", "pod", "pods"}
    | {"record", "records", "report", "request", "requests", "restart", "sample", "samples", "series"}
    | {"service", "state", "status", "time", "volume"}
)
# A link or a tag: shown as text it is harmless, shown by what renders it it is not.
_MARK_UP: Final = re.compile(r"\]\s?\(|</?[A-Za-z!]")
_LETTERS: Final = re.compile(r"[^\W\d_]+")
_WORD: Final = re.compile(r"[\w.-]+")


def says_why(text: str) -> bool:
    """Tell whether a text gives a reason for something."""
    return _WHY.search(text) is not None


def urges_more(text: str, material: Iterable[str]) -> bool:
    """Tell whether a text says how sure something is, or what to do, in words that its material has not."""
    return _adds(_OTHERS_TO_SAY, text, "\n".join(material))


def foreign_words(text: str) -> list[str]:
    """Return the words with letters that English has not, but for units: nobody reads their denials."""
    words = dict.fromkeys(_LETTERS.findall(text))
    return [word for word in words if not word.isascii() and not is_unit(word)]


def may_say(text: str, cited: Sequence[answer_pb2.AllowedClaim], components: Collection[str]) -> bool:
    """Tell whether a text is one plain line that names, explains and urges no more than what it cites.

    `components` are all that the answer could name.
    """
    if not text.strip() or len(text) > MAX_TEXT_CHARS or not _is_plain(text):
        return False
    material = " ".join(_texts(cited))
    said = _names(text)
    foreign = {name for name in components if name.casefold() in said} - _named(components, material)
    added = any(_adds(words, text, material) for words in (_OTHERS_TO_SAY, _MARK_UP))
    return not foreign and not added and _may_explain(text, cited, material)


def _is_plain(text: str) -> bool:
    """Tell whether a text is one line of which each character is seen, be it a space of any width."""
    return not hides(text) and all(char.isprintable() or category(char) == "Zs" for char in text)


def _may_explain(text: str, cited: Sequence[answer_pb2.AllowedClaim], material: str) -> bool:
    """Tell whether a text says why only as its material does, or as a cause that it cites allows.

    A cause that is only possible allows no more than a guess that is called one.
    """
    if not says_why(text) or says_why(material):
        return True
    causes = [item.claim for item in cited if item.claim.claim_type == evidence_pb2.CLAIM_TYPE_CAUSE]
    stated = any(claim.status == evidence_pb2.CLAIM_STATUS_CONFIRMED for claim in causes)
    return stated or (bool(causes) and _DOUBTS.search(text) is not None)


def _adds(words: re.Pattern[str], text: str, material: str) -> bool:
    """Tell whether a text holds words of a kind that its material does not hold."""
    held = material.casefold()
    return any(match.group().casefold() not in held for match in words.finditer(text))


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
