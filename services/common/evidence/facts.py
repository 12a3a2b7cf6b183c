"""The concrete facts of a sentence: what must stand in evidence before the sentence may be believed.

Facts are found by form alone, without a list of known systems. Each pass takes what it recognises out of the
sentence, so that no character belongs to two facts; each pattern is linear in the length of the text.
"""

import ipaddress
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from enum import StrEnum
from itertools import pairwise
from typing import Final, TypeAlias

from services.common.evidence.instants import Instant, instants_in
from services.common.evidence.quantities import Quantity, is_unit, number_words_in, quantities_in


class FactKind(StrEnum):
    """What a fact is."""

    INSTANT = "instant"
    NUMBER = "number"
    CODE = "code"
    IDENTIFIER = "identifier"
    ADDRESS = "address"
    QUOTATION = "quotation"
    NEGATION = "negation"


# What names a thing: when nothing anywhere holds it, it was invented.
NAMING: Final = frozenset({FactKind.CODE, FactKind.IDENTIFIER, FactKind.ADDRESS, FactKind.QUOTATION})


@dataclass(frozen=True, slots=True)
class Label:
    """One `name="value"` of a label set."""

    name: str
    value: str


@dataclass(frozen=True, slots=True)
class Line:
    """The number of a line in a file."""

    number: int


Value: TypeAlias = Instant | Quantity | Label | Line | None


@dataclass(frozen=True, slots=True)
class Fact:
    """One concrete fact as the sentence writes it; `value` where it is compared by value.

    Two facts are equal wherever they stand; `start` is the offset in the sentence.
    """

    kind: FactKind
    text: str
    value: Value = None
    start: int = field(default=0, compare=False)


Found: TypeAlias = tuple[int, int, Fact]

# Each negation, with the word that stands for all of its kind.
_NEGATIONS: Final = {
    **dict.fromkeys(("no", "none", "nothing", "nobody", "neither", "nor", "zero"), "no"),
    **dict.fromkeys(("not", "cannot"), "not"),
    "never": "never",
    "without": "without",
    **dict.fromkeys(("nowhere", "hardly", "scarcely"), "no"),
    **dict.fromkeys(("false", "untrue"), "false"),
    # Of other languages in Latin letters those that mean nothing else in English.
    **dict.fromkeys(("kein", "keine", "keinen", "keiner", "keinem", "keines"), "no"),
    **dict.fromkeys(("aucun", "aucune", "ninguno", "ninguna", "nenhum", "nessun", "nessuna", "geen"), "no"),
    **dict.fromkeys(("nicht", "pas", "niet"), "not"),
    **dict.fromkeys(("nie", "niemals", "jamais", "nunca", "nooit"), "never"),
    **dict.fromkeys(("ohne", "sans", "senza", "zonder"), "without"),
}
# Capitals that name a concept of the field rather than a thing in the evidence.
_CONCEPTS: Final = frozenset(
    {"API", "CPU", "CSV", "DNS", "GMT", "GPU", "HTML", "HTTP", "HTTPS", "JSON", "PID", "QPS", "RAM", "RPC"}
    | {"RPM", "RPS", "RSS", "SLA", "SLI", "SLO", "SQL", "SQLSTATE", "SSH", "SSL", "TCP", "TLS", "TTL", "UDP"}
    | {"URI", "URL", "UTC", "UUID", "XML", "YAML"}
)

_NEGATION: Final = re.compile(
    rf"(?<![\w-])(?:{'|'.join(_NEGATIONS)})(?![\w-])|n['\u2019]t(?!\w)", re.IGNORECASE
)
_MARKS: Final = ('"', "`")
# One pattern, so that whichever begins first takes the quotation marks that it needs.
_QUOTED: Final = re.compile(
    r'(?<!\w)(?P<name>[A-Za-z_][\w.]{0,127})\s?=[~=]?\s?"(?P<value>[^"\n]{0,1024})"'
    r"""|"[^"]{0,4096}"|“[^“”]{1,4096}”|`[^`]{0,4096}`|(?<!\w)'[^'\n]{2,1024}'(?!\w)"""
)
_URL: Final = re.compile(r"(?<!\w)[a-z][a-z0-9+.-]{1,15}://[^\s\"'<>`]{1,2048}", re.IGNORECASE)
_ADDRESS: Final = re.compile(
    r"(?<![\w.@:/-])(?:\d{1,3}(?:\.\d{1,3}){3}(?::\d{1,5})?(?:/\d{1,2})?(?!\w|\.\w)"
    r"|[A-Za-z0-9][\w.+-]{0,63}@[A-Za-z0-9][\w.-]{0,252}"
    r"|[A-Za-z][\w./-]{0,252}:\d{1,9}(?![\w:]|\.\w)"
    r"|(?P<ipv6>\[?[0-9A-Fa-f]{0,4}:[0-9A-Fa-f:.]{1,40}\]?))"
)
_LINE: Final = re.compile(
    r"(?<!\w)lines?\s(?P<first>\d{1,9})(?:\s?(?:-|\u2013|to|and|through)\s?(?P<last>\d{1,9}))?(?!\w|[.,-]\w)",
    re.IGNORECASE,
)
_CODE: Final = re.compile(
    r"(?<![\w-])(?:HTTP(?:/\d(?:\.\d)?)?|SQLSTATE|errno|status|code|error|signal)"
    r"(?:\s(?:status|code))?(?:\s?[:=#]\s?|\s)\(?(?P<code>[1-5]\d\d|\d{3,6}|[0-9][0-9A-Z]{4})(?!\w|[.,]\d|%)",
    re.IGNORECASE,
)
_EXIT_CODE: Final = re.compile(r"\b(?:exit (?:code|status)|signal)\s(?P<code>\d{1,3})(?!\w)", re.IGNORECASE)
# Digits behind a comma are the rest of a number, not a name.
_TOKEN: Final = re.compile(r"(?<!\w)(?:/|[^\W\d]|(?<!\d[,'])\d)[\w./:@#+-]+")
_CAMEL: Final = re.compile(r"[a-z][A-Z]|[A-Z]{2}[a-z]{2}")
_DOTTED: Final = re.compile(r"[A-Za-z_][\w-]*(?:\.[A-Za-z_][\w-]*)+")
_MEASURED: Final = re.compile(r"(?:[/-][A-Za-z]+)?")
_VERSION: Final = re.compile(r"\d+(?:\.\d+){2,}")


def facts_of(text: str) -> list[Fact]:
    """Return the concrete facts of a sentence in the order in which they stand."""
    facts: list[Fact] = []
    rest = text
    for find in _PASSES:
        found = list(find(rest))
        facts.extend(fact for _, _, fact in found)
        rest = _without(rest, found)
    return sorted(facts, key=lambda fact: fact.start)


def _without(text: str, found: list[Found]) -> str:
    """Blank what was found; offsets stay, and no two neighbours grow together."""
    parts: list[str] = []
    position = 0
    for start, end in sorted((start, end) for start, end, _ in found):
        parts += (text[position:start], " " * (end - max(start, position)))
        position = max(position, end)
    return "".join([*parts, text[position:]])


def _unpaired(text: str) -> Iterator[Found]:
    """Where marks do not pair, nothing tells inside from outside: then all between two marks is quoted."""
    if _is_paired(text):
        return
    for mark in _MARKS:
        places = [index for index, char in enumerate(text) if char == mark]
        for start, end in pairwise(places):
            if text[start + 1 : end].strip():
                yield start, end, Fact(FactKind.QUOTATION, text[start + 1 : end], None, start)


def _is_paired(text: str) -> bool:
    """Tell whether every mark has another, and none stands alone within a quotation by other marks."""
    return all(
        part.count(mark) % 2 == 0
        for mark in _MARKS
        if mark in text
        for part in (text, *(match.group() for match in _QUOTED.finditer(text)))
    )


def _quoted(text: str) -> Iterator[Found]:
    for match in _QUOTED.finditer(text):
        start, end = match.span()
        if match["name"]:
            label = Label(match["name"], match["value"])
            yield start, end, Fact(FactKind.IDENTIFIER, match.group(), label, start)
        elif match.group()[1:-1].strip():
            yield start, end, Fact(FactKind.QUOTATION, match.group()[1:-1], None, start)


def _urls(text: str) -> Iterator[Found]:
    for match in _URL.finditer(text):
        url = match.group().rstrip(".,;:!?)]}")
        yield match.start(), match.start() + len(url), Fact(FactKind.ADDRESS, url, None, match.start())


def _instants(text: str) -> Iterator[Found]:
    for start, end, instant in instants_in(text):
        yield start, end, Fact(FactKind.INSTANT, text[start:end], instant, start)


def _addresses(text: str) -> Iterator[Found]:
    for match in _ADDRESS.finditer(text):
        written = match.group().rstrip(".")
        if not match["ipv6"] or _is_ipv6(written):
            end = match.start() + len(written)
            yield match.start(), end, Fact(FactKind.ADDRESS, written, None, match.start())


def _is_ipv6(written: str) -> bool:
    try:
        ipaddress.IPv6Address(written.strip("[]"))
    except ValueError:
        return False
    return True


def _lines(text: str) -> Iterator[Found]:
    for match in _LINE.finditer(text):
        for group in ("first", "last"):
            if match[group]:
                fact = Fact(FactKind.NUMBER, match[group], Line(int(match[group])), match.start(group))
                yield match.start(group), match.end(group), fact


def _codes(text: str) -> Iterator[Found]:
    found = [*_CODE.finditer(text), *_EXIT_CODE.finditer(text)]
    spans = {match.span("code"): match["code"] for match in found}
    for (start, end), code in sorted(spans.items()):
        yield start, end, Fact(FactKind.CODE, code, None, start)


def _quantities(text: str) -> Iterator[Found]:
    for start, end, quantity in quantities_in(text):
        yield start, end, Fact(FactKind.NUMBER, text[start:end], quantity, start)


def _identifiers(text: str) -> Iterator[Found]:
    for match in _TOKEN.finditer(text):
        token = match.group().rstrip("./:@#+-")
        if _is_identifier(token) and not _is_measure(token):
            kind = FactKind.CODE if token.isupper() and "/" not in token else FactKind.IDENTIFIER
            yield match.start(), match.start() + len(token), Fact(kind, token, None, match.start())


def _is_identifier(token: str) -> bool:
    if is_unit(token):
        return False
    letters = any(char.isalpha() for char in token)
    if not letters:
        return bool(_VERSION.fullmatch(token))
    if any(char.isdigit() for char in token) or "_" in token.strip("_") or _CAMEL.search(token):
        return True
    if token.startswith("/") and len(token) > 2:
        return True
    if token.isupper() and token.isalpha():
        return len(token) > 2 and token not in _CONCEPTS and token.lower() not in _NEGATIONS
    name = token.rpartition("/")[2]
    return bool(_DOTTED.fullmatch(name)) and max(len(part) for part in name.split(".")) > 1


def _is_measure(token: str) -> bool:
    """Tell whether a token is a number with a unit or a noun: 8ms, 512MB/s, 4-minute, 3-node."""
    for start, end, _ in quantities_in(token):
        return start == 0 and _MEASURED.fullmatch(token, end) is not None
    return False


def _number_words(text: str) -> Iterator[Found]:
    for start, end, quantity in number_words_in(text):
        yield start, end, Fact(FactKind.NUMBER, text[start:end], quantity, start)


def negations_in(text: str) -> Iterator[Found]:
    """Yield (start, end, fact) for every denial; the fact's text is the word for all denials of its kind."""
    for match in _NEGATION.finditer(text):
        word = _NEGATIONS.get(match.group().lower(), "not")
        yield match.start(), match.end(), Fact(FactKind.NEGATION, word, None, match.start())


_PASSES: Final[tuple[Callable[[str], Iterator[Found]], ...]] = (
    _unpaired,
    _quoted,
    _urls,
    _instants,
    _addresses,
    _lines,
    _codes,
    _identifiers,
    _quantities,
    _number_words,
    negations_in,
)
