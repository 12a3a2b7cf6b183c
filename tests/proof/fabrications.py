"""Fabrications of a model that is believed: what of them gets through executor, gate and guard.

`python -m tests.proof.fabrications` prints the table for every bundle of the test data (TEST_DATA) and of the
examples, misses named; exit code 1 when more gets through, or more true statements are refused, than may.
"""

import asyncio
import os
import re
import sys
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain, islice
from pathlib import Path
from typing import Final

from assay.common.v1 import tool_pb2

from services.common.evidence import pointer, strict_json
from services.common.evidence.document import Claim, EvidenceBinding
from tests.proof.executed import Outcome, Recording, Said, probed
from tests.proof.statement_mutations import Mutation, blind_mutations, false_mutations, true_mutations

PROJECT: Final = Path(__file__).resolve().parents[2]
# Of the fabricated facts, and of the true statements.
MOST_THROUGH: Final = 0.01
MOST_REFUSED: Final = 0.02
_BATCH: Final = 120
_PLACES: Final = 2
_SHOWN: Final = 12
_REFERENCE, _QUOTATION, _TRUE, _FABRICATED, _TWISTED = (
    "references",
    "quotations",
    "true",
    "fabricated",
    "twisted",
)
# What a statement says wrongly although each word of it may be held.
_TWISTS: Final = ("negation",)
# Denials that use none of the usual words, or none of English.
_DENIALS: Final = {
    "denial in other words": ("It is false that {}.", "It is untrue that {}.", "Hardly so: {}."),
    "denial in another language": (
        *("{} (dies geschah nicht).", "{} (was nie geschah).", "{} (jamais).", "{} (nunca ocurrió)."),
        *("{} (не было).", "{} (没有发生)."),
    ),
}
_SOME: Final = 3
# What the true claim says elsewhere is in the wrong place, not made up.
_SWAPPABLE: Final = ("quotation", "number", "time")
_FIGURE: Final = re.compile(r"\d{4}-\d\d-\d\dT[\d:]+Z|(?<![\w.:-])\d+(?:\.\d+)?(?![\w:-])")


@dataclass(frozen=True)
class Attempt:
    """One claim that a model states, and what is wrong with it."""

    part: str
    kind: str
    shown: str
    said: Said


@dataclass
class Row:
    """One kind: how many were stated, how many stood in the end, and which."""

    tried: int = 0
    stood: int = 0
    examples: list[str] = field(default_factory=list)


@dataclass
class Table:
    """Rows by part and kind."""

    claims: int = 0
    rows: dict[tuple[str, str], Row] = field(default_factory=dict)

    def add(self, attempt: Attempt, outcome: Outcome, name: str) -> None:
        """Count one outcome."""
        row = self.rows.setdefault((attempt.part, attempt.kind), Row())
        row.tried += 1
        through = bool(outcome.passed) if attempt.part == _REFERENCE else outcome.stands
        row.stood += through
        if through is not (attempt.part == _TRUE):
            row.examples.append(f"{name}: {attempt.shown}")

    def sum(self, part: str) -> Row:
        """Return the sum of a part."""
        rows = [row for (each, _), row in self.rows.items() if each == part]
        return Row(
            sum(row.tried for row in rows),
            sum(row.stood for row in rows),
            [example for row in rows for example in row.examples],
        )

    @property
    def problems(self) -> list[str]:
        """Which bounds do not hold."""
        found = []
        if self.sum(_REFERENCE).stood or self.sum(_QUOTATION).stood:
            found.append("a fabricated reference or quotation got through")
        if self.sum(_FABRICATED).stood > MOST_THROUGH * self.sum(_FABRICATED).tried:
            found.append("too many fabricated facts got through")
        true = self.sum(_TRUE)
        if true.tried - true.stood > MOST_REFUSED * true.tried:
            found.append("too many true statements were refused")
        return found


async def table_of(bundles: Sequence[Path], places: int = _PLACES) -> Table:
    """State every attempt about every bundle; so many places of each call are referred to wrongly."""
    table = Table()

    async def probe(recording: Recording) -> None:
        table.claims += len(recording.truth.claims)
        attempts = list(_attempts(recording, places))
        for start in range(0, len(attempts), _BATCH):
            batch = attempts[start : start + _BATCH]
            said = [{**each.said, "id": f"a-{number}"} for number, each in enumerate(batch)]
            for attempt, outcome in zip(batch, await recording.judged(said), strict=True):
                table.add(attempt, outcome, recording.name)

    await probed(bundles, probe)
    return table


def bundles_of(*roots: Path) -> list[Path]:
    """Return the bundles below some folders that hold cases."""
    return [bundle for root in roots for bundle in sorted(root.glob("*/bundle"))]


def _attempts(recording: Recording, places: int) -> Iterator[Attempt]:
    numbers = {call.id: number for number, call in enumerate(recording.made, 1)}
    yield from _references(recording, places)
    for claim in recording.truth.claims:
        refs = list(dict.fromkeys(_line(binding, numbers) for binding in claim.evidence_bindings))
        yield from _statements(claim, refs, _owners(claim, recording), _lines_hold(refs, recording))
        yield from _reworded(claim, refs, _strangers(claim, recording))


def _statements(
    claim: Claim, refs: Sequence[str], owners: Sequence[str], quotable: Collection[str]
) -> Iterator[Attempt]:
    same = Mutation("as stated", claim.statement, claim.statement)
    for mutation in chain([same], true_mutations(claim.statement)):
        yield _attempt(_TRUE, claim, refs, mutation)
    figures = {*_FIGURE.findall(claim.statement)}
    for mutation in false_mutations(claim.statement):
        if _says_so_itself(mutation, claim.statement):
            continue
        swapped = mutation.fact in (quotable if mutation.kind == "quotation" else figures)
        if swapped and mutation.kind in _SWAPPABLE:
            kind = f"another {mutation.kind} of the claim"
            yield _attempt(_TWISTED, claim, refs, replace(mutation, kind=kind))
            continue
        part = _TWISTED if mutation.kind in _TWISTS else _FABRICATED
        part = _QUOTATION if mutation.kind == "quotation" else part
        yield _attempt(part, claim, refs, mutation)
    for mutation in blind_mutations(claim.statement, list(owners), claim.component):
        yield _attempt(_TWISTED, claim, refs, mutation)


def _reworded(claim: Claim, refs: Sequence[str], strangers: Sequence[str]) -> Iterator[Attempt]:
    """Yield statements that are wrong by plain words: denied, or said of one that is not cited."""
    bare = claim.statement.removesuffix(".")
    for kind, forms in _DENIALS.items():
        for form in forms:
            yield _attempt(_TWISTED, claim, refs, Mutation(kind, form.format(bare), form))
    for name in strangers[:_SOME]:
        yield _attempt(_TWISTED, claim, refs, Mutation("another component", f"{bare} on {name}.", name))


def _says_so_itself(mutation: Mutation, statement: str) -> bool:
    """Tell whether what was added stands in the statement as it was: then it is no fabrication."""
    digits = [*filter(None, re.split(r"\D+", mutation.fact))]
    return mutation.kind == "code" and bool(digits) and all(f'"{each}"' in statement for each in digits)


def _attempt(part: str, claim: Claim, refs: Sequence[str], mutation: Mutation) -> Attempt:
    said = {**_said(claim, refs), "statement": mutation.statement}
    return Attempt(part, mutation.kind, f"{mutation.fact!r} in: {mutation.statement}", said)


def _said(claim: Claim, refs: Sequence[str]) -> Said:
    return {
        "id": "",
        "type": claim.claim_type,
        "status": claim.status,
        "critical": claim.critical,
        "statement": claim.statement,
        "component": claim.component,
        "kind": claim.component_kind,
        "fault": claim.fault,
        "refs": [*refs],
    }


def _line(binding: EvidenceBinding, numbers: Mapping[str, int]) -> str:
    """Return the reference of the line on which a model was shown a value."""
    tokens = pointer.tokens(binding.raw_path)
    while tokens and not tokens[-1].isdigit():
        tokens.pop()
    return f"{numbers[binding.source_invocation_id]}{pointer.build(*tokens)}"


def _lines_hold(refs: Iterable[str], recording: Recording) -> set[str]:
    """Return every value on the cited lines: one of them in another's place is exchanged, not made up."""
    found: set[str] = set()
    for ref in refs:
        number, _, path = ref.partition("/")
        document = strict_json.loads(recording.made[int(number) - 1].output)
        element = pointer.resolve(document, f"/{path}" if path else "")
        found |= {text for _, text in _values(element, "")}
    return found


def _owners(claim: Claim, recording: Recording) -> list[str]:
    known = {other.component for other in recording.truth.claims if other.component}
    texts = " ".join(binding.matched_text for binding in claim.evidence_bindings)
    return sorted(name for name in known - {claim.component} if name in texts)


def _strangers(claim: Claim, recording: Recording) -> list[str]:
    """Return components of other claims that nothing cited by this one names."""
    texts = " ".join(binding.matched_text for binding in claim.evidence_bindings)
    known = {other.component for other in recording.truth.claims if other.component}
    return sorted(name for name in known - {claim.component} if name not in texts)


def _references(recording: Recording, places: int) -> Iterator[Attempt]:
    """Yield true statements whose one reference is made up."""
    claims = recording.truth.claims
    for number, (kind, ref) in enumerate(_made_up(recording, places)):
        if claims:
            claim = claims[number % len(claims)]
            yield Attempt(_REFERENCE, kind, ref, _said(claim, [ref]))


def _made_up(recording: Recording, count_of_places: int) -> Iterator[tuple[str, str]]:
    calls, count = recording.made, len(recording.made)
    for number, call in enumerate(calls, 1):
        places = list(islice(_places(call), count_of_places))
        for place in places:
            yield from (
                ("number of no call", f"{wrong}{place}")
                for wrong in (count + number, 9999, 0, f"0{number}", f"-{number}", f"{number}.0")
            )
            yield from (
                ("id of a call", f"{each}{place}") for each in (call.id, f"inv-{number:012x}", f"#{number}")
            )
            yield from (
                ("tool of a call", f"{each}{place}")
                for each in (call.tool_name, f"{call.tool_name}:{number}", "shell")
            )
            yield from (("pointer to nothing", f"{number}{each}") for each in _wrong_pointers(place))
            yield from (
                ("quotation beside a reference", f'{number}{place} "{each}"')
                for each in ("the disk is full", "FATAL: invented")
            )
        yield from (("place of the reader", f"{number}{place}") for place in _reader_places(call))


def _wrong_pointers(place: str) -> Iterator[str]:
    yield from (
        f"{place}/nope",
        f"{place}/0",
        f"{place[1:]}",
        f"/{place}",
        f"{place}/",
        f"{place}~",
        f"{place}~2",
    )
    yield from (
        f"#{place}",
        place.replace("/", "."),
        f"$.{place[1:]}",
        place.upper(),
        f"{place}|x",
        f"{place}\n1",
    )
    head, _, last = place.rpartition("/")
    yield from (f"{head}/{last}x", f"{head}/..{place}", f"{head}/*", f"{head}/-1", f"{head}/99999999")


def _places(call: tool_pb2.Invocation) -> Iterator[str]:
    """Yield pointers to plain values of a system's own."""
    return (path for path, _ in _values(strict_json.loads(call.output), "") if not _is_reader_made(path))


def _reader_places(call: tool_pb2.Invocation) -> Iterator[str]:
    found = (path for path, _ in _values(strict_json.loads(call.output), "") if _is_reader_made(path))
    return islice(found, 4)


def _is_reader_made(path: str) -> bool:
    reader = {"source", "owner", "n", "time", "first_line", "last_line", "inputs", "sha256", "bytes"}
    names = path.split("/")[1:]
    end = names.index("value") if "value" in names else len(names)
    return bool(reader & set(names[:end]))


def _values(value: strict_json.Json, path: str) -> Iterator[tuple[str, str]]:
    if isinstance(value, dict):
        for key, member in value.items():
            yield from _values(member, f"{path}{pointer.build(key)}")
    elif isinstance(value, list):
        for index, element in enumerate(value):
            yield from _values(element, f"{path}/{index}")
    elif path:
        yield path, str(value)


def _printed(table: Table) -> Iterable[str]:
    yield f"claims of the analyst: {table.claims}"
    for part, bad in (
        (_REFERENCE, "through"),
        (_QUOTATION, "through"),
        (_FABRICATED, "through"),
        (_TRUE, "refused"),
        (_TWISTED, "through"),
    ):
        yield f"\n{part:<44} {'n':>7} {bad:>8} {'share':>8}"
        rows = {kind: row for (each, kind), row in sorted(table.rows.items()) if each == part}
        for kind, row in [*rows.items(), ("all", table.sum(part))]:
            wrong = row.tried - row.stood if part == _TRUE else row.stood
            yield f"  {kind:<42} {row.tried:7} {wrong:8} {wrong / max(1, row.tried):8.2%}"
        for kind, row in rows.items():
            yield from (f"    {kind}: {example}" for example in row.examples[:_SHOWN])


def main() -> int:
    """Print the table; returns the exit code."""
    data = Path(os.environ.get("TEST_DATA", PROJECT.parent / "shared"))
    roots = [data / name for name in ("incidents", "cases", "metric-cases")]
    roots = [root for root in roots if root.is_dir()] or [PROJECT / "examples" / "incidents"]
    table = asyncio.run(table_of(bundles_of(*roots)))
    sys.stdout.write("\n".join([*_printed(table), "", *table.problems]) + "\n")
    return 1 if table.problems else 0


if __name__ == "__main__":
    raise SystemExit(main())
