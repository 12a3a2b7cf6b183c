"""Log lines that are fields with names (a JSON object, logfmt), by the names that loggers use."""

import json
from collections.abc import Collection, Mapping
from typing import Any, Final

from services.executor.sources.instants import Instant, from_epoch, from_iso
from services.executor.sources.log_line import Parsed, Severity, severity_of_status, severity_of_word, worse
from services.executor.sources.log_text import severity_of_priority
from services.executor.sources.log_values import seconds

_TIME_KEYS: Final = (
    "ts",
    "time",
    "timestamp",
    "@timestamp",
    "t",
    "datetime",
    "asctime",
    "eventTime",
    "@t",
    "Timestamp",
)
_JOURNAL_TIME: Final = "__REALTIME_TIMESTAMP"
_LEVEL_KEYS: Final = ("level", "severity", "lvl", "levelname", "loglevel", "log.level", "@l", "Level")
_MESSAGE_KEYS: Final = (
    "msg", "message", "event", "short_message", "body", "log", "textPayload",
    "MESSAGE", "@m", "@mt", "RenderedMessage", "MessageTemplate",
)  # fmt: skip
_ERROR_KEYS: Final = (
    "error",
    "err",
    "exception",
    "exc_info",
    "stack_trace",
    "stack",
    "error.message",
    "@x",
    "Exception",
)
_STATUS_KEYS: Final = (
    "status",
    "status_code",
    "statusCode",
    "http_status",
    "response_status",
    "http.status_code",
    "http.response.status_code",
)
_DURATION_KEYS: Final = {
    "ms": "ms",
    "duration_ms": "ms",
    "elapsed_ms": "ms",
    "latency_ms": "ms",
    "took_ms": "ms",
    "response_time_ms": "ms",
    "durationMs": "ms",
    "duration_s": "s",
    "duration_seconds": "s",
    "elapsed_seconds": "s",
    "request_time": "s",
    "duration_us": "us",
    "duration_ns": "ns",
}
# Most records have none of either: one look instead of one for each name.
_ERROR_NAMES: Final = frozenset(_ERROR_KEYS)
_DURATION_NAMES: Final = frozenset(_DURATION_KEYS)
# pino and bunyan count levels in tens.
_NUMBERED: Final = {50: Severity.FAILURE, 60: Severity.FAILURE, 40: Severity.WARNING}
_OTHER_LEVELS: Final = frozenset({"PRIORITY", "s"})
_LETTERS: Final = {"F": Severity.FAILURE, "E": Severity.FAILURE, "W": Severity.WARNING}
_MAX_MESSAGE: Final = 2048


def parse_json(text: str) -> Parsed | None:
    """Read a line that is a JSON object; None when it is none.

    Only what is compared and grouped is taken from here. What is shown and cited is the line itself, so this
    reader may be lenient where the strict one may not.
    """
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return None
    return parse_fields(value) if isinstance(value, dict) else None


def parse_fields(value: Mapping[str, Any]) -> Parsed:
    """Read the fields of one record."""
    level, severity = _level(value)
    outcome = _outcome(value)
    return Parsed(
        time=_time(value),
        level=level,
        severity=worse(severity, severity_of_status(outcome)),
        message=_message(value),
        outcome=outcome,
        duration_seconds=_duration(value),
        structured=True,
    )


def _time(value: Mapping[str, Any]) -> Instant | None:
    for key in _TIME_KEYS:
        found = value.get(key)
        if found is None:
            continue
        if isinstance(found, dict):
            # MongoDB writes {"t": {"$date": "..."}}.
            found = found.get("$date")
        if isinstance(found, str) and (time := from_iso(found) or from_epoch(found)):
            return time
        if (
            isinstance(found, int | float)
            and not isinstance(found, bool)
            and (time := from_epoch(repr(found)))
        ):
            return time
    journal = value.get(_JOURNAL_TIME)
    return from_epoch(journal) if isinstance(journal, str) else None


def _level(value: Mapping[str, Any]) -> tuple[str, Severity]:
    nested = value.get("log")
    found = next((value[key] for key in _LEVEL_KEYS if key in value), None)
    if found is None and isinstance(nested, dict):
        found = nested.get("level")
    if found is None and (others := _OTHER_LEVELS & value.keys()):
        return _other_level(value, others)
    if isinstance(found, str):
        return found[:32], severity_of_word(found.strip()) or Severity.OTHER
    if isinstance(found, int) and not isinstance(found, bool):
        return str(found)[:32], _NUMBERED.get(found, Severity.OTHER)
    return "", Severity.OTHER


def _other_level(value: Mapping[str, Any], keys: Collection[str]) -> tuple[str, Severity]:
    """Read the journal's priority, or the letter that MongoDB writes beside a component."""
    found = value.get("PRIORITY")
    if isinstance(found, str) and found.isascii() and found.isdigit() and len(found) == 1:
        return f"<{found}>", severity_of_priority(int(found))
    letter = value.get("s")
    if "s" in keys and "c" in value and isinstance(letter, str):
        return letter[:32], _LETTERS.get(letter, Severity.OTHER)
    return "", Severity.OTHER


def _message(value: Mapping[str, Any]) -> str:
    message = next((value[key] for key in _MESSAGE_KEYS if isinstance(value.get(key), str)), "")
    payload = value.get("jsonPayload")
    if not message and isinstance(payload, dict):
        return _message(payload)
    if _ERROR_NAMES.isdisjoint(value):
        return message.strip()[:_MAX_MESSAGE]
    errors = [detail for key in _ERROR_KEYS if (detail := _error_text(value.get(key)))]
    return " ".join([message.strip(), *errors])[:_MAX_MESSAGE]


def _error_text(value: Any) -> str:  # noqa: ANN401 - a field of a stranger's object
    """Return an error's own sentence: of a multi-line trace the last line, of an object its message."""
    if isinstance(value, dict):
        value = value.get("message") or value.get("msg")
    if not isinstance(value, str) or not value.strip():
        return ""
    return value.strip().splitlines()[-1].strip()


def _outcome(value: Mapping[str, Any]) -> str:
    for key in _STATUS_KEYS:
        found = str(value[key]) if isinstance(value.get(key), int | str) else ""
        if len(found) == 3 and found.isascii() and found.isdigit() and "1" <= found[0] <= "5":
            return found
    return ""


def _duration(value: Mapping[str, Any]) -> float | None:
    if _DURATION_NAMES.isdisjoint(value):
        return None
    for key, unit in _DURATION_KEYS.items():
        found = value.get(key)
        if isinstance(found, int | float) and not isinstance(found, bool) and 0 <= found < 1e15:
            return seconds(repr(found), unit)
    return None
