"""The two recorded incidents, diagnosed once by the real stack."""

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from tests.fakes.command_line import Ended, assay

PROVEN = "pg-connection-exhaustion"
UNPROVEN = "healthy-false-alarm"


@dataclass(frozen=True)
class Diagnosed:
    """One incident, its answer key, and what the command printed about it."""

    bundle: Path
    truth: dict[str, Any]
    ended: Ended

    @property
    def answer(self) -> dict[str, Any]:
        """The JSON object that was printed."""
        result: dict[str, Any] = json.loads(self.ended.stdout)
        return result


@pytest.fixture(scope="session")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A state folder that the tests of one session share."""
    return tmp_path_factory.mktemp("assay home")


def _diagnosed(project: Path, home: Path, name: str) -> Diagnosed:
    incident = project / "examples" / "incidents" / name
    bundle = incident / "bundle"
    question = (bundle / "question.txt").read_text(encoding="utf-8").strip()
    truth = json.loads((incident / "truth.json").read_text(encoding="utf-8"))
    return Diagnosed(bundle, truth, assay(home, "diagnose", question, "--bundle", str(bundle), "--json"))


@pytest.fixture(scope="session")
def proven(project: Path, home: Path) -> Diagnosed:
    """The incident that has a cause."""
    return _diagnosed(project, home, PROVEN)


@pytest.fixture(scope="session")
def unproven(project: Path, home: Path) -> Diagnosed:
    """The incident whose cause is not in the evidence."""
    return _diagnosed(project, home, UNPROVEN)


@pytest.fixture(params=[PROVEN, UNPROVEN])
def diagnosed(request: pytest.FixtureRequest) -> Diagnosed:
    """Each of the two."""
    result: Diagnosed = request.getfixturevalue("proven" if request.param == PROVEN else "unproven")
    return result
