"""The command line's own settings, its flags, and what it knows of those of others."""

from pathlib import Path

import pytest

from orchestrator.cli.errors import CommandError
from orchestrator.cli.exit_codes import ExitCode
from orchestrator.cli.settings import flag_variables, is_given, loopback, own_settings, variable


def with_file(folder: Path, text: str, **environ: str) -> dict[str, str]:
    (folder / "config.toml").write_text(text, encoding="utf-8")
    return {"ASSAY_CONFIG": str(folder / "config.toml"), **environ}


@pytest.mark.parametrize(
    ("text", "variables", "flags", "seconds"),
    [
        ("", {}, [], 300),
        ("[cli]\ntimeout_seconds = 10", {}, [], 10),
        ("[cli]\ntimeout_seconds = 10", {"ASSAY_TIMEOUT_SECONDS": "20"}, [], 20),
        ("[cli]\ntimeout_seconds = 10", {"ASSAY_TIMEOUT_SECONDS": "20"}, ["cli.timeout_seconds=30"], 30),
        ("", {}, ["cli.timeout_seconds=30", "cli.timeout_seconds=40"], 40),
    ],
)
def test_flags_lie_over_the_environment_over_the_file(
    tmp_path: Path, text: str, variables: dict[str, str], flags: list[str], seconds: float
) -> None:
    environ = with_file(tmp_path, text, **variables)
    settings = own_settings({**environ, **flag_variables(None, flags)})
    assert settings.timeout_seconds == seconds


def test_an_empty_home_or_target_is_none() -> None:
    settings = own_settings({"ASSAY_HOME": "", "ASSAY_TARGET": ""})
    assert (settings.home, settings.target) == (None, None)


def test_every_problem_of_the_command_line_is_told_at_once(tmp_path: Path) -> None:
    environ = with_file(
        tmp_path,
        "[cli]\ncolour = 'never'\nlisten = '0.0.0.0:1'\n[planner]\nnot_ours = 1\n",
        ASSAY_TARGT="x",
        ASSAY_TIMEOUT_SECONDS="0",
        ASSAY_PLANNER_NOT_OURS="1",
    )
    with pytest.raises(CommandError, match="the settings are wrong") as caught:
        own_settings(environ)
    assert caught.value.exit_code is ExitCode.USAGE
    said = "\n".join(caught.value.details)
    for problem in (
        ":2: [cli] colour: no such setting; did you mean color?",
        ":3: [cli] listen: calls are not encrypted",
        "ASSAY_TARGT: no such setting; did you mean ASSAY_TARGET?",
        "ASSAY_TIMEOUT_SECONDS: Input should be greater than or equal to 1",
    ):
        assert problem in said
    assert len(caught.value.details) == 4


@pytest.mark.parametrize("address", ["127.0.0.1:0", "127.9.9.9:1", "[::1]:1", "localhost:1"])
def test_this_machine_is_loopback(address: str) -> None:
    assert loopback(address) == address


@pytest.mark.parametrize(
    "address", ["0.0.0.0:1", "[::]:1", "192.0.2.1:1", "example.org:1", "localhost.example:1", "2130706433:1"]
)
def test_everything_else_is_not(address: str) -> None:
    with pytest.raises(ValueError, match="not encrypted"):
        loopback(address)


def test_flags_are_variables() -> None:
    assert flag_variables("a.toml", ["executor.workers=4", "cli.home=/a=b", "planner.x="]) == {
        "ASSAY_CONFIG": "a.toml",
        "ASSAY_EXECUTOR_WORKERS": "4",
        "ASSAY_HOME": "/a=b",
        "ASSAY_PLANNER_X": "",
    }


@pytest.mark.parametrize(
    ("config", "assignment", "says"),
    [
        ("", "cli.home=x", "--config is empty"),
        (None, "executor.workers", "is not table.key=value"),
        (None, "workers=4", "is not table.key=value"),
        (None, "executor.=4", "is not table.key=value"),
        (None, "executr.workers=4", "no such table; did you mean executor?"),
        (None, "cli.home=\0", "holds a NUL"),
        ("\0", "cli.home=x", "holds a NUL"),
    ],
)
def test_a_flag_that_means_nothing_is_named(config: str | None, assignment: str, says: str) -> None:
    with pytest.raises(CommandError) as caught:
        flag_variables(config, [assignment])
    assert says in caught.value.message
    assert caught.value.exit_code is ExitCode.USAGE


def test_whether_a_setting_is_given_is_known_of_every_process(tmp_path: Path) -> None:
    environ = with_file(tmp_path, "[executor]\nbundle_root = '/data'\n")
    assert is_given(environ, "executor", "bundle_root")
    assert not is_given(environ, "executor", "workers")
    assert is_given({variable("executor", "workers"): "1"}, "executor", "workers")
    assert not is_given({"ASSAY_CONFIG": "/nowhere/at/all"}, "executor", "workers")
