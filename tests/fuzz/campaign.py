"""A campaign: every target gets its share of the time, and what crashes it is made short and kept."""

import signal
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from types import FrameType
from typing import Final

from hypothesis import HealthCheck, Phase, given, seed, settings

from tests.fuzz.target import Input, Target

# Longer than any call may take; an input that takes as long is a crash.
INPUT_SECONDS: Final = 60.0
TURN_INPUTS: Final = 40


@dataclass(frozen=True)
class Crash:
    """An input and what became of it."""

    value: Input
    error: BaseException


@dataclass
class Tally:
    """What was tried on one target. Times are in seconds."""

    target: Target
    tried: int = 0
    accepted: int = 0
    seconds: float = 0.0
    slowest_seconds: float = 0.0
    slowest: Input = None
    last: Input = None
    crashes: list[Crash] = field(default_factory=list)

    def take(self, value: Input) -> None:
        """Try one input."""
        self.last = value
        started = time.perf_counter()
        with _limited(INPUT_SECONDS):
            self.accepted += self.target.takes(value)
        seconds = time.perf_counter() - started
        self.tried += 1
        if seconds > self.slowest_seconds:
            self.slowest_seconds, self.slowest = seconds, value


def turn(tally: Tally, number: int, inputs: int = TURN_INPUTS) -> None:
    """Try some inputs, the same for the same number; after a crash the shortest one found is kept."""

    @seed(number)
    @settings(
        max_examples=inputs,
        database=None,
        deadline=None,
        suppress_health_check=list(HealthCheck),
        phases=(Phase.generate, Phase.shrink),
        report_multiple_bugs=False,
    )
    @given(tally.target.inputs)
    def tries(value: Input) -> None:
        tally.take(value)

    started = time.perf_counter()
    try:
        tries()
    except Exception as error:  # noqa: BLE001 - whatever it is, it is what is looked for
        # Hypothesis tries the shortest input that fails once more, last of all.
        tally.crashes.append(Crash(tally.last, error))
    finally:
        tally.seconds += time.perf_counter() - started


def campaign(targets: Sequence[Target], seconds: float) -> list[Tally]:
    """Try inputs for a time, each target at least once; one that crashed is left alone, the others go on."""
    tallies = [Tally(target) for target in targets]
    ends = time.monotonic() + seconds
    number = 0
    while whole := [tally for tally in tallies if not tally.crashes]:
        if time.monotonic() >= ends and number >= len(targets):
            break
        number += 1
        turn(min(whole, key=lambda tally: tally.seconds), number)
    return tallies


@contextmanager
def _limited(seconds: float) -> Iterator[None]:
    """Raise TimeoutError in what takes longer, wherever it is. Only in the main thread."""

    def stop(_number: int, _frame: FrameType | None) -> None:
        raise TimeoutError(f"an input took longer than {seconds:.0f} s")

    before = signal.signal(signal.SIGALRM, stop)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
