"""A cooperative stop: work in a thread cannot be killed, so it asks, at least once per few thousand lines."""

import threading
from collections.abc import Callable, Iterable, Iterator
from typing import TypeVar


class StoppedError(Exception):
    """The work was told to stop, or its time is up."""


T = TypeVar("T")


def watched(items: Iterable[T], check: Callable[[], None]) -> Iterator[T]:
    """Yield items, each after a check that may raise."""
    for item in items:
        check()
        yield item


def never() -> None:
    """Go on: the check of work that nobody stops."""


class Stop:
    """Tells work in a thread whether to go on. `clock` counts seconds, `deadline` is one of its readings."""

    def __init__(self, clock: Callable[[], float], deadline: float) -> None:
        self._clock = clock
        self._deadline = deadline
        self._told = threading.Event()

    def tell(self) -> None:
        """Make every later check raise. May be called from any thread."""
        self._told.set()

    def check(self) -> None:
        """Raise StoppedError when the work is to stop."""
        if self._told.is_set() or self._clock() >= self._deadline:
            raise StoppedError
