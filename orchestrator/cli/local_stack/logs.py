"""Where the standard error of a service process goes, and what it wrote last."""

import asyncio
import json
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO, Final, Protocol

from orchestrator.cli.errors import wrong_input

MAX_LINE_BYTES: Final = 1 << 20
_MAX_FILE_BYTES: Final = 1 << 20
_TAIL_BYTES: Final = 8192
_TAIL_LINES: Final = 20
# From the end of a process to the last of what it wrote.
_END_SECONDS: Final = 5.0


class ServiceLog(Protocol):
    """The log of one process. `place` says where a person reads it; empty when it was shown already."""

    place: str

    @contextmanager
    def target(self) -> Iterator[BinaryIO | int]:
        """Give what the process is started with as its standard error."""
        ...

    def follow(self, stream: asyncio.StreamReader | None) -> None:
        """Take what the process writes from now on, when `target` was a pipe."""
        ...

    async def ended(self) -> None:
        """Wait, in bounded time, until all is taken of a process that has ended."""
        ...

    def last_lines(self) -> Sequence[str]:
        """Return the last lines that the process wrote."""
        ...


class FileLog:
    """A file per service, which does not grow without bound from one command to the next."""

    def __init__(self, path: Path) -> None:
        self.place = f"log: {path}"
        self._path = path
        self._offset = 0

    @contextmanager
    def target(self) -> Iterator[BinaryIO]:
        """Open the file; raises CommandError when it cannot be written."""
        with opened(self._path, _MAX_FILE_BYTES, "set ASSAY_HOME to another folder") as file:
            self._offset = file.tell()
            yield file

    def follow(self, stream: asyncio.StreamReader | None) -> None:
        """Nothing to take: the process writes by itself."""

    async def ended(self) -> None:
        """Nothing to wait for."""

    def last_lines(self) -> list[str]:
        """Read the end of the file, as far as this process wrote it."""
        with self._path.open("rb") as stream:
            stream.seek(max(self._offset, self._path.stat().st_size - _TAIL_BYTES))
            return stream.read().decode("utf-8", "replace").splitlines()


class PassedOnLog:
    """Passes every line on as it comes, and keeps the last ones."""

    place = ""

    def __init__(self, pass_on: Callable[[str], None]) -> None:
        self._pass_on = pass_on
        self._lines: deque[str] = deque(maxlen=_TAIL_LINES)
        self._following: asyncio.Task[None] | None = None

    @contextmanager
    def target(self) -> Iterator[int]:
        """A pipe."""
        yield asyncio.subprocess.PIPE

    def follow(self, stream: asyncio.StreamReader | None) -> None:
        """Begin to pass on."""
        assert stream is not None  # noqa: S101 - `target` asked for the pipe; this tells the type
        self._following = asyncio.create_task(self._pass(stream), name="log")

    async def ended(self) -> None:
        """Wait for the last line; what a grandchild keeps open is not waited for."""
        if self._following is not None:
            await asyncio.wait([self._following], timeout=_END_SECONDS)
            self._following.cancel()

    def last_lines(self) -> list[str]:
        """Return what was kept."""
        return list(self._lines)

    async def _pass(self, stream: asyncio.StreamReader) -> None:
        while True:
            try:
                line = await stream.readline()
            except ValueError:
                # A line beyond MAX_LINE_BYTES is left out; the next one is read again.
                continue
            if not line:
                return
            text = line.decode("utf-8", "replace").rstrip("\r\n")
            self._lines.append(text)
            self._pass_on(text)


def opened(path: Path, max_bytes: int, advice: str) -> BinaryIO:
    """Open a log to append to; one that has grown too large is put aside first. Raises CommandError."""
    try:
        if path.exists() and path.stat().st_size > max_bytes:
            path.replace(path.with_name(f"{path.name}.old"))
        return path.open("ab")
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else str(error)
        raise wrong_input(f"{path} cannot be written: {reason}; {advice}") from None


def words_of(lines: Sequence[str]) -> str:
    """Return the last that a process said: a line with those indented below it.

    Of a line that is a log record, what happened and the kind of the error.
    """
    written = [line for line in lines if line.strip()]
    first = max((index for index, line in enumerate(written) if not line[0].isspace()), default=0)
    head, *below = [line.strip() for line in written[first:]] or [""]
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
