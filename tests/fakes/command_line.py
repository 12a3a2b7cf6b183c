"""The real command `assay`, run as a person runs it, and a look at the processes that it starts."""

import asyncio
import os
import pty
import select
import signal
import subprocess
import sys
import termios
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

ASSAY = str(Path(sys.executable).with_name("assay"))
LIMIT_SECONDS = 120


@dataclass(frozen=True)
class Ended:
    """How a command ended."""

    code: int
    stdout: str
    stderr: str


def environment(home: Path, **more: str) -> dict[str, str]:
    """Return this process's environment with a state folder of the test's own."""
    clean = {name: value for name, value in os.environ.items() if not name.startswith("ASSAY_")}
    # Nor is the configuration file of whoever runs the tests read.
    return {**clean, "ASSAY_CONFIG": "", "ASSAY_HOME": str(home), **more}


def assay(home: Path, *arguments: str, **more: str) -> Ended:
    """Run a command to its end."""
    ended = subprocess.run(  # noqa: S603 - the project's own command
        [ASSAY, *arguments],
        env=environment(home, **more),
        capture_output=True,
        text=True,
        timeout=LIMIT_SECONDS,
        check=False,
    )
    return Ended(ended.returncode, ended.stdout, ended.stderr)


async def asked(home: Path, *arguments: str, **more: str) -> Ended:
    """Run a command to its end while this event loop, which may serve what it asks, goes on."""
    return await asyncio.to_thread(assay, home, *arguments, **more)


def on_terminal(home: Path, columns: int, *arguments: str, typed: str = "") -> Ended:
    """Run a command on a terminal of its own; both its streams stand in `stdout`, as a person sees them.

    The terminal cannot move its cursor, so that progress is plain lines.
    """
    ours, its = pty.openpty()
    try:
        termios.tcsetwinsize(its, (24, columns))
        process = subprocess.Popen(  # noqa: S603 - the project's own command
            [ASSAY, *arguments],
            env=environment(home, TERM="dumb", COLUMNS=str(columns)),
            stdin=its,
            stdout=its,
            stderr=its,
        )
    finally:
        os.close(its)
    try:
        os.write(ours, typed.encode())
        seen = b"".join(_read_to_end(ours))
    finally:
        os.close(ours)
    return Ended(process.wait(LIMIT_SECONDS), seen.decode().replace("\r\n", "\n"), "")


def _read_to_end(terminal: int) -> Iterator[bytes]:
    while select.select([terminal], [], [], LIMIT_SECONDS)[0]:
        try:
            part = os.read(terminal, 65536)
        except OSError:
            # How Linux says that nobody has the other side open any more.
            return
        if not part:
            return
        yield part


def started(home: Path, *arguments: str, **more: str) -> subprocess.Popen[str]:
    """Start a command and return while it runs."""
    return subprocess.Popen(  # noqa: S603 - the project's own command
        [ASSAY, *arguments],
        env=environment(home, **more),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def read_until(process: subprocess.Popen[str], text: str) -> str:
    """Read the standard error of a command until a line holds a text; return all that was read."""
    assert process.stderr is not None
    seen = ""
    for line in process.stderr:
        seen += line
        if text in line:
            return seen
    raise AssertionError(f"{text!r} was never printed, but:\n{seen}")


def services(home: Path) -> dict[str, int]:
    """Return the process id of every service that a command with this state folder has running, by module."""
    found: dict[str, int] = {}
    mark = f"ASSAY_HOME={home}".encode()
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            arguments = (folder / "cmdline").read_bytes().split(b"\0")
            variables = (folder / "environ").read_bytes().split(b"\0")
        except OSError:
            continue
        # Bytes: what strangers' processes are called need not be text.
        if mark in variables and b"-m" in arguments and b"-P" in arguments:
            found[os.fsdecode(arguments[arguments.index(b"-m") + 1])] = int(folder.name)
    return found


def wait_gone(process_ids: list[int]) -> None:
    """Wait until processes have ended; fails after the time in which each should have."""
    for process_id in process_ids:
        try:
            handle = os.pidfd_open(process_id)
        except ProcessLookupError:
            continue
        try:
            ready, _, _ = select.select([handle], [], [], LIMIT_SECONDS)
            assert ready, f"process {process_id} is still there"
        finally:
            os.close(handle)


def kill(process_id: int) -> None:
    """End a process without asking it."""
    os.kill(process_id, signal.SIGKILL)
