"""Sentences made of plain words and cited facts, so that what a statement says is bound as it is written."""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from services.common.evidence.document import (
    MAX_BINDINGS,
    Claim,
    ClaimStatusName,
    ClaimTypeName,
    ComponentKind,
    EvidenceBinding,
)
from services.common.evidence.matching import hides
from services.executor.analyst.reading.originals import Originals
from services.executor.analyst.reading.spot import Spot
from services.executor.analyst.reading.words import show_instant, show_number

# A person reads a sentence of so many characters at once.
MAX_SENTENCE = 350
# The contract refuses longer statements.
_MAX_STATEMENT = 2048
_MAX_COMPONENT = 256


@dataclass(frozen=True)
class Cited:
    """Words of a statement and what they rest on."""

    words: str
    bindings: tuple[EvidenceBinding, ...]


Part = str | Cited


@dataclass(frozen=True)
class Finding:
    """A claim before it has an id."""

    claim_type: ClaimTypeName
    status: ClaimStatusName
    component: str
    parts: Sequence[Part]
    critical: bool = False
    component_kind: ComponentKind = ""
    fault: str = ""
    support: Sequence[EvidenceBinding] = ()
    """Further bindings that bear the statement out without being quoted in it."""


def number(spot: Spot) -> Cited:
    """Cite a number."""
    return _cited(show_number(spot.text), spot.bind())


def none(count: Spot) -> list[Part]:
    """Say that there is nothing where a document counted 0."""
    return [_cited("none", count.bind())]


def instant(spot: Spot) -> Cited:
    """Cite an instant that a document states."""
    return _cited(show_instant(spot.text), spot.bind())


def line_instant(line: Spot) -> Cited:
    """Cite the instant of a log line."""
    return _cited(show_instant(line.at("time").text), line.at("text").bind())


def line_quote(line: Spot, excerpt: str) -> Cited:
    """Cite a literal part of a log line."""
    return quote(line.at("text"), excerpt)


def quote(spot: Spot, excerpt: str) -> Cited:
    """Cite a literal part of a text, between curly marks where it holds quotations itself."""
    words = f"“{excerpt}”" if '"' in excerpt else f'"{excerpt}"'
    return _cited(words, spot.bind(excerpt))


def literal(spot: Spot, shown: str = "") -> Cited:
    """Cite a name as it stands; `shown` is the part of it that a reader needs."""
    return _cited(shown or spot.text, spot.bind())


def subject(component: str, named: Spot | None = None) -> list[Part]:
    """Begin a sentence with the component that it is about; `named` is where a document names it."""
    if not component:
        return []
    return [literal(named) if named else component, ": "]


def sentence(*parts: Part) -> list[Part]:
    """Return the parts of one sentence with its full stop."""
    return [*parts, "."]


def joined(
    lead: Sequence[Part], clauses: Iterable[Sequence[Part]], by: str = "; "
) -> tuple[list[Part], list[Sequence[Part]]]:
    """Join clauses to a sentence's beginning as long as it can still be read; return also those left out."""
    parts, left = [*lead], []
    for clause in clauses:
        longer = [*parts, by, *clause]
        if length_of(longer) < MAX_SENTENCE:
            parts = longer
        else:
            left.append(clause)
    return parts, left


def length_of(parts: Iterable[Part]) -> int:
    """Return how many characters some parts make."""
    return len(_words(parts))


def bindings_of(parts: Iterable[Part]) -> list[EvidenceBinding]:
    """Return what some parts of a sentence rest on."""
    return [binding for part in parts if isinstance(part, Cited) for binding in part.bindings]


def counted(spot: Spot, one: str, many: str) -> list[Part]:
    """Cite how many there are of something, in the number of its noun."""
    return [number(spot), f" {one if spot.count == 1 else many}"]


def claims(findings: Iterable[Finding], originals: Originals) -> list[Claim]:
    """Give every finding a stable id: its type and its place among those of that type.

    Where an excerpt is cited, the line itself is cited first if it was read. Of findings that say the same,
    only the first is claimed.
    """
    numbers: Counter[str] = Counter()
    said: set[str] = set()
    made = []
    for finding in findings:
        if not _is_presentable(finding) or statement_of(finding) in said:
            continue
        said.add(statement_of(finding))
        numbers[finding.claim_type] += 1
        claim_id = f"{finding.claim_type}-{numbers[finding.claim_type]}"
        made.append(_claim(finding, claim_id, originals))
    return made


def statement_of(finding: Finding) -> str:
    """Return the sentence of a finding."""
    return _words(finding.parts)[:_MAX_STATEMENT]


def _claim(finding: Finding, claim_id: str, originals: Originals) -> Claim:
    cited = [*bindings_of(finding.parts), *finding.support]
    unique = dict.fromkeys(each for one in cited for each in (originals.of(one), one) if each is not None)
    return Claim(
        claim_id=claim_id,
        claim_type=finding.claim_type,
        status=finding.status,
        critical=finding.critical,
        statement=statement_of(finding),
        component=finding.component,
        component_kind=finding.component_kind,
        fault=finding.fault,
        evidence_bindings=list(unique)[:MAX_BINDINGS],
    )


def _is_presentable(finding: Finding) -> bool:
    """Tell whether a finding cites something, shows what it says, and names what can be a component."""
    readable = not hides(statement_of(finding)) and len(finding.component) <= _MAX_COMPONENT
    return readable and bool(bindings_of(finding.parts))


def _words(parts: Iterable[Part]) -> str:
    return "".join(part if isinstance(part, str) else part.words for part in parts)


def _cited(words: str, binding: EvidenceBinding | None) -> Cited:
    return Cited(words, (binding,) if binding else ())
