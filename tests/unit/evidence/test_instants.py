"""Written times, to the microsecond."""

from datetime import UTC, datetime

import pytest

from services.common.evidence.instants import DAY_US, Instant, instants_in

SECOND = 1_000_000
MINUTE = 60 * SECOND
HOUR = 60 * MINUTE


def at(*parts: int) -> int:
    return int(datetime(*parts, tzinfo=UTC).timestamp()) * SECOND  # type: ignore[arg-type,misc] # year, month, day, ...


def clock(hour: int, minute: int = 0, second: int = 0) -> int:
    return hour * HOUR + minute * MINUTE + second * SECOND


def read(text: str) -> list[Instant]:
    return [instant for _, _, instant in instants_in(text)]


@pytest.mark.parametrize(
    ("text", "start", "width"),
    [
        ("2026-11-30", at(2026, 11, 30), DAY_US),
        ("2026-11-30T09:10Z", at(2026, 11, 30, 9, 10), MINUTE),
        ("2026-11-30T09:10:53Z", at(2026, 11, 30, 9, 10, 53), SECOND),
        ("2026-11-30T09:10:53.4Z", at(2026, 11, 30, 9, 10, 53) + 400_000, 100_000),
        ("2026-11-30T09:10:53.441Z", at(2026, 11, 30, 9, 10, 53) + 441_000, 1000),
        ("2026-11-30 09:10:53,000441", at(2026, 11, 30, 9, 10, 53) + 441, 1),
        ("2026-11-30T09:10:53.123456789Z", at(2026, 11, 30, 9, 10, 53) + 123_456, 1),
        ("2026-11-30T09:10:53+02:00", at(2026, 11, 30, 7, 10, 53), SECOND),
        ("2026-11-30T09:10:53-0230", at(2026, 11, 30, 11, 40, 53), SECOND),
        ("30/Nov/2026:09:10:53 +0530", at(2026, 11, 30, 3, 40, 53), SECOND),
        ("30 November 2026 at 9:10 pm", at(2026, 11, 30, 21, 10), MINUTE),
        ("January 2, 2026", at(2026, 1, 2), DAY_US),
        ("2026-12-31T23:59:60Z", at(2027, 1, 1), SECOND),
    ],
)
def test_a_time_with_a_date(text: str, start: int, width: int) -> None:
    assert read(text) == [Instant(start, width, dated=True)]


@pytest.mark.parametrize(
    ("text", "start", "width"),
    [
        ("00:00", 0, MINUTE),
        ("23:59", clock(23, 59), MINUTE),
        ("12:05", clock(12, 5), MINUTE),
        ("23:59:59", clock(23, 59, 59), SECOND),
        ("09:10:53.5", clock(9, 10, 53) + 500_000, 100_000),
        ("1:05 am", clock(1, 5), MINUTE),
        ("1:05 p.m.", clock(13, 5), MINUTE),
        ("12:05 am", clock(0, 5), MINUTE),
        ("12:05 pm", clock(12, 5), MINUTE),
        ("13:05 pm", clock(13, 5), MINUTE),
        ("13:05 am", clock(13, 5), MINUTE),
        ("00:05 pm", clock(0, 5), MINUTE),
        ("01:00+02:00", clock(23), MINUTE),
        ("23:00-02:30", clock(1, 30), MINUTE),
        ("09:10 UTC", clock(9, 10), MINUTE),
    ],
)
def test_a_time_of_day(text: str, start: int, width: int) -> None:
    assert read(text) == [Instant(start, width, dated=False)]


@pytest.mark.parametrize("text", ["24:00", "23:60", "09:10:61", "2026-02-30", "2026-13-01", "09:1", "x09:10"])
def test_what_is_no_time(text: str) -> None:
    assert read(text) == []


def test_the_end_is_the_first_microsecond_after_it() -> None:
    assert Instant(5, 3, dated=True).end == 8
