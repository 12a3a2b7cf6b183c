"""Places for calls: how many at once, how many in a minute, and pauses."""

import asyncio
from datetime import UTC, datetime

import pytest

from services.common.llm.limits import MAX_PAUSE_SECONDS, WINDOW_SECONDS, LimitedError, Limits, retry_after

NOW = datetime(2024, 3, 5, 12, 0, 0, tzinfo=UTC)


class Clock:
    def __init__(self) -> None:
        self.at = 1000.0

    def now(self) -> float:
        return self.at


async def take(limits: Limits, deadline: float) -> bool:
    try:
        async with limits.place(deadline):
            return True
    except LimitedError:
        return False


async def test_no_more_calls_run_at_once_than_there_are_places() -> None:
    limits = Limits(2, 1000, asyncio.get_running_loop().time)
    running, most = 0, 0

    async def call() -> None:
        nonlocal running, most
        async with limits.place(asyncio.get_running_loop().time() + 60):
            running += 1
            most = max(most, running)
            for _ in range(3):
                await asyncio.wait([asyncio.create_task(asyncio.to_thread(int))])
            running -= 1

    await asyncio.gather(*(call() for _ in range(10)))
    assert most == 2


async def test_who_finds_no_place_in_time_is_refused_and_the_place_stays_whole() -> None:
    now = asyncio.get_running_loop().time
    limits = Limits(1, 1000, now)
    async with limits.place(now() + 60):
        assert not await take(limits, now() + 0.01)
    assert await take(limits, now() + 60)


async def test_calls_of_a_minute_are_counted_and_the_next_refused_at_once() -> None:
    clock = Clock()
    limits = Limits(5, 3, clock.now)
    assert [await take(limits, clock.at + 30) for _ in range(4)] == [True, True, True, False]
    clock.at += WINDOW_SECONDS
    assert await take(limits, clock.at + 30)


async def test_a_refused_call_counts_for_nothing() -> None:
    clock = Clock()
    limits = Limits(5, 2, clock.now)
    assert await take(limits, clock.at + 30)
    limits.pause(20)
    assert not await take(limits, clock.at + 10)
    clock.at += 20
    assert [await take(limits, clock.at + 30) for _ in range(2)] == [True, False]


async def test_a_call_with_time_waits_for_the_end_of_a_pause() -> None:
    now = asyncio.get_running_loop().time
    limits = Limits(1, 1000, now)
    ends = now() + 0.05
    limits.pause(0.05)
    async with limits.place(now() + 60):
        assert now() >= ends


async def test_a_pause_is_bounded_and_a_shorter_one_ends_none() -> None:
    clock = Clock()
    limits = Limits(1, 1000, clock.now)
    limits.pause(1e9)
    limits.pause(1)
    assert not await take(limits, clock.at + MAX_PAUSE_SECONDS)
    clock.at += MAX_PAUSE_SECONDS
    assert await take(limits, clock.at + 1)


async def test_a_cancelled_wait_holds_no_place() -> None:
    now = asyncio.get_running_loop().time
    limits = Limits(1, 1000, now)
    limits.pause(60)
    waiting = asyncio.create_task(take(limits, now() + 100))
    await asyncio.wait([waiting], timeout=0.01)
    waiting.cancel()
    await asyncio.wait([waiting])
    limits._paused_until = 0.0  # noqa: SLF001 - the pause is over
    assert await take(limits, now() + 60)


@pytest.mark.parametrize(
    ("header", "seconds"),
    [
        (None, 0),
        ("", 0),
        ("7", 7),
        (" 7 ", 7),
        ("0", 0),
        ("-7", 0),
        ("7.5", 0),
        ("soon", 0),
        ("9" * 400, 0),
        ("Tue, 05 Mar 2024 12:00:30 GMT", 30),
        ("Tue, 05 Mar 2024 12:00:30 -0000", 30),
        ("Tue, 05 Mar 2024 13:00:30 +0100", 30),
        ("Tue, 05 Mar 2024 11:59:30 GMT", 0),
        ("Tue, 99 Mar 2024 11:59:30 GMT", 0),
        ("Tue, 05 Mar 99999 11:59:30 GMT", 0),
    ],
)
def test_a_pause_is_told_in_seconds_or_as_a_date(header: str | None, seconds: float) -> None:
    assert retry_after(header, NOW) == seconds
