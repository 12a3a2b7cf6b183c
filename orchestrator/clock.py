"""The clock that the orchestrator is given."""

import time
from datetime import UTC, datetime
from typing import Protocol


class Clock(Protocol):
    """Tells the time of day, and measures spans."""

    def now(self) -> datetime:
        """Return the instant, in UTC."""
        ...

    def monotonic(self) -> float:
        """Return seconds of a clock that never goes back."""
        ...


class SystemClock:
    """The machine's clock."""

    def now(self) -> datetime:
        """Return the instant, in UTC."""
        return datetime.now(UTC)

    def monotonic(self) -> float:
        """Return seconds of a clock that never goes back."""
        return time.monotonic()
