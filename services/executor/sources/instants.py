"""Instants as sources write them: microseconds to compare, RFC 3339 at the source's own precision to show.

A clock time without a zone is read as UTC, which is what servers log in; a time without a date is no instant.
"""

import re
from datetime import UTC, datetime
from functools import lru_cache
from typing import Final, NamedTuple

MICROSECONDS: Final = 1_000_000
_DAY: Final = 86_400
# The years that RFC 3339 can write.
FIRST_SECOND: Final = -62_135_596_800
LAST_SECOND: Final = 253_402_300_799
_EPOCH_ORDINAL: Final = datetime(1970, 1, 1, tzinfo=UTC).toordinal()

MONTHS: Final = {
    name: number
    for number, name in enumerate(
        ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"), start=1
    )
}

_OFFSET = re.compile(r"([+-])([01][0-9]|2[0-3]):?([0-5][0-9])?$")
# As logs write them, for their patterns: a month's name, and a time of day with or without a fraction.
MONTH: Final = "(Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)"
CLOCK: Final = r"([0-9]{2}:[0-9]{2}:[0-9]{2}(?:[.,][0-9]{1,9})?)"

_CLOCK = re.compile(r"([01][0-9]|2[0-3]):([0-5][0-9]):([0-5][0-9]|60)$")
_FRACTION = re.compile(r"(?:[.,]([0-9]{1,9}))?$")
_CLOCK_CHARS: Final = 8
_ISO = re.compile(
    r"([0-9]{4}-[0-9]{2}-[0-9]{2})[Tt ]([0-9]{2}:[0-9]{2}:[0-9]{2}(?:[.,][0-9]{1,9})?) ?"
    r"([Zz]|UTC|GMT|[+-][0-9]{2}(?::?[0-9]{2})?)?$"
)
_EPOCH = re.compile(r"([1-9][0-9]{9})(?:\.([0-9]{1,9}))?$")
# An epoch of 13 digits counts milliseconds, of 16 microseconds, of 19 nanoseconds: until the year 2286.
_EPOCH_WHOLE = re.compile(r"([1-9][0-9]{9})([0-9]{3}|[0-9]{6}|[0-9]{9})$")
_UTC_NAMES: Final = frozenset({"", "Z", "z", "UTC", "GMT"})


class Instant(NamedTuple):
    """An instant that a source states. `text` is RFC 3339 in UTC with the source's own digits.

    `zone_assumed`: the source states no zone, and UTC was taken.
    """

    microseconds: int
    text: str
    zone_assumed: bool = False


@lru_cache(maxsize=4096)
def _midnight(year: int, month: int, day: int) -> int | None:
    try:
        return (datetime(year, month, day, tzinfo=UTC).toordinal() - _EPOCH_ORDINAL) * _DAY
    except ValueError:
        return None


def instant(year: int, month: int, day: int, clock: str, zone: str = "") -> Instant | None:
    """Return the instant of a date, a clock time `HH:MM:SS[.fraction]` and a zone; None for no instant."""
    second = _second(year, month, day, clock[:_CLOCK_CHARS], zone)
    fraction = _FRACTION.match(clock, _CLOCK_CHARS)
    if second is None or fraction is None:
        return None
    return _with_digits(*second, fraction.group(1) or "", zone_assumed=not zone)


# Lines that follow each other share their second.
@lru_cache(maxsize=4096)
def _second(year: int, month: int, day: int, clock: str, zone: str) -> tuple[int, str] | None:
    """Return a second as Unix time and as text without its zone, which is UTC."""
    midnight = _midnight(year, month, day)
    offset = offset_seconds(zone)
    match = _CLOCK.match(clock)
    if midnight is None or offset is None or match is None:
        return None
    hour, minute, second = match.groups()
    seconds = midnight + int(hour) * 3600 + int(minute) * 60 + int(second) - offset
    return (seconds, _second_text(seconds)) if FIRST_SECOND <= seconds <= LAST_SECOND else None


@lru_cache(maxsize=256)
def offset_seconds(zone: str) -> int | None:
    """Return a zone's distance from UTC in seconds; None for a zone that only a database could resolve."""
    if zone in _UTC_NAMES:
        return 0
    match = _OFFSET.match(zone)
    if match is None:
        return None
    seconds = int(match.group(2)) * 3600 + int(match.group(3) or 0) * 60
    return -seconds if match.group(1) == "-" else seconds


def from_iso(text: str) -> Instant | None:
    """Read an ISO 8601 date and time (RFC 3339 and its usual variants); None when the text is none."""
    match = _ISO.match(text)
    if match is None:
        return None
    date, clock, zone = match.groups()
    return instant(int(date[:4]), int(date[5:7]), int(date[8:]), clock, zone or "")


def from_epoch(token: str) -> Instant | None:
    """Read a Unix time in seconds, milliseconds, microseconds or nanoseconds, told apart by their digits."""
    match = _EPOCH.match(token) or _EPOCH_WHOLE.match(token)
    return _shown(int(match.group(1)), match.group(2) or "") if match else None


def from_seconds(seconds: float) -> Instant | None:
    """Return the instant of a Unix time, at millisecond precision where it has a fraction."""
    milliseconds = round(seconds * 1000)
    whole, rest = divmod(milliseconds, 1000)
    return _shown(whole, f"{rest:03d}" if rest else "")


@lru_cache(maxsize=4096)
def _second_text(seconds: int) -> str:
    return datetime.fromtimestamp(seconds, UTC).strftime("%Y-%m-%dT%H:%M:%S")


def _shown(seconds: int, digits: str) -> Instant | None:
    if not FIRST_SECOND <= seconds <= LAST_SECOND:
        return None
    return _with_digits(seconds, _second_text(seconds), digits)


def _with_digits(seconds: int, text: str, digits: str, *, zone_assumed: bool = False) -> Instant:
    if not digits:
        return Instant(seconds * MICROSECONDS, f"{text}Z", zone_assumed)
    return Instant(seconds * MICROSECONDS + int(f"{digits}00000"[:6]), f"{text}.{digits}Z", zone_assumed)
