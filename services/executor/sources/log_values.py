"""Outcome and duration of a request, where a message states them in one of the usual ways."""

import re
from decimal import Decimal
from typing import Final

# Powers of ten, so that a token is scaled as a decimal and rounded once.
_UNITS: Final = {"ns": -9, "us": -6, "µs": -6, "ms": -3, "s": 0, "sec": 0, "seconds": 0}

_REQUEST = re.compile(
    r'\b(?:GET|HEAD|POST|PUT|DELETE|PATCH|OPTIONS) [^\s"]{1,2048}'
    r'(?: HTTP/[0-9.]{1,3}"?| "HTTP/[0-9.]{1,3})? ([1-5][0-9]{2})\b'
)
_STATUS_KEY = re.compile(
    r"\b(?:status|status_code|statusCode|http_status|response_status)[=:] ?\"?([1-5][0-9]{2})\b"
)
_DURATION_KEY = re.compile(
    r"\b(?:rt|request_time|response_time|duration|elapsed|took|latency)(?:[=:] ?|\s)\"?"
    r"([0-9]{1,12}(?:\.[0-9]{1,12})?) ?(ns|us|µs|ms|sec|seconds|s)?\b"
)
_DURATION_END = re.compile(r"\s([0-9]{1,12}(?:\.[0-9]{1,12})?) ?(ns|us|µs|ms|s)$")
# What every text holds that the patterns match. To look for these costs a fraction, because no word boundary
# comes first, and most messages hold none.
_METHOD = re.compile("GET |HEAD |POST |PUT |DELETE |PATCH |OPTIONS ")
_STATUS_WORD: Final = "status"
_DURATION_WORD = re.compile("_time|duration|elapsed|took|latency|rt")
# nginx's variables count seconds and print no unit.
_SECONDS_KEYS: Final = ("rt=", "request_time=")


def outcome_of(message: str) -> str:
    """Return the HTTP status code that a message states, or an empty text."""
    match = _REQUEST.search(message) if _METHOD.search(message) else None
    if match is None and _STATUS_WORD in message:
        match = _STATUS_KEY.search(message)
    return match.group(1) if match else ""


def duration_of(message: str, outcome: str) -> float | None:
    """Return the duration in seconds that a message states with its unit; None when it states none.

    A number at the very end is one only in a line about a request; nobody else's "retry in 12s" is.
    """
    match = _DURATION_KEY.search(message) if _DURATION_WORD.search(message) else None
    if match is not None:
        number, unit = match.groups()
        if unit:
            return seconds(number, unit)
        return float(number) if match.group().startswith(_SECONDS_KEYS) else None
    if outcome and (match := _DURATION_END.search(message)) is not None:
        return seconds(match.group(1), match.group(2))
    return None


def seconds(number: str, unit: str) -> float:
    """Return a duration in seconds; raises KeyError for a unit that is none."""
    return float(Decimal(number).scaleb(_UNITS[unit]))
