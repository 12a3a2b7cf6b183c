"""The sets of recorded incidents that the tests use, each with its answer key in its own form."""

import json
import os
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final

from dev.eval.stated import unstated
from orchestrator.cli.evaluation.cases import Case, Expected
from orchestrator.cli.evaluation.judging import Ended, Judged, judge

PROJECT: Final = Path(__file__).resolve().parents[2]
Judge = Callable[[Case, Ended], Judged]


@dataclass(frozen=True)
class HandedSet:
    """Some cases below one folder, and how their answers are judged."""

    name: str
    root: Path
    cases: list[Case]
    judge: Judge


def data_folder() -> Path:
    """Return the folder of public test data; it may not be there."""
    return Path(os.environ.get("TEST_DATA", PROJECT.parent / "shared")).resolve()


def handed_sets() -> list[HandedSet]:
    """Return the sets that are there; the examples of the project stand in for missing incidents."""
    data = data_folder()
    incidents = data / "incidents" if (data / "incidents").is_dir() else PROJECT / "examples" / "incidents"
    roots = {"incidents": incidents, "cases": data / "cases", "metric-cases": data / "metric-cases"}
    found = [_handed(name, root) for name, root in roots.items() if root.is_dir()]
    return [each for each in found if each.cases]


def _handed(name: str, root: Path) -> HandedSet:
    stated: dict[str, list[str]] = {}
    cases = []
    for bundle in sorted(root.glob("*/bundle")):
        key = _key(bundle.parent)
        question = (bundle / "question.txt").read_text(encoding="utf-8").strip()
        if "expected" in key:
            stated[bundle.parent.name] = key["expected"]
            expected = Expected()
        else:
            cause = key.get("root_cause_component", key.get("root_cause_service"))
            expected = Expected(suspects=[cause] if cause else [])
        cases.append(Case(bundle.parent.name, f"{bundle.parent.name}/bundle", question, expected))

    def judged(case: Case, ended: Ended) -> Judged:
        found = judge(case.name, case.expected, ended)
        if isinstance(ended, str) or case.name not in stated:
            return found
        missing = [f"does not state: {text.strip()}" for text in unstated(stated[case.name], ended)]
        return replace(found, problems=[*found.problems, *missing])

    return HandedSet(name, root, cases, judged)


def _key(folder: Path) -> dict[str, Any]:
    for name in ("truth.json", "expected.json"):
        if (folder / name).is_file():
            key: dict[str, Any] = json.loads((folder / name).read_text(encoding="utf-8"))
            return key
    raise FileNotFoundError(f"{folder} has no answer key")
