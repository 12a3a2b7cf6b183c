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


@dataclass(frozen=True)
class HandedCase(Case):
    """A case whose answer may have to state some sentences (`dev/eval/stated.py`)."""

    sentences: tuple[str, ...] = ()

    def under(self, renamed: Callable[[str], str]) -> "HandedCase":
        """Return the case as it is asked and answered when everything has another name."""
        suspects = self.expected.suspects
        expected = self.expected.model_copy(
            update={"suspects": None if suspects is None else [*map(renamed, suspects)]}
        )
        return replace(
            self,
            question=renamed(self.question),
            expected=expected,
            sentences=tuple(map(renamed, self.sentences)),
        )


@dataclass(frozen=True)
class HandedSet:
    """Some cases below one folder."""

    name: str
    root: Path
    cases: list[HandedCase]


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


def judged(case: HandedCase, ended: Ended) -> Judged:
    """Hold the end of a question against what is right, the sentences that it has to state included."""
    found = judge(case.name, case.expected, ended)
    if isinstance(ended, str):
        return found
    missing = [f"does not state: {text.strip()}" for text in unstated(case.sentences, ended)]
    return replace(found, problems=[*found.problems, *missing])


def _handed(name: str, root: Path) -> HandedSet:
    return HandedSet(name, root, [_case(bundle) for bundle in sorted(root.glob("*/bundle"))])


def _case(bundle: Path) -> HandedCase:
    folder = bundle.parent
    key = _key(folder)
    cause = key.get("root_cause_component", key.get("root_cause_service"))
    sentences = tuple(key.get("expected", ()))
    expected = Expected() if sentences else Expected(suspects=[cause] if cause else [])
    question = (bundle / "question.txt").read_text(encoding="utf-8").strip()
    return HandedCase(folder.name, f"{folder.name}/bundle", question, expected, sentences)


def _key(folder: Path) -> dict[str, Any]:
    for name in ("truth.json", "expected.json"):
        if (folder / name).is_file():
            key: dict[str, Any] = json.loads((folder / name).read_text(encoding="utf-8"))
            return key
    raise FileNotFoundError(f"{folder} has no answer key")
