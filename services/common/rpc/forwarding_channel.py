"""A channel that makes each call on another one, which it chooses when the call is made."""

from abc import abstractmethod
from collections.abc import Callable
from types import TracebackType
from typing import Any, Self

import grpc
import grpc.aio

Make = Callable[[grpc.aio.Channel], Any]


class ForwardingChannel(grpc.aio.Channel):
    """What such channels have in common."""

    @abstractmethod
    def chosen(self) -> grpc.aio.Channel:
        """Return the channel for a call that is made now."""

    def begin(self, make: Make) -> Any:  # noqa: ANN401 - the calls of gRPC have no common type
        """Make a call on the chosen channel."""
        return make(self.chosen())

    def unary_unary(self, *given: Any, **options: Any) -> Any:  # noqa: ANN401 - as the real channel
        """Return what makes such calls."""
        return self._caller("unary_unary", *given, **options)

    def unary_stream(self, *given: Any, **options: Any) -> Any:  # noqa: ANN401 - as the real channel
        """Return what makes such calls."""
        return self._caller("unary_stream", *given, **options)

    def stream_unary(self, *given: Any, **options: Any) -> Any:  # noqa: ANN401 - as the real channel
        """Return what makes such calls."""
        return self._caller("stream_unary", *given, **options)

    def stream_stream(self, *given: Any, **options: Any) -> Any:  # noqa: ANN401 - as the real channel
        """Return what makes such calls."""
        return self._caller("stream_stream", *given, **options)

    def get_state(self, try_to_connect: bool = False) -> grpc.ChannelConnectivity:
        """Return the state of the chosen channel."""
        return self.chosen().get_state(try_to_connect)

    async def wait_for_state_change(self, last_observed_state: grpc.ChannelConnectivity) -> None:
        """Wait until the chosen channel leaves a state."""
        await self.chosen().wait_for_state_change(last_observed_state)

    async def channel_ready(self) -> None:
        """Wait until the chosen channel is connected."""
        await self.chosen().channel_ready()

    async def __aenter__(self) -> Self:
        """Return the channel; leaving the block closes it."""
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Close the channel."""
        await self.close()

    def _caller(self, kind: str, *given: Any, **options: Any) -> Any:  # noqa: ANN401 - as the real channel
        def call(*values: Any, **call_options: Any) -> Any:  # noqa: ANN401 - as it takes and gives them
            return self.begin(
                lambda channel: getattr(channel, kind)(*given, **options)(*values, **call_options)
            )

        return call
