"""`assay up`: the services in the foreground, as long as they are wanted."""

import json
import signal
import socket
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.fakes.command_line import LIMIT_SECONDS, assay, kill, services, started

QUESTION = "Why is it slow?"


@dataclass
class Running:
    """A stack that is up."""

    process: subprocess.Popen[str]
    address: str
    ready: str

    def ended(self) -> tuple[str, str]:
        """Wait for the end; return what else was printed."""
        return self.process.communicate(timeout=LIMIT_SECONDS)


@contextmanager
def up(home: Path, *arguments: str, **variables: str) -> Iterator[Running]:
    process = started(home, "up", "--json", *arguments, **variables)
    try:
        assert process.stdout is not None
        line = process.stdout.readline()
        assert line, process.communicate()[1]
        yield Running(process, json.loads(line)["address"], line)
    finally:
        if process.poll() is None:
            process.terminate()
            process.communicate(timeout=LIMIT_SECONDS)


@pytest.fixture
def incidents(project: Path) -> str:
    return str(project / "examples" / "incidents")


def test_other_commands_work_against_it_until_it_is_told_to_end(tmp_path: Path, incidents: str) -> None:
    with up(tmp_path, "--bundle-root", incidents) as running:
        assert json.loads(running.ready) == {
            "event": "ready",
            "address": running.address,
            "bundle_root": incidents,
            "lacking": [],
        }
        target = ("--target", running.address)
        bundle = "healthy-false-alarm/bundle"
        diagnosed = assay(tmp_path, "diagnose", QUESTION, "--bundle", bundle, *target, "--json")
        assert diagnosed.code == 3, diagnosed.stderr
        run_id = json.loads(diagnosed.stdout)["run_id"]
        # From the settings, as from the option.
        shown = assay(tmp_path, "show", run_id, "--json", ASSAY_TARGET=running.address)
        assert (shown.code, shown.stdout) == (3, diagnosed.stdout)
        second = assay(tmp_path, "up")
        assert (second.code, second.stdout, second.stderr.count("\n")) == (1, "", 1)
        assert f"another assay command is still using {tmp_path}" in second.stderr
        doctor = assay(tmp_path, "doctor", "--bundle", bundle, *target, "--json")
        assert doctor.code == 0, doctor.stdout
        assert len(services(tmp_path)) == 6
        running.process.send_signal(signal.SIGINT)
        stdout, stderr = running.ended()
    assert (running.process.returncode, stdout) == (0, "")
    assert services(tmp_path) == {}
    logged = [json.loads(line) for line in stderr.splitlines()]
    assert {line["service"] for line in logged} >= {"orchestrator", "planner"}
    # What was stored stays.
    assert assay(tmp_path, "show", run_id, "--json").stdout == diagnosed.stdout


def test_a_person_is_told_the_address_and_what_to_do_with_it(tmp_path: Path, incidents: str) -> None:
    process = started(
        tmp_path, "up", "--log-file", str(tmp_path / "log"), ASSAY_EXECUTOR_BUNDLE_ROOT=incidents
    )
    assert process.stdout is not None
    first, *others = [process.stdout.readline() for _ in range(4)]
    assert first.startswith("assay is ready at 127.0.0.1:")
    address = first.split()[4].rstrip(",")
    process.terminate()
    stdout, stderr = process.communicate(timeout=LIMIT_SECONDS)
    assert (process.returncode, stdout, stderr) == (0, "", "")
    assert f"diagnose QUESTION --bundle NAME --target {address}" in others[0]
    assert f"grpcurl -plaintext {address} list" in others[1]
    assert '"service": "planner"' in (tmp_path / "log").read_text()
    assert services(tmp_path) == {}


def test_a_service_that_dies_ends_the_stack_and_is_named_with_its_last_lines(tmp_path: Path) -> None:
    with up(tmp_path) as running:
        # It has logged that it became ready.
        kill(services(tmp_path)["orchestrator"])
        _, stderr = running.ended()
    assert running.process.returncode == 1
    assert "assay: the orchestrator process ended (signal 9); it wrote last:" in stderr
    told = stderr.partition("it wrote last:")[2].strip().splitlines()
    assert 1 <= len(told) <= 5
    assert {json.loads(line)["service"] for line in told} == {"orchestrator"}
    assert "Traceback" not in stderr
    assert services(tmp_path) == {}


def test_told_to_end_while_it_starts_it_ends_with_0(tmp_path: Path) -> None:
    process = started(tmp_path, "up")
    assert process.stderr is not None
    # The first line of a service: all are being started.
    assert process.stderr.readline()
    process.terminate()
    process.communicate(timeout=LIMIT_SECONDS)
    assert process.returncode == 0
    assert services(tmp_path) == {}


def test_a_port_that_is_taken_is_one_clear_line(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        address = f"127.0.0.1:{taken.getsockname()[1]}"
        ended = assay(tmp_path, "up", "--listen", address, "--log-file", str(tmp_path / "log"))
    assert (ended.code, ended.stdout, ended.stderr.count("\n")) == (1, "", 1)
    assert f"cannot listen on {address}" in ended.stderr
    assert "already taken" in ended.stderr
    assert services(tmp_path) == {}


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["--listen", "0.0.0.0:0"], "--listen: calls are not encrypted"),
        (["--listen", "[::]:0"], "--listen: calls are not encrypted"),
        (["--listen", "localhost"], "--listen: localhost is not host:port"),
        (["--bundle-root", "/nowhere/at/all"], "--bundle-root: there is no folder"),
        (["--bundle-root", ""], "--bundle-root is empty"),
        (["--log-file", "/nowhere/at/all"], "cannot be written: No such file"),
        (["--log-file", "\x1b[2J/x"], "cannot be written"),
    ],
)
def test_what_cannot_be_done_is_one_clear_line(tmp_path: Path, arguments: list[str], says: str) -> None:
    ended = assay(tmp_path, "up", *arguments)
    assert (ended.code, ended.stdout, ended.stderr.count("\n")) == (2, "", 1)
    assert says in ended.stderr
    assert ended.stderr.rstrip("\n").isprintable()
    assert services(tmp_path) == {}
