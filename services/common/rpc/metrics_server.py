"""Metrics over plain HTTP, for whoever scrapes them: one page, one request per connection, bounded."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from typing import Final

import structlog

from services.common.rpc.server import ListenError
from services.common.telemetry.metrics import meter

PATH: Final = "/metrics"
MAX_CONNECTIONS: Final = 16
MAX_HEAD_BYTES: Final = 8192
REQUEST_SECONDS: Final = 5.0
_TEXT: Final = "text/plain; version=0.0.4; charset=utf-8"

_log = structlog.get_logger("assay.telemetry")


@asynccontextmanager
async def metrics_served(address: str) -> AsyncIterator[str]:
    """Serve inside the block, on the address that it yields; raises ListenError."""
    pages = _Pages()
    host, _, port = address.rpartition(":")
    # As gRPC takes it: every address of the machine, of both kinds.
    where = None if host == "[::]" else host.strip("[]")
    try:
        server = await asyncio.start_server(pages.connected, where, int(port), limit=MAX_HEAD_BYTES)
    except OSError:
        raise ListenError(
            f"cannot listen on {address}: port {port} is already taken, or {host} is not of this machine"
        ) from None
    bound = f"{host}:{server.sockets[0].getsockname()[1]}"
    _log.info("metrics", address=bound)
    try:
        yield bound
    finally:
        server.close()
        await pages.close()


class _Pages:
    """Answers connections, each in a task that it owns."""

    def __init__(self) -> None:
        self._tasks: set[asyncio.Task[None]] = set()

    def connected(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Answer a connection; one too many is ended."""
        if len(self._tasks) >= MAX_CONNECTIONS:
            writer.close()
            return
        task = asyncio.create_task(self._answer(reader, writer), name="metrics")
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def close(self) -> None:
        """End every connection."""
        for task in self._tasks:
            task.cancel()
        if self._tasks:
            await asyncio.wait(self._tasks)

    async def _answer(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        # Whoever hangs up, says too much or nothing is nobody's problem.
        ignored = (TimeoutError, ConnectionError, asyncio.IncompleteReadError, asyncio.LimitOverrunError)
        try:
            with suppress(*ignored):
                async with asyncio.timeout(REQUEST_SECONDS):
                    head = await reader.readuntil(b"\r\n\r\n")
                    writer.write(self._response(head))
                    await writer.drain()
        finally:
            writer.close()

    def _response(self, head: bytes) -> bytes:
        method, _, rest = head.partition(b" ")
        path = rest.split(b" ", 1)[0].split(b"?", 1)[0]
        if method not in (b"GET", b"HEAD"):
            return _http("405 Method Not Allowed", b"", b"GET")
        if path != PATH.encode():
            return _http("404 Not Found", f"metrics are at {PATH}\n".encode(), method)
        return _http("200 OK", meter().text(), method)


def _http(status: str, body: bytes, method: bytes) -> bytes:
    head = [
        f"HTTP/1.1 {status}",
        f"Content-Type: {_TEXT}",
        f"Content-Length: {len(body)}",
        "Connection: close",
        "\r\n",
    ]
    return "\r\n".join(head).encode() + (b"" if method == b"HEAD" else body)
