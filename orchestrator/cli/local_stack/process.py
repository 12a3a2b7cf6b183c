"""One service process: started, asked for its address, and always ended."""

import asyncio
import json
import sys
from asyncio.subprocess import PIPE, Process
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from orchestrator.cli.errors import CommandError
from orchestrator.cli.exit_codes import ExitCode
from orchestrator.cli.local_stack.environment import module_of

START_SECONDS = 60.0
STOP_SECONDS = 20.0
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
            raise self.failure("did not start") from None

    def failure(self, what: str) -> CommandError:
        """Return the error that says what happened to this process, with its own last word."""
        last = _last_line(self.log, self.log_offset)
        said = f": {last}" if last else ""
        return CommandError(f"the {self.service} process {what}{said} (log: {self.log})", ExitCode.ERROR)

    async def stop(self) -> None:
        """End the process: politely, then, after a bounded wait, not."""
        if self.process.returncode is None:
            self.process.terminate()
        try:
            async with asyncio.timeout(STOP_SECONDS):
                await self.process.wait()
        except TimeoutError:
            self.process.kill()
            await self.process.wait()


async def start(
    service: str, inherited: Mapping[str, str], own: Mapping[str, str], log_folder: Path
) -> ServiceProcess:
    """Start a service in a session of its own, so that Ctrl-C reaches this command alone.

    `-P` keeps the current folder out of the module path: nothing that lies there is ever imported.
    """
    log = log_folder / f"{service}.log"
    if log.exists() and log.stat().st_size > _MAX_LOG_BYTES:
        log.replace(log.with_suffix(".log.old"))
    with log.open("ab") as stderr:
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


def _last_line(log: Path, offset: int) -> str:
    size = log.stat().st_size
    with log.open("rb") as stream:
        stream.seek(max(offset, size - _TAIL_BYTES))
        lines = [line for line in stream.read().decode("utf-8", "replace").splitlines() if line.strip()]
    return lines[-1].strip() if lines else ""
