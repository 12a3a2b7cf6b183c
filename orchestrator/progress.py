"""What a run tells those who follow it while it runs."""

import asyncio
from collections import deque
from collections.abc import AsyncIterator, Iterator
from contextlib import contextmanager

from assay.orchestrator.v1.diagnosis_pb2 import DiagnoseResponse

# A run that keeps its limits makes fewer. A caller that reads so slowly loses the oldest, never the end.
MAX_WAITING = 1024


class Follower:
    """A bounded line of messages with one writer that never waits and one reader."""

    def __init__(self, ended: bool) -> None:
        self._waiting: deque[DiagnoseResponse] = deque(maxlen=MAX_WAITING)
        self._changed = asyncio.Event()
        self._ended = ended

    def add(self, message: DiagnoseResponse) -> None:
        """Add a message."""
        self._waiting.append(message)
        self._changed.set()

    def end(self) -> None:
        """Say that no message follows."""
        self._ended = True
        self._changed.set()

    async def messages(self) -> AsyncIterator[DiagnoseResponse]:
        """Yield messages as they come, until the end."""
        while self._waiting or not self._ended:
            while self._waiting:
                yield self._waiting.popleft()
            self._changed.clear()
            if not self._ended:
                await self._changed.wait()


class Progress:
    """The messages of one run, for as many followers as there are; without one they are forgotten."""

    def __init__(self) -> None:
        self._followers: set[Follower] = set()
        self._ended = False

    def publish(self, message: DiagnoseResponse) -> None:
        """Tell every follower."""
        for follower in self._followers:
            follower.add(message)

    def end(self) -> None:
        """Say that no message follows."""
        self._ended = True
        for follower in self._followers:
            follower.end()

    @contextmanager
    def followed(self) -> Iterator[Follower]:
        """Follow inside the block, from this moment on."""
        follower = Follower(self._ended)
        self._followers.add(follower)
        try:
            yield follower
        finally:
            self._followers.remove(follower)
