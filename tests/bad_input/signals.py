"""Signals to the command, and standard streams as shells leave them."""

import asyncio
import os
import signal
import subprocess
from collections.abc import Awaitable, Callable

from assay.orchestrator.v1 import diagnosis_pb2, diagnosis_pb2_grpc, run_pb2

from tests.bad_input.command import QUESTION, incident, run, seen
from tests.bad_input.table import Place, Row, Seen
from tests.fakes.command_line import ASSAY, LIMIT_SECONDS, read_until, started


def _signalled(*numbers: signal.Signals) -> Callable[[Place], Awaitable[Seen]]:
    """Return a runner that signals a diagnosis of the shared stack while the executor reads."""

    def ended(place: Place, bundle: str) -> Seen:
        where = ("--bundle", bundle, "--target", place.shared.address)
        process = started(place.home, "diagnose", QUESTION, *where)
        before = read_until(process, "executor:")
        for number in numbers:
            process.send_signal(number)
        stdout, stderr = process.communicate(timeout=LIMIT_SECONDS)
        return seen(subprocess.CompletedProcess([], process.returncode, stdout, before + stderr))

    async def runner(place: Place) -> Seen:
        told = await asyncio.to_thread(ended, place, incident(place))
        await _until_ended(place)
        return told

    return runner


async def _until_ended(place: Place) -> None:
    """Wait until no run of the shared stack is under way: its end is stored after its caller has left."""
    stub = diagnosis_pb2_grpc.DiagnosisServiceStub(place.shared.channel)
    request = diagnosis_pb2.ListRunsRequest(statuses=[run_pb2.RUN_STATUS_RUNNING])
    async with asyncio.timeout(LIMIT_SECONDS):
        while (await stub.ListRuns(request, timeout=60)).runs:
            pass


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
