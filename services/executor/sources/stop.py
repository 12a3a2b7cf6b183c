"""The deadline of work in a worker process, which asks at least once per few thousand lines.

Work that ends by itself keeps what its process has read; work that does not ask is killed with its process.
"""

from collections.abc import Callable, Iterable, Iterator
from typing import Final, TypeVar

# Of the time that is left, this share is kept back, but no more seconds than these.
_SHARE_KEPT: Final = 0.1
_MOST_KEPT: Final = 5.0


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

    def sooner(self) -> "Stop":
        """Return a stop for the larger part of the work, so that time is left to say what was done of it."""
        left = self._deadline - self._clock()
        return Stop(self._clock, self._deadline - min(_MOST_KEPT, _SHARE_KEPT * left))

    def check(self) -> None:
        """Raise StoppedError when the work is to stop."""
        if self._clock() >= self._deadline:
            raise StoppedError
