"""What asks a process to stop: a signal, or the end of the process that started it."""

import asyncio
import os
import signal
import stat
import sys
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager

SIGNALS = (signal.SIGTERM, signal.SIGINT)


class ParentError(Exception):
    """Standard input cannot tell when the parent ends."""


@contextmanager
def on_signals(stop: asyncio.Event) -> Iterator[None]:
    """Set `stop` on SIGTERM and SIGINT; a second signal changes nothing, since every wait is bounded.

    Nor does one after the block, while the process flushes what it has to say.
    """
    loop = asyncio.get_running_loop()
    for number in SIGNALS:
        loop.add_signal_handler(number, stop.set)
    try:
        yield
    finally:
        for number in SIGNALS:
            loop.remove_signal_handler(number)
            signal.signal(number, signal.SIG_IGN)


@asynccontextmanager
async def on_parent_end(stop: asyncio.Event) -> AsyncIterator[None]:
    """Set `stop` when standard input, a pipe whose other end the parent holds, comes to its end."""
    mode = os.fstat(sys.stdin.fileno()).st_mode
    if not (stat.S_ISFIFO(mode) or stat.S_ISSOCK(mode)):
        raise ParentError("stop_with_parent is set, but standard input is not a pipe from the parent process")
    loop = asyncio.get_running_loop()
    transport, _ = await loop.connect_read_pipe(lambda: _EndOfInput(stop), sys.stdin)
    try:
        yield
    finally:
        transport.close()


class _EndOfInput(asyncio.Protocol):
    """Ignores what it reads and notes the end."""

    def __init__(self, stop: asyncio.Event) -> None:
        self._stop = stop

    def eof_received(self) -> None:
        self._stop.set()

    def connection_lost(self, exc: Exception | None) -> None:  # noqa: ARG002 - any loss is the end
        self._stop.set()
