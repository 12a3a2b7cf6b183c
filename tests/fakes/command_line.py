"""The real command `assay`, run as a person runs it, and a look at the processes that it starts."""

import os
import select
import signal
import subprocess
import sys
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
