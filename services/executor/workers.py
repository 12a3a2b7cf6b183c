"""Threads for work that would hold up the event loop.

Threads, not processes: the work is reading and pure Python, the interpreter hands over every 5 ms, so health
answers while it runs, and an idle executor costs one process. A thread cannot be killed: the work asks its
`Stop` instead, and a call never waits for work that does not ask.
"""

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

from services.executor.sources.stop import Stop, StoppedError

T = TypeVar("T")


class Workers:
    """A bounded number of threads. `monotonic` is a clock in seconds."""

    def __init__(self, count: int, monotonic: Callable[[], float]) -> None:
        self._monotonic = monotonic
        self._free = asyncio.Semaphore(count)
        self._pool = ThreadPoolExecutor(max_workers=count, thread_name_prefix="worker")

    async def run(self, work: Callable[[Stop], T], seconds: float) -> T:
        """Run work off the event loop; raises StoppedError when it has not ended after `seconds`.

        The time begins when a thread is free. Cancelling the call tells the work to stop.
        """
        async with self._free:
            stop = Stop(self._monotonic, self._monotonic() + seconds)
            try:
                async with asyncio.timeout(seconds):
                    return await asyncio.get_running_loop().run_in_executor(self._pool, work, stop)
            except TimeoutError:
                raise StoppedError from None
            finally:
                stop.tell()

    async def close(self) -> None:
        """Take no more work. What still runs was told to stop."""
        self._pool.shutdown(wait=False, cancel_futures=True)
