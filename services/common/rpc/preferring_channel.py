"""A channel to a service of several pods that asks those which say that they are ready.

gRPC can watch the health of every connection and leave out those that are not ready, within milliseconds. A
pod that stops says so before it takes no more calls: nobody is refused who can be answered elsewhere. But
where nobody is ready, gRPC would fail every call by itself, and would not look the name up again. Then the
name is looked up, and meanwhile whoever is there is asked, since only a service can tell why it is not ready.
"""

import asyncio
import time
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import aclosing
from typing import Final, TypeVar

import grpc
import grpc.aio

from services.common.rpc.forwarding_channel import ForwardingChannel
from services.common.rpc.successive_channel import SuccessiveChannel

# A name is looked up again so often, at most.
LOOK_UP_SECONDS: Final = 5.0

_READY: Final = grpc.ChannelConnectivity.READY
_NOBODY: Final = grpc.ChannelConnectivity.TRANSIENT_FAILURE
# How gRPC begins to word it that a channel had nobody to send a call to.
_NOWHERE: Final = "connections to all backends failing"

T = TypeVar("T")


async def sent_somewhere(make: Callable[[], Awaitable[T]]) -> T:
    """Make a call on a preferring channel and return its answer; `make` is called once more if need be.

    A call is given to one of the pair a moment before gRPC sends it. Where in that moment the last pod says
    that it is not ready any more, gRPC has nobody to send it to, though that pod still answers.
    """
    try:
        return await make()
    except grpc.aio.AioRpcError as error:
        if not _went_nowhere(error):
            raise
    return await make()


async def streamed_from_somewhere(make: Callable[[], AsyncGenerator[T, None]]) -> AsyncGenerator[T, None]:
    """Make a call with a streamed response likewise, and yield its messages."""
    came = False
    try:
        async with aclosing(make()) as messages:
            async for message in messages:
                came = True
                yield message
        return
    except grpc.aio.AioRpcError as error:
        if came or not _went_nowhere(error):
            raise
    async with aclosing(make()) as messages:
        async for message in messages:
            yield message


def _went_nowhere(error: grpc.aio.AioRpcError) -> bool:
    """Tell whether no service can have begun a call, since it was never sent."""
    return error.code() is grpc.StatusCode.UNAVAILABLE and (error.details() or "").startswith(_NOWHERE)


class Pair(ForwardingChannel):
    """Two channels to one address: `ready` leaves out who is not ready, `anybody` leaves out nobody."""

    def __init__(self, ready: grpc.aio.Channel, anybody: grpc.aio.Channel) -> None:
        self.ready = ready
        self._anybody = anybody

    def chosen(self) -> grpc.aio.Channel:
        """Return the channel for a call that is made now."""
        return self.ready if self.ready.get_state(try_to_connect=True) is _READY else self._anybody

    async def close(self, grace: float | None = None) -> None:
        """Close both; what still runs is cancelled after `grace` seconds."""
        await asyncio.gather(self.ready.close(grace), self._anybody.close(grace))


class PreferringChannel(SuccessiveChannel):
    """A pair of channels, followed by another, with what the name then says, where nobody is ready."""

    def __init__(self, open_pair: Callable[[], Pair]) -> None:
        """Open the first pair; call it inside the running event loop."""
        self._pair = open_pair()
        super().__init__(self._pair)
        self._open_pair = open_pair
        self._opened = time.monotonic()

    def successor(self) -> grpc.aio.Channel | None:
        """Return another pair where nobody is ready."""
        now = time.monotonic()
        if now - self._opened < LOOK_UP_SECONDS or self._pair.ready.get_state() is not _NOBODY:
            return None
        self._pair, self._opened = self._open_pair(), now
        return self._pair
