"""What a body of evidence holds, asked one concrete fact at a time."""

import re
from collections.abc import Iterable, Iterator, Sequence
from decimal import Decimal
from functools import cached_property
from typing import Final

from assay.common.v1 import evidence_pb2

from services.common.evidence import pointer
from services.common.evidence.facts import Fact, FactKind, Label, Line, facts_of, negations_in
from services.common.evidence.instants import Instant
from services.common.evidence.matching import MIN_SUBSTRING
from services.common.evidence.measures import Measures, NamedText
from services.common.evidence.quantities import Dimension, Quantity, quantities_in

_STATUS_CLASS: Final = re.compile(r"[1-5]xx", re.IGNORECASE)
_MARKS: Final = ('""', "''", "``", "“”")
_NOTHING: Final = frozenset({"false", "null"})


class Holdings:
    """The texts and places of some evidence, indexed so that a question costs little however much there is.

    `items` are the evidence; `texts` are further texts that count as held, such as a tool's arguments. A
    pointer into a document is no evidence, but its last name tells what a bare number measures.
    """

    def __init__(
        self, items: Sequence[evidence_pb2.VerifiedEvidence] = (), texts: Iterable[str] = ()
    ) -> None:
        self._places: list[evidence_pb2.Place] = [place for item in items for place in item.places]
        self._named = [NamedText(item.matched_text, _last_name(item.raw_path)) for item in items]
        self._named += [NamedText(text, "") for text in texts]
        self.texts = [named.text for named in self._named]
        place_texts = [*dict.fromkeys(_place_texts(self._places))]
        self._literals = [*self.texts, *place_texts]
        self._measures = Measures(self._named, place_texts)

    @cached_property
    def _folded(self) -> list[str]:
        return [text.casefold() for text in self._literals]

    @cached_property
    def _negations(self) -> set[str]:
        return {fact.text for text in self.texts for _, _, fact in negations_in(text)}

    @cached_property
    def _holds_zero(self) -> bool:
        return any(is_nothing(text) for text in self.texts)

    def missing(self, text: str) -> list[Fact]:
        """Return the concrete facts of a sentence that are not held, in the order in which they stand."""
        return [fact for fact in facts_of(text) if not self.holds(fact)]

    def holds(self, fact: Fact) -> bool:
        """Tell whether a fact stands here literally, or by value at the precision that it states."""
        match fact.value:
            case Instant() as instant:
                return self._measures.has_time(instant)
            case Quantity() as quantity:
                return self._holds_quantity(quantity, fact.text)
            case Label() as label:
                return self._holds_label(label)
            case Line() as line:
                return self._holds_line(line.number)
            case None:
                return self._holds_literal(fact)

    def says_denial(self, word: str) -> bool:
        """Tell whether a text denies in the same way; a bound 0 is another matter."""
        return word in self._negations

    def says(self, word: str) -> bool:
        """Tell whether a word stands in a text or a name of a place, as it is or as a part of a word."""
        return any(word in text for text in self._literals)

    def names(self, component: str) -> bool:
        """Tell whether a component is named by a bound text or owns a bound source."""
        word = component.casefold()
        owners = {place.owner.casefold() for place in self._places}
        return word in owners or any(has_word(text.casefold(), word) for text in self.texts)

    def mentions(self, component: str) -> bool:
        """Tell whether a whole name stands in a bound text or in a name of a place, such as a path."""
        word = component.casefold()
        return any(has_word(text.casefold(), word) for text in self._literals)

    def _holds_literal(self, fact: Fact) -> bool:
        match fact.kind:
            case FactKind.QUOTATION:
                return self._holds_quotation(fact.text)
            case FactKind.NEGATION:
                return self.says_denial(fact.text) or self._holds_zero
            case FactKind.ADDRESS if self._is_place(fact.text):
                return True
        if _STATUS_CLASS.fullmatch(fact.text) and self._holds_status_class(int(fact.text[0])):
            return True
        word = fact.text.casefold()
        return any(has_word(text, word) for text in self._folded)

    def _holds_quotation(self, quoted: str) -> bool:
        if len(quoted) < MIN_SUBSTRING:
            # Of so few characters almost any text holds some: it is a whole one, or stands quoted there, too.
            marked = [f"{begin}{quoted}{end}" for begin, end in _MARKS]
            return any(text == quoted or any(each in text for each in marked) for text in self._literals)
        # A sentence's own comma or full stop is often put inside the quotation marks.
        return any(quoted in text or quoted.rstrip(".,") in text for text in self._literals)

    def has_file_of(self, fact: Fact) -> bool:
        """Tell whether a fact is a file and a line, and the file was read, whatever the line is."""
        return fact.kind is FactKind.ADDRESS and bool(self._places_in_file(fact.text))

    def _is_place(self, written: str) -> bool:
        line = written.rpartition(":")[2]
        return any(_covers(place, int(line)) for place in self._places_in_file(written))

    def _places_in_file(self, written: str) -> list[evidence_pb2.Place]:
        """Return the places in the file that `file:line` names."""
        source, _, line = written.rpartition(":")
        if not source or not line.isdigit():
            return []
        return [
            place for place in self._places if place.source == source or place.source.endswith("/" + source)
        ]

    def _holds_status_class(self, hundreds: int) -> bool:
        return self._measures.has_number(
            Dimension.COUNT, Decimal(hundreds * 100), Decimal(hundreds * 100 + 99)
        )

    def _holds_label(self, label: Label) -> bool:
        if NamedText(label.value, label.name) in self._named:
            return True
        forms = [f'{label.name}{sign}"{label.value}"' for sign in ("=", " = ", "=~", "!=")]
        forms += [f'"{label.name}":"{label.value}"', f'"{label.name}": "{label.value}"']
        if any(form in text for form in forms for text in self.texts):
            return True
        return any(has_word(text, f"{label.name}={label.value}") for text in self.texts)

    def _holds_line(self, number: int) -> bool:
        if any(_covers(place, number) for place in self._places):
            return True
        return any(has_word(text, f"line {number}") for text in self._folded)

    def _holds_quantity(self, stated: Quantity, written: str) -> bool:
        # Nothing is nothing of whatever is counted; 0 of a unit is a measurement like any other.
        if stated.number == 0 and not stated.has_unit and self._holds_zero:
            return True
        # A number that is written as a word.
        if written[:1].isalpha() and any(has_word(text, written.casefold()) for text in self._folded):
            return True
        return any(
            self._measures.has_number(
                stated.dimension,
                (stated.number - stated.half) * factor,
                (stated.number + stated.half) * factor,
            )
            for factor in stated.factors
        )


def has_word(text: str, word: str) -> bool:
    """Tell whether a word stands in a text and is not a part of a longer name there."""
    position = text.find(word) if word else -1
    while position >= 0:
        end = position + len(word)
        before = position > 0 and _is_name_char(text[position - 1]) and _is_name_char(word[0])
        if not before and not _goes_on(text, end):
            return True
        position = text.find(word, position + 1)
    return False


def _goes_on(text: str, end: int) -> bool:
    following = text[end : end + 2]
    if not following:
        return False
    if _is_name_char(following[0]):
        return True
    return following[0] in ".-" and following[1:].isalnum()


def _is_name_char(char: str) -> bool:
    return char.isalnum() or char == "_"


def is_nothing(text: str) -> bool:
    """Tell whether a bound text is as a whole 0, false or null."""
    bare = text.strip()
    if bare.casefold() in _NOTHING:
        return True
    found = list(quantities_in(bare))
    return len(found) == 1 and found[0][:2] == (0, len(bare)) and found[0][2].number == 0


def _place_texts(places: Iterable[evidence_pb2.Place]) -> Iterator[str]:
    for place in places:
        yield from (place.source, place.owner, place.time)


def _last_name(raw_path: str) -> str:
    """Return the last name of a pointer: a bare number is called by the member that it, or its list, is."""
    try:
        names = [token for token in pointer.tokens(raw_path) if not token.isdigit()]
    except pointer.PointerError:
        return ""
    return names[-1] if names else ""


def _covers(place: evidence_pb2.Place, number: int) -> bool:
    return 0 < place.first_line <= number <= max(place.last_line, place.first_line)
