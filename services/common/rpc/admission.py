"""How many calls run, how many may, and whether new ones are still let in.

gRPC's own limit on concurrent calls counts health checks, so that a busy process would look dead. This one
counts only the service's own calls; the server's stands above it with room for the probes.
"""

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager

from services.common.errors import ResourceExhaustedError, UnavailableError


class Admission:
    """Counts the calls that run; belongs to one server on one event loop."""

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._running = 0
        self._stopping = False
        self._idle = asyncio.Event()
        self._idle.set()

    @contextmanager
    def call(self) -> Iterator[None]:
        """Admit one call and count it until it ends; raises the reason when it may not start."""
        if self._stopping:
            raise UnavailableError("the service is shutting down; call another replica or try again")
        if self._running >= self._limit:
            raise ResourceExhaustedError(
                f"{self._limit} calls are running, the most allowed; try again later"
            )
        self._running += 1
        self._idle.clear()
        try:
            yield
        finally:
            self._running -= 1
            if not self._running:
                self._idle.set()

    @property
    def running(self) -> int:
        """How many calls run."""
        return self._running

    def stop(self) -> None:
        """Admit nothing more; calls that run go on."""
        self._stopping = True

    async def wait_idle(self, seconds: float) -> bool:
        """Wait until no call runs, at most `seconds`; tell whether that was reached."""
        try:
            async with asyncio.timeout(seconds):
                await self._idle.wait()
        except TimeoutError:
            return False
        return True
