"""A channel that is followed by another one when that is better; no call is dropped in between.

New calls go to the newest; an older one is closed when the last call on it has ended.
"""

import asyncio
from abc import abstractmethod
from typing import Any

import grpc.aio

from services.common.rpc.forwarding_channel import ForwardingChannel, Make


class _Generation:
    """One real channel, and how many calls run on it."""

    def __init__(self, channel: grpc.aio.Channel) -> None:
        self.channel = channel
        self._running = 0
        self._retired = False
        self._closing: asyncio.Task[None] | None = None

    def hold(self, call: Any) -> None:  # noqa: ANN401 - the calls of gRPC have no common type
        self._running += 1
        call.add_done_callback(self._ended)

    def retire(self) -> None:
        self._retired = True
        self._close_when_idle()

    async def close(self, grace: float | None) -> None:
        # Kept, since the calls that it ends would close the channel once more.
        if self._closing is None:
            self._closing = asyncio.create_task(self.channel.close(grace), name="channel")
        await self._closing

    def _ended(self, _: object) -> None:
        self._running -= 1
        self._close_when_idle()

    def _close_when_idle(self) -> None:
        if self._retired and not self._running and self._closing is None:
            self._closing = asyncio.create_task(self.channel.close(), name="old channel")

    @property
    def is_closed(self) -> bool:
        return self._closing is not None and self._closing.done()


class SuccessiveChannel(ForwardingChannel):
    """What such channels have in common."""

    def __init__(self, first: grpc.aio.Channel) -> None:
        self._current = _Generation(first)
        self._old: list[_Generation] = []

    @abstractmethod
    def successor(self) -> grpc.aio.Channel | None:
        """Return the channel that follows; None, at nearly every call, where the current one is good."""

    def chosen(self) -> grpc.aio.Channel:
        """Return the channel for a call that is made now."""
        return self._newest().channel

    def begin(self, make: Make) -> Any:  # noqa: ANN401 - the calls of gRPC have no common type
        """Make a call on the newest channel, which is not closed before the call has ended."""
        generation = self._newest()
        made = make(generation.channel)
        generation.hold(made)
        return made

    async def close(self, grace: float | None = None) -> None:
        """Close every real channel; what still runs on one is cancelled after `grace` seconds."""
        await asyncio.gather(*(generation.close(grace) for generation in (*self._old, self._current)))

    def _newest(self) -> _Generation:
        following = self.successor()
        if following is not None:
            self._current.retire()
            self._old = [old for old in (*self._old, self._current) if not old.is_closed]
            self._current = _Generation(following)
        return self._current
