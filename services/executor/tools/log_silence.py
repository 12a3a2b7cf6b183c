"""The longest pause of a log, when it is plainly out of the ordinary."""

from array import array
from dataclasses import dataclass, field
from typing import Final

from services.common.evidence.strict_json import Json
from services.executor.sources.instants import MICROSECONDS
from services.executor.sources.log_line import LogLine
from services.executor.tools.log_window import number, shown, time_text

# Fewer pauses say nothing about what is usual.
_MIN_PAUSES: Final = 30
_MAX_PAUSES: Final = 1_000_000
# A steady log never pauses for three times what one pause in a hundred reaches. A log that comes in bursts
# has several long pauses: the third longest is the measure then, because a disturbance may leave two.
_TIMES_RARE: Final = 3
_RARE_SHARE: Final = 0.99
_RARE_RANK: Final = 3
_MIN_SECONDS: Final = 2


@dataclass(slots=True)
class Silence:
    """The pauses between one dated record and the next, in microseconds; the first million of them."""

    pauses: "array[int]" = field(default_factory=lambda: array("q"))
    longest: int = 0
    last_before: LogLine | None = None
    first_after: LogLine | None = None
    _previous: LogLine | None = None

    def add(self, line: LogLine) -> None:
        """Take a record's head."""
        time = line.parsed.time
        if time is None:
            return
        if self._previous is not None and self._previous.parsed.time is not None:
            pause = time.microseconds - self._previous.parsed.time.microseconds
            if pause >= 0 and len(self.pauses) < _MAX_PAUSES:
                self.pauses.append(pause)
            if pause > self.longest:
                self.longest, self.last_before, self.first_after = pause, self._previous, line
        self._previous = line

    def document(self) -> Json:
        """Return the longest pause and the median one; None when the longest is nothing unusual."""
        if self.last_before is None or self.first_after is None or len(self.pauses) < _MIN_PAUSES:
            return None
        ordered = sorted(self.pauses)
        rare = max(ordered[int(_RARE_SHARE * (len(ordered) - 1))], ordered[-_RARE_RANK])
        if self.longest < max(_MIN_SECONDS * MICROSECONDS, _TIMES_RARE * rare):
            return None
        return {
            "seconds": number(self.longest / MICROSECONDS),
            "typical_seconds": number(ordered[(len(ordered) - 1) // 2] / MICROSECONDS),
            "inputs": [
                {
                    "first_line": number(self.last_before.n),
                    "last_line": number(self.first_after.n),
                    "time": time_text(self.last_before),
                }
            ],
            "last_before": shown(self.last_before),
            "first_after": shown(self.first_after),
        }
