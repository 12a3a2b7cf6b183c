"""The command line as a whole: bad input, cancelling, a killed agent, a killed command."""

import json
import re
import shlex
import signal
import socket
import sqlite3
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import NamedTuple

import pytest

from tests.fakes.command_line import (
    LIMIT_SECONDS,
    Ended,
    assay,
    environment,
    kill,
    read_until,
    services,
    started,
    wait_gone,
)

QUESTION = "Why is it slow?"
ALL_MODULES = {
    "orchestrator",
    *(f"services.{name}" for name in ("planner", "executor", "gatekeeper", "verifier", "composer")),
}


class Diagnosing(NamedTuple):
    """A diagnosis under way, and what it has told so far."""

    process: "subprocess.Popen[str]"
    seen: str


@pytest.fixture
def bundle(project: Path) -> str:
    return str(project / "examples" / "incidents" / "healthy-false-alarm" / "bundle")


def _assert_one_clear_message(ended: Ended, code: int, text: str) -> None:
    assert ended.code == code, ended.stderr
    assert text in " ".join(ended.stderr.split())
    assert "Traceback" not in ended.stderr
    assert ended.stdout == ""


def _diagnose(name: str, *more: str, question: str = QUESTION) -> Callable[[Path], list[str]]:
    """Return the arguments of a diagnosis of a bundle in the test's folder."""
    return lambda folder: ["diagnose", question, "--bundle", str(folder / name), *more]


_NOWHERE = ("--target", "127.0.0.1:1")
_BAD_INPUT: dict[str, tuple[Callable[[Path], list[str]], int, str]] = {
    "no such folder": (_diagnose("missing"), 2, "there is no folder"),
    "a file": (_diagnose("file"), 2, "is a file"),
    "a tar file": (_diagnose("file.tar.gz"), 2, "unpack it, and give the folder"),
    "an empty folder": (_diagnose("empty"), 2, "is empty"),
    "nothing readable": (_diagnose("useless"), 2, "readable"),
    "an empty question": (_diagnose(".", question=" "), 2, "QUESTION is empty"),
    "no bundle": (lambda _: ["diagnose", QUESTION], 2, "--bundle"),
    "an unknown flag": (_diagnose(".", "--nope"), 2, "--nope"),
    "an unknown command": (lambda _: ["guess"], 2, "guess"),
    "no time at all": (_diagnose(".", "--timeout", "0"), 2, "--timeout"),
    "a local folder for a remote": (_diagnose(".", *_NOWHERE), 2, "with --target"),
    "a target that is not there": (
        lambda _: ["diagnose", QUESTION, "--bundle", "x", *_NOWHERE],
        1,
        "no diagnosis service answers at 127.0.0.1:1",
    ),
    "a link to itself": (_diagnose("loop"), 2, "cannot be read"),
    "a name that is no text": (_diagnose("name\udcff"), 2, "not UTF-8"),
    "a bundle without a name": (lambda _: ["diagnose", QUESTION, "--bundle", ""], 2, "--bundle is empty"),
    "a question that is no text": (_diagnose("useless", question="why \udcff"), 2, "QUESTION: why"),
    "a target without a port": (
        lambda _: ["diagnose", QUESTION, "--bundle", "x", "--target", "localhost"],
        2,
        "not host:port",
    ),
    "a target without a name": (_diagnose("useless", "--target", ""), 2, "--target is empty"),
    "a run id that is no text": (lambda _: ["show", "\udcff"], 2, "RUN_ID"),
    "an unknown run": (lambda _: ["show", "no-such-run"], 2, "no-such-run"),
    "a hostile run id": (lambda _: ["show", "\x1b[2J"], 2, "assay:"),
    "an empty run id": (lambda _: ["show", " "], 2, "RUN_ID is empty"),
}


@pytest.mark.parametrize(
    ("arguments", "code", "text"),
    [pytest.param(*row, id=name) for name, row in _BAD_INPUT.items()],
)
def test_bad_input_is_one_clear_message(
    tmp_path: Path, arguments: Callable[[Path], list[str]], code: int, text: str
) -> None:
    home = tmp_path / "home"
    (tmp_path / "file").write_text("x")
    (tmp_path / "file.tar.gz").write_text("x")
    (tmp_path / "empty").mkdir()
    (tmp_path / "useless").mkdir()
    (tmp_path / "loop").symlink_to(tmp_path / "loop")
    (tmp_path / "name\udcff").mkdir()
    (tmp_path / "name\udcff" / "app.log").write_text("x")
    (tmp_path / "useless" / "picture.png").write_bytes(b"\x89PNG\x00\x01")
    ended = assay(home, *arguments(tmp_path))
    _assert_one_clear_message(ended, code, text)
    assert "\x1b" not in ended.stderr
    assert services(home) == {}


def test_nothing_in_a_bundle_can_command_the_terminal(tmp_path: Path) -> None:
    hostile = "\x1b]0;owned\x07\x1b[2J[red]pay[/red] \u202egnol"
    logs = tmp_path / "bundle" / "logs"
    logs.mkdir(parents=True)
    lines = [f"2026-11-30T09:{minute:02}:00Z INFO request served" for minute in range(30)]
    lines += [f"2026-11-30T09:{minute:02}:00Z ERROR {hostile} refused" for minute in range(30, 60)]
    (logs / "api\x1b[2J.log").write_text("\n".join(lines) + "\n", encoding="utf-8")
    change = {"time": "2026-11-30T09:29:00Z", "kind": "config", "service": "api", "summary": hostile}
    (tmp_path / "bundle" / "events.json").write_text(json.dumps([change]), encoding="utf-8")
    ended = assay(tmp_path / "home", "diagnose", QUESTION, "--bundle", str(tmp_path / "bundle"))
    assert ended.code in {0, 3}, ended.stderr
    for text in (ended.stdout, ended.stderr):
        assert text.replace("\n", "").isprintable()
    # The positive control: the hostile text was read and is shown, as text.
    assert "\\x1b" in ended.stdout
    home = tmp_path / "home"
    calls = json.loads(assay(home, "trace", "latest", "--invocations", "--json").stdout)["invocations"]
    change = next(call["id"] for call in calls if call["tool_name"] == "change_events_list")
    for arguments in (
        ("show", "latest", "--invocation", change),
        ("show", "latest", "--invocation", change, "--pointer", "/elements/0/value/summary"),
        ("tools", "--bundle", str(tmp_path / "bundle")),
    ):
        shown = assay(home, *arguments)
        assert shown.code == 0
        assert re.search(r"\\x1b|\\u001b", shown.stdout)
        assert (shown.stdout + shown.stderr).replace("\n", "").isprintable()


def test_a_state_folder_that_cannot_be_used(tmp_path: Path, bundle: str) -> None:
    (tmp_path / "file").write_text("x")
    (tmp_path / "file.tar.gz").write_text("x")
    ended = assay(tmp_path / "file", "diagnose", QUESTION, "--bundle", bundle)
    _assert_one_clear_message(ended, 2, "set ASSAY_HOME")


@pytest.mark.parametrize(
    ("settings", "texts"),
    [
        (
            {"ASSAY_VERIFIER_DRAIN_SECOND": "1", "ASSAY_VERIFIER_LOG_LEVEL": "loud"},
            ["did you mean ASSAY_VERIFIER_DRAIN_SECONDS?", "ASSAY_VERIFIER_LOG_LEVEL: "],
        ),
        ({"ASSAY_VERFIER_DRAIN_SECONDS": "1"}, ["ASSAY_VERFIER_DRAIN_SECONDS: no such setting"]),
    ],
)
def test_a_misspelt_setting_is_named_and_nothing_is_left(
    tmp_path: Path, bundle: str, settings: dict[str, str], texts: list[str]
) -> None:
    ended = assay(tmp_path, "diagnose", QUESTION, "--bundle", bundle, **settings)
    for text in texts:
        _assert_one_clear_message(ended, 2, text)
    assert services(tmp_path) == {}


@pytest.mark.parametrize("name", ["logs", "logs/planner.log", "lock"])
def test_a_state_folder_with_something_in_the_way(tmp_path: Path, bundle: str, name: str) -> None:
    if name == "logs":
        (tmp_path / name).write_text("a file where a folder belongs")
    else:
        (tmp_path / name).mkdir(parents=True)
    ended = assay(tmp_path, "diagnose", QUESTION, "--bundle", bundle)
    _assert_one_clear_message(ended, 2, "set ASSAY_HOME")
    assert str(tmp_path / name) in ended.stderr


@contextmanager
def at_the_executor(home: Path, bundle: str, *more: str, **environ: str) -> Iterator[Diagnosing]:
    """Diagnose, and stay at the executor as long as the block runs: it asks a model that never answers.

    When the block ends it is told that there is no model, and goes on by its rules.
    """
    with socket.create_server(("127.0.0.1", 0)) as silent:
        asking = {
            "ASSAY_EXECUTOR_REASONER": "openai",
            "ASSAY_MODEL_FALLBACK_REASONER": "offline",
            "ASSAY_MODEL_BASE_URL": f"http://127.0.0.1:{silent.getsockname()[1]}/v1",
            "ASSAY_MODEL_NAME": "silent",
        }
        process = started(home, "diagnose", QUESTION, "--bundle", bundle, *more, **asking, **environ)
        yield Diagnosing(process, read_until(process, "executor:"))


def test_ctrl_c_cancels_the_run_and_stores_it(tmp_path: Path, bundle: str) -> None:
    with at_the_executor(tmp_path, bundle, "--json") as (process, seen):
        running = services(tmp_path)
        assert set(running) == ALL_MODULES
        process.send_signal(signal.SIGINT)
        stdout, stderr = process.communicate(timeout=LIMIT_SECONDS)
    assert process.returncode == 4
    assert stdout == ""
    assert "Traceback" not in stderr
    assert services(tmp_path) == {}
    run_id = _run_id(seen)
    assert f"assay show {run_id}" in stderr
    shown = assay(tmp_path, "show", run_id, "--json")
    assert shown.code == 4
    assert json.loads(shown.stdout)["status"] == "CANCELLED"


def test_out_of_time_cancels_the_run_and_stores_it(tmp_path: Path, bundle: str) -> None:
    ended = assay(tmp_path, "diagnose", QUESTION, "--bundle", bundle, "--timeout", "1", "--json")
    if ended.code != 4:
        # A machine that answers within a second proves nothing about running out of time.
        assert ended.code == 3
        pytest.skip("the diagnosis took less than the shortest timeout")
    assert "Traceback" not in ended.stderr
    assert services(tmp_path) == {}


def test_the_command_to_see_a_run_again_works_where_it_was_told(tmp_path: Path, bundle: str) -> None:
    told = assay(tmp_path, "diagnose", QUESTION, "--bundle", bundle)
    again = shlex.split(told.stdout.splitlines()[-1])
    assert again[1:] == ["show", again[2], "--json"]
    shown = subprocess.run(  # noqa: S603 - the project's own command, as it says itself
        again, env=environment(tmp_path), capture_output=True, timeout=LIMIT_SECONDS, check=False
    )
    assert shown.returncode == told.code
    assert json.loads(shown.stdout)["question"] == QUESTION


def test_other_processes_may_be_called_anything(tmp_path: Path) -> None:
    command: list[str | bytes] = [sys.executable, "-c", "input()", b"-m \xff"]
    other = subprocess.Popen(command, stdin=subprocess.PIPE)  # noqa: S603 - an interpreter that waits
    try:
        assert services(tmp_path) == {}
    finally:
        other.communicate(b"\n", timeout=LIMIT_SECONDS)


def test_a_killed_command_leaves_no_process(tmp_path: Path, bundle: str) -> None:
    with at_the_executor(tmp_path, bundle) as (process, _):
        running = services(tmp_path)
        assert set(running) == ALL_MODULES
        process.kill()
        process.communicate(timeout=LIMIT_SECONDS)
        wait_gone(list(running.values()))
    assert services(tmp_path) == {}


@pytest.mark.parametrize("agent", ["executor", "verifier", "composer"])
def test_a_killed_agent_ends_the_run_through_fallback(tmp_path: Path, bundle: str, agent: str) -> None:
    with at_the_executor(tmp_path, bundle, "--json") as (process, seen):
        kill(services(tmp_path)[f"services.{agent}"])
    stdout, stderr = process.communicate(timeout=LIMIT_SECONDS)
    assert process.returncode == 3, stderr
    assert "Traceback" not in stderr
    answer = json.loads(stdout)
    assert answer["status"] == "DEGRADED"
    assert answer["trace"]["final_node"] == "fallback"
    assert answer["failure"]["node"] == agent
    assert services(tmp_path) == {}
    assert json.loads(assay(tmp_path, "show", _run_id(seen), "--json").stdout) == answer


def test_a_killed_orchestrator_is_an_error_that_names_the_log(tmp_path: Path, bundle: str) -> None:
    with at_the_executor(tmp_path, bundle) as (process, seen):
        kill(services(tmp_path)["orchestrator"])
        _, stderr = process.communicate(timeout=LIMIT_SECONDS)
    assert process.returncode == 1
    assert "went away" in stderr
    assert "Traceback" not in stderr
    assert services(tmp_path) == {}
    shown = assay(tmp_path, "show", _run_id(seen), "--json")
    assert shown.code == 1
    assert json.loads(shown.stdout)["failure"]["reason_code"] == "orchestrator_restarted"


def test_a_store_that_another_process_holds_is_an_error_that_says_so(tmp_path: Path, bundle: str) -> None:
    quick = {"ASSAY_ORCHESTRATOR_DATABASE_BUSY_SECONDS": "0.1"}
    with closing(sqlite3.connect(tmp_path / "assay.sqlite3", isolation_level=None)) as holder:
        with at_the_executor(tmp_path, bundle, **quick) as (process, seen):
            holder.execute("BEGIN IMMEDIATE")
        _, stderr = process.communicate(timeout=LIMIT_SECONDS)
    assert process.returncode == 1
    assert "another process holds the run store" in stderr
    assert "went away" not in stderr
    assert "Traceback" not in stderr
    assert services(tmp_path) == {}
    shown = assay(tmp_path, "show", _run_id(seen), "--json")
    assert (shown.code, json.loads(shown.stdout)["status"]) == (1, "FAILED")


def _run_id(stderr: str) -> str:
    return next(line.split()[-1] for line in stderr.splitlines() if "] run " in line)


def test_a_refused_question_says_what_was_not_understood(tmp_path: Path, bundle: str) -> None:
    ended = assay(
        tmp_path, "diagnose", "How many purple requests failed?", "--bundle", bundle, "--timeout", "60"
    )
    said = " ".join(ended.stdout.split())
    assert ended.code == 3, ended.stderr
    assert 'Why it is not answered: "purple" was not understood' in said
