"""The deadline of work in a worker process, which asks at least once per few thousand lines.

Work that ends by itself keeps what its process has read; work that does not ask is killed with its process.
"""

from collections.abc import Callable, Iterable, Iterator
from typing import TypeVar


class StoppedError(Exception):
    """The time of the work is up."""


T = TypeVar("T")


def watched(items: Iterable[T], check: Callable[[], None]) -> Iterator[T]:
    """Yield items, each after a check that may raise."""
    for item in items:
        check()
        yield item


def never() -> None:
    """Go on: the check of work that nobody stops."""


class Stop:
    """Tells work whether to go on. `clock` counts seconds, `deadline` is one of its readings."""

    def __init__(self, clock: Callable[[], float], deadline: float) -> None:
        self._clock = clock
        self._deadline = deadline

    def check(self) -> None:
        """Raise StoppedError when the work is to stop."""
        if self._clock() >= self._deadline:
            raise StoppedError
