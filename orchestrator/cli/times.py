"""Instants and spans as people type and read them."""

import re
from datetime import UTC, datetime, timedelta
from typing import Final

from google.protobuf.timestamp_pb2 import Timestamp

from orchestrator.cli import options
from orchestrator.cli.errors import CommandError, wrong_input

_AGE: Final = re.compile(r"([0-9]{1,6})([smhdw])")
_UNITS: Final = {"s": "seconds", "m": "minutes", "h": "hours", "d": "days", "w": "weeks"}
_NANOSECONDS: Final = 1_000_000_000


def instant_or_age(option: str, typed: str, now: datetime) -> datetime | None:
    """Return a time in RFC 3339, or one that lies an age such as "36h" before now; None for nothing."""
    typed = typed.strip()
    if _AGE.fullmatch(typed):
        return age(option, typed, now)
    try:
        return options.instant(option, typed)
    except CommandError as error:
        raise wrong_input(f"{error.message}, or an age such as 36h or 30d") from None


def age(option: str, typed: str, now: datetime) -> datetime:
    """Return the time that lies an age before now; raises CommandError."""
    found = _AGE.fullmatch(typed.strip())
    if not found:
        raise wrong_input(f"{option}: {options.shown(typed)!r} is not an age, such as 36h, 30d or 2w")
    try:
        return now - timedelta(**{_UNITS[found[2]]: int(found[1])})
    except OverflowError:
        raise wrong_input(f"{option}: {options.shown(typed)!r} lies before the year 1") from None


def timestamp(when: datetime) -> Timestamp:
    """Return an instant as a message."""
    result = Timestamp()
    result.FromDatetime(when)
    return result


def date_and_time(when: Timestamp) -> str:
    """Return an instant to the second, in UTC."""
    return _datetime(when).isoformat(sep=" ", timespec="seconds") + "Z"


def time_of_day(when: Timestamp) -> str:
    """Return the time of an instant to the millisecond, in UTC."""
    return _datetime(when).time().isoformat(timespec="milliseconds")


def between(start: Timestamp, end: Timestamp) -> str:
    """Return how long it was from one instant to another."""
    return span((end.ToNanoseconds() - start.ToNanoseconds()) / _NANOSECONDS)


def span(seconds: float) -> str:
    """Return a span in the unit that a person would use, with about three digits."""
    if seconds < 1:
        return f"{seconds * 1000:.0f}ms"
    if seconds < 100:
        return f"{seconds:.1f}s"
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}h{minutes:02}m" if hours else f"{minutes}m{rest:02}s"


def _datetime(when: Timestamp) -> datetime:
    return when.ToDatetime(UTC).replace(tzinfo=None)
