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

from orchestrator.cli.errors import CommandError
from orchestrator.cli.exit_codes import ExitCode
from orchestrator.cli.local_stack.environment import module_of
from orchestrator.cli.local_stack.logs import MAX_LINE_BYTES, ServiceLog, words_of
from services.common.rpc.exit_codes import EXIT_USAGE

START_SECONDS = 60.0
STOP_SECONDS = 20.0
# From the end of a process's output to its exit code.
_END_SECONDS = 5.0
_SHOWN_LINES = 5


@dataclass(frozen=True)
class ServiceProcess:
    """A started process.

    Its standard input stays open for as long as this command lives: when it closes, even because this command
    was killed, the service stops by itself.
    """

    service: str
    process: Process
    log: ServiceLog

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
            code = await self._end(_END_SECONDS)
            await self.log.ended()
            raise self.failure("did not start", code) from None

    def failure(self, what: str, code: int | None = None) -> CommandError:
        """Return the error that says what happened to this process, with its own last words.

        `code` is the one that it ended with, negative for a signal; with the code for wrong settings the
        caller is to blame.
        """
        killed = code is not None and code < 0
        words = f"signal {-code}" if code is not None and killed else words_of(self.log.last_lines())
        said = f": {words}" if words else ""
        place = f" ({self.log.place})" if self.log.place else ""
        exit_code = ExitCode.USAGE if code == EXIT_USAGE else ExitCode.ERROR
        return CommandError(f"the {self.service} process {what}{said}{place}", exit_code)

    async def death(self) -> CommandError:
        """Wait until the process ends by itself and return the error that shows its last lines."""
        code = await self.process.wait()
        await self.log.ended()
        how = f"signal {-code}" if code < 0 else f"exit code {code}"
        last = self.log.last_lines()[-_SHOWN_LINES:]
        wrote = "it wrote last:" if last else "it wrote nothing"
        return CommandError(f"the {self.service} process ended ({how}); {wrote}", ExitCode.ERROR, last)

    async def stop(self, seconds: float) -> None:
        """End the process: politely, then, after a bounded wait, not."""
        self._signal(signal.SIGTERM)
        if await self._end(seconds) is None:
            self._signal(signal.SIGKILL)
            await self.process.wait()
        await self.log.ended()

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
    service: str, inherited: Mapping[str, str], own: Mapping[str, str], log: ServiceLog
) -> ServiceProcess:
    """Start a service in a session of its own, so that Ctrl-C reaches this command alone.

    `-P` keeps the current folder out of the module path: nothing that lies there is ever imported.
    """
    with log.target() as stderr:
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
            limit=MAX_LINE_BYTES,
        )
    log.follow(process.stderr)
    return ServiceProcess(service, process, log)
