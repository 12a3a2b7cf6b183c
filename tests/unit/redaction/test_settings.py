"""The patterns that somebody configures: from file or environment, checked at the start, never shown."""

import json
from pathlib import Path

import pytest

from orchestrator.settings import OrchestratorSettings
from services.common.redaction.redactor import MAX_PATTERNS
from services.common.redaction.settings import plain
from services.common.settings import SettingsError, load
from services.common.settings_report import HIDDEN, report
from services.executor.settings import ExecutorSettings

CANARY = "canary-77ab"
VARIABLE = "ASSAY_EXECUTOR_REDACT_PATTERNS"


def environment(folder: Path, **more: str) -> dict[str, str]:
    return {"ASSAY_EXECUTOR_BUNDLE_ROOT": str(folder), "ASSAY_CONFIG": "", **more}


def test_a_variable_holds_one_pattern_on_each_line(tmp_path: Path) -> None:
    settings = load(ExecutorSettings, environment(tmp_path, **{VARIABLE: "a{2},b\n\n[0-9]{6} \n"}))
    assert plain(settings.redact_patterns) == ["a{2},b", "[0-9]{6} "]
    assert plain(load(ExecutorSettings, environment(tmp_path)).redact_patterns) == []
    assert plain(load(ExecutorSettings, environment(tmp_path, **{VARIABLE: ""})).redact_patterns) == []


def test_the_file_holds_a_list(tmp_path: Path) -> None:
    file = tmp_path / "assay.toml"
    file.write_text("[executor]\nredact_patterns = ['a', 'b\\d']\n")
    settings = load(ExecutorSettings, environment(tmp_path, ASSAY_CONFIG=str(file)))
    assert plain(settings.redact_patterns) == ["a", "b\\d"]


@pytest.mark.parametrize(
    ("value", "problem"),
    [
        (f"fine\n{CANARY}(", "pattern 2 is no regular expression of RE2: missing )"),
        (f"({CANARY})?", "pattern 1 matches an empty text, so that it would find nothing to replace"),
    ],
)
def test_a_bad_pattern_is_one_problem_that_quotes_nothing(tmp_path: Path, value: str, problem: str) -> None:
    with pytest.raises(SettingsError) as caught:
        load(ExecutorSettings, environment(tmp_path, **{VARIABLE: value}))
    assert caught.value.problems == [f"{VARIABLE}: {problem}"]


def test_there_is_a_most_of_them(tmp_path: Path) -> None:
    value = "\n".join(["a"] * (MAX_PATTERNS + 1))
    with pytest.raises(SettingsError, match=VARIABLE):
        load(ExecutorSettings, environment(tmp_path, **{VARIABLE: value}))


def test_the_report_shows_none(tmp_path: Path) -> None:
    made = report(ExecutorSettings, environment(tmp_path, **{VARIABLE: CANARY}))
    (row,) = [row for row in made["settings"] if row["key"] == "redact_patterns"]
    assert (row["value"], row["default"], row["secret"]) == (HIDDEN, [], True)
    assert CANARY not in json.dumps(made)


def test_the_orchestrator_takes_them_too() -> None:
    assert "redact_patterns" in OrchestratorSettings.model_fields
