"""`assay config show`, `--config` and `--set` over the real command and the real processes."""

import json
import os
from pathlib import Path
from typing import Any

import pytest

from services.common.processes import COMMAND_LINE, SERVICES
from tests.fakes.command_line import Ended, assay, services

CANARY = "canary-3d1f"


def show(home: Path, *before: str, **variables: str) -> tuple[Ended, dict[str, dict[str, Any]]]:
    """Run `assay config show --json` and return the settings by process and key."""
    ended = assay(home, *before, "config", "show", "--json", **variables)
    rows = {
        told["process"]: {row["key"]: row for row in told["settings"]}
        for told in json.loads(ended.stdout)["processes"]
    }
    return ended, rows


def test_every_setting_of_every_process_is_shown_with_what_set_it(tmp_path: Path) -> None:
    file = tmp_path / "assay.toml"
    file.write_text(
        "[executor]\nworkers = 3\nmax_log_bytes = 2048\nmax_output_bytes = 4096\n[cli]\ncolor = 'never'\n"
    )
    ended, shown = show(
        tmp_path,
        "--config",
        str(file),
        "--set",
        "executor.max_output_bytes=8192",
        ASSAY_EXECUTOR_MAX_LOG_BYTES="1024",
        ASSAY_EXECUTOR_MAX_OUTPUT_BYTES="1024",
    )
    assert (ended.code, ended.stderr) == (0, "")
    assert tuple(shown) == (COMMAND_LINE, *SERVICES)
    executor = shown["executor"]
    assert (executor["workers"]["value"], executor["workers"]["origin"]) == (3, f"{file}:2")
    assert executor["max_log_bytes"]["origin"] == "ASSAY_EXECUTOR_MAX_LOG_BYTES"
    assert executor["max_log_bytes"]["value"] == 1024
    assert (executor["max_output_bytes"]["value"], executor["max_output_bytes"]["origin"]) == (8192, "--set")
    assert executor["tool_deadline_seconds"]["origin"] == "default"
    assert shown["cli"]["color"]["origin"] == f"{file}:6"
    assert shown["cli"]["home"]["value"] == str(tmp_path)
    for process in SERVICES:
        assert shown[process]["listen"]["origin"] == "chosen by the local stack"
    for rows in shown.values():
        assert all(row["description"] for row in rows.values())


def test_wrong_settings_are_shown_with_every_problem_at_once(tmp_path: Path) -> None:
    file = tmp_path / "assay.toml"
    file.write_text(
        f"[executr]\nworkers = 4\n[executor]\nworkers = '{CANARY}'\n"
        "[verifier]\nlog_levl = 'x'\n[cli]\ncolor = 1979-05-27\n"
    )
    ended, shown = show(
        tmp_path, "--config", str(file), ASSAY_EXECUTR_WORKERS=CANARY, ASSAY_COMPOSER_LISTEN=CANARY
    )
    assert ended.code == 2
    assert "Traceback" not in ended.stderr
    problems = [
        f"{file}:1: executr: no such table; did you mean executor?",
        f"{file}:4: [executor] workers: Input should be a valid integer",
        f"{file}:6: [verifier] log_levl: no such setting; did you mean log_level?",
        f"{file}:8: [cli] color: Input should be 'auto' or 'never'",
        "ASSAY_EXECUTR_WORKERS: no such setting; did you mean ASSAY_EXECUTOR_WORKERS?",
    ]
    for problem in problems:
        assert problem in ended.stderr
    assert ended.stderr.count("\n") == 1 + len(problems)
    assert CANARY not in ended.stderr + ended.stdout
    assert shown["executor"]["workers"]["value"] is None
    assert shown["planner"]["drain_seconds"]["value"] == 10.0


@pytest.mark.parametrize(
    "arguments",
    [
        ["show", "run"],
        ["diagnose", "why?", "--bundle", "x", "--target", "127.0.0.1:1"],
        ["up"],
    ],
)
def test_no_other_command_begins_with_wrong_settings(tmp_path: Path, arguments: list[str]) -> None:
    ended = assay(tmp_path, *arguments, ASSAY_PLANER_LOG_LEVEL="debug", ASSAY_VERIFIER_REASONERS="x")
    assert (ended.code, ended.stdout) == (2, "")
    assert ended.stderr.splitlines()[0] == "assay: the settings are wrong:"
    assert "did you mean ASSAY_PLANNER_LOG_LEVEL?" in ended.stderr
    assert "did you mean ASSAY_VERIFIER_REASONER?" in ended.stderr
    assert services(tmp_path) == {}


def test_a_process_that_refuses_its_settings_is_told_with_the_problems_of_the_others(tmp_path: Path) -> None:
    (tmp_path / "bundle").mkdir()
    (tmp_path / "bundle" / "a.log").write_text("x")
    flags = ["--set", "gatekeeper.log_level=loud", "--set", "orchestrator.max_runs=0"]
    ended = assay(tmp_path, *flags, "diagnose", "why?", "--bundle", str(tmp_path / "bundle"))
    assert ended.code == 2
    assert "ASSAY_GATEKEEPER_LOG_LEVEL: Input should be" in ended.stderr
    assert "ASSAY_ORCHESTRATOR_MAX_RUNS: Input should be greater" in ended.stderr
    assert "BUNDLE_ROOT" not in ended.stderr
    assert services(tmp_path) == {}


def test_a_file_that_cannot_be_used_is_one_line(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "huge").touch()
    os.truncate(tmp_path / "huge", 100 << 20)
    (tmp_path / "latin").write_bytes(b"# caf\xe9\n")
    (tmp_path / "wrong").write_text("[executor\n")
    for name, says in {
        "pipe": "is not a regular file",
        ".": "is a folder",
        "huge": "is larger than 64 KiB",
        "gone": "there is no such file",
        "latin": "latin:1: is not UTF-8 text",
        "wrong": "wrong:1: is not TOML",
        "\x1b[2J": "there is no such file",
    }.items():
        ended = assay(tmp_path, "--config", str(tmp_path / name), "show", "run")
        assert (ended.code, ended.stdout) == (2, "")
        (line,) = ended.stderr.splitlines()
        assert line.startswith("assay: the settings are wrong: ")
        assert says in line
        assert line.isprintable()


def test_a_service_reads_the_file_too(tmp_path: Path, project: Path) -> None:
    (tmp_path / "file.toml").write_text("[cli]\ntimeout_seconds = 1\n[planner]\nlog_level = 'error'\n")
    bundle = str(project / "examples" / "incidents" / "healthy-false-alarm" / "bundle")
    config = str(tmp_path / "file.toml")
    # The limit of the command line, the log of a service: both from the file.
    ended = assay(tmp_path, "--config", config, "diagnose", "why?", "--bundle", bundle, "--timeout", "100")
    assert ended.code == 3, ended.stderr
    assert '"level": "info"' not in (tmp_path / "logs" / "planner.log").read_text()
    assert '"level": "info"' in (tmp_path / "logs" / "verifier.log").read_text()
