"""A channel that follows another: each real one is closed once, whoever is the last to use it."""

import asyncio
from collections.abc import Callable
from typing import Any

from services.common.rpc.successive_channel import SuccessiveChannel


class Call:
    """A call that runs until its channel is closed."""

    def __init__(self) -> None:
        self.ended: Callable[[object], None] = lambda _: None

    def add_done_callback(self, ended: Callable[[object], None]) -> None:
        self.ended = ended


class Channel:
    """A real channel, as far as one is needed: closing it ends its calls, and takes a moment."""

    def __init__(self) -> None:
        self.calls: list[Call] = []
        self.closed = 0

    def call(self) -> Call:
        self.calls.append(Call())
        return self.calls[-1]

    async def close(self, _grace: float | None = None) -> None:
        self.closed += 1
        for call in self.calls:
            call.ended(call)
        await asyncio.to_thread(int)


class Following(SuccessiveChannel):
    """Goes on with what a test puts there."""

    following: Any = None

    def successor(self) -> Any:  # noqa: ANN401 - no real channel
        found, self.following = self.following, None
        return found


async def test_each_channel_is_closed_once_though_closing_ends_its_calls() -> None:
    first, second = Channel(), Channel()
    opened = Following(first)  # type: ignore[arg-type] # as far as one is needed
    opened.begin(lambda channel: channel.call())  # type: ignore[attr-defined] # as above
    opened.following = second
    opened.begin(lambda channel: channel.call())  # type: ignore[attr-defined] # as above
    assert (first.closed, second.closed) == (0, 0)
    await opened.close()
    left = asyncio.all_tasks() - {asyncio.current_task()}
    assert (first.closed, second.closed, left) == (1, 1, set())


async def test_an_old_channel_is_closed_with_its_last_call() -> None:
    first = Channel()
    opened = Following(first)  # type: ignore[arg-type] # as far as one is needed
    call = opened.begin(lambda channel: channel.call())  # type: ignore[attr-defined] # as above
    opened.following = Channel()
    opened.begin(lambda channel: channel.call())  # type: ignore[attr-defined] # as above
    call.ended(call)
    await opened.close()
    assert first.closed == 1
