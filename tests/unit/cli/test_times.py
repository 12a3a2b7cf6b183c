"""Times and spans as people type and read them."""

from datetime import UTC, datetime

import pytest
from google.protobuf.timestamp_pb2 import Timestamp

from orchestrator.cli.errors import CommandError
from orchestrator.cli.exit_codes import ExitCode
from orchestrator.cli.times import age, between, date_and_time, instant_or_age, span, time_of_day
from tests.fakes.runs import instant

NOW = datetime(2026, 11, 30, 12, tzinfo=UTC)


@pytest.mark.parametrize(
    ("typed", "expected"),
    [
        ("90s", datetime(2026, 11, 30, 11, 58, 30, tzinfo=UTC)),
        ("5m", datetime(2026, 11, 30, 11, 55, tzinfo=UTC)),
        ("36h", datetime(2026, 11, 29, tzinfo=UTC)),
        ("30d", datetime(2026, 10, 31, 12, tzinfo=UTC)),
        (" 2w\r", datetime(2026, 11, 16, 12, tzinfo=UTC)),
        ("2026-11-30T09:05:00+02:00", datetime(2026, 11, 30, 7, 5, tzinfo=UTC)),
        ("2026-11-30T09:05:00Z\r", datetime(2026, 11, 30, 9, 5, tzinfo=UTC)),
        ("", None),
    ],
)
def test_an_age_or_a_time(typed: str, expected: datetime | None) -> None:
    assert instant_or_age("--since", typed, NOW) == expected


@pytest.mark.parametrize(
    "typed", ["5x", "yesterday", "-3d", "1.5h", "2026-11-30", "2026-11-30T09:05:00", "٣d"]
)
def test_anything_else_is_refused_with_what_is_possible(typed: str) -> None:
    with pytest.raises(CommandError, match=r"^--since: .* RFC 3339|^--since: .*time zone") as caught:
        instant_or_age("--since", typed, NOW)
    assert caught.value.exit_code is ExitCode.USAGE
    assert "36h" in caught.value.message


def test_an_age_is_no_time_and_not_endless() -> None:
    with pytest.raises(CommandError, match="is not an age"):
        age("--older-than", "2026-11-30T09:05:00Z", NOW)
    with pytest.raises(CommandError, match="before the year 1"):
        age("--older-than", "999999w", NOW)


@pytest.mark.parametrize(
    ("seconds", "shown"),
    [(0, "0ms"), (0.0124, "12ms"), (3.25, "3.2s"), (61, "61.0s"), (150.4, "2m30s"), (7384, "2h03m")],
)
def test_spans(seconds: float, shown: str) -> None:
    assert span(seconds) == shown


def test_instants() -> None:
    when = instant("2026-11-30T10:11:37.123456+01:00")
    assert date_and_time(when) == "2026-11-30 09:11:37Z"
    assert time_of_day(when) == "09:11:37.123"
    assert between(Timestamp(seconds=1), Timestamp(seconds=2, nanos=500_000_000)) == "1.5s"
