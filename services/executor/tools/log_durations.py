"""How long requests took, where the log's format says it."""

from dataclasses import dataclass
from typing import Final

from services.common.evidence.strict_json import Json
from services.executor.sources.log_line import LogLine
from services.executor.tools.log_window import number, shown

LONG_SECONDS: Final = 1.0


@dataclass(slots=True)
class Durations:
    """Count, maximum, and the requests of more than a second."""

    count: int = 0
    longest: float = 0.0
    before: int = 0
    after: int = 0
    first: LogLine | None = None
    last: LogLine | None = None

    def add(self, line: LogLine, side: int) -> None:
        """Take a record's head; side -1 is before the split, 1 after, 0 unknown."""
        seconds = line.parsed.duration_seconds
        if seconds is None:
            return
        self.count += 1
        self.longest = max(self.longest, seconds)
        if seconds > LONG_SECONDS:
            self.before += side < 0
            self.after += side > 0
            self.first = self.first or line
            self.last = line

    def document(self) -> Json:
        """Return the figures; None where no line stated a duration."""
        if not self.count:
            return None
        result: dict[str, Json] = {
            "count": number(self.count),
            "max_seconds": number(self.longest),
            "over_1s_before": number(self.before),
            "over_1s_after": number(self.after),
        }
        if self.first and self.last:
            result |= {"first_over_1s": shown(self.first), "last_over_1s": shown(self.last)}
        return result
