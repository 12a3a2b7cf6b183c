"""What leaves for an endpoint and what comes in: bounded, undecoded, with no header but ours."""

from collections.abc import AsyncIterator
from typing import Final

import httpx2

# The SDK adds what describes this machine, and what variables OPENAI_… of somebody else's say.
_SENT_HEADERS: Final = ("host", "content-type", "content-length", "accept")
_RECEIVED_HEADERS: Final = ("content-type", "content-length", "transfer-encoding", "retry-after")


class TooLargeError(Exception):
    """A response is larger than its bound."""


class BoundedTransport(httpx2.AsyncBaseTransport):
    """HTTP to one endpoint, past every proxy that the environment names.

    A response of more than `max_bytes` raises TooLargeError. No compression is asked for and none undone: a
    small body must not unfold into a large one.
    """

    def __init__(self, key: str, max_bytes: int, max_connections: int) -> None:
        limits = httpx2.Limits(max_connections=max_connections)
        self._inner = httpx2.AsyncHTTPTransport(trust_env=False, limits=limits)
        self._own = {"accept-encoding": "identity", "user-agent": "assay"}
        if key:
            self._own["authorization"] = f"Bearer {key}"
        self._max_bytes = max_bytes

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        """Send one request."""
        kept = {name: request.headers[name] for name in _SENT_HEADERS if name in request.headers}
        # Another request: the SDK still reads its own from the one that it made.
        ours = httpx2.Request(
            request.method,
            request.url,
            headers={**kept, **self._own},
            stream=request.stream,
            extensions=request.extensions,
        )
        response = await self._inner.handle_async_request(ours)
        assert isinstance(response.stream, httpx2.AsyncByteStream)  # noqa: S101 - it is; this tells the type
        return httpx2.Response(
            status_code=response.status_code,
            headers=[item for item in response.headers.multi_items() if item[0] in _RECEIVED_HEADERS],
            stream=_Bounded(response.stream, self._max_bytes),
            extensions=response.extensions,
        )

    async def aclose(self) -> None:
        """Close the connections."""
        await self._inner.aclose()


class _Bounded(httpx2.AsyncByteStream):
    """A stream that ends in an error at its bound."""

    def __init__(self, stream: httpx2.AsyncByteStream, max_bytes: int) -> None:
        self._stream = stream
        self._left = max_bytes

    async def __aiter__(self) -> AsyncIterator[bytes]:
        async for part in self._stream:
            self._left -= len(part)
            if self._left < 0:
                raise TooLargeError
            yield part

    async def aclose(self) -> None:
        await self._stream.aclose()
