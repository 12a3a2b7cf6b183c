"""Whether reading more of a text costs too much more. How long it takes is the machine's matter."""

import gc
import math
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Final

# Sixteen times the text may cost sixteen times as much, or some times more where other work disturbs it. A
# square is 256 times as much.
_TIMES: Final = 16
_MOST_GROWTH: Final = 64
# Below this nobody waits, whatever the growth.
_FREE_SECONDS: Final = 0.05
_TRIES: Final = 3


def grows_as_a_square(read: Callable[[str], object], unit: str, chars: int, lead: str = "") -> bool:
    """Tell whether reading a text of so many characters costs far more than its length.

    The least of some tries counts, of the long text as of the short one: what disturbs only adds.
    """

    def text(length: int) -> str:
        return lead + unit * (length // len(unit))

    long = short = math.inf
    with _undisturbed():
        for _ in range(_TRIES):
            long = min(long, _cost(read, text(chars)))
            if long <= _FREE_SECONDS:
                return False
            short = min(short, _cost(read, text(chars // _TIMES)))
    return long > _FREE_SECONDS + _MOST_GROWTH * short


def _cost(read: Callable[[str], object], text: str) -> float:
    """Return processor seconds, which count little of what others do meanwhile."""
    began = time.process_time()
    read(text)
    return time.process_time() - began


@contextmanager
def _undisturbed() -> Iterator[None]:
    """Keep the collector, whose work depends on all that the process has ever made, out of the block."""
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.enable()
