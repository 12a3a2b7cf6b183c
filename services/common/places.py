"""A bounded number of places."""

import asyncio
from typing import Literal


class Places(asyncio.Semaphore):
    """A semaphore that also tells how many wait for it."""

    def __init__(self, count: int) -> None:
        super().__init__(count)
        self.waiting = 0

    async def acquire(self) -> Literal[True]:
        """Wait for a place, first come, first served."""
        self.waiting += 1
        try:
            return await super().acquire()
        finally:
            self.waiting -= 1
