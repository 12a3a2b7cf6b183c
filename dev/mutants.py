"""Mutation testing of the pure core: runs mutmut and compares what survives with the table of survivors.

`dev/survivors.tsv` names every mutant that may survive: function, what stood there, what stands there
instead, and why no test tells the two apart. Exit code 1 when the score is too low, when a survivor is not in
the table, or when a row of the table is of no survivor.
"""

import csv
import re
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

LEAST_SCORE: Final = 90.0
SURVIVORS: Final = Path(__file__).with_name("survivors.tsv")
# A mutant that runs on for ever is caught as surely as one that fails.
_CAUGHT: Final = ("killed", "timeout", "segfault", "caught by type check")
_MUTMUT: Final = str(Path(sys.executable).with_name("mutmut"))
_WORKERS: Final = 2
_NUMBER: Final = re.compile(r"__mutmut_\d+$")
_RESULT: Final = re.compile(r"\s+(?P<name>\S+): (?P<status>.+)")


@dataclass(frozen=True, order=True)
class Mutant:
    """One change of one function, as its lines were and are."""

    function: str
    before: str
    after: str


def listed() -> dict[Mutant, str]:
    """Return the survivors of the table with their reasons."""
    with SURVIVORS.open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE))
    return {Mutant(row["function"], row["before"], row["after"]): row["reason"] for row in rows}


def problems(found: set[Mutant], table: dict[Mutant, str]) -> Iterator[str]:
    """Yield what the table and the survivors do not agree on."""
    for mutant in sorted(found - table.keys()):
        yield f"survives and is not listed: {mutant.function}: {mutant.before} -> {mutant.after}"
    for mutant in sorted(table.keys() - found):
        yield f"is listed and does not survive: {mutant.function}: {mutant.before} -> {mutant.after}"
    for mutant, reason in sorted(table.items()):
        if not reason.strip():
            yield f"is listed without a reason: {mutant.function}: {mutant.before} -> {mutant.after}"


def _mutmut(*arguments: str) -> str:
    return subprocess.run(  # noqa: S603 - the tool of this environment
        [_MUTMUT, *arguments], check=True, capture_output=True, text=True
    ).stdout


def _results() -> dict[str, str]:
    """Return the status of every mutant by its name."""
    lines = map(_RESULT.fullmatch, _mutmut("results", "--all", "true").splitlines())
    return {match["name"]: match["status"] for match in lines if match}


def _mutant(name: str) -> Mutant:
    lines = [line for line in _mutmut("show", name).splitlines() if not line.startswith(("---", "+++"))]
    parts = [" ".join(line[1:].strip() for line in lines if line.startswith(sign)) for sign in "-+"]
    return Mutant(_NUMBER.sub("", name), *parts)


def main() -> int:
    """Run every mutant and print the score and the survivors; returns the exit code."""
    subprocess.run([_MUTMUT, "run", "--max-children", str(_WORKERS)], check=True)  # noqa: S603 - as above
    results = _results()
    counts = Counter(results.values())
    caught = sum(counts[status] for status in _CAUGHT)
    score = 100 * caught / len(results)
    say = sys.stdout.write
    say(f"\nmutants {len(results)}, caught {caught}, score {score:.1f} %\n")
    say("".join(f"  {status}: {count}\n" for status, count in sorted(counts.items())))
    table = listed()
    found = {_mutant(name) for name, status in results.items() if status not in _CAUGHT}
    for mutant in sorted(found & table.keys()):
        say(f"survives: {mutant.function}: {mutant.before} -> {mutant.after}: {table[mutant]}\n")
    wrong = list(problems(found, table))
    say("".join(f"{problem}\n" for problem in wrong))
    return 1 if wrong or score < LEAST_SCORE else 0


if __name__ == "__main__":
    raise SystemExit(main())
