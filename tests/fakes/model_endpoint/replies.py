"""What an endpoint can answer: rightly, or wrong in every way that a test orders."""

import asyncio
import contextlib
import gzip
import json
import socket
from collections.abc import Callable
from typing import Any

from tests.fakes.model_endpoint.server import Asked, Reply

USAGE = {"prompt_tokens": 11, "completion_tokens": 7, "total_tokens": 18}


def http(
    body: bytes, status: str = "200 OK", content_type: str = "application/json", **headers: str
) -> Reply:
    """Answer with a whole response; `headers` with _ for -."""
    named = {"Content-Type": content_type, "Content-Length": str(len(body))}
    named |= {name.replace("_", "-"): value for name, value in headers.items()}
    head = "".join(f"{name}: {value}\r\n" for name, value in named.items())

    async def reply(writer: asyncio.StreamWriter) -> bool:
        writer.write(f"HTTP/1.1 {status}\r\n{head}\r\n".encode() + body)
        await writer.drain()
        return True

    return reply


def sent(value: object, status: str = "200 OK", **headers: str) -> Reply:
    """Answer with JSON."""
    return http(json.dumps(value).encode(), status, **headers)


def failed(status: str, says: str = "", **headers: str) -> Reply:
    """Answer with an error as endpoints word it."""
    return sent({"error": {"message": says, "type": "error", "code": None}}, status, **headers)


def completion(
    content: object, finish_reason: str = "stop", usage: object = USAGE, **more: object
) -> dict[str, Any]:
    """Return a chat completion of one message; `more` are its other members. `usage` None: none is told."""
    told = {"role": "assistant", "content": content, **more}
    choices = [{"index": 0, "message": told, "finish_reason": finish_reason}]
    whole: dict[str, Any] = {"id": "x", "object": "chat.completion", "choices": choices}
    return whole if usage is None else {**whole, "usage": usage}


def message(content: object, finish_reason: str = "stop", usage: object = USAGE, **more: object) -> Reply:
    """Answer with one message, as `completion` makes it."""
    return sent(completion(content, finish_reason, usage, **more))


def answer(value: object, **options: Any) -> Reply:  # noqa: ANN401 - as `message` takes them
    """Answer with one JSON text."""
    return message(json.dumps(value), **options)


def hang() -> Reply:
    """Answer nothing, and keep the connection."""

    async def reply(writer: asyncio.StreamWriter) -> bool:  # noqa: ARG001 - nothing is written
        await asyncio.Event().wait()
        return False

    return reply


def trickle(part: bytes = b" ") -> Reply:
    """Answer with a body that goes on for ever, a little at a time."""

    async def reply(writer: asyncio.StreamWriter) -> bool:
        writer.write(b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 99999999\r\n\r\n")
        while not writer.is_closing():
            writer.write(part)
            await writer.drain()
            await _moment()
        return False

    return reply


def endless(part: bytes = b"x" * 65536, status: str = "200 OK") -> Reply:
    """Answer with a body that goes on for ever, as fast as it is read."""

    async def reply(writer: asyncio.StreamWriter) -> bool:
        head = f"HTTP/1.1 {status}\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n"
        writer.write(head.encode())
        while not writer.is_closing():
            writer.write(b"%x\r\n%s\r\n" % (len(part), part))
            await writer.drain()
        return False

    return reply


def cut(says: bytes = b'{"choices": [{') -> Reply:
    """End the connection in the middle of a body."""

    async def reply(writer: asyncio.StreamWriter) -> bool:
        writer.write(
            b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 5000\r\n\r\n" + says
        )
        await writer.drain()
        return False

    return reply


def reset() -> Reply:
    """Reset the connection before a single byte."""

    async def reply(writer: asyncio.StreamWriter) -> bool:
        # Without lingering, closing resets.
        writer.get_extra_info("socket").setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\1\0\0\0\0\0\0\0")
        writer.transport.abort()
        return False

    return reply


def not_http(says: bytes) -> Reply:
    """Answer something else than HTTP."""

    async def reply(writer: asyncio.StreamWriter) -> bool:
        writer.write(says)
        await writer.drain()
        return False

    return reply


def gzip_bomb(value: object, unfolded_bytes: int) -> Reply:
    """Answer with a small compressed body that is large when unfolded, and then a legal answer of a value."""
    unfolded = b" " * unfolded_bytes + json.dumps(completion(json.dumps(value))).encode()
    return http(gzip.compress(unfolded), Content_Encoding="gzip")


def redirect(location: str) -> Reply:
    """Send the client elsewhere."""
    return http(b"", "307 Temporary Redirect", Location=location)


def models() -> Reply:
    """Answer with an empty list of models."""
    return sent({"object": "list", "data": []})


def always(reply: Reply) -> Callable[[Asked], Reply]:
    """Answer every request alike."""
    return lambda _: reply


async def _moment() -> None:
    with contextlib.suppress(TimeoutError):
        async with asyncio.timeout(0.01):
            await asyncio.Event().wait()
