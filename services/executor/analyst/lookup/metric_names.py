"""Which metric a question means: by its name, or by words that leave nothing of its name out."""

import re
from collections.abc import Iterable
from dataclasses import dataclass

from services.executor.analyst.lookup import vocabulary as words
from services.executor.analyst.lookup.asked import Ask
from services.executor.analyst.lookup.known import Known
from services.executor.analyst.lookup.question import Question, Word
from services.executor.analyst.reading.spot import Spot
from services.executor.analyst.reading.words import vocabulary

# What the names of metrics end with says nothing that a person would say.
_ENDS = vocabulary("total count seconds bytes ratio sum current")
_MIN_STEM = 3
_PART = re.compile(r"[a-z0-9]+")
_CAMEL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")
_PLAIN = words.ALERTS | words.METRIC | words.LINES | words.FAILURES | words.WARNINGS | words.REQUESTS
_PLAIN |= words.CHANGES | words.COMPONENTS | words.KINDS_BY_WORD.keys() | words.EVENTS | words.CALLS


@dataclass(frozen=True)
class NamedMetrics:
    """The names that are meant, and the words of the question that mean them; false where there are none."""

    names: tuple[str, ...] = ()
    words: tuple[Word, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.names)


def named_metrics(question: Question, known: Known) -> NamedMetrics:
    """Return the metrics that a question names literally, else the one that its words describe."""
    by_name: dict[str, dict[str, None]] = {}
    for row in known.series:
        for name in _names_of(row):
            by_name.setdefault(name.lower(), {})[row.at("name").text] = None
    literal = [word for word in question.words if word.lower in by_name and _is_a_name(word, known)]
    if literal:
        found = dict.fromkeys(name for word in literal for name in by_name[word.lower])
        return NamedMetrics(tuple(found), tuple(literal))
    return _described(question, known) if _asks_for_a_value(question) else NamedMetrics()


def _is_a_name(word: Word, known: Known) -> bool:
    """Tell whether a word is no plain word of the language that happens to be a metric's name as well."""
    return word.lower not in _PLAIN and word.lower not in known.components


def _names_of(row: Spot) -> Iterable[str]:
    source = row.at("source").text.rpartition("/")[2].partition(".")[0]
    return (row.at("name").text, row.at("query").text, source)


def _parts_of(name: str) -> frozenset[str]:
    """Return the words of a metric's name; a quantile such as p95 is one."""
    return frozenset(_PART.findall(_CAMEL.sub(" ", name).lower()))


def _asks_for_a_value(question: Question) -> bool:
    bounded = question.above is not None or question.below is not None
    return (
        bounded or bool({Ask.MAX, Ask.MIN, Ask.MEAN, Ask.VALUE} & question.also) or question.has(words.METRIC)
    )


def _described(question: Question, known: Known) -> NamedMetrics:
    """Return the metric all of whose name the question says; the longest of several, none where two are."""
    fitting: dict[str, list[Word]] = {}
    for name in {row.at("name").text for row in known.series}:
        said = [(part, _saying(part, question)) for part in sorted(_parts_of(name) - _ENDS)]
        if said and all(found for _, found in said):
            fitting[name] = [word for _, found in said for word in found]
    if _asks_for_a_figure(question):
        fitting |= _in_part(question, known) if not fitting else {}
    longest = max((len(set(found)) for found in fitting.values()), default=0)
    best = {name: found for name, found in fitting.items() if len(set(found)) == longest}
    if len(best) != 1:
        return NamedMetrics()
    ((name, found),) = best.items()
    # One common word, such as "errors", describes too much to mean one metric.
    return NamedMetrics((name,), tuple(dict.fromkeys(found))) if longest > 1 else NamedMetrics()


def _asks_for_a_figure(question: Question) -> bool:
    """Tell whether only a metric can be meant: nothing else has a greatest value, a mean or a bound."""
    bounded = question.above is not None or question.below is not None
    return bounded or bool({Ask.MAX, Ask.MIN, Ask.MEAN} & question.also) or question.has(words.METRIC)


def _in_part(question: Question, known: Known) -> dict[str, list[Word]]:
    """Return the metrics whose names hold every word that is left of a question."""
    said = [
        word
        for word in question.words
        if word.lower not in words.ASKING
        and word.lower not in words.METRIC
        and word.lower not in known.components
    ]
    names = {row.at("name").text for row in known.series}
    held = {name: _parts_of(name) for name in names}
    return {
        name: said
        for name, parts in held.items()
        if said and all(any(_alike(part, word.lower) for part in parts) for word in said)
    }


def _saying(part: str, question: Question) -> list[Word]:
    # "Max connections" may ask for the greatest of another metric than the one that is called so.
    return [word for word in question.words if word.lower not in words.ASKING and _alike(part, word.lower)]


def _alike(one: str, other: str) -> bool:
    shorter, longer = sorted((one, other), key=len)
    return one == other or (
        len(shorter) >= _MIN_STEM and longer.startswith(shorter) and len(longer) - len(shorter) <= 3
    )
