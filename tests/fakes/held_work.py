"""Work that a test waits for and lets go: it connects to a listener of the test, and says so by that."""

import asyncio
import contextlib
import socket
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

_SECONDS = 60


class Listener:
    """Where work connects. `port` is on loopback."""

    def __init__(self) -> None:
        self.port = 0
        self._writers: list[asyncio.StreamWriter] = []
        self._begun: asyncio.Queue[asyncio.StreamWriter] = asyncio.Queue()

    async def begun(self) -> asyncio.StreamWriter:
        """Return when one more piece of work has begun; closing what is returned lets it go."""
        async with asyncio.timeout(_SECONDS):
            return await self._begun.get()

    def connected(self, _: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._writers.append(writer)
        self._begun.put_nowait(writer)

    async def close(self) -> None:
        """Let everything go."""
        for writer in self._writers:
            writer.close()
            # What was killed has not said goodbye.
            with contextlib.suppress(ConnectionError):
                await writer.wait_closed()


@asynccontextmanager
async def listener() -> AsyncIterator[Listener]:
    """Listen inside the block; leaving it lets everything go."""
    held = Listener()
    server = await asyncio.start_server(held.connected, "127.0.0.1", 0)
    held.port = server.sockets[0].getsockname()[1]
    async with server:
        try:
            yield held
        finally:
            await held.close()


def begin(port: int) -> socket.socket:
    """Say that work has begun. For the process that works."""
    return socket.create_connection(("127.0.0.1", port), timeout=_SECONDS)


def wait(port: int) -> None:
    """Begin, and end when the test lets go."""
    with begin(port) as connection:
        connection.recv(1)
