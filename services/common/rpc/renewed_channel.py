"""A channel that goes on with new certificates. gRPC reads a client's certificate once per channel.

When the files have changed, the next call opens a new channel; the old one is closed when the last call on
it has ended, so that none is dropped.
"""

import asyncio
import time
from collections.abc import Callable, Mapping, Sequence
from types import TracebackType
from typing import Any, Final, Self

import grpc
import grpc.aio

from services.common.rpc.certificates import Material, Watched

# How often the files are looked at, at most.
LOOK_SECONDS: Final = 1.0

Open = Callable[[Material], grpc.aio.Channel]


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
        if self._closing is not None:
            await self._closing
        else:
            await self.channel.close(grace)

    def _ended(self, _: object) -> None:
        self._running -= 1
        self._close_when_idle()

    def _close_when_idle(self) -> None:
        if self._retired and not self._running and self._closing is None:
            self._closing = asyncio.create_task(self.channel.close(), name="old channel")

    @property
    def is_closed(self) -> bool:
        return self._closing is not None and self._closing.done()


class RenewedChannel(grpc.aio.Channel):
    """A channel whose calls are always made with the certificate that the files hold."""

    def __init__(self, watched: Watched, open_with: Open) -> None:
        """Open the first real channel; call it inside the running event loop."""
        self._watched = watched
        self._open_with = open_with
        self._looked = time.monotonic()
        self._current = _Generation(open_with(watched.material))
        self._old: list[_Generation] = []

    def latest(self) -> _Generation:
        """Return the channel for a call that is made now."""
        now = time.monotonic()
        if now - self._looked >= LOOK_SECONDS:
            self._looked = now
            # Three small files, once in weeks: not worth a thread.
            material = self._watched.renewed()
            if material is not None:
                self._renew(material)
        return self._current

    def _renew(self, material: Material) -> None:
        self._current.retire()
        self._old = [old for old in (*self._old, self._current) if not old.is_closed]
        self._current = _Generation(self._open_with(material))

    def unary_unary(self, *given: Any, **options: Any) -> Any:  # noqa: ANN401 - as the real channel
        """Return what makes such calls."""
        return _calls(self, "unary_unary", given, options)

    def unary_stream(self, *given: Any, **options: Any) -> Any:  # noqa: ANN401 - as the real channel
        """Return what makes such calls."""
        return _calls(self, "unary_stream", given, options)

    def stream_unary(self, *given: Any, **options: Any) -> Any:  # noqa: ANN401 - as the real channel
        """Return what makes such calls."""
        return _calls(self, "stream_unary", given, options)

    def stream_stream(self, *given: Any, **options: Any) -> Any:  # noqa: ANN401 - as the real channel
        """Return what makes such calls."""
        return _calls(self, "stream_stream", given, options)

    async def close(self, grace: float | None = None) -> None:
        """Close every real channel; what still runs on one is cancelled after `grace` seconds."""
        await asyncio.gather(*(generation.close(grace) for generation in (*self._old, self._current)))

    def get_state(self, try_to_connect: bool = False) -> grpc.ChannelConnectivity:
        """Return the state of the newest connection."""
        return self.latest().channel.get_state(try_to_connect)

    async def wait_for_state_change(self, last_observed_state: grpc.ChannelConnectivity) -> None:
        """Wait until the newest connection leaves a state."""
        await self.latest().channel.wait_for_state_change(last_observed_state)

    async def channel_ready(self) -> None:
        """Wait until the newest connection stands."""
        await self.latest().channel.channel_ready()

    async def __aenter__(self) -> Self:
        """Return the channel; leaving the block closes it."""
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Close the channel."""
        await self.close()


def _calls(channel: RenewedChannel, kind: str, given: Sequence[Any], options: Mapping[str, Any]) -> object:
    def call(*values: Any, **call_options: Any) -> Any:  # noqa: ANN401 - as the real channel takes and gives them
        generation = channel.latest()
        made = getattr(generation.channel, kind)(*given, **options)(*values, **call_options)
        generation.hold(made)
        return made

    return call
