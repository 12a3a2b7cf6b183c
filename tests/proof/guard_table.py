"""The derivability guard on mutated statements of the claims that the real stack makes.

`python -m tests.proof.guard_table` prints the table; exit code 1 when what must be lowered is not, or a
true statement is.
"""

import asyncio
import re
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Final

from assay.common.v1 import evidence_pb2

from tests.proof.diagnosed_claims import Incident, diagnosed
from tests.proof.statement_mutations import Mutation, blind_mutations, false_mutations, true_mutations

DIRECT: Final = evidence_pb2.CLASSIFICATION_DIRECT_OBSERVATION
INFERENCE: Final = evidence_pb2.CLASSIFICATION_REASONABLE_INFERENCE
OVERSTATED: Final = evidence_pb2.CLASSIFICATION_OVERSTATED
_NAMING: Final = ("code", "identifier", "label", "address", "quotation")
_SHOWN: Final = 3
# Words of one kind deny alike.
_DENIALS: Final = {
    "no": "no",
    "none": "no",
    "nothing": "no",
    "not": "not",
    "never": "never",
    "without": "without",
}
_FIGURE: Final = re.compile(r"(?P<number>\d+(?:\.\d+)?)(?: (?P<unit>\S+))?")
_NUMBER: Final = re.compile(r"(?<![\w.])\d+(?:\.\d+)?")


@dataclass
class Row:
    """One kind of mutation: how many there were, how many were lowered, and those that came out wrong."""

    tried: int = 0
    lowered: int = 0
    wrong: list[str] = field(default_factory=list)


@dataclass
class Table:
    """All rows. `false` must be lowered, `true` must not be; the rest is only measured."""

    claims: int = 0
    lowered_claims: int = 0
    false: dict[str, Row] = field(default_factory=dict)
    true: dict[str, Row] = field(default_factory=dict)
    blind: dict[str, Row] = field(default_factory=dict)


def table_of(incidents: Sequence[Incident]) -> Table:
    """Mutate every claim of every incident in every way."""
    table = Table()
    for incident in incidents:
        table.claims += len(incident.claims)
        table.lowered_claims += incident.lowered
        for claim in incident.claims:
            _false(table, incident, claim)
            _true(table, incident, claim)
            _blind(table, incident, claim)
            _component(table, incident, claim)
    return table


def _false(table: Table, incident: Incident, claim: evidence_pb2.VerifiedClaim) -> None:
    own = incident.own(claim)
    for number, mutation in enumerate(false_mutations(claim.statement)):
        if reason := _held_anyway(mutation, own):
            _measure(table.blind, reason, incident, claim, mutation)
            continue
        row = table.false.setdefault(mutation.kind, Row())
        invented = mutation.kind in _NAMING and not _anywhere(mutation.fact, incident)
        model = (DIRECT, INFERENCE)[number % 2]
        check = incident.guarded(claim, mutation.statement, model=model)
        row.tried += 1
        lowered = check.classification == OVERSTATED and check.model_classification == model
        row.lowered += lowered
        if not lowered or (invented and not check.fabricated):
            row.wrong.append(f"{mutation.fact!r} in: {mutation.statement}")


def _true(table: Table, incident: Incident, claim: evidence_pb2.VerifiedClaim) -> None:
    same = [Mutation("as stated", claim.statement, claim.statement)]
    for mutation in (*same, *true_mutations(claim.statement)):
        row = table.true.setdefault(mutation.kind, Row())
        row.tried += 1
        check = incident.guarded(claim, mutation.statement)
        if check.classification != DIRECT or check.fabricated:
            row.lowered += 1
            row.wrong.append(f"{mutation.fact!r} in: {mutation.statement}")


def _blind(table: Table, incident: Incident, claim: evidence_pb2.VerifiedClaim) -> None:
    owners = {place.owner for item in incident.own(claim) for place in item.places if place.owner}
    for mutation in blind_mutations(claim.statement, sorted(owners), claim.component):
        _measure(table.blind, mutation.kind, incident, claim, mutation)


def _component(table: Table, incident: Incident, claim: evidence_pb2.VerifiedClaim) -> None:
    """A claim about another component; the statement stays."""
    held = " ".join(_texts(incident.own(claim)))
    names = {other.component for other in incident.claims if other.component} | {"ledger-proxy", "web_cache"}
    for name in sorted(names - {claim.component}):
        mutation = Mutation("component", claim.statement, name)
        if name in held:
            _measure(table.blind, "component that the evidence names", incident, claim, mutation)
            continue
        row = table.false.setdefault("component", Row())
        row.tried += 1
        check = incident.guarded(claim, claim.statement, name)
        row.lowered += check.classification == OVERSTATED
        if check.classification != OVERSTATED or (not _anywhere(name, incident) and not check.fabricated):
            row.wrong.append(f"{name} instead of {claim.component}: {claim.statement}")


def _measure(
    rows: dict[str, Row],
    kind: str,
    incident: Incident,
    claim: evidence_pb2.VerifiedClaim,
    mutation: Mutation,
) -> None:
    row = rows.setdefault(kind, Row())
    component = mutation.fact if mutation.kind == "component" else None
    check = incident.guarded(claim, mutation.statement, component)
    row.tried += 1
    if check.classification == OVERSTATED:
        row.lowered += 1
    else:
        row.wrong.append(f"{mutation.fact!r} in: {mutation.statement}")


def _held_anyway(mutation: Mutation, own: Sequence[evidence_pb2.VerifiedEvidence]) -> str:
    """Say why the claim's own evidence holds the false fact nevertheless; empty when it does not."""
    texts = list(_texts(own))
    if mutation.kind == "negation":
        if any(text in ("0", "false", "null") for text in texts):
            return "negation beside a bound 0"
        words = {_DENIALS[word] for word in mutation.fact.split() if word in _DENIALS}
        said = {_DENIALS[word] for text in texts for word in text.lower().split() if word in _DENIALS}
        return "negation beside the same one" if words & said else ""
    if mutation.kind.startswith("number"):
        return _figure_held_anyway(mutation.fact, texts)
    held = any(mutation.fact.removesuffix("Z") in text for text in texts)
    return f"another {mutation.kind} of the evidence" if held else ""


def _figure_held_anyway(fact: str, texts: Sequence[str]) -> str:
    found = _FIGURE.fullmatch(fact)
    if not found:
        return ""
    if found["unit"] not in (None, "s"):
        return ""
    numbers = {Decimal(number) for text in texts for number in _NUMBER.findall(text)}
    return "another figure of the evidence" if any(_same(held, found["number"]) for held in numbers) else ""


def _same(held: Decimal, stated: str) -> bool:
    """Tell whether a number is the stated one at the precision of the statement."""
    return held == Decimal(stated) or (
        "." in stated and str(round(held, len(stated.split(".")[1]))) == stated
    )


def _texts(items: Sequence[evidence_pb2.VerifiedEvidence]) -> Iterator[str]:
    for item in items:
        yield item.matched_text
        for place in item.places:
            yield from (place.source, place.owner, place.time)


def _anywhere(fact: str, incident: Incident) -> bool:
    """Tell whether anything that the run knows holds a text."""
    known = [*_texts(incident.evidence), incident.context.question, incident.context.scope.bundle]
    known += [arguments.decode() for arguments in incident.arguments.values()]
    known += [text for item in incident.evidence for text in (item.tool_name, item.raw_path)]
    return any(fact.casefold() in text.casefold() for text in known)


def _print(title: str, rows: dict[str, Row], bad: str) -> None:
    say = sys.stdout.write
    say(f"\n{title:<44} {'n':>6} {'lowered':>8} {bad:>8}\n")
    for kind, row in sorted(rows.items()):
        say(f"  {kind:<42} {row.tried:6} {row.lowered:8} {len(row.wrong):8}\n")
    tried, wrong = sum(row.tried for row in rows.values()), sum(len(row.wrong) for row in rows.values())
    say(f"  {'all':<42} {tried:6} {sum(row.lowered for row in rows.values()):8} {wrong:8}\n")
    for kind, row in sorted(rows.items()):
        for example in row.wrong[:_SHOWN]:
            say(f"    {kind}: {example}\n")


def main() -> int:
    """Print the table; returns the exit code."""
    table = table_of(asyncio.run(diagnosed()))
    sys.stdout.write(
        f"claims of the real stack {table.claims}, lowered by the guard {table.lowered_claims}\n"
    )
    _print("false statements, must be lowered", table.false, "missed")
    _print("true statements, must stand", table.true, "lowered")
    _print("false in a way that no single fact shows", table.blind, "missed")
    wrong = [row for rows in (table.false, table.true) for row in rows.values() if row.wrong]
    return 1 if wrong or table.lowered_claims else 0


if __name__ == "__main__":
    raise SystemExit(main())
