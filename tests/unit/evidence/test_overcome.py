"""Lines that say that trying again helped, and lines that only look so."""

import pytest

from services.common.evidence.overcome import is_overcome


@pytest.mark.parametrize(
    "text",
    [
        "retrying after 429, succeeded",
        "retry 2 succeeded after connection refused",
        "attempt 1 failed: 429 Too Many Requests; retry succeeded",
        "call to rates succeeded after 3 retries",
        "succeeded on 2nd attempt, first answer was 429",
        "connection recovered after 2 retries",
        "Retry was successful: no such host before",
        "429 Too Many Requests at first, attempt #3 succeeded",
        '{"level": "info", "msg": "retry succeeded", "error": "429 Too Many Requests", "attempt": 2}',
    ],
)
def test_what_succeeded_when_it_was_tried_again_is_overcome(text: str) -> None:
    assert is_overcome(text)


@pytest.mark.parametrize(
    "text",
    [
        "429 Too Many Requests, retrying",
        "no retry succeeded",
        "0 of 3 retries succeeded",
        "none of the retries succeeded",
        "the retry has not succeeded",
        "will retry until successful",
        "retry was unsuccessful: connection refused",
        "retry succeeded, but the answer was cut off",
        "connection refused, retries=3 succeeded=0",
        '{"msg": "retry", "succeeded": false, "error": "429 Too Many Requests"}',
        "retries failed; the last call that succeeded was an hour ago",
        "job succeeded",
        "recovered after 3 attempts, then lost again: connection refused",
        "retry succeeded 3 times, then connection refused for good",
        "only 1 of 5 retries succeeded: 429 Too Many Requests",
        "2 of 5 retries succeeded: 429 Too Many Requests",
        "retry succeeded for 1 of 50 items: 429 Too Many Requests",
        "retries exhausted, last succeeded at 09:00: connection refused",
        "connection refused, retrying; last successful attempt at 09:00",
        "connection refused, attempt 8; last succeeded at 09:00",
        "retry should have succeeded: connection refused",
        "waiting for the retry to be successful: connection refused",
        "retry successful: no, connection refused",
        "retry successful? connection refused",
        "login attempt of admin was successful, write: no space left on device",
        "authentication succeeded on attempt 1, write: no space left on device",
    ],
)
def test_what_was_not_is_none(text: str) -> None:
    assert not is_overcome(text)
