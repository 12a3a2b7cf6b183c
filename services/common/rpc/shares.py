"""How many calls of one caller run at a time: none may take the places of all others."""

from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager

from services.common.errors import ResourceExhaustedError


class Shares:
    """The calls that run on one server, by the identity of who made them."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._running: Counter[str] = Counter()

    @contextmanager
    def call(self, identity: str) -> Iterator[None]:
        """Count one call of a caller until it ends; raises ResourceExhaustedError when it has too many."""
        if self._running[identity] >= self._most:
            raise ResourceExhaustedError(
                f"{self._most} calls of this caller are running, the most that one may have; try again later"
            )
        self._running[identity] += 1
        try:
            yield
        finally:
            self._running[identity] -= 1
