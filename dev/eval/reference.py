"""The scorers of PyPI fse-baro on the same metric tables: what a reader may compare the figures with.

The package is no dependency of the project (it brings scikit-learn and pandas): it is installed into a folder
of its own below build/. Its scorers are run on the alert's measure of every component, given the onset, as
their authors do. They rank, so that they name somebody for every control as well.
"""

import json
import subprocess
import sys
from collections.abc import Iterator, Sequence
from datetime import datetime
from pathlib import Path
from typing import Any, Final

from dev.eval import scorers
from dev.eval.handed import PROJECT, HandedCase, HandedSet
from orchestrator.cli.evaluation.judging import ACCURACY_AT
from services.executor.analyst.reading.measures import Measure, measure_in
from services.executor.sources.metrics_csv import read_table

_HOME: Final = PROJECT / "build" / "reference"
_PYTHON: Final = _HOME / "bin" / "python"
_PACKAGE: Final = "fse-baro==0.2.2"
_INSTALL_SECONDS: Final = 600.0
_RUN_SECONDS: Final = 300.0


def as_text(sets: Sequence[HandedSet]) -> str:
    """Return a line for each scorer and set with metric tables; one line where the package cannot be had."""
    tables = {each.name: list(tables_of(each)) for each in sets}
    if not any(tables.values()):
        return ""
    try:
        _install()
        lines = [line for name, rows in tables.items() if rows for line in _scored(name, rows)]
    except (OSError, subprocess.SubprocessError) as error:
        return f"The scorers of fse-baro are not run beside it: {_reason(error)}\n"
    return "".join(lines)


def _install() -> None:
    if _PYTHON.exists() and _run(_PYTHON, "-c", "import baro", seconds=_RUN_SECONDS, check=False) is not None:
        return
    _run(Path(sys.executable), "-m", "venv", "--clear", str(_HOME), seconds=_INSTALL_SECONDS)
    options = ("--quiet", "--disable-pip-version-check")
    _run(_PYTHON, "-m", "pip", "install", *options, _PACKAGE, seconds=_INSTALL_SECONDS)


def _run(python: Path, *arguments: str, seconds: float, given: str = "", check: bool = True) -> str | None:
    """Run a Python with fixed arguments; returns its output, or None where it failed and need not succeed."""
    ended = subprocess.run(  # noqa: S603 - arguments of this module alone, no shell
        [python, *arguments], input=given, capture_output=True, text=True, timeout=seconds, check=check
    )
    return ended.stdout if ended.returncode == 0 else None


def _reason(error: Exception) -> str:
    told = getattr(error, "stderr", None) or str(error)
    return str(told).strip().splitlines()[-1][:200]


def _scored(name: str, rows: Sequence[tuple[HandedCase, dict[str, Any]]]) -> Iterator[str]:
    given = json.dumps([table for _, table in rows])
    ranked = json.loads(_run(_PYTHON, str(Path(scorers.__file__)), seconds=_RUN_SECONDS, given=given) or "{}")
    for scorer, ranks in ranked.items():
        places = [
            place_of(case.expected.suspects[0], names)
            for (case, _), names in zip(rows, ranks, strict=True)
            if case.expected.suspects
        ]
        blamed = sum(
            bool(names) for (case, _), names in zip(rows, ranks, strict=True) if not case.expected.suspects
        )
        shares = ", ".join(f"AC@{most} {_within(places, most) / len(places):.2f}" for most in ACCURACY_AT)
        yield (
            f"fse-baro {scorer}, {name}, n = {len(places)}: {shares}; "
            f"{blamed} of {len(rows) - len(places)} controls blamed\n"
        )


def _within(places: Sequence[int | None], most: int) -> int:
    return sum(place is not None and place <= most for place in places)


def tables_of(handed: HandedSet) -> Iterator[tuple[HandedCase, dict[str, Any]]]:
    """Yield the cases of a set that name a component or none, each with what the scorers are given."""
    for case in handed.cases:
        bundle = handed.root / case.bundle
        files = sorted(bundle.glob("metrics/*.csv"))
        if files and case.expected.suspects is not None:
            yield case, _table(bundle, files[0])


def _table(bundle: Path, file: Path) -> dict[str, Any]:
    """Return the alert's measure of every component as columns on one time axis, and the onset."""
    alert = json.loads((bundle / "alerts.json").read_text(encoding="utf-8"))["data"]["alerts"][0]
    measure = measure_in(alert["labels"]["alertname"])
    # What falls when things get worse is turned round.
    sign = -1.0 if measure is Measure.FAILURES else 1.0
    columns, _ = read_table(file.read_text(encoding="utf-8"))
    series = {
        f"{column.labels['component']}|{index}": {time: sign * float(token) for time, token in column.samples}
        for index, column in enumerate(columns)
        if measure_in(column.name) is measure
    }
    times = sorted({time for column in columns for time, _ in column.samples})
    return {
        "inject_time": datetime.fromisoformat(alert["activeAt"]).timestamp(),
        "columns": {"time": times} | {name: [*map(values.get, times)] for name, values in series.items()},
    }


def place_of(cause: str, ranks: Sequence[str]) -> int | None:
    """Return where the cause stands among the components, each at its best series."""
    named = list(dict.fromkeys(rank.rpartition("|")[0] for rank in ranks))
    return named.index(cause) + 1 if cause in named else None
