"""Signals to the command, and standard streams as shells leave them."""

import asyncio
import os
import signal
import subprocess
from collections.abc import Awaitable, Callable

from tests.bad_input.command import QUESTION, run, seen
from tests.bad_input.table import Place, Row, Seen
from tests.fakes.agents import hanging, stack
from tests.fakes.command_line import ASSAY, LIMIT_SECONDS, read_until, started


def _signalled(*numbers: signal.Signals) -> Callable[[Place], Awaitable[Seen]]:
    """Return a runner that signals a diagnosis whose executor never ends."""

    def ended(place: Place, address: str) -> Seen:
        process = started(place.folder / "other", "diagnose", QUESTION, "--bundle", "x", "--target", address)
        before = read_until(process, "executor:")
        for number in numbers:
            process.send_signal(number)
        stdout, stderr = process.communicate(timeout=LIMIT_SECONDS)
        return seen(subprocess.CompletedProcess([], process.returncode, stdout, before + stderr))

    async def runner(place: Place) -> Seen:
        place.home.mkdir()
        # Its end stores the end of the run, whose caller has left by then.
        async with stack(place.database, hanging("executor")) as running:
            return await asyncio.to_thread(ended, place, running.address)

    return runner


def _redirected(redirection: str) -> Callable[[Place], Awaitable[Seen]]:
    """Return a runner that shows a stored run behind redirections of the shell."""

    async def runner(place: Place) -> Seen:
        script = f'"$0" show "$1" --target "$2" {redirection}'
        command = ("/bin/sh", "-c", script, ASSAY, place.shared.run_id, place.shared.address)
        return seen(await run(place, *command))

    return runner


async def _no_reader(place: Place) -> Seen:
    reading, writing = os.pipe()
    os.close(reading)
    try:
        command = (ASSAY, "show", place.shared.run_id, "--target", place.shared.address)
        return seen(await run(place, *command, stdout=writing))
    finally:
        os.close(writing)


_STORED = "cancelled; the run is stored: "
_ANSWERED = "NO CAUSE FOUND (LOW_CONFID)"
_UNWRITTEN = "standard output cannot be written"

ROWS = (
    Row("Ctrl-C", _signalled(signal.SIGINT), _STORED, "4", "CANCELLED"),
    Row("Ctrl-C, twice", _signalled(signal.SIGINT, signal.SIGINT), _STORED, "4", "CANCELLED"),
    Row("SIGTERM", _signalled(signal.SIGTERM), _STORED, "4", "CANCELLED"),
    Row("SIGHUP", _signalled(signal.SIGHUP), _STORED, "4", "CANCELLED"),
    Row("standard input closed", _redirected("<&-"), _ANSWERED, "3"),
    Row("standard output closed", _redirected(">&-"), f"{_UNWRITTEN} (Bad file descriptor)", "1"),
    Row("standard output full", _redirected(">/dev/full"), f"{_UNWRITTEN} (No space left", "1"),
    Row("standard output without a reader", _no_reader, "", "3"),
    Row("standard error full", _redirected("2>/dev/full"), _ANSWERED, "3"),
    Row("all three closed", _redirected("<&- >&- 2>&-"), "", "1"),
)
