"""Standard streams as shells leave them: closed, full, without a reader; no answer is lost in silence."""

import re
import subprocess
from pathlib import Path

import pytest

from tests.fakes.command_line import ASSAY, LIMIT_SECONDS, Ended, environment
from tests.integration.conftest import Diagnosed


def _shell(home: Path, redirected: str, *arguments: str) -> Ended:
    """Run a command with redirections of the shell."""
    ended = subprocess.run(  # noqa: S603 - the project's own command behind the system's shell
        ["/bin/sh", "-c", f'"$0" "$@" {redirected}', ASSAY, *arguments],
        env=environment(home),
        capture_output=True,
        text=True,
        timeout=LIMIT_SECONDS,
        check=False,
    )
    assert "Traceback" not in ended.stderr
    return Ended(ended.returncode, ended.stdout, ended.stderr)


@pytest.fixture
def run_id(unproven: Diagnosed) -> str:
    return str(unproven.answer["run_id"])


@pytest.mark.parametrize("json", [(), ("--json",)])
@pytest.mark.parametrize(
    ("redirected", "reason"), [(">/dev/full", "No space left"), (">&-", "Bad file descriptor")]
)
def test_an_answer_that_cannot_be_written_is_an_error_that_names_the_run(
    home: Path, run_id: str, redirected: str, reason: str, json: tuple[str, ...]
) -> None:
    ended = _shell(home, redirected, "show", run_id, *json)
    assert ended.code == 1
    assert ended.stderr.startswith(f"assay: standard output cannot be written ({reason}")
    assert ended.stderr.count("\n") == 1
    assert re.search(rf"; the answer is stored: (\S+/)?assay show {run_id}$", ended.stderr)


def test_a_reader_that_has_gone_away_is_no_error(home: Path, run_id: str) -> None:
    # The status is that of `assay`, not of the reader, which has ended before anything is written.
    ended = _shell(home, "| (exec <&-)", "show", run_id)
    assert ended.stderr == ""
    script = '{ "$0" "$@"; echo $? >&2; } | (exec <&-)'
    told = subprocess.run(  # noqa: S603 - as above
        ["/bin/sh", "-c", script, ASSAY, "show", run_id],
        env=environment(home),
        capture_output=True,
        text=True,
        timeout=LIMIT_SECONDS,
        check=False,
    )
    assert told.stderr == "3\n"


@pytest.mark.parametrize("redirected", ["2>/dev/full", "2>&-", "<&-"])
def test_what_only_accompanies_the_answer_may_be_lost(home: Path, run_id: str, redirected: str) -> None:
    ended = _shell(home, redirected, "show", run_id)
    assert ended.code == 3
    assert "\nNO CAUSE FOUND (LOW_CONFID)\n" in ended.stdout


@pytest.mark.parametrize("redirected", ["2>/dev/full", "2>&-"])
def test_an_error_that_nobody_can_read_keeps_its_code(tmp_path: Path, redirected: str) -> None:
    for arguments in (("show", " "), ("guess",), ("diagnose", "why?", "--bundle", str(tmp_path / "none"))):
        assert _shell(tmp_path, redirected, *arguments) == Ended(2, "", "")


@pytest.mark.parametrize("unbuffered", ["", "1"])
def test_help_that_cannot_be_written_is_one_line(
    tmp_path: Path, unbuffered: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PYTHONUNBUFFERED", unbuffered)
    ended = _shell(tmp_path, ">/dev/full", "--help")
    assert (ended.code, ended.stderr.count("\n")) == (1, 1)
