"""Asks every handed set, and every one of its bundles changed, and holds the counts against the floor."""

import argparse
import asyncio
import json
import os
import sys
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from assay.orchestrator.v1 import run_pb2

from dev.eval import reference
from dev.eval.handed import HandedSet, handed_sets
from dev.eval.removal import is_proven, weakened, without_evidence
from dev.eval.variants import VARIANTS, made
from orchestrator.cli.evaluation.asking import ask
from orchestrator.cli.evaluation.cases import Case
from orchestrator.cli.evaluation.judging import Ended, Score, below
from orchestrator.cli.evaluation.printed import as_text
from orchestrator.cli.table import Paper

FLOOR: Final = Path(__file__).with_name("floor.json")
_TIMEOUT_SECONDS: Final = 300.0
_AT_ONCE: Final = 2


async def scores_of(handed: HandedSet, folder: Path, *, changed: bool) -> list[Score]:
    """Ask a set as it is and, if wanted, in every variant; `folder` takes states and changed bundles."""
    runs, score = await _asked(handed, handed.name, handed.cases, handed.root, folder)
    found = [score]
    if not changed:
        return found
    for variant in VARIANTS:
        cases = [made(variant, case, handed.root, folder) for case in handed.cases]
        found.append((await _asked(handed, f"{handed.name}, {variant.name}", cases, folder, folder))[1])
    proven = [(case, run) for case, run in zip(handed.cases, runs, strict=True) if is_proven(run)]
    if proven:
        found.append(await _weakened(handed, proven, folder))
    return found


async def _asked(
    handed: HandedSet, name: str, cases: Sequence[Case], root: Path, folder: Path
) -> tuple[Sequence[Ended], Score]:
    state = folder / "state" / name
    state.mkdir(parents=True)
    asked = await ask(cases, root, state, os.environ, _TIMEOUT_SECONDS, lambda _: None, _AT_ONCE)
    judged = [handed.judge(case, ended) for case, ended in zip(cases, asked.ended, strict=True)]
    score = Score(name, judged, asked.cpu_seconds)
    sys.stderr.write(f"{name}: {len(cases)} asked\n")
    return asked.ended, score


async def _weakened(handed: HandedSet, proven: Sequence[tuple[Case, run_pb2.Run]], folder: Path) -> Score:
    name = f"{handed.name}, evidence removed"
    cases = [without_evidence(case, run, handed.root, folder) for case, run in proven]
    runs, score = await _asked(handed, name, cases, folder, folder)
    judged = [
        weakened(case, before, after) for case, (_, before), after in zip(cases, proven, runs, strict=True)
    ]
    return Score(name, judged, score.cpu_seconds)


async def _all(sets: Sequence[HandedSet], *, changed: bool) -> list[Score]:
    found = []
    for handed in sets:
        with tempfile.TemporaryDirectory() as folder:
            found += await scores_of(handed, Path(folder), changed=changed)
    return found


def held(floor: Mapping[str, Any], scores: Mapping[str, Any]) -> list[str]:
    """Return where measured sets are worse than their floor; a set that is not there has none."""
    return below({name: least for name, least in floor.items() if name in scores}, scores)


def main() -> int:
    """Measure, print, write the counts, compare; returns the exit code: 1 below the floor."""
    parser = argparse.ArgumentParser(prog="python -m dev.eval", description=__doc__)
    parser.add_argument("--only", action="append", help="a set's name; all when none is named")
    parser.add_argument("--unchanged", action="store_true", help="leave out the changed bundles")
    parser.add_argument("--out", type=Path, default=Path("build/eval.json"), help="where the counts go")
    options = parser.parse_args()
    sets = [each for each in handed_sets() if not options.only or each.name in options.only]
    scores = asyncio.run(_all(sets, changed=not options.unchanged))
    counted = {score.name: score.as_object() for score in scores}
    sys.stdout.write(as_text(scores, Paper()))
    sys.stdout.write(reference.as_text(sets))

    options.out.parent.mkdir(parents=True, exist_ok=True)
    options.out.write_text(json.dumps(counted, indent=1) + "\n", encoding="utf-8")
    problems = held(json.loads(FLOOR.read_text(encoding="utf-8")), counted)
    sys.stdout.write("".join(f"below the floor: {problem}\n" for problem in problems))
    return 1 if problems else 0


if __name__ == "__main__":
    raise SystemExit(main())
