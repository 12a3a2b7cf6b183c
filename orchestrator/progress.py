"""What a run tells its caller while it runs."""

import asyncio
from collections import deque
from collections.abc import AsyncIterator

from assay.orchestrator.v1.diagnosis_pb2 import DiagnoseResponse

# A run that keeps its limits makes fewer. A caller that reads so slowly loses the oldest, never the end.
MAX_WAITING = 1024


class Progress:
    """A bounded line of messages with one writer that never waits and one reader."""

    def __init__(self) -> None:
        self._waiting: deque[DiagnoseResponse] = deque(maxlen=MAX_WAITING)
        self._changed = asyncio.Event()
        self._ended = False

    def publish(self, message: DiagnoseResponse) -> None:
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
