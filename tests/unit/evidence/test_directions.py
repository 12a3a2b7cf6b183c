"""Sentences that contradict themselves, and sentences that only look like it."""

import pytest

from services.common.evidence.directions import contradicts_itself


@pytest.mark.parametrize(
    "sentence",
    [
        "idle connections rose from 76 to 4.",
        "idle connections FELL from 4 to 76",
        "it climbed from 4.5 s  to 400 ms",
        "it dropped from 512 MB to 1 GB",
        "memory went down from 4 to 7 MB",
        "memory rose from 4 to 7 MB and later rose from 7 to 4 MB",
        "x rose\nfrom -2 to -5",
        "x fell from 1,999 to 2,000",
        "x fell from 0 to 0.1",
    ],
)
def test_a_wrong_direction_is_found(sentence: str) -> None:
    assert contradicts_itself(sentence)


@pytest.mark.parametrize(
    "sentence",
    [
        "idle connections rose from 4 to 76.",
        "idle connections fell from 76 to 4",
        "it rose from 400 ms to 4.5 s",
        "it rose from 4 to 4",
        "it fell from 4 to 4",
        "it rose from 9 ms to 2 MB",
        "it rose from 09:10 to 08:00",
        "it rose from db-7 to 2",
        "it rose from 9 through 8 to 2",
        "it rose from 9",
        "it rose from nine to two",
        "it rose from the 9 to 2",
        "prose from 9 to 2",
        "free-fell from 2 to 9",
        "it moved from 9 to 2",
        "",
    ],
)
def test_nothing_else_is(sentence: str) -> None:
    assert not contradicts_itself(sentence)
