"""Of each line of a reading its instant and what was counted of it: a second summary need not read again.

A log is summarised twice, the second time when the instant is known that divides before from after. Ten bytes
for a line make that a count instead of another reading.
"""

from array import array
from collections import Counter
from dataclasses import dataclass
from typing import Final

# A line that continues a record, and one that lies outside of the window.
CONTINUES: Final = 0
_OUTSIDE: Final = 1
FIRST_FREE: Final = 2
_UNDATED: Final = -(1 << 63)


@dataclass(slots=True)
class Sides:
    """A count before and after the split. With a split, what has no time counts in the total only."""

    total: int = 0
    before: int = 0
    after: int = 0

    def add(self, other: "Sides") -> None:
        """Add another count to this one."""
        self.total += other.total
        self.before += other.before
        self.after += other.after

    def count(self, side: int) -> None:
        """Count one: side -1 before, 1 after, 0 unknown."""
        self.total += 1
        self.before += side < 0
        self.after += side > 0


class Census:
    """Lines by number, in file order, each with a class that its reader gives a meaning."""

    def __init__(self) -> None:
        self._first = 0
        self._times = array("q")
        self._classes = array("H")

    def __len__(self) -> int:
        return len(self._classes)

    def add(self, first_line: int, lines: int, time: int | None, number: int) -> None:
        """Take a record of so many lines in a row; `time` is in Unix microseconds."""
        if not self._classes:
            self._first = first_line
        at = _UNDATED if time is None else time
        missing = first_line - self._first - len(self._classes)
        if missing:
            self._times.extend([_UNDATED] * missing)
            self._classes.extend([_OUTSIDE] * missing)
        self._times.append(at)
        self._classes.append(number)
        if lines > 1:
            self._times.extend([at] * (lines - 1))
            self._classes.extend([CONTINUES] * (lines - 1))

    def side(self, line: int, split: int | None) -> int | None:
        """Return the side of a line: -1 before, 1 after, 0 unknown; None for one that was not taken."""
        index = line - self._first
        if not 0 <= index < len(self._classes) or self._classes[index] == _OUTSIDE:
            return None
        return side_of(self._times[index], split)

    def sides(self, split: int | None) -> dict[int, Sides]:
        """Return the count of each class."""
        total = Counter(self._classes)
        del total[_OUTSIDE]
        if split is None:
            return {number: Sides(count, after=count) for number, count in total.items()}
        pairs = zip(self._classes, self._times, strict=True)
        early = Counter(number for number, time in pairs if time < split)
        pairs = zip(self._classes, self._times, strict=True)
        undated = Counter(number for number, time in pairs if time == _UNDATED)
        found = {}
        for number, count in total.items():
            before = early[number] - undated[number]
            found[number] = Sides(count, before, count - before - undated[number])
        return found


def side_of(time: int | None, split: int | None) -> int:
    """Return the side of an instant in Unix microseconds: -1 before, 1 after, 0 unknown."""
    if split is None:
        return 1
    if time is None or time == _UNDATED:
        return 0
    return -1 if time < split else 1
