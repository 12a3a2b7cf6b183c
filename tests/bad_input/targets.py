"""What may stand at the other end of `--target`."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager

from tests.bad_input.command import QUESTION, assay
from tests.bad_input.table import Place, Row, Seen
from tests.fakes import scripted

Answer = Callable[[asyncio.StreamReader, asyncio.StreamWriter], Awaitable[None]]


async def _http(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    await reader.read(1)
    writer.write(b"HTTP/1.1 400 Bad Request\r\nContent-Length: 5\r\n\r\nwhat?")
    await writer.drain()
    writer.close()


async def _silence(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    await reader.read()
    writer.close()


async def _hang_up(_: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    writer.close()


@asynccontextmanager
async def _listening(answer: Answer) -> AsyncIterator[str]:
    server = await asyncio.start_server(answer, "127.0.0.1", 0)
    async with server:
        host, port = server.sockets[0].getsockname()
        yield f"{host}:{port}"


def _asked(address: str, *flags: str) -> Callable[[Place], Awaitable[Seen]]:
    async def runner(place: Place) -> Seen:
        return await assay(place, *flags, "diagnose", QUESTION, "--bundle", "x", "--target", address)

    return runner


def _answered(answer: Answer) -> Callable[[Place], Awaitable[Seen]]:
    async def runner(place: Place) -> Seen:
        async with _listening(answer) as address:
            return await _asked(address)(place)

    return runner


async def _another_service(place: Place) -> Seen:
    async with scripted.running() as server:
        return await _asked(server.address)(place)


async def _not_ready(place: Place) -> Seen:
    async def ready() -> bool:
        return False

    async with scripted.running(ready=ready) as server:
        return await _asked(server.address)(place)


ROWS = (
    Row("--target: empty", _asked(""), "--target is empty", "2"),
    Row("--target: no port", _asked("localhost"), "is not host:port", "2"),
    Row("--target: a port that is none", _asked("localhost:65536"), "is not host:port", "2"),
    Row("--target: an address of the web", _asked("http://localhost:1"), "is not host:port", "2"),
    Row("--target: escapes of terminals", _asked("\x1b[2J:1"), "\\x1b[2J:1 is not host:port", "2"),
    Row("--target: nobody listens", _asked("127.0.0.1:1"), "no diagnosis service answers", "1"),
    Row("--target: another machine", _asked("192.0.2.1:1"), "is not of this machine alone", "2"),
    Row(
        "--target: a name that is none",
        _asked("no-such-host.invalid:1", "--set", "cli.plaintext=true"),
        "no diagnosis service",
        "1",
    ),
    Row("--target: speaks HTTP", _answered(_http), "no diagnosis service answers", "1"),
    Row("--target: hangs up", _answered(_hang_up), "no diagnosis service answers", "1"),
    Row("--target: never answers", _answered(_silence), "no diagnosis service answers", "1"),
    Row("--target: another service", _another_service, "is no diagnosis service", "1"),
    Row("--target: a service that is not ready", _not_ready, "is not ready", "1"),
)
