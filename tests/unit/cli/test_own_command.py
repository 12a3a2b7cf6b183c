"""The command that a reader is told to type is one that works where they are."""

import sys
from pathlib import Path

import pytest

from orchestrator.cli.own_command import show_command, started_as


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a working directory with a command below it that PATH does not lead to."""
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin" / "assay").touch(mode=0o755)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PATH", "/nowhere")
    return tmp_path


def test_a_command_below_the_working_directory_is_relative(here: Path) -> None:
    assert started_as(str(here / "bin" / "assay"), "") == ["bin/assay"]
    assert started_as("bin/assay", "") == ["bin/assay"]
    assert started_as("assay", "") == ["./assay"]


def test_a_command_elsewhere_is_absolute(here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(here / "bin")
    (here / "other").touch()
    assert started_as(str(here / "other"), "") == [str(here / "other")]


def test_a_command_on_path_needs_no_path(here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(here / "bin"))
    assert started_as(str(here / "bin" / "assay"), "") == ["assay"]
    (here / "assay").touch(mode=0o755)
    assert started_as(str(here / "assay"), "") == ["./assay"]


def test_a_module_is_started_by_its_python(here: Path) -> None:
    python = str(here / "bin" / "python")
    assert started_as("/x/orchestrator/cli/__main__.py", python) == ["bin/python", "-m", "orchestrator.cli"]


def test_the_working_directory_may_be_gone(here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (here / "gone").mkdir()
    monkeypatch.chdir(here / "gone")
    (here / "gone").rmdir()
    assert started_as("/opt/bin/assay", "") == ["/opt/bin/assay"]


def test_the_words_are_quoted_and_name_the_service_that_stores_the_run(
    here: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "argv", [str(here / "bin" / "assay")])
    assert show_command("run-1") == "bin/assay show run-1"
    assert show_command("a; b", "host:1") == "bin/assay show 'a; b' --target host:1"
