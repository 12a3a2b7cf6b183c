"""Asks every handed set, and every one of its bundles changed, and holds the counts against the floor."""

import argparse
import asyncio
import json
import os
import sys
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final

from assay.orchestrator.v1 import run_pb2

from dev.eval import reference
from dev.eval.bindings import check_bindings
from dev.eval.handed import HandedCase, HandedSet, handed_sets, judged
from dev.eval.removal import is_proven, weakened, without_evidence
from dev.eval.variants import VARIANTS, Variant, made
from orchestrator.cli.evaluation.asking import ask
from orchestrator.cli.evaluation.judging import Ended, Score, below
from orchestrator.cli.evaluation.printed import as_text
from orchestrator.cli.table import Paper

FLOOR: Final = Path(__file__).with_name("floor.json")
_TIMEOUT_SECONDS: Final = 300.0
_AT_ONCE: Final = 2


@dataclass(frozen=True)
class Measured:
    """What a set came to: how its answers were judged, and whether their citations stand."""

    score: Score
    bindings: int
    missing: Sequence[str]

    def as_object(self) -> dict[str, Any]:
        """Return it as plain values."""
        found = self.bindings - len(self.missing)
        return {**self.score.as_object(), "bindings": self.bindings, "bindings_found": found}


async def measured(
    handed: HandedSet, folder: Path, variants: Sequence[Variant], *, removed: bool
) -> list[Measured]:
    """Ask a set as it is, in some variants and, if wanted, without the evidence of what is proven.

    `folder` takes states and changed bundles.
    """
    runs, as_it_is = await _asked(handed.name, handed.cases, handed.root, folder)
    found = [as_it_is]
    for variant in variants:
        cases = [made(variant, case, handed.root, folder) for case in handed.cases]
        found.append((await _asked(f"{handed.name}, {variant.name}", cases, folder, folder))[1])
    proven = [(case, run) for case, run in zip(handed.cases, runs, strict=True) if is_proven(run)]
    if proven and removed:
        found.append(await _weakened(handed, proven, folder))
    return found


async def _asked(
    name: str, cases: Sequence[HandedCase], root: Path, folder: Path
) -> tuple[Sequence[Ended], Measured]:
    state = folder / "state" / name
    state.mkdir(parents=True)
    asked = await ask(cases, root, state, os.environ, _TIMEOUT_SECONDS, lambda _: None, _AT_ONCE)
    answers = [judged(case, ended) for case, ended in zip(cases, asked.ended, strict=True)]
    count, missing = await check_bindings(state, asked.ended, os.environ)
    sys.stderr.write(f"{name}: {len(cases)} asked\n")
    return asked.ended, Measured(Score(name, answers, asked.cpu_seconds), count, missing)


async def _weakened(
    handed: HandedSet, proven: Sequence[tuple[HandedCase, run_pb2.Run]], folder: Path
) -> Measured:
    name = f"{handed.name}, evidence removed"
    cases = [without_evidence(case, run, handed.root, folder) for case, run in proven]
    runs, found = await _asked(name, cases, folder, folder)
    answers = [
        weakened(case, before, after) for case, (_, before), after in zip(cases, proven, runs, strict=True)
    ]
    return replace(found, score=Score(name, answers, found.score.cpu_seconds))


async def _all(sets: Sequence[HandedSet], *, changed: bool) -> list[Measured]:
    found = []
    for handed in sets:
        with tempfile.TemporaryDirectory() as folder:
            variants = VARIANTS if changed else ()
            found += await measured(handed, Path(folder), variants, removed=changed)
    return found


def held(floor: Mapping[str, Any], scores: Mapping[str, Any]) -> list[str]:
    """Return where measured sets are worse than their floor, and where a citation is not found.

    A set that is not there has no floor.
    """
    cited = [
        f"{name}: {each['bindings'] - each['bindings_found']} citations are not found"
        for name, each in scores.items()
        if each["bindings_found"] != each["bindings"]
    ]
    return [*below({name: least for name, least in floor.items() if name in scores}, scores), *cited]


def _bindings(found: Sequence[Measured]) -> str:
    missing = [line for each in found for line in each.missing]
    count = sum(each.bindings for each in found)
    told = f"citations found in what their calls recorded: {count - len(missing)} of {count}\n"
    return told + "".join(f"not found: {line}\n" for line in missing)


def main() -> int:
    """Measure, print, write the counts, compare; returns the exit code: 1 below the floor."""
    parser = argparse.ArgumentParser(prog="python -m dev.eval", description=__doc__)
    parser.add_argument("--only", action="append", help="a set's name; all when none is named")
    parser.add_argument("--unchanged", action="store_true", help="leave out the changed bundles")
    parser.add_argument("--out", type=Path, default=Path("build/eval.json"), help="where the counts go")
    options = parser.parse_args()
    sets = [each for each in handed_sets() if not options.only or each.name in options.only]
    found = asyncio.run(_all(sets, changed=not options.unchanged))
    counted = {each.score.name: each.as_object() for each in found}
    sys.stdout.write(as_text([each.score for each in found], Paper()))
    sys.stdout.write(_bindings(found))
    sys.stdout.write(reference.as_text(sets))

    options.out.parent.mkdir(parents=True, exist_ok=True)
    options.out.write_text(json.dumps(counted, indent=1) + "\n", encoding="utf-8")
    problems = held(json.loads(FLOOR.read_text(encoding="utf-8")), counted)
    sys.stdout.write("".join(f"below the floor: {problem}\n" for problem in problems))
    return 1 if problems else 0


if __name__ == "__main__":
    raise SystemExit(main())
