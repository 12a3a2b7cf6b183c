"""What makes a claim wrong rather than unproven: its own evidence says otherwise.

Each rule looks for one way in which a statement and its evidence, or the statement and itself, cannot both be
true. A rule that does not recognise its form stays silent.
"""

import re
from collections.abc import Callable, Iterable, Sequence
from decimal import Decimal
from itertools import pairwise
from typing import Final

from assay.common.v1 import evidence_pb2

from services.common.evidence.facts import Fact, FactKind
from services.common.evidence.instants import Instant
from services.common.evidence.quantities import Quantity, quantities_in
from services.verifier.offline.case import Case, courses, last_name, number_of

_TIMES: Final = re.compile(r"\s(?:times|occurrences|lines|log lines)\b", re.IGNORECASE)
_BEFORE: Final = re.compile(r"\s(?:\w+\s){0,2}before\b", re.IGNORECASE)
_ORDER: Final = re.compile(
    r"[\s,]+(?:and\s)?(?:(?:which|that)\s(?:is|was)\s)?(?P<word>before|after)\b", re.IGNORECASE
)
_OF: Final = re.compile(r"\s(?:out\s)?of\s(?:\w+\s){0,3}$", re.IGNORECASE)
_COUNTS: Final = re.compile(r"(?:count|lines|errors|warnings)(?:_after)?|count_\w+|over_\w+_after")
_COUNTS_BEFORE: Final = re.compile(r"(?:count|lines|errors|warnings|over_\w+)_before")
_SIGNS: Final = {"rise": 1, "fall": -1}
_NAMED: Final = re.compile(r"(?P<name>\w[\w.-]*)\s?(?:=|:|\b(?:is|was|are|were|at))\s?$", re.IGNORECASE)
_ASSIGNED: Final = r"[\"']?\s?[=:]\s?[\"']?"
MAX_NAME_CHARS: Final = 160


def refutation(case: Case) -> str:
    """Return why the claim cannot be true, in a sentence, or nothing when no rule refutes it."""
    return next((reason for rule in _RULES if (reason := rule(case))), "")


def _against_itself(case: Case) -> str:
    """From A to B, where the words say the other direction."""
    first, last = case.quantity_after("from"), case.quantity_after("to")
    if first is None or last is None or not case.direction or first.start > last.start:
        return ""
    change = _number(last) - _number(first)
    if change * case.direction <= 0:
        return "The stated values do not move in the stated direction."
    return ""


def _against_course(case: Case) -> str:
    """The words say one direction, every bound course the other."""
    if not case.direction:
        return ""
    signs = [_sign(values) for values in courses(case.items)]
    signs += [_SIGNS.get(item.matched_text, 0) for item in case.items if last_name(item) == "direction"]
    if signs and all(sign == -case.direction for sign in signs):
        return "The bound values move in the opposite direction."
    return ""


def _other_values(case: Case) -> str:
    """One end of "from A to B" is a value of a bound series, the other is none of its values."""
    first, last = case.quantity_after("from"), case.quantity_after("to")
    if first is None or last is None:
        return ""
    ends = {_number(first), _number(last)}
    if all(case.held.holds(fact) for fact in (first, last)):
        return ""
    if any(len(ends & set(values)) == 1 for values in courses(case.items)):
        return "The bound series has another value than the stated one."
    return ""


def _other_count(case: Case) -> str:
    """N times, where every bound count is another number."""
    for fact in _counts(case.facts):
        behind = case.text_after(fact)
        if _BEFORE.match(behind):
            bound = _bound(case.items, _COUNTS_BEFORE)
        elif _TIMES.match(behind):
            bound = _bound(case.items, _COUNTS)
        else:
            continue
        if bound and _number(fact) not in bound:
            return "The bound count is another number."
    return ""


def _other_only_number(case: Case) -> str:
    """The statement gives one number, the evidence is one number, and they differ."""
    stated = _counts(case.facts)
    bound = [number for item in case.items if (number := number_of(item.matched_text)) is not None]
    if len(stated) != 1 or len(bound) != 1 or case.held.holds(stated[0]):
        return ""
    return "The bound value is another number."


def _other_assignment(case: Case) -> str:
    """A named value that the evidence gives differently: the limit is 80, where a text says limit=76."""
    for fact in _counts(case.facts):
        name = _NAMED.search(case.words[max(0, fact.start - MAX_NAME_CHARS) : fact.start])
        bound = _assigned(name["name"], case.items) if name else set()
        bare = isinstance(fact.value, Quantity) and not fact.value.has_unit
        if bare and bound and _number(fact) not in bound:
            return "The evidence gives the named value as another number."
    return ""


def _denied_count(case: Case) -> str:
    """The statement says that there was none, every bound count says that there were some."""
    denials = [
        fact
        for fact in case.facts
        if (fact.kind is FactKind.NEGATION and fact.text in ("no", "without", "never")) or _is_zero(fact)
    ]
    bound = _bound(case.items, _COUNTS) + _bound(case.items, _COUNTS_BEFORE)
    if bound and any(not case.held.holds(fact) for fact in denials):
        return "The bound count is not zero."
    return ""


def _reversed_order(case: Case) -> str:
    """T1 before T2, where T1 is the later one."""
    instants = [fact for fact in case.facts if isinstance(fact.value, Instant) and fact.value.dated]
    for earlier, later in pairwise(instants):
        between = case.words[earlier.start + len(earlier.text) : later.start]
        match = _ORDER.match(between)
        if match and case.same_clause(earlier, later):
            first, second = earlier.value, later.value
            if match["word"].lower() == "after":
                first, second = second, first
            if isinstance(first, Instant) and isinstance(second, Instant) and first.start >= second.end:
                return "The stated instants are in the opposite order."
    return ""


def _more_than_whole(case: Case) -> str:
    """Reached A of B, where A is more than B."""
    counts = _counts(case.facts)
    for part, whole in pairwise(counts):
        between = case.words[part.start + len(part.text) : whole.start]
        if _OF.fullmatch(between) and _number(part) > _number(whole):
            return "The stated part is more than the stated whole."
    return ""


_RULES: Final[Sequence[Callable[[Case], str]]] = (
    _against_itself,
    _against_course,
    _reversed_order,
    _more_than_whole,
    _other_values,
    _other_count,
    _denied_count,
    _other_assignment,
    _other_only_number,
)


def _number(fact: Fact) -> Decimal:
    if not isinstance(fact.value, Quantity):
        raise TypeError("the fact is not a quantity")
    return fact.value.number * fact.value.factor


def _counts(facts: Iterable[Fact]) -> list[Fact]:
    return [fact for fact in facts if isinstance(fact.value, Quantity)]


def _is_zero(fact: Fact) -> bool:
    return isinstance(fact.value, Quantity) and fact.value.number == 0


def _bound(items: Iterable[evidence_pb2.VerifiedEvidence], names: re.Pattern[str]) -> list[Decimal]:
    numbers = (number_of(item.matched_text) for item in items if names.fullmatch(last_name(item)))
    return [number for number in numbers if number is not None]


def _sign(values: Sequence[Decimal]) -> int:
    """1 when some later value is above the first one and none below, -1 the other way round, else 0."""
    first, rest = values[0], values[1:]
    above, below = any(value > first for value in rest), any(value < first for value in rest)
    return above - below


def _assigned(name: str, items: Iterable[evidence_pb2.VerifiedEvidence]) -> set[Decimal]:
    pattern = re.compile(rf"(?<![\w.]){re.escape(name)}{_ASSIGNED}(?=\d)", re.IGNORECASE)
    found: set[Decimal] = set()
    for item in items:
        for match in pattern.finditer(item.matched_text):
            rest = item.matched_text[match.end() : match.end() + 64]
            found.update(quantity.number for start, _, quantity in quantities_in(rest) if start == 0)
    return found
