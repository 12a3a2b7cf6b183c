"""How the answers to lookups are put: conditions, windows, places, lists that stay readable."""

import re
from collections.abc import Iterable, Sequence

from services.common.evidence.matching import hides
from services.executor.analyst.lookup.asked import Lookup
from services.executor.analyst.reading.spot import Spot
from services.executor.analyst.reading.words import clean_pieces
from services.executor.analyst.wording.findings import (
    Cited,
    Finding,
    Part,
    bindings_of,
    instant,
    length_of,
    line_instant,
    literal,
    quote,
    sentence,
)

# A list is told in sentences of so many characters and bindings.
MAX_LIST = 1200
_MAX_BOUND = 28
MAX_LISTED = 120
_MAX_LINE = 300
_SEVERITY_WORDS = {
    "failure": "report a failure by their level or status",
    "warning": "are warnings by their level or status",
}


def answer(parts: Sequence[Part], component: str = "") -> Finding:
    """Return what answers the question: a fact on which the verdict hangs."""
    return Finding("context", "confirmed", component, sentence(*parts), critical=True)


def window(document: Spot) -> list[Part]:
    """Say within which bounds a document was made, where it was within any."""
    sides = [(word, document.at(side)) for word, side in (("from ", "start"), ("until ", "end"))]
    clauses: list[list[Part]] = [[word, instant(spot)] for word, spot in sides if spot.text]
    # In brackets, since a colon behind a time would read as a part of it.
    return [" (", *joined(clauses, " "), ")"] if clauses else []


def listed(lead: Sequence[Part], clauses: Iterable[Sequence[Part]], component: str = "") -> list[Finding]:
    """Return a list as sentences, the first one behind its lead, each short enough to be read and bound."""
    found: list[Finding] = []
    parts: list[Part] = [*lead]
    begun = False
    for clause in clauses:
        longer = [*parts, "; " if begun else " " if parts else "", *clause]
        if begun and (length_of(longer) > MAX_LIST or len(bindings_of(longer)) > _MAX_BOUND):
            found.append(answer(parts, component))
            parts, begun = ["Further: ", *clause], True
        else:
            parts, begun = longer, True
    return [*found, answer(parts, component)]


def conditions(document: Spot, lookup: Lookup, *, one: bool) -> list[Part]:
    """Say what the counted lines or records hold, in the number of their noun; empty where all count."""
    clauses: list[list[Part]] = []
    whole = document.at("whole").items()
    texts = [*document.at("contains").items(), *document.at("any_of").items(), *whole]
    if lookup.severities:
        words = [_SEVERITY_WORDS[each] for each in lookup.severities]
        clauses.append([" or ".join(map(_singular, words) if one else words)])
    if lookup.levels:
        levels = alternatives(document.at("levels").items())
        clauses.append(["has the level " if one else "have the level ", *levels])
    if texts:
        letters = [" as a whole," if whole else "", " in any case of letters"] if lookup.is_phrase else []
        clauses.append(["holds " if one else "hold ", *alternatives(texts, quoted=True), *letters])
    return joined(clauses, " and ")


def _singular(words: str) -> str:
    return (
        words.replace("report ", "reports ").replace("are warnings", "is a warning").replace("their", "its")
    )


def alternatives(spots: Sequence[Spot], *, quoted: bool = False, by: str = " or ") -> list[Part]:
    """Name one of several texts: a, b or c."""
    parts: list[Part] = []
    for index, spot in enumerate(spots):
        if index:
            parts.append(by if index == len(spots) - 1 else ", ")
        parts.append(quote(spot, spot.text) if quoted else literal(spot))
    return parts


def line(spot: Spot, source: str) -> list[Part]:
    """Show a line of a log with its place and its instant."""
    number_of_line = spot.at("n").text
    parts: list[Part] = [f"{source} line {number_of_line}"]
    if spot.at("time").text:
        # No colon may follow a time: the guard would read them as one.
        parts += [" (", line_instant(spot), ")"]
    return [*parts, ": ", quote(spot.at("text"), shown_text(spot.at("text").text))]


def shown_text(text: str) -> str:
    """Return as much of a line as can be shown between marks: nothing that hides, every mark in pairs."""
    clean = max(clean_pieces(text), key=len, default="") if hides(text) else text
    short = re.split("[“”]", clean.strip()[:_MAX_LINE])[0]
    for mark in ('"', "`"):
        if short.count(mark) % 2:
            short = short[: short.rindex(mark)]
    return short.strip()


def at(spot: Spot) -> list[Part]:
    """Say when a line was written; of one without a time where it stands."""
    if spot.at("time").text:
        return [" at ", line_instant(spot)]
    return [" in line ", spot.at("n").text, " (undated)"]


def cited(words: str, spot: Spot) -> Cited:
    """Cite a value in words of one's own: "no line" where a 0 was counted."""
    binding = spot.bind()
    return Cited(words, (binding,) if binding else ())


def joined(clauses: Sequence[Sequence[Part]], by: str = ", ") -> list[Part]:
    """Join clauses."""
    return [part for index, clause in enumerate(clauses) for part in ([by] if index else []) + [*clause]]
