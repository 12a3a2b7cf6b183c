"""What the shell completes: the protocol of each shell, and the script in a real bash."""

import shutil
import subprocess
from pathlib import Path

import pytest

from tests.fakes.command_line import ASSAY, LIMIT_SECONDS, assay, environment

COMMANDS = {"diagnose", "show", "trace", "tools", "runs"}
BASH = shutil.which("bash")


def completed(home: Path, line: str) -> list[str]:
    """Return what bash is offered for the last word of a line."""
    words = line.split(" ")
    variables = {"COMP_WORDS": "\n".join(words), "COMP_CWORD": str(len(words) - 1)}
    ended = assay(home, _ASSAY_COMPLETE="complete_bash", **variables)
    assert (ended.code, ended.stderr) == (0, "")
    return ended.stdout.split()


@pytest.mark.parametrize(
    ("line", "offered"),
    [
        ("assay di", {"diagnose"}),
        ("assay runs ", {"cancel", "prune"}),
        ("assay runs --sta", {"--status"}),
        ("assay runs --status ", {"running", "succeeded", "degraded", "failed", "cancelled"}),
        ("assay runs --status s", {"succeeded"}),
        ("assay diagnose why --intent ", {"cause", "lookup"}),
        ("assay show la", {"latest"}),
        ("assay runs prune --k", {"--keep"}),
        ("assay trace --in", {"--invocations"}),
        ("assay nothing --x", set()),
        # Folders are left to the shell, which knows them better.
        ("assay tools --bundle ", set()),
    ],
)
def test_commands_options_and_values(tmp_path: Path, line: str, offered: set[str]) -> None:
    assert set(completed(tmp_path / "home", line)) == offered
    # Nothing is started and nothing is made for it.
    assert not (tmp_path / "home").exists()


def test_every_command_is_offered(tmp_path: Path) -> None:
    assert set(completed(tmp_path, "assay ")) >= COMMANDS


@pytest.mark.parametrize("shell", ["zsh", "fish"])
def test_other_shells(tmp_path: Path, shell: str) -> None:
    variables = {"_TYPER_COMPLETE_ARGS": "assay tr", "_TYPER_COMPLETE_FISH_ACTION": "get-args"}
    ended = assay(tmp_path, _ASSAY_COMPLETE=f"complete_{shell}", **variables)
    assert (ended.code, ended.stderr) == (0, "")
    assert "trace" in ended.stdout
    assert "tools" not in ended.stdout
    script = assay(tmp_path, _ASSAY_COMPLETE=f"source_{shell}")
    assert (script.code, "_ASSAY_COMPLETE" in script.stdout) == (0, True)


def in_bash(folder: Path, script: str) -> str:
    """Run a script in bash with the command on its path and a home folder of its own."""
    assert BASH
    path = f"{Path(ASSAY).parent}:/usr/bin:/bin"
    ended = subprocess.run(  # noqa: S603 - the system's shell with the test's own script
        [BASH, "--norc", "-c", script],
        env=environment(folder / "state", PATH=path, HOME=str(folder)),
        capture_output=True,
        text=True,
        timeout=LIMIT_SECONDS,
        check=False,
    )
    assert (ended.returncode, ended.stderr) == (0, "")
    return ended.stdout


COMPLETE = 'COMP_WORDS=(assay tr); COMP_CWORD=1; _assay_completion assay; echo "${COMPREPLY[*]}"'


@pytest.mark.skipif(not BASH, reason="there is no bash")
def test_the_script_works_in_a_real_bash(tmp_path: Path) -> None:
    # The second command keeps bash: a last one would take its place, and the shell would not be found.
    assert in_bash(tmp_path, f'eval "$(assay --show-completion; true)"; {COMPLETE}') == "trace\n"


@pytest.mark.skipif(not BASH, reason="there is no bash")
def test_an_installed_completion_works_in_a_new_shell(tmp_path: Path) -> None:
    assert "bash completion installed" in in_bash(tmp_path, "assay --install-completion; true")
    assert in_bash(tmp_path, f". ~/.bashrc; {COMPLETE}") == "trace\n"
