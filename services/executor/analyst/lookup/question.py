"""The words of a question, each understood as one thing or left over. No name of a system is known here."""

import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from decimal import Decimal
from functools import cached_property
from typing import Final

from services.executor.analyst.lookup import vocabulary as words
from services.executor.analyst.lookup.asked import Ask, Refused
from services.executor.analyst.lookup.times import Stated, times_of

MAX_LENGTH: Final = 1000
_QUOTED: Final = re.compile(
    r'"([^"]{1,256})"|“([^“”]{1,256})”|`([^`]{1,256})`|(?<!\w)\'([^\']{2,256})\'(?!\w)'
)
_TOKEN: Final = re.compile(r"[^\s,;!?()\[\]<>\u2019]+")
_EDGES: Final = ".:'\"*"
# A comparison that no part of the grammar reads: without it the rest of the question asks for something else.
_SIGN: Final = re.compile(r"[<>\u2260\u2264\u2265\u2248]|!=|(?<![\w=])=|(?<!\S)[!~](?=\w)")
_AND: Final = re.compile(r"(?<!\S)[&+|](?!\S)")
_HOW_MANY: Final = re.compile(r"\bhow (?:many|often|much)\b", re.IGNORECASE)
_LOG_FILES: Final = re.compile(r"\blog ?files\b", re.IGNORECASE)
_SHOW_UP: Final = re.compile(r"\b(?:show|turn)s? up\b", re.IGNORECASE)
_ROOT: Final = "/"
# "Do we get requests" has a verb, "how many get requests" a method.
_GET_REQUESTS: Final = re.compile(
    r"(?i:\b(?:many|all|any|the|of|show|list|count|which|failed|slow)\s+)(?P<method>[Gg]et)(?i:\s+requests?\b)"
)
_CODE: Final = re.compile(r"(?P<code>[1-5](?:xx|\d\d))(?:'?s)?", re.IGNORECASE)
_NUMBER: Final = r"-?\d+(?:\.\d+)?)(?![\w.%:/-])"
_MORE: Final = r"\b(?:exceed(?:s|ed|ing)?|above|over|beyond|(?:more|greater|higher|larger) than)\b|>"
_LESS: Final = r"\b(?:below|under|(?:less|lower|smaller|fewer) than)\b|<"
_BOUND: Final = re.compile(
    rf"(?:{_MORE})\s*(?P<high>{_NUMBER}|(?:{_LESS})\s*(?P<low>{_NUMBER}", re.IGNORECASE
)
# A bound with its unit, which is one of requests or of a metric in seconds.
_UNIT: Final = "|".join(words.UNITS)
_TOOK: Final = re.compile(
    rf"(?:{_MORE}|\b(?:slower|longer) than\b)\s*(?P<number>\d{{1,9}}(?:\.\d{{1,9}})?)\s*(?P<unit>{_UNIT})\b",
    re.IGNORECASE,
)
_LIMIT: Final = re.compile(
    r"\b(last|first|latest|newest|earliest)\s+(\d{1,4})(?=\s+(?:\w+\s+)?"
    r"(?:lines|entries|messages|errors|failures|warnings|requests|responses|alerts|changes|deploys|deployments)\b)",
    re.IGNORECASE,
)
_TOP: Final = re.compile(
    r"\b(?P<top>top|slowest|longest) (?P<behind>\d{1,3})\b"
    r"|\b(?P<before>\d{1,3}) (?=most\b|slowest\b|longest\b)",
    re.IGNORECASE,
)
# What stands behind these bounds the answer by something that is no stated time.
_CLAUSE: Final = re.compile(
    r"\b(?:while|whenever)\b|\bsince\b(?! when\b)"
    r"|\bduring\b(?! (?:the |this |that )?(?:whole |entire )?(?:incident|window|time)\b)"
    r"|(?<![.,;:!?])(?<!\bsince)(?<!\bfrom)(?<!\band)(?<!\bor)(?<!\bme)(?<!\bshow)(?<!\bsay)(?<=\S) when\b",
    re.IGNORECASE,
)
_POSSESSIVE: Final = re.compile(r"['\u2019]s$")


@dataclass(frozen=True)
class Word:
    """A token of the question as it stands, and its place among the tokens."""

    text: str
    place: int

    @property
    def lower(self) -> str:
        """Return it in small letters."""
        return self.text.lower()


@dataclass(frozen=True)
class Took:
    """A bound that is stated with its unit: of how long requests took, or of a metric in seconds."""

    seconds: float
    is_in_seconds: bool


@dataclass(frozen=True)
class Question:
    """A question taken apart. What `words` holds is not understood yet: names, or too much."""

    text: str
    ask: Ask
    also: frozenset[Ask] = frozenset()
    """Everything that its words ask for; `ask` is the one that counts."""
    times: tuple[Stated, ...] = ()
    literals: tuple[str, ...] = ()
    outcomes: tuple[str, ...] = ()
    above: float | None = None
    below: float | None = None
    took: "Took | None" = None
    limit: int | None = None
    is_oom: bool = False
    is_negated: bool = False
    words: tuple[Word, ...] = ()
    """What carries meaning, in the order in which it stands."""
    tokens: tuple[str, ...] = field(default=(), compare=False)
    """Every token in small letters, by its place."""
    plain: str = field(default="", compare=False)
    """The question without what was taken out of it."""

    @cached_property
    def lowered(self) -> frozenset[str]:
        """The words in small letters."""
        return frozenset(word.lower for word in self.words)

    def has(self, some: Iterable[str]) -> bool:
        """Tell whether any of some words stands in it."""
        return not self.lowered.isdisjoint(some)


def parse(text: str) -> Question:
    """Take a question apart; raises Refused where it cannot be taken apart at all."""
    if len(text) > MAX_LENGTH:
        raise Refused("the question is too long to be a lookup")
    literals, rest = _quotations(text)
    times, rest = times_of(rest)
    took, rest = _took(rest)
    above, below, rest = _bounds(rest)
    if took and took.is_in_seconds:
        above = took.seconds
    limit, rest = _limit(rest)
    if _CLAUSE.search(" ".join(rest.split())):
        raise Refused("the question bounds its answer by another event; state the time as a clock shows it")
    rest = _one_question(rest)
    is_oom = words.OOM.search(rest) is not None
    rest = words.PULLING.sub(f" {words.PULL_STATE} ", words.OOM.sub(" ", rest))
    asked = [ask for ask, pattern in words.ASKS if pattern.search(rest)]
    tokens = [Word(token, place) for place, token in enumerate(_tokens(rest))]
    codes = [match["code"].lower() for word in tokens if (match := _CODE.fullmatch(word.text))]
    kept = [word for word in tokens if not _CODE.fullmatch(word.text) and not _is_silent(word)]
    return Question(
        text=text,
        ask=_main(asked),
        also=frozenset(asked),
        times=tuple(times),
        literals=tuple(dict.fromkeys(literals)),
        outcomes=tuple(dict.fromkeys(codes)),
        above=above,
        below=below,
        took=took,
        limit=limit,
        is_oom=is_oom,
        is_negated=any(word.lower in words.NEGATIONS for word in tokens),
        words=tuple(kept),
        tokens=tuple(word.lower for word in tokens),
        plain=rest,
    )


def _one_question(text: str) -> str:
    """Return a question in the words that are known; raises Refused for several, or for a sign in it."""
    if _SIGN.search(text):
        raise Refused("a sign such as != or >= is not understood; say in words what is meant")
    if len(_HOW_MANY.findall(text)) > 1:
        raise Refused("this is more than one question; ask them one by one")
    return _SHOW_UP.sub("appear", _LOG_FILES.sub("logs", _with_methods(_AND.sub(" and ", text))))


def _is_silent(word: Word) -> bool:
    """Tell whether a word says nothing; a method of requests is written in capitals."""
    return word.lower in words.SILENT and word.text not in words.METHODS


def _with_methods(text: str) -> str:
    """Write GET in capitals where it is what requests are called by."""
    for match in reversed([*_GET_REQUESTS.finditer(text)]):
        text = f"{text[: match.start('method')]}GET{text[match.end('method') :]}"
    return text


def _main(asked: list[Ask]) -> Ask:
    """Return what counts of several: "when was the first" asks for the first, and with the last for both."""
    if Ask.MEAN in asked and {Ask.MAX, Ask.MIN} & set(asked):
        raise Refused("a mean has no greatest or least value here")
    if {Ask.FIRST, Ask.LAST} <= set(asked):
        return Ask.WHEN
    if asked[:1] == [Ask.COUNT] and {Ask.FIRST, Ask.LAST} & set(asked):
        raise Refused("the first or the last of something has no count; a time is stated as a clock shows it")
    return asked[0] if asked else Ask.LIST


def _quotations(text: str) -> tuple[list[str], str]:
    found = [next(filter(None, match.groups())) for match in _QUOTED.finditer(text)]
    return [each for each in found if each.strip()], _QUOTED.sub(" ", text)


def _bounds(text: str) -> tuple[float | None, float | None, str]:
    above = below = None
    for match in _BOUND.finditer(text):
        if match["high"] is not None:
            above = float(match["high"])
        else:
            below = float(match["low"])
    return above, below, _BOUND.sub(" ", text)


def _took(text: str) -> tuple[Took | None, str]:
    match = _TOOK.search(text)
    if match is None:
        return None, text
    unit = words.UNITS[match["unit"].lower()]
    found = Took(float(Decimal(match["number"]) * unit), unit == 1)
    return found, f"{text[: match.start()]} {text[match.end() :]}"


def _limit(text: str) -> tuple[int | None, str]:
    if top := _TOP.search(text):
        return int(
            top["behind"] or top["before"]
        ), f"{text[: top.start()]} {top['top'] or ''} {text[top.end() :]}"
    match = _LIMIT.search(text)
    if match is None:
        return None, text
    return int(match[2]), text[: match.start(2)] + " " + text[match.end(2) :]


def _tokens(text: str) -> list[str]:
    found = (_POSSESSIVE.sub("", token.strip(_EDGES)) for token in _TOKEN.findall(text))
    return [token for token in found if token == _ROOT or any(char.isalnum() for char in token)]
