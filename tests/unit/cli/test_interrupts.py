"""A signal while nothing is under way: one line and the documented code, from the first moment on."""

import signal
import subprocess
import sys

import pytest

from orchestrator.cli import interrupts
from orchestrator.cli.exit_codes import ExitCode


def _python(code: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(  # noqa: S603 - this interpreter and a text of this file
        [sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=False
    )


def test_the_code_is_the_documented_one() -> None:
    assert int(ExitCode.CANCELLED) == interrupts.CANCELLED


@pytest.mark.parametrize("number", interrupts.STOP_SIGNALS)
def test_each_signal_ends_the_process_with_one_line(number: signal.Signals) -> None:
    ended = _python(
        "import os\nfrom orchestrator.cli.interrupts import end_at_once\nend_at_once()\n"
        f"os.kill(os.getpid(), {int(number)})\nprint('still there')\n"
    )
    assert (ended.returncode, ended.stdout, ended.stderr) == (4, "", "assay: cancelled\n")


def test_no_signal_changes_the_code_of_a_process_that_is_leaving() -> None:
    leaving = "import atexit, os, sys\nfrom orchestrator.cli.interrupts import end_at_once, let_it_exit\n"
    # What is registered first runs last.
    leaving += "atexit.register(lambda: os.kill(os.getpid(), 2))\n{}end_at_once()\nsys.exit(3)\n"
    assert _python(leaving.format("atexit.register(let_it_exit)\n")).returncode == 3
    assert _python(leaving.format("")).returncode == 4


def test_it_holds_before_anything_slow_is_loaded() -> None:
    ended = _python(
        "import sys, orchestrator.cli.__main__\nprint({'typer', 'asyncio', 'grpc'} & {*sys.modules})"
    )
    assert ended.stdout == "set()\n"


# Prints the exit code of a command whose work ends, and that a signal meets while its event loop closes.
_CLOSING = """
import os
import socket
from orchestrator.cli.running import run_to_end

async def work():
    closed = socket.socket.close
    def and_a_signal(self):
        closed(self)
        os.kill(os.getpid(), {})
    socket.socket.close = and_a_signal

run_to_end(work())
print("still there")
"""


@pytest.mark.parametrize("number", interrupts.STOP_SIGNALS)
def test_a_signal_while_the_event_loop_closes_ends_the_process_alike(number: signal.Signals) -> None:
    ended = _python(_CLOSING.format(int(number)))
    assert (ended.returncode, ended.stdout, ended.stderr) == (4, "", "assay: cancelled\n")


# Sends a signal whenever the system's reaction to it is put back.
_PUT_BACK = """
import os
import signal
from orchestrator.cli.interrupts import STOP_SIGNALS
from orchestrator.cli.running import run_to_end

async def work():
    set_reaction = signal.signal
    def and_a_signal(number, reaction):
        set_reaction(number, reaction)
        if number in STOP_SIGNALS and reaction in (signal.SIG_DFL, signal.default_int_handler):
            os.kill(os.getpid(), number)
    signal.signal = and_a_signal

run_to_end(work())
print("still there")
"""


def test_the_system_s_reactions_are_never_put_back() -> None:
    ended = _python(_PUT_BACK)
    assert (ended.returncode, ended.stdout, ended.stderr) == (0, "still there\n", "")
