"""A scripted endpoint of the OpenAI protocol: HTTP on loopback, each reply as a test orders it.

It records every request. A reply writes to the connection itself, so that it can break every rule.
"""

import asyncio
import json
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

HOST = "127.0.0.1"


@dataclass(frozen=True)
class Asked:
    """A request as it came; names of headers in lower case."""

    method: str
    path: str
    headers: dict[str, str]
    body: bytes

    @property
    def json(self) -> dict[str, Any]:
        found: dict[str, Any] = json.loads(self.body)
        return found

    @property
    def mode(self) -> str:
        """The type of the response format; with "+schema" where one stands beside a type without; or text."""
        wanted = self.json.get("response_format")
        if wanted is None:
            return "text"
        return str(wanted["type"]) + ("+schema" if "schema" in wanted else "")


# Answers one request on its connection; False: the connection ends.
Reply = Callable[[asyncio.StreamWriter], Awaitable[bool]]
Script = Callable[[Asked], Reply]


@dataclass
class ModelEndpoint:
    """A running endpoint. `script` answers chat completions, `models` the list of models."""

    port: int
    script: Script
    models: Reply
    requests: list[Asked] = field(default_factory=list)

    @property
    def base_url(self) -> str:
        return f"http://{HOST}:{self.port}/v1"

    @property
    def completions(self) -> list[Asked]:
        return [request for request in self.requests if request.method == "POST"]


@asynccontextmanager
async def serving(script: Script, models: Reply) -> AsyncIterator[ModelEndpoint]:
    """Serve inside the block, on a free port."""
    connections: set[asyncio.Task[None]] = set()
    endpoint = ModelEndpoint(0, script, models)

    async def connected(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        connections.add(task)
        try:
            await _answer_all(endpoint, reader, writer)
        except (ConnectionError, asyncio.IncompleteReadError, asyncio.CancelledError):
            # A task of the server that ends cancelled is an error to asyncio.
            pass
        finally:
            connections.discard(task)
            writer.close()

    server = await asyncio.start_server(connected, HOST, 0, limit=1 << 20)
    endpoint.port = server.sockets[0].getsockname()[1]
    try:
        yield endpoint
    finally:
        server.close()
        for task in connections:
            task.cancel()
        if connections:
            await asyncio.wait(connections)
        await server.wait_closed()


async def _answer_all(
    endpoint: ModelEndpoint, reader: asyncio.StreamReader, writer: asyncio.StreamWriter
) -> None:
    going_on = True
    while going_on:
        asked = await _request(reader)
        endpoint.requests.append(asked)
        reply = endpoint.script(asked) if asked.method == "POST" else endpoint.models
        going_on = await reply(writer)


async def _request(reader: asyncio.StreamReader) -> Asked:
    head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").split("\r\n")
    method, path, _ = head[0].split(" ")
    headers = {
        name.lower(): value.strip() for name, _, value in (row.partition(":") for row in head[1:] if row)
    }
    body = await reader.readexactly(int(headers.get("content-length", "0")))
    return Asked(method, path, headers, body)
