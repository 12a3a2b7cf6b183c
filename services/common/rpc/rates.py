"""How many calls a caller makes in a second: a bucket of tokens for each."""

from collections.abc import Callable
from dataclasses import dataclass

from services.common.errors import ResourceExhaustedError

# A bucket holds what comes in this time.
_BURST_SECONDS = 2.0


@dataclass(slots=True)
class _Bucket:
    tokens: float
    filled: float


class Rates:
    """The buckets of one server. Only identities that the server knows get one, so that they are few."""

    def __init__(self, per_second: float, monotonic: Callable[[], float]) -> None:
        self._per_second = per_second
        self._most = max(1.0, per_second * _BURST_SECONDS)
        self._monotonic = monotonic
        self._buckets: dict[str, _Bucket] = {}

    def take(self, identity: str) -> None:
        """Count one call of a caller; raises ResourceExhaustedError when it makes too many."""
        now = self._monotonic()
        bucket = self._buckets.setdefault(identity, _Bucket(self._most, now))
        bucket.tokens = min(self._most, bucket.tokens + (now - bucket.filled) * self._per_second)
        bucket.filled = now
        if bucket.tokens < 1:
            raise ResourceExhaustedError(
                f"{self._per_second:g} calls a second are the most that one caller may make; try again later",
                retry_seconds=(1 - bucket.tokens) / self._per_second,
            )
        bucket.tokens -= 1
