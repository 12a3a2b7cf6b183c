"""The local stack itself: six processes, ready, and gone afterwards, whatever happens between."""

import asyncio
import json
import logging
import os
import signal
from pathlib import Path

import pytest

from orchestrator.cli.client import connected
from orchestrator.cli.errors import CommandError
from orchestrator.cli.exit_codes import ExitCode
from orchestrator.cli.local_stack import local_stack, stored_runs
from orchestrator.cli.local_stack.logs import FileLog, PassedOnLog, words_of
from orchestrator.cli.local_stack.process import ServiceProcess, start
from tests.fakes.command_line import environment, services


async def test_six_processes_are_ready_and_then_gone(tmp_path: Path) -> None:
    async with local_stack(tmp_path, tmp_path, environment(tmp_path)) as stack:
        ids = {name: service.process.pid for name, service in stack.processes.items()}
        assert len(set(ids.values())) == 6
        assert set(services(tmp_path).values()) == set(ids.values())
        async with connected(stack.address) as client:
            await client.check_ready()
    assert services(tmp_path) == {}
    assert {service.process.returncode for service in stack.processes.values()} == {0}


async def test_an_error_inside_the_block_ends_them_too(tmp_path: Path) -> None:
    with pytest.raises(ZeroDivisionError):
        async with local_stack(tmp_path, tmp_path, environment(tmp_path)):
            raise ZeroDivisionError
    assert services(tmp_path) == {}


async def test_a_process_that_cannot_start_is_named_with_its_last_word(tmp_path: Path) -> None:
    environ = environment(tmp_path, ASSAY_GATEKEEPER_LOG_LEVEL="loud")
    with pytest.raises(CommandError, match=r"gatekeeper process did not start: .*LOG_LEVEL.*gatekeeper\.log"):
        async with local_stack(tmp_path, tmp_path, environ):
            pytest.fail("a stack without a gatekeeper came up")
    assert services(tmp_path) == {}


async def test_a_process_that_was_killed_while_starting_is_told_so(tmp_path: Path) -> None:
    (tmp_path / "gatekeeper.log").write_text('{"event": "of an earlier run"}\n')
    process = await start(
        "gatekeeper",
        environment(tmp_path),
        {"ASSAY_GATEKEEPER_STOP_WITH_PARENT": "1"},
        FileLog(tmp_path / "gatekeeper.log"),
    )
    os.kill(process.process.pid, signal.SIGKILL)
    with pytest.raises(CommandError, match=r"gatekeeper process did not start: signal 9 \(log") as caught:
        await process.address()
    assert caught.value.exit_code is ExitCode.ERROR


async def test_stopping_what_has_just_ended_is_quiet(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    codes = set()
    with caplog.at_level(logging.WARNING, logger="asyncio"):
        for _ in range(50):
            ended = await asyncio.create_subprocess_exec("/bin/sh", "-c", "exit 7")
            await ServiceProcess("x", ended, FileLog(tmp_path / "x.log")).stop(10)
            codes.add(ended.returncode)
    assert caplog.messages == []
    assert codes <= {7, -signal.SIGTERM}


@pytest.mark.parametrize(
    ("written", "words"),
    [
        ("", ""),
        ("cannot start: the port is taken\n", "cannot start: the port is taken"),
        ("the settings are wrong:\n  A: bad\n  B: worse\n", "the settings are wrong: A: bad; B: worse"),
        (
            json.dumps({"event": "the process failed", "exception": ["sqlite3.Error", "frame"]}) + "\n",
            "the process failed (sqlite3.Error)",
        ),
        ("Traceback (most recent call last):\n  File x\nValueError: no\n\n", "ValueError: no"),
        ("7\n", "7"),
        ("  indented only\n", "indented only"),
    ],
)
def test_the_last_words_of_a_process(tmp_path: Path, written: str, words: str) -> None:
    path = tmp_path / "x.log"
    path.write_text("of an earlier run\n")
    log = FileLog(path)
    with log.target() as file:
        file.write(written.encode())
    assert words_of(log.last_lines()) == words


async def test_lines_are_passed_on_whatever_a_process_writes() -> None:
    passed: list[str] = []
    log = PassedOnLog(passed.append)
    writing = "printf 'one\\n'; printf 'a\\377b\\n'; head -c 3000000 /dev/zero; printf '\\nlast'"
    with log.target() as stderr:
        process = await asyncio.create_subprocess_exec(
            "/bin/sh", "-c", f"({writing}) >&2", stderr=stderr, limit=1 << 20
        )
    log.follow(process.stderr)
    await process.wait()
    await log.ended()
    assert passed[:2] == ["one", "a\ufffdb"]
    assert passed[-1] == "last"
    assert log.last_lines() == passed
    # The line of 3 MB is left out, as a whole or in part: nothing of it is kept in memory.
    assert sum(map(len, passed)) < 2 << 20


def _databases(folder: Path) -> list[Path]:
    return list(folder.glob("*.sqlite3"))


async def test_what_the_stack_decides_wins_over_the_environment(tmp_path: Path) -> None:
    environ = environment(
        tmp_path,
        ASSAY_PLANNER_LISTEN="192.0.2.1:1",
        ASSAY_ORCHESTRATOR_VERIFIER_ADDRESS="192.0.2.1:1",
        ASSAY_ORCHESTRATOR_DATABASE="/nowhere/at/all",
    )
    async with local_stack(tmp_path, tmp_path, environ) as stack:
        assert stack.address.startswith("127.0.0.1:")
    assert _databases(tmp_path)


async def test_a_module_in_the_current_folder_is_never_imported(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    trap = tmp_path / "here"
    (trap / "services").mkdir(parents=True)
    for name in ("grpc.py", "services/__init__.py"):
        (trap / name).write_text("raise SystemExit('imported from the current folder')\n")
    monkeypatch.chdir(trap)
    async with stored_runs(tmp_path, environment(tmp_path)) as address:
        assert address


async def test_logs_do_not_grow_without_bound(tmp_path: Path) -> None:
    log = tmp_path / "logs" / "orchestrator.log"
    log.parent.mkdir()
    log.write_bytes(b"x" * (2 << 20))
    async with stored_runs(tmp_path, environment(tmp_path)):
        pass
    assert log.stat().st_size < 1 << 20
    assert sum(path.stat().st_size for path in log.parent.iterdir()) < 3 << 20
