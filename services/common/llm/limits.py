"""How many calls of a model run at one time and begin in a minute, and pauses that an endpoint asks for."""

import asyncio
import re
from collections import deque
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Final

WINDOW_SECONDS: Final = 60.0
# A pause beyond is no pause but an outage; the endpoint is asked again.
MAX_PAUSE_SECONDS: Final = 300.0
_SECONDS: Final = re.compile(r"[0-9]{1,9}")


class LimitedError(Exception):
    """There is no place for a call in the time that it has."""


class Limits:
    """The places for calls of one agent. `now` is the event loop's clock, in seconds."""

    def __init__(self, concurrent: int, per_minute: int, now: Callable[[], float]) -> None:
        self._free = asyncio.Semaphore(concurrent)
        self._begun: deque[float] = deque(maxlen=per_minute)
        self._now = now
        self._paused_until = 0.0

    @asynccontextmanager
    async def place(self, deadline: float) -> AsyncIterator[None]:
        """Hold a place inside the block; waits for one, at most until `deadline`. Raises LimitedError.

        What cannot become free in time is refused at once.
        """
        self._refuse_late(deadline)
        try:
            async with asyncio.timeout(max(deadline - self._now(), 0.0)):
                await self._free.acquire()
        except TimeoutError:
            raise LimitedError from None
        try:
            await self._wait(deadline)
            self._begun.append(self._now())
            yield
        finally:
            self._free.release()

    def pause(self, seconds: float) -> None:
        """Let no call begin for a while, because the endpoint asked for that."""
        until = self._now() + min(seconds, MAX_PAUSE_SECONDS)
        self._paused_until = max(self._paused_until, until)

    async def _wait(self, deadline: float) -> None:
        while (wait := self._next() - self._now()) > 0:
            self._refuse_late(deadline)
            await asyncio.sleep(wait)

    def _refuse_late(self, deadline: float) -> None:
        if self._next() >= deadline:
            raise LimitedError

    def _next(self) -> float:
        """Return when the next call may begin."""
        full = len(self._begun) == self._begun.maxlen
        return max(self._paused_until, self._begun[0] + WINDOW_SECONDS if full else 0.0)


def retry_after(header: str | None, now: datetime) -> float:
    """Return the seconds that a Retry-After header asks for, never negative; 0 where it says nothing."""
    if not header:
        return 0.0
    if _SECONDS.fullmatch(header.strip()):
        return float(header)
    try:
        at = parsedate_to_datetime(header)
    except ValueError:
        return 0.0
    at = at if at.tzinfo else at.replace(tzinfo=UTC)
    return max((at - now).total_seconds(), 0.0)
