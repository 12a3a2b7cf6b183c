"""Points in time as people and systems write them, read as UTC at the precision that was written."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Final

DAY_US: Final = 86_400_000_000
_MINUTE_US: Final = 60_000_000
_SECOND_US: Final = 1_000_000
_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
_MONTHS: Final = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")

_MONTH = r"(?P<{0}>(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]{{0,6}})\.?"
_CLOCK = (
    # A named group may occur only once in a pattern: {0} makes the names of each use distinct.
    r"(?P<{0}hour>\d{{1,2}}):(?P<{0}minute>\d{{2}})(?::(?P<{0}second>\d{{2}})(?:[.,](?P<{0}fraction>\d{{1,9}}))?)?"
    r"(?:\s?(?P<{0}half>[ap])\.?m(?:\.|(?!\w)))?(?:\s?(?P<{0}zone>z|utc|gmt|[+-]\d{{2}}:?\d{{2}}))?(?![\w:])"
)
_DATES: Final = (
    # 2026-11-30, 2026/11/30; 30/Nov/2026, 30 November 2026; November 30, 2026
    r"(?P<year_a>\d{4})[-/](?P<month_a>\d{2})[-/](?P<day_a>\d{2})",
    rf"(?P<day_b>\d{{1,2}})[-/ ]{_MONTH.format('month_b')}[-/ ](?P<year_b>\d{{4}})",
    rf"{_MONTH.format('month_c')}\s(?P<day_c>\d{{1,2}}),?\s(?P<year_c>\d{{4}})",
)
_DATED: Final = rf"(?:{'|'.join(_DATES)})(?:(?:[t:]|,?\s(?:at\s)?){_CLOCK.format('')})?(?!\w)"
_PATTERN: Final = re.compile(rf"(?<![\w.])(?:{_DATED}|{_CLOCK.format('t_')})", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Instant:
    """The half-open interval of microseconds that a written time stands for.

    `start` counts from 1970-01-01T00:00Z, or from midnight when no date was written.
    """

    start: int
    width: int
    dated: bool

    @property
    def end(self) -> int:
        """The first microsecond after it."""
        return self.start + self.width


def instants_in(text: str) -> Iterator[tuple[int, int, Instant]]:
    """Yield (start, end, instant) for every time in a text; offsets are those of the text."""
    for match in _PATTERN.finditer(text):
        instant = _instant(match)
        if instant is not None:
            yield match.start(), match.end(), instant


def _instant(match: re.Match[str]) -> Instant | None:
    part = match.groupdict()
    date = next((key for key in "abc" if part[f"year_{key}"]), "")
    prefix = "" if date else "t_"
    try:
        day = _date(part, date) if date else _EPOCH
        if part[prefix + "hour"] is None:
            return Instant(_microseconds(day), DAY_US, dated=True)
        clock, width = _clock(part, prefix)
        start = _microseconds(day + clock)
    except (ValueError, OverflowError):
        return None
    return Instant(start if date else start % DAY_US, width, dated=bool(date))


def _date(part: dict[str, str | None], key: str) -> datetime:
    month = part[f"month_{key}"] or ""
    number = int(month) if month.isdigit() else _MONTHS.index(month[:3].lower()) + 1
    return datetime(int(part[f"year_{key}"] or 0), number, int(part[f"day_{key}"] or 0), tzinfo=UTC)


def _clock(part: dict[str, str | None], prefix: str) -> tuple[timedelta, int]:
    hour, minute, second = (int(part[prefix + name] or 0) for name in ("hour", "minute", "second"))
    if hour > 23 or minute > 59 or second > 60:
        raise ValueError("not a time of day")
    half = (part[prefix + "half"] or "").lower()
    if half and 1 <= hour <= 12:
        hour = hour % 12 + (12 if half == "p" else 0)
    fraction = (part[prefix + "fraction"] or "")[:6]
    width = _MINUTE_US
    if part[prefix + "second"] is not None:
        width = _SECOND_US // 10 ** len(fraction)
    micro = int(fraction.ljust(6, "0"))
    clock = timedelta(hours=hour, minutes=minute, seconds=second, microseconds=micro)
    return clock - _offset(part[prefix + "zone"] or ""), width


def _offset(zone: str) -> timedelta:
    """Return the offset from UTC; a time without a zone is read as UTC, as the readers do."""
    if zone[:1] not in ("+", "-"):
        return timedelta(0)
    digits = zone[1:].replace(":", "")
    size = timedelta(hours=int(digits[:2]), minutes=int(digits[2:]))
    return size if zone[0] == "+" else -size


def _microseconds(moment: datetime) -> int:
    return (moment - _EPOCH) // timedelta(microseconds=1)
