"""How long requests took, where the log's format says it."""

from array import array
from dataclasses import dataclass, field
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
    long: "array[int]" = field(default_factory=lambda: array("q"))
    """The instants of those in Unix microseconds, as far as they have one."""
    first: LogLine | None = None
    last: LogLine | None = None
    undated: int = 0

    def add(self, line: LogLine) -> None:
        """Take a record's head."""
        seconds = line.parsed.duration_seconds
        if seconds is None:
            return
        self.count += 1
        if seconds > self.longest:
            self.longest = seconds
        if seconds > LONG_SECONDS:
            self.undated += line.parsed.time is None
            if line.parsed.time is not None:
                self.long.append(line.parsed.time.microseconds)
            self.first = self.first or line
            self.last = line

    def document(self, split: int | None) -> Json:
        """Return the figures; None where no line stated a duration. `split` is in Unix microseconds."""
        if not self.count:
            return None
        before = 0 if split is None else sum(time < split for time in self.long)
        after = len(self.long) - before + (self.undated if split is None else 0)
        result: dict[str, Json] = {
            "count": number(self.count),
            "max_seconds": number(self.longest),
            "over_1s_before": number(before),
            "over_1s_after": number(after),
        }
        if self.first and self.last:
            result |= {"first_over_1s": shown(self.first), "last_over_1s": shown(self.last)}
        return result
