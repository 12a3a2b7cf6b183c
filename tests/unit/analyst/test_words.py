"""How texts, numbers and instants are put into a statement."""

from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from services.common.evidence.holdings import Holdings
from services.executor.analyst.reading.signs import tells_conversation
from services.executor.analyst.reading.words import (
    error_of,
    quotation,
    seconds_of,
    show_instant,
    show_number,
)


@pytest.mark.parametrize(
    ("text", "level", "expected"),
    [
        ("2026-01-02 03:04:05.006 UTC [17] a@b FATAL:  no room left", "FATAL", "FATAL:  no room left"),
        ("2026-01-02 03:04:05,006 WARN  [pool] try again", "WARN", "try again"),
        ('{"ts":"x","level":"ERROR","msg":"write failed","n":3}', "ERROR", "write failed"),
        ('{"level":"ERROR","msg":"say \\"hello there\\" twice"}', "ERROR", "hello there"),
        (
            '2026/01/02 03:04:05 [error] 5#5: *7 peer closed connection, client: 10.0.0.1, request: "GET /x"',
            "error",
            "peer closed connection, client: 10.0.0.1",
        ),
        ("ERROR \x1b[31mdisk failed\x1b[0m", "ERROR", "disk failed"),
        ("2026-01-02 03:04:05 \x1b[31mERROR\x1b[0m disk failed", "ERROR", "disk failed"),
        ("ERROR \x1b]0;a title\x07disk failed", "ERROR", "disk failed"),
        ("ERROR \x1b]8;;http://x.example\x1b\\disk failed\x1b]8;;\x1b\\", "ERROR", "disk failed"),
        ("ERROR \u202edisk failed\u202c", "ERROR", "disk failed"),
        ("ERROR \x1b]0;a title\x07", "ERROR", ""),
        (
            'x ERROR:  could not open file "base/1": Permission denied', "ERROR",
            'ERROR:  could not open file "base/1": Permission denied',
        ),
        ('t ERROR column "a" of "b" is missing, request: "GET /"', "ERROR", 'column "a" of "b" is missing'),
        ('{"level":"ERROR","msg":"file \\"a\\" failed: No space left on device"}', "ERROR",
         "failed: No space left on device"),
        ('t ERROR odd "quotation here', "ERROR", "quotation here"),
        ("12345", "", ""),
        ("", "ERROR", ""),
        ("{not json", "ERROR", ""),
    ],
)  # fmt: skip
def test_the_telling_part_of_a_line(text: str, level: str, expected: str) -> None:
    assert quotation(text, level) == expected


@given(st.text(max_size=400), st.sampled_from(["", "ERROR", "FATAL", "error"]))
def test_a_quotation_is_literal_and_can_be_shown_between_marks(text: str, level: str) -> None:
    shown = quotation(text, level)

    assert shown in text
    assert shown.count('"') % 2 == 0
    assert '"' not in shown or not set(shown) & {"“", "”"}
    assert len(shown) <= 160


@pytest.mark.parametrize(
    ("token", "expected"),
    [
        ("80", "80"), ("0", "0"), ("11.855667740009838", "11.86"), ("0.0417", "0.0417"), ("2.8800", "2.88"),
        ("0.000012345", "0.00001234"), ("1e3", "1000"), ("NaN", "NaN"), ("none", "none"), ("-0.5", "-0.5"),
        ("1004.37", "1004.4"), ("94914658.7", "94914658.7"), ("5.00001", "5.0"), ("5.0", "5"),
    ],
)  # fmt: skip
def test_numbers_keep_four_digits(token: str, expected: str) -> None:
    assert show_number(token) == expected


@given(st.floats(allow_nan=False, allow_infinity=False, min_value=1e-6, max_value=1e12))
def test_a_shown_number_is_the_number_at_the_precision_shown(value: float) -> None:
    shown = show_number(repr(value))
    decimals = len(shown.partition(".")[2])

    assert abs(Decimal(shown) - Decimal(repr(value))) <= Decimal(f"0.5e-{decimals}")
    assert Holdings(texts=[repr(value)]).missing(f"It is {shown} at most.") == []


def test_instants_are_cut_to_the_second() -> None:
    assert show_instant("2026-11-30T09:09:50.999Z") == "2026-11-30T09:09:50Z"
    assert show_instant("2026-11-30T10:09:50.123456789+01:00") == "2026-11-30T09:09:50Z"
    assert show_instant("yesterday") == "yesterday"
    assert seconds_of("2026-11-30T09:09:50") is None


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ('{"level":"error","msg":"call failed","error":"Post \\"http://b/x\\": context deadline exceeded"}',
         "context deadline exceeded"),
        ('{"level":50,"msg":"unhandled","err":{"type":"TypeError","message":"x is undefined"}}',
         "x is undefined"),
        ('time=x level=error msg="no place" err="store: broken pipe"', "store: broken pipe"),
        ('time=x level=error msg="no place" err=timeout', "timeout"),
        ('{"level":"error","msg":"call failed"}', ""),
        ('{"error":7}', ""),
        ("ERROR error while reading", ""),
    ],
)  # fmt: skip
def test_the_error_that_a_field_names(text: str, expected: str) -> None:
    assert error_of(text) == expected


@pytest.mark.parametrize(
    "line",
    [
        "OSError: [Errno 111]",
        "requests.exceptions.ConnectionError: refused",
        "java.net.SocketTimeoutException",
        "MyHTTPStatusException at a.b",
        "billing answered with 503",
    ],
)
def test_errors_of_talking_tell_of_a_peer(line: str) -> None:
    assert tells_conversation(line)


@pytest.mark.parametrize(
    "line",
    ["KeyError: 'a'", "myOSError", "OSErrors", "Connection of Errors", "answered 200"],
)
def test_other_errors_do_not(line: str) -> None:
    assert not tells_conversation(line)
