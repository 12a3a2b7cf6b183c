"""Mutations of true statements, found by form with nothing of the guard's own code.

A *false* mutation changes one concrete fact, or adds one. A *true* one says the same otherwise. A *blind* one
changes what no rule about single facts can see.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from decimal import Decimal
from typing import Final


@dataclass(frozen=True)
class Mutation:
    """A changed statement; `fact` is what is new in it, as it is written there."""

    kind: str
    statement: str
    fact: str


@dataclass(frozen=True)
class _Span:
    kind: str
    start: int
    text: str


# In this order each takes its characters out of the statement.
_SPANS: Final = (
    ("label", re.compile(r'(?<=[{,])\w+="([^"]+)"(?=[,}])')),
    ("quotation", re.compile(r'"([^"]+)"|“([^”]+)”')),
    ("time", re.compile(r"(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ)")),
    ("identifier", re.compile(r"(\w+/[\w./-]*\w)")),
    ("code", re.compile(r"status (\d{3})\b")),
    ("identifier", re.compile(r"\b([a-z]+(?:_[a-z0-9]+)+|[A-Z][a-z]+(?:[A-Z]\w*)+)\b")),
    ("number with unit", re.compile(r"(?<![\w.])(\d+(?:\.\d+)? s)\b")),
    ("number", re.compile(r"(?<![\w.])(\d+(?:\.\d+)?)(?![\w.]*\w)")),
)
# One fact of each kind that no recorded incident holds.
_ADDED: Final = {
    "number": (", 987654 times", ", 9,876,543 of them", ", thirteen times", ", ninety-three times",
               ", three hundred of them"),
    "number with unit": (" after 98.7 s", ", 37.3 % of all", ", with 913 MB", ", at 8123 rps",
                         " within 17 minutes"),
    "code": (" with status 418", " (SQLSTATE 57P99)", " with exit code 137", " with ENOTREAL", " (HTTP 599)"),
    "identifier": (
        " in pool_reaper_v2", " by TokenBucketFilter", " on web-7d9f8b6c5-x2x9z", " in /opt/never/there.conf",
        " since v9.9.9", " in com.example.never.Handler", ' with {shard="s99"}',
    ),
    "address": (" at 10.9.8.7:5432", " at 10.9.8.7", " from [2001:db8::7]",
                " via https://never.example.org/x",
                " at db-never.internal:5432"),
    "quotation": (' saying "entirely invented words"', " saying `wholly invented words`",
                  " saying 'words not there'"),
    "time": (" at 2031-01-02T03:04:05Z", " on 2 January 2031", " at 23:58:57", " until 2031-01-02"),
    "negation": (", and it never recovered", ", and nothing restarted it", ", which was not seen",
                 " without a retry"),
}  # fmt: skip
_DENIED: Final = (
    (" logged ", " never logged "), (" rose ", " never rose "), (" reached ", " never reached "),
    (" answered ", " never answered "), (" is firing", " is not firing"),
    (" is recorded ", " is not recorded "),
    (" took ", " never took "), (" was back ", " was not back "),
)  # fmt: skip
_OPPOSITES: Final = (
    (" rose ", " fell "), (" reached ", " fell below "), (" longer than ", " shorter than "),
    (" on; ", " back; "),
    ("beginning at", "ending at"), ("largest", "smallest"), (" first ", " last "), (" kept ", " left "),
    (" before ", " after "), (" longest ", " shortest "), (" later ", " earlier "),
)  # fmt: skip
_CAUSAL: Final = (
    (", before ", ", which caused that "), (" at ", " because of what happened at "),
    ("; ", ", and therefore "),
    (" from ", " as a consequence of "),
)  # fmt: skip


def false_mutations(statement: str) -> Iterator[Mutation]:
    """Yield statements with one concrete fact changed, added or denied."""
    for span in _spans(statement):
        for text in _changed(span):
            after = statement[span.start + len(span.text) :]
            yield Mutation(span.kind, statement[: span.start] + text + after, text)
    for kind, clauses in _ADDED.items():
        for clause in clauses:
            yield Mutation(kind, statement.rstrip(".") + clause + ".", clause)
    for plain, denied in _DENIED:
        if plain in statement:
            yield Mutation("negation", statement.replace(plain, denied, 1), denied)


def true_mutations(statement: str) -> Iterator[Mutation]:
    """Yield statements that say the same: less precise, in another form, in other units."""
    for span in _spans(statement):
        for text in _otherwise(span):
            after = statement[span.start + len(span.text) :]
            yield Mutation(span.kind, statement[: span.start] + text + after, text)


def blind_mutations(statement: str, names: list[str], own_component: str) -> Iterator[Mutation]:
    """Yield false statements that hold the same facts; `names` are components that its evidence names."""
    for ends in re.finditer(r"from (\S+?) to (\S+?)(?=[\s,.;])", statement):
        if ends[1] != ends[2]:
            swapped = f"from {ends[2]} to {ends[1]}"
            changed = statement[: ends.start()] + swapped + statement[ends.end() :]
            yield Mutation("swapped ends", changed, swapped)
            if " rose " in statement:
                yield Mutation("swapped ends and direction", changed.replace(" rose ", " fell ", 1), "fell")
    for name in names:
        if own_component and name != own_component and statement.startswith(own_component):
            yield Mutation("swapped component", name + statement[len(own_component) :], name)
    yield from _replaced("direction or order word", statement, _OPPOSITES)
    yield from _replaced("causal word", statement, _CAUSAL)
    yield from _exchanged(statement)


def _replaced(kind: str, statement: str, pairs: tuple[tuple[str, str], ...]) -> Iterator[Mutation]:
    for plain, opposite in pairs:
        if plain in statement:
            yield Mutation(kind, statement.replace(plain, opposite, 1), opposite)


def _exchanged(statement: str) -> Iterator[Mutation]:
    """Two facts of one kind in each other's place."""
    spans = [span for span in _spans(statement) if span.kind in ("number", "time", "quotation", "code")]
    for position, first in enumerate(spans):
        for second in spans[position + 1 :]:
            if second.kind == first.kind and second.text != first.text:
                middle = statement[first.start + len(first.text) : second.start]
                after = statement[second.start + len(second.text) :]
                changed = statement[: first.start] + second.text + middle + first.text + after
                yield Mutation(f"exchanged {first.kind}s", changed, second.text)


def _spans(statement: str) -> list[_Span]:
    rest, found = statement, []
    for kind, pattern in _SPANS:
        for match in pattern.finditer(rest):
            group = next(index for index, text in enumerate(match.groups(), 1) if text is not None)
            found.append(_Span(kind, match.start(group), match[group]))
        rest = pattern.sub(lambda match: " " * len(match[0]), rest)
    return sorted(found, key=lambda span: span.start)


def _changed(span: _Span) -> Iterator[str]:
    text = span.text
    match span.kind:
        case "number":
            yield from (
                _plus(text, 1),
                _plus(text, -1),
                f"{text}7",
                f"1{text}",
                f"{text} ms",
                f"{text} %",
                f"-{text}7",
            )
        case "number with unit":
            number = text.split(" ")[0]
            yield from (
                f"{_plus(number, 1)} s",
                f"{number} ms",
                f"{number} minutes",
                f"{number} %",
                f"{number} MB",
            )
        case "code":
            yield from (str(int(text) + 1), str(int(text) - 1), str(int(text) - 100), text[::-1])
        case "time":
            yield from _other_times(text)
        case _:
            yield from _other_letters(text)


def _plus(number: str, change: int) -> str:
    exponent = Decimal(number).as_tuple().exponent
    return str(Decimal(number) + change * Decimal(1).scaleb(int(exponent)))


def _other_times(text: str) -> Iterator[str]:
    for position in (18, 17, 15, 14, 12, 9, 6, 3):
        digit = "0" if text[position] != "0" else "1"
        yield text[:position] + digit + text[position + 1 :]


def _other_letters(text: str) -> Iterator[str]:
    for position in (0, len(text) // 2, len(text) - 1):
        char = text[position]
        if char.isalnum():
            other = str((int(char) + 1) % 10) if char.isdigit() else ("q" if char.lower() != "q" else "x")
            yield text[:position] + other + text[position + 1 :]
    if len(text) > 3:
        yield f"{text[:-1]}{text[-1]}{text[-1]}" if text[-1].isalnum() else f"{text}x"


def _otherwise(span: _Span) -> Iterator[str]:
    text = span.text
    match span.kind:
        case "number" if text.isdigit() and len(text) > 3:
            yield f"{int(text):,}"
        case "number" if "." in text and len(text.split(".")[1]) > 2:
            yield str(round(Decimal(text), 2)) if Decimal(text) > Decimal("0.1") else text
        case "number with unit":
            number = Decimal(text.split(" ")[0])
            yield from (f"{number * 1000:.0f} ms", f"{number:.1f} s", f"{number:.2f} seconds")
        case "time":
            yield from (text.replace("Z", "+00:00"), f"{text[:16]}Z", f"{text[:10]} {text[11:19]} UTC")
            yield from (f"{text[11:19]}", f"{text[11:16]}", f"{text[:10]}")
        case "quotation" if len(text.split(" ")) > 3:
            yield from (" ".join(text.split(" ")[1:]), " ".join(text.split(" ")[:-1]))
