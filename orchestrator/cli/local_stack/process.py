"""One service process: started, asked for its address, and always ended."""

import asyncio
import contextlib
import json
import os
import signal
import sys
from asyncio.subprocess import PIPE, Process
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from orchestrator.cli.errors import CommandError, wrong_input
from orchestrator.cli.exit_codes import ExitCode
from orchestrator.cli.local_stack.environment import module_of
from services.common.rpc.exit_codes import EXIT_USAGE

START_SECONDS = 60.0
STOP_SECONDS = 20.0
# From the end of a process's output to its exit code.
_END_SECONDS = 5.0
_MAX_LOG_BYTES = 1 << 20
_TAIL_BYTES = 8192


@dataclass(frozen=True)
class ServiceProcess:
    """A started process.

    Its standard input stays open for as long as this command lives: when it closes, even because this command
    was killed, the service stops by itself.
    """

    service: str
    process: Process
    log: Path
    log_offset: int

    async def address(self) -> str:
        """Return the address of the serving line; raises CommandError when there is none in time."""
        assert self.process.stdout is not None  # noqa: S101 - `start` opens the pipe; this tells the type
        try:
            async with asyncio.timeout(START_SECONDS):
                line = await self.process.stdout.readline()
            return str(json.loads(line)["address"])
        except TimeoutError:
            raise self.failure(f"did not serve within {START_SECONDS:.0f} s") from None
        except (ValueError, KeyError, TypeError):
            raise self.failure("did not start", await self._end(_END_SECONDS)) from None

    def failure(self, what: str, code: int | None = None) -> CommandError:
        """Return the error that says what happened to this process, with its own last words.

        `code` is the one that it ended with, negative for a signal; with the code for wrong settings the
        caller is to blame.
        """
        killed = code is not None and code < 0
        words = f"signal {-code}" if code is not None and killed else last_words(self.log, self.log_offset)
        said = f": {words}" if words else ""
        exit_code = ExitCode.USAGE if code == EXIT_USAGE else ExitCode.ERROR
        return CommandError(f"the {self.service} process {what}{said} (log: {self.log})", exit_code)

    async def stop(self, seconds: float) -> None:
        """End the process: politely, then, after a bounded wait, not."""
        self._signal(signal.SIGTERM)
        if await self._end(seconds) is None:
            self._signal(signal.SIGKILL)
            await self.process.wait()

    async def _end(self, seconds: float) -> int | None:
        try:
            async with asyncio.timeout(seconds):
                return await self.process.wait()
        except TimeoutError:
            return None

    def _signal(self, number: signal.Signals) -> None:
        # Not `Process.terminate`: it would take the exit code of a process that has just ended away from
        # the event loop, which then complains on standard error.
        if self.process.returncode is None:
            with contextlib.suppress(ProcessLookupError):
                os.kill(self.process.pid, number)


async def start(
    service: str, inherited: Mapping[str, str], own: Mapping[str, str], log_folder: Path
) -> ServiceProcess:
    """Start a service in a session of its own, so that Ctrl-C reaches this command alone.

    `-P` keeps the current folder out of the module path: nothing that lies there is ever imported.
    """
    log = log_folder / f"{service}.log"
    with _opened(log) as stderr:
        offset = stderr.tell()
        process = await asyncio.create_subprocess_exec(
            sys.executable,
            "-P",
            "-m",
            module_of(service),
            stdin=PIPE,
            stdout=PIPE,
            stderr=stderr,
            env={**inherited, **own},
            start_new_session=True,
        )
    return ServiceProcess(service, process, log, offset)


def _opened(log: Path) -> BinaryIO:
    try:
        if log.exists() and log.stat().st_size > _MAX_LOG_BYTES:
            log.replace(log.with_suffix(".log.old"))
        return log.open("ab")
    except OSError as error:
        raise wrong_input(
            f"{log} cannot be written: {error.strerror}; set ASSAY_HOME to another folder"
        ) from None


def last_words(log: Path, offset: int) -> str:
    """Return the last that a process wrote after an offset of its log: a line with those indented below it.

    Of a line that is a log record, what happened and the kind of the error.
    """
    size = log.stat().st_size
    with log.open("rb") as stream:
        stream.seek(max(offset, size - _TAIL_BYTES))
        lines = [line for line in stream.read().decode("utf-8", "replace").splitlines() if line.strip()]
    first = max((index for index, line in enumerate(lines) if not line[0].isspace()), default=0)
    head, *below = [line.strip() for line in lines[first:]] or [""]
    return " ".join([_told(head), "; ".join(below)]).strip()


def _told(line: str) -> str:
    try:
        record = json.loads(line)
    except ValueError:
        return line
    if not isinstance(record, dict):
        return line
    error = (record.get("exception") or [""])[0]
    return f"{record.get('event', line)} ({error})" if error else str(record.get("event", line))
