"""`assay eval` as a person runs it, on the recorded incidents with answers of their own."""

import json
import shutil
from pathlib import Path

from tests.fakes.command_line import assay

PROVEN = {"suspects": ["checkout"], "fault": "config.changed", "verdict": "PASS"}


def test_past_incidents_are_asked_again_and_counted(project: Path, tmp_path: Path) -> None:
    answers = {"pg-connection-exhaustion": PROVEN, "healthy-false-alarm": {"suspects": ["checkout"]}}
    for name, answer in answers.items():
        shutil.copytree(
            project / "examples" / "incidents" / name / "bundle", tmp_path / "past" / name / "bundle"
        )
        (tmp_path / "past" / name / "answer.json").write_text(json.dumps(answer))

    ended = assay(tmp_path / "home", "eval", str(tmp_path / "past"), "--json")

    assert ended.code == 3, ended.stderr
    counted = json.loads(ended.stdout)
    assert (counted["n"], counted["right"], counted["issues"], counted["named_within_1"]) == (2, 1, 2, 1)
    assert counted["misses"] == {"healthy-false-alarm": ["names no cause; right is checkout"]}
    assert counted["cpu_seconds"] > 0


def test_a_folder_that_is_none_is_told(tmp_path: Path) -> None:
    ended = assay(tmp_path / "home", "eval", str(tmp_path / "none"))
    assert ended.code == 2
    assert "there is no folder" in ended.stderr
