"""The scorers of PyPI fse-baro on the same metric tables, where that package is installed.

It is no dependency of the project: it brings scikit-learn and pandas. `pip install fse-baro` beside it, and
they are run on the alert's measure of every component, given the onset, as their authors do.
"""

import csv
import importlib
import json
from collections.abc import Callable, Sequence
from datetime import datetime
from pathlib import Path
from typing import Any, Final

from dev.eval.handed import HandedSet
from orchestrator.cli.evaluation.cases import Case
from orchestrator.cli.evaluation.judging import ACCURACY_AT
from services.executor.analyst.reading.measures import Measure, measure_in
from services.executor.sources.metrics_csv import read_table

_MISSING: Final = "The scorers of fse-baro are not run beside it: the package is not installed.\n"
_SCORERS: Final = ("robust_scorer", "nsigma")


def as_text(sets: Sequence[HandedSet]) -> str:
    """Return a line for each scorer and set with metric tables; one line where the package is missing."""
    tables = {
        each.name: rows for each in sets if (rows := list(filter(None, map(_table_in(each), each.cases))))
    }
    if not tables:
        return ""
    try:
        pandas, scorers = (
            importlib.import_module("pandas"),
            importlib.import_module("baro.root_cause_analysis"),
        )
    except ImportError:
        return _MISSING
    lines = []
    for name, rows in tables.items():
        for scorer in _SCORERS:
            places = [_place(row, getattr(scorers, scorer), pandas) for row in rows]
            shares = [
                f"AC@{most} {sum(place is not None and place <= most for place in places) / len(rows):.2f}"
                for most in ACCURACY_AT
            ]
            lines.append(f"fse-baro {scorer}, {name}, n = {len(rows)}: {', '.join(shares)}\n")
    return "".join(lines)


def _table_in(handed: HandedSet) -> Callable[[Case], dict[str, Any] | None]:
    def table(case: Case) -> dict[str, Any] | None:
        bundle = handed.root / case.bundle
        files = sorted(bundle.glob("metrics/*.csv"))
        return _row(bundle, files[0], case) if files and case.expected.suspects else None

    return table


def _row(bundle: Path, file: Path, case: Case) -> dict[str, Any]:
    alert = json.loads((bundle / "alerts.json").read_text(encoding="utf-8"))["data"]["alerts"][0]
    measure = measure_in(alert["labels"]["alertname"])
    columns, _ = read_table(file.read_text(encoding="utf-8"))
    onset = datetime.fromisoformat(alert["activeAt"]).timestamp()
    falls = measure is Measure.FAILURES
    series = {
        (column.labels["component"], str(index)): {
            time: -float(token) if falls else float(token) for time, token in column.samples
        }
        for index, column in enumerate(columns)
        if measure_in(column.name) is measure
    }
    with file.open(encoding="utf-8") as lines:
        rows = list(csv.reader(lines))[1:]
    times = [datetime.fromisoformat(row[0]).timestamp() for row in rows]
    return {"cause": (case.expected.suspects or [""])[0], "onset": onset, "times": times, "series": series}


def _place(row: dict[str, Any], scorer: Callable[..., dict[str, Any]], pandas: Any) -> int | None:  # noqa: ANN401
    """Return where the cause stands among the components, each at its best series."""
    frame = pandas.DataFrame(
        {"time": row["times"]}
        | {
            f"{name}|{index}": [values.get(time) for time in row["times"]]
            for (name, index), values in row["series"].items()
        }
    )
    frame = frame.ffill().fillna(0)
    ranks = scorer(frame, inject_time=row["onset"])["ranks"]
    named = list(dict.fromkeys(rank.rpartition("|")[0] for rank in ranks))
    return named.index(row["cause"]) + 1 if row["cause"] in named else None
