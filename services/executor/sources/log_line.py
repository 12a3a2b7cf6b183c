"""What a reader makes of a log line, and the words that systems use for how bad it is."""

from enum import Enum
from typing import Final, NamedTuple

from services.executor.sources.instants import Instant


class Severity(Enum):
    """How bad a line says it is."""

    FAILURE = "failure"
    WARNING = "warning"
    OTHER = "other"


class Parsed(NamedTuple):
    """What one line says by itself.

    `level` is the source's own word or sign. `message` is what is grouped by shape. `outcome` is an HTTP
    status code, or empty. `structured` says that the format writes one record per line, so that a line
    without this form is no continuation of it.
    """

    time: Instant | None
    level: str
    severity: Severity
    message: str
    outcome: str = ""
    duration_seconds: float | None = None
    structured: bool = False


class LogLine(NamedTuple):
    """One line of a log in its context: a line without a time has that of the record above."""

    n: int
    text: str
    cut: bool
    parsed: Parsed
    continuation: bool


_FAILURES: Final = (
    "ERROR",
    "ERR",
    "EROR",
    "FATAL",
    "CRITICAL",
    "CRIT",
    "PANIC",
    "EMERG",
    "EMERGENCY",
    "ALERT",
    "SEVERE",
    "FAILURE",
    "FAIL",
    "FTL",
    "TRACEBACK",
    "EXCEPTION",
)
_WARNINGS: Final = ("WARN", "WARNING", "WRN")
# With PostgreSQL's words for the lines that explain another.
_OTHERS: Final = (
    "TRACE",
    "DEBUG",
    "DEBUG1",
    "DEBUG2",
    "DEBUG3",
    "DEBUG4",
    "DEBUG5",
    "INFO",
    "INF",
    "DBG",
    "VRB",
    "INFORMATION",
    "NOTICE",
    "NOTE",
    "LOG",
    "VERBOSE",
    "FINE",
    "FINER",
    "FINEST",
    "STATEMENT",
    "DETAIL",
    "HINT",
    "CONTEXT",
    "QUERY",
    "LOCATION",
)
_SEVERITIES: Final = {
    **dict.fromkeys(_FAILURES, Severity.FAILURE),
    **dict.fromkeys(_WARNINGS, Severity.WARNING),
    **dict.fromkeys(_OTHERS, Severity.OTHER),
}


def severity_of_word(word: str) -> Severity | None:
    """Return what a level word means, in any case; None when it is no level word."""
    return _SEVERITIES.get(word.upper())


def severity_of_status(outcome: str) -> Severity:
    """Return what an HTTP status means: the server failed at 5xx; at 4xx the client may be to blame."""
    if outcome.startswith("5"):
        return Severity.FAILURE
    return Severity.WARNING if outcome.startswith("4") else Severity.OTHER


def worse(first: Severity, second: Severity) -> Severity:
    """Return the worse of two."""
    for severity in (Severity.FAILURE, Severity.WARNING):
        if severity in (first, second):
            return severity
    return Severity.OTHER
