"""What the scorers of others are given, and that their absence is one line."""

import json
import sys
from pathlib import Path

import pytest

from dev.eval import reference
from dev.eval.handed import HandedCase, HandedSet
from orchestrator.cli.evaluation.cases import Expected

TABLE = (
    'time,"availability{component=""cart""}","latency{component=""cart""}","availability{component=""db""}"\n'
    "2026-11-30T09:00:00Z,0.5,1,1\n"
    "2026-11-30T09:01:00Z,0.25,2,\n"
)
ALERT = {"labels": {"alertname": "AvailabilityLow"}, "activeAt": "2026-11-30T09:01:00Z"}


@pytest.fixture
def handed(tmp_path: Path) -> HandedSet:
    bundle = tmp_path / "one" / "bundle"
    (bundle / "metrics").mkdir(parents=True)
    (bundle / "metrics/all.csv").write_text(TABLE)
    (bundle / "alerts.json").write_text(json.dumps({"data": {"alerts": [ALERT]}}))
    return HandedSet("own", tmp_path, [HandedCase("one", "one/bundle", "why?", Expected(suspects=["cart"]))])


def test_the_alerts_measure_is_given_with_its_onset_what_falls_turned_round(handed: HandedSet) -> None:
    ((_, table),) = reference.tables_of(handed)
    first, second = table["columns"].pop("time")
    assert (second - first, second) == (60, table["inject_time"])
    assert table["columns"] == {"cart|0": [-0.5, -0.25], "db|2": [-1.0, None]}


def test_a_component_stands_where_its_best_series_does() -> None:
    ranks = ["db|4", "cart|1", "db|2", "web|3"]
    assert [reference.place_of(name, ranks) for name in ("db", "cart", "web", "mail")] == [1, 2, 3, None]


def test_what_cannot_be_installed_is_told_in_one_line(
    handed: HandedSet, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(reference, "_PYTHON", tmp_path / "none")
    monkeypatch.setattr(sys, "executable", str(tmp_path / "neither"))
    told = reference.as_text([handed])
    assert told.startswith("The scorers of fse-baro are not run beside it: [Errno 2] No such file")
    assert told.count("\n") == 1
