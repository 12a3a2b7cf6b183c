"""Every scenario of the requirement documents has a test, and no test names another one.

With `--run` the tests run, and the table says what they show: exit code 0 only if every scenario is shown.
"""

import csv
import io
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import nullcontext, redirect_stdout
from dataclasses import dataclass, field
from pathlib import Path

import pytest

TABLE = Path("tests/spec/scenarios.tsv")
_PASSED = "passed"


@dataclass(frozen=True)
class Scenario:
    """One row of the table."""

    id: str
    requirement: str
    scenario: str


@dataclass(eq=False)
class Marked:
    """A pytest plugin that keeps which tests show which scenario, and how each test ended."""

    tests: dict[str, list[str]] = field(default_factory=dict)
    results: dict[str, str] = field(default_factory=dict)

    def pytest_collection_finish(self, session: pytest.Session) -> None:
        """Read the marks of every collected test."""
        for item in session.items:
            for mark in item.iter_markers("scenario"):
                for scenario_id in mark.args:
                    self.tests.setdefault(str(scenario_id), []).append(item.nodeid)

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Keep the result of a test: that of its call, unless something around it went wrong."""
        if report.when == "call" or report.outcome != _PASSED:
            self.results[report.nodeid] = report.outcome


def scenarios(table: str) -> list[Scenario]:
    """Read the table, in its order."""
    rows = csv.DictReader(table.splitlines(), delimiter="\t", quoting=csv.QUOTE_NONE)
    return [Scenario(row["id"], row["requirement"], row["scenario"]) for row in rows]


def problems(known: Sequence[Scenario], tests: Mapping[str, Sequence[str]]) -> Iterator[str]:
    """Yield one line per scenario without a test, and per test of a scenario that nobody knows."""
    ids = {item.id for item in known}
    for item in known:
        if item.id not in tests:
            yield f"{item.id} has no test: {item.scenario}"
    for scenario_id in sorted(tests.keys() - ids):
        yield f"{tests[scenario_id][0]} names the scenario {scenario_id}, which is not in {TABLE}"


def result_of(nodes: Sequence[str], results: Mapping[str, str]) -> str:
    """Return what the tests of one scenario show together: the first that did not pass, else passed."""
    if not nodes:
        return "no test"
    return next((found for node in nodes if (found := results.get(node, "not run")) != _PASSED), _PASSED)


def report(known: Sequence[Scenario], marked: Marked) -> Iterator[str]:
    """Yield the table, one line per scenario and test function, and the sum."""
    shown = 0
    for item in known:
        nodes = marked.tests.get(item.id, [])
        result = result_of(nodes, marked.results)
        shown += result == _PASSED
        functions = list(dict.fromkeys(node.partition("[")[0] for node in nodes)) or ["-"]
        for number, function in enumerate(functions):
            count = sum(node.partition("[")[0] == function for node in nodes)
            head = (item.id, item.scenario, result) if number == 0 else ("", "", "")
            yield f"{head[0]:5} {head[1]:64.64} {head[2]:8} {function.removeprefix('tests/spec/')} ({count})"
    yield f"{shown} of {len(known)} scenarios are shown by tests that passed"


def main(arguments: list[str]) -> int:
    """Collect, or run; returns the exit code."""
    known = scenarios(TABLE.read_text(encoding="utf-8"))
    marked = Marked()
    run = arguments == ["--run"]
    # What pytest says of a run is worth reading; its list of collected tests only if it broke off.
    said = io.StringIO()
    with nullcontext() if run else redirect_stdout(said):
        ended = pytest.main(["-q", *(["-m", "scenario"] if run else ["--collect-only"]), "tests"], [marked])
    found = list(problems(known, marked.tests))
    if run:
        found += list(report(known, marked))
    sys.stdout.writelines(f"{line}\n" for line in found)
    if ended != pytest.ExitCode.OK:
        sys.stdout.write(f"{said.getvalue()}pytest did not end well: exit code {int(ended)}\n")
        return 1
    return 0 if holds(known, marked, run=run) else 1


def holds(known: Sequence[Scenario], marked: Marked, *, run: bool) -> bool:
    """Tell whether tests and table fit each other and, after a run, whether every scenario is shown."""
    if any(problems(known, marked.tests)):
        return False
    return not run or all(result_of(marked.tests[item.id], marked.results) == _PASSED for item in known)


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
