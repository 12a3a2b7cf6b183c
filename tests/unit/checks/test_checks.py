"""The checks of the repository find what they are for: each has a positive control."""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from checks import drawing, locks, module_size, scenarios, stubs
from orchestrator.graph import DIAGNOSIS, draw

_PINNED = "a==1.0 \\\n    --hash=sha256:00\nb-c==2.0 ; sys_platform == 'win32' \\\n    --hash=sha256:00\n"


def test_a_long_module_is_found(tmp_path: Path) -> None:
    (tmp_path / "services").mkdir()
    (tmp_path / "services" / "short.py").write_text("x\n" * 500)
    (tmp_path / "services" / "long.py").write_text("x\n" * 501)
    assert [line.split(":")[0] for line in module_size.too_long(tmp_path)] == ["services/long.py"]


def test_a_long_function_of_the_program_is_found(tmp_path: Path) -> None:
    for folder in ("services", "tests"):
        (tmp_path / folder).mkdir()
        functions = [
            f"class C:\n    async def f_{lines}(self):\n" + "        x\n" * lines for lines in (39, 40)
        ]
        (tmp_path / folder / "long.py").write_text("\n".join(functions))
    assert [line.partition(" has")[0] for line in module_size.too_long(tmp_path)] == [
        "services/long.py:44: f_40"
    ]


def test_missing_stale_and_left_over_stubs_are_found(tmp_path: Path) -> None:
    fresh, committed = tmp_path / "fresh", tmp_path / "committed"
    for folder, files in (
        (fresh, {"same_pb2.py": "1", "new_pb2.pyi": "1", "changed_pb2.py": "1"}),
        (committed, {"same_pb2.py": "1", "old_pb2_grpc.py": "1", "changed_pb2.py": "2"}),
    ):
        folder.mkdir()
        for name, text in files.items():
            (folder / name).write_text(text)
    found = [line.partition(": ")[2].split(",")[0] for line in stubs.differences(fresh, committed)]
    assert found == ["stale", "missing", "left over"]


def test_a_lock_that_holds_everything_is_fine() -> None:
    assert list(locks.problems(["a>=1", "B_c"], _PINNED, "lock")) == []


@pytest.mark.parametrize(
    ("requirement", "lock", "problem"),
    [
        ("d", _PINNED, "d is not pinned"),
        ("a>=2", _PINNED, "a>=2 is not pinned"),
        ("a", _PINNED + "--find-links https://example.org\n", "names an address"),
        ("a", "a==1.0\n", "has no hash"),
    ],
)
def test_a_lock_that_does_not_is_found(requirement: str, lock: str, problem: str) -> None:
    assert any(problem in line for line in locks.problems([requirement], lock, "lock"))


_TABLE = "id\trequirement\tscenario\nA-1\tIt SHALL hold\tfirst\nA-2\tIt SHALL hold\tsecond\n"
_KNOWN = scenarios.scenarios(_TABLE)


def test_a_scenario_without_a_test_and_a_test_without_a_scenario_are_found() -> None:
    assert list(scenarios.problems(_KNOWN, {"A-1": ["t.py::one"], "A-2": ["t.py::two"]})) == []
    found = list(scenarios.problems(_KNOWN, {"A-1": ["t.py::one"], "A-3": ["t.py::three"]}))
    assert [line.split(" ")[0] for line in found] == ["A-2", "t.py::three"]


@pytest.mark.parametrize(
    ("results", "shown"),
    [
        ({"t.py::one": "passed", "t.py::two[a]": "passed", "t.py::two[b]": "passed"}, 2),
        ({"t.py::one": "passed", "t.py::two[a]": "passed", "t.py::two[b]": "failed"}, 1),
        ({"t.py::one": "passed", "t.py::two[a]": "skipped", "t.py::two[b]": "passed"}, 1),
        ({"t.py::one": "passed", "t.py::two[a]": "passed"}, 1),
    ],
)
def test_a_scenario_is_shown_when_all_its_tests_passed(results: dict[str, str], shown: int) -> None:
    tests = {"A-1": ["t.py::one"], "A-2": ["t.py::two[a]", "t.py::two[b]"]}
    marked = scenarios.Marked(tests, results)
    *table, total = scenarios.report(_KNOWN, marked)
    assert total == f"{shown} of 2 scenarios are shown by tests that passed"
    assert len(table) == 2
    assert scenarios.holds(_KNOWN, marked, run=True) is (shown == 2)


def test_a_page_without_markers_is_an_error() -> None:
    with pytest.raises(ValueError, match="no markers"):
        drawing.with_drawing("# Architecture\n", "flowchart TD")


def test_the_drawing_is_put_between_its_markers() -> None:
    page = f"before\n{drawing.START}\nold\n{drawing.END}\nafter\n"
    once = drawing.with_drawing(page, "new\n")
    assert once == f"before\n{drawing.START}\n```mermaid\nnew\n```\n{drawing.END}\nafter\n"
    assert drawing.with_drawing(once, "new\n") == once


def test_the_page_shows_the_graph_that_the_engine_walks(project: Path) -> None:
    page = (project / drawing.PAGE).read_text(encoding="utf-8")
    assert drawing.with_drawing(page, draw(DIAGNOSIS)) == page


@pytest.mark.parametrize(
    ("module", "line", "contract"),
    [
        ("orchestrator/engine.py", "import services.planner", "processes"),
        ("services/planner/domain.py", "import services.executor.recorded", "processes"),
        ("services/common/errors.py", "import services.planner", "processes"),
        ("orchestrator/graph/table.py", "import grpc", "pure"),
        ("services/common/evidence/pointer.py", "import time", "pure"),
        ("services/executor/analyst/reading/spot.py", "import services.executor.sources.metrics", "executor"),
        ("services/executor/sources/metrics.py", "import services.executor.tools.tool", "executor-tools"),
        (
            "services/executor/analyst/story/silences.py",
            "import services.executor.analyst.causes.claimed",
            "analyst",
        ),
        ("services/gatekeeper/domain.py", "import openai", "no-model"),
        ("orchestrator/engine.py", "import orchestrator.cli.layout", "command-line"),
        ("services/common/evidence/strict_json.py", "import services.common.evidence.pointer", "cycles"),
    ],
)
def test_a_forbidden_import_breaks_its_contract(
    project: Path, tmp_path: Path, module: str, line: str, contract: str
) -> None:
    for folder in ("services", "orchestrator"):
        shutil.copytree(project / folder, tmp_path / folder, ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(project / "pyproject.toml", tmp_path)
    changed = tmp_path / module
    changed.write_text(f"{changed.read_text(encoding='utf-8')}\n{line}\n", encoding="utf-8")
    command = [
        str(Path(sys.executable).with_name("lint-imports")),
        *("--no-cache", "--no-logo", "--contract", contract),
    ]
    ended = subprocess.run(  # noqa: S603 - the project's own tool on a copy of the project
        command, cwd=tmp_path, capture_output=True, text=True, timeout=120, check=False
    )
    assert ended.returncode == 1, ended.stdout + ended.stderr
    assert "BROKEN" in ended.stdout
