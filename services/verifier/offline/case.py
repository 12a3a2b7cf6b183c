"""One claim before the judge: its statement, and nothing but its own evidence."""

import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Final

from assay.common.v1 import evidence_pb2

from services.common.evidence import pointer
from services.common.evidence.facts import Fact, FactKind, facts_of
from services.common.evidence.holdings import Holdings
from services.common.evidence.quantities import Quantity, quantities_in

_RISE: Final = re.compile(
    r"\b(?:r(?:ose|ises?|ising|isen)|gr(?:ew|ows?|owing|own)|climb(?:s|ed|ing)?|increas(?:es?|ed|ing)|jump(?:s|ed|ing)?"
    r"|went up|surged?)\b",
    re.IGNORECASE,
)
_FALL: Final = re.compile(
    r"\b(?:f(?:ell|alls?|alling|allen)|drop(?:s|ped|ping)?|declin(?:es?|ed|ing)|decreas(?:es?|ed|ing)|sank|shrank"
    r"|went down)\b",
    re.IGNORECASE,
)
_CLAUSE_END: Final = re.compile(r"[;:](?=\s)|\.\s")
# The samples of one excursion in the order of time, as derived documents name them.
_EXCURSION: Final = ("before", "at", "extreme", "last")


@dataclass(frozen=True, slots=True)
class Case:
    """A claim with its own evidence; `words` is the statement without what it quotes."""

    claim: evidence_pb2.VerifiedClaim
    items: Sequence[evidence_pb2.VerifiedEvidence]
    facts: Sequence[Fact]
    held: Holdings
    words: str

    @classmethod
    def of(
        cls, claim: evidence_pb2.VerifiedClaim, evidence: Sequence[evidence_pb2.VerifiedEvidence]
    ) -> "Case":
        """Pick a claim's own items from all verified evidence."""
        items = [item for item in evidence if item.claim_id == claim.claim_id]
        facts = facts_of(claim.statement)
        return cls(claim, items, facts, Holdings(items), _unquoted(claim.statement, facts))

    @property
    def direction(self) -> int:
        """1 when the statement says that something rose, -1 that it fell, 0 when it says neither or both."""
        return bool(self._asserts(_RISE)) - bool(self._asserts(_FALL))

    def quantity_after(self, preposition: str) -> Fact | None:
        """Return the first number that stands right after a preposition."""
        for fact in self.facts:
            if isinstance(fact.value, Quantity) and self._precedes(preposition, fact):
                return fact
        return None

    def text_after(self, fact: Fact) -> str:
        """Return the statement behind a fact, up to the end of its clause."""
        rest = self.words[fact.start + len(fact.text) :]
        return _CLAUSE_END.split(rest, maxsplit=1)[0]

    def same_clause(self, one: Fact, other: Fact) -> bool:
        """Tell whether two facts stand in one clause."""
        first, last = sorted((one.start, other.start))
        return _CLAUSE_END.search(self.words[first:last]) is None

    def _precedes(self, preposition: str, fact: Fact) -> bool:
        return self.words[: fact.start].rstrip().lower().endswith(f" {preposition}")

    def _asserts(self, pattern: re.Pattern[str]) -> bool:
        denied = [fact.start for fact in self.facts if fact.kind is FactKind.NEGATION]
        return any(
            not any(0 <= match.start() - start <= 16 for start in denied)
            for match in pattern.finditer(self.words)
        )


def last_name(item: evidence_pb2.VerifiedEvidence) -> str:
    """Return the last name of an item's pointer, without indices."""
    return next((token for token in reversed(_tokens(item)) if not token.isdigit()), "")


def number_of(text: str) -> Decimal | None:
    """Return the number that a bound scalar is, or None when it is anything else."""
    bare = text.strip()
    found = list(quantities_in(bare))
    if len(found) == 1 and found[0][:2] == (0, len(bare)):
        return found[0][2].number
    return None


def courses(items: Sequence[evidence_pb2.VerifiedEvidence]) -> list[list[Decimal]]:
    """Return the bound values of each series in the order of time; only series with two values or more."""
    found: dict[tuple[str, ...], dict[int, Decimal]] = defaultdict(dict)
    for item in items:
        value = number_of(item.matched_text)
        if value is None:
            continue
        for series, position in _positions(item):
            found[series][position] = value
    return [[values[key] for key in sorted(values)] for values in found.values() if len(values) > 1]


def _positions(item: evidence_pb2.VerifiedEvidence) -> Iterator[tuple[tuple[str, ...], int]]:
    """Yield the series that a bound value belongs to, and its place in time there."""
    tokens = _tokens(item)
    if len(tokens) < 2:
        return
    *series, position, member = tokens
    if position in _EXCURSION and member == "value":
        yield (item.source_invocation_id, *series), _EXCURSION.index(position)
    elif position.isdigit() and member == "1" and series[-1:] == ["values"]:
        yield (item.source_invocation_id, *series), int(position)


def _tokens(item: evidence_pb2.VerifiedEvidence) -> list[str]:
    try:
        return pointer.tokens(item.raw_path)
    except pointer.PointerError:
        return []


def _unquoted(statement: str, facts: Sequence[Fact]) -> str:
    """Blank the quotations of a statement; offsets stay."""
    for fact in facts:
        if fact.kind is FactKind.QUOTATION:
            end = fact.start + len(fact.text) + 2
            statement = statement[: fact.start] + " " * (end - fact.start) + statement[end:]
    return statement
