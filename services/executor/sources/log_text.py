"""What the words of a message tell: its level, outcome and duration. Shared by the formats that hold one."""

from functools import lru_cache
from typing import Final

from services.executor.sources.instants import Instant
from services.executor.sources.log_line import Parsed, Severity, severity_of_status, severity_of_word, worse
from services.executor.sources.log_values import duration_of, outcome_of

_LEVEL_TOKENS: Final = 5
_LEVEL_REACH: Final = 160
_SYSLOG_FAILURE: Final = 3
_SYSLOG_WARNING: Final = 4


def worded(time: Instant | None, rest: str) -> Parsed:
    """Read a message that may name its level among its first words."""
    for token in rest[:_LEVEL_REACH].split(None, _LEVEL_TOKENS)[:_LEVEL_TOKENS]:
        level = _level_of(token)
        if level is not None:
            return levelled(time, level, rest)
    return levelled(time, "", rest)


# The first words of a line are few: levels, loggers, processes.
@lru_cache(maxsize=4096)
def _level_of(token: str) -> str | None:
    """Return the level that a word of a message states; None when it states none."""
    word = token.strip("[]()<>|:,-")
    # In small letters "error" is a word like any other, unless it is set apart.
    if severity_of_word(word) is not None and (word.isupper() or len(token) > len(word)):
        return word
    if token.startswith(("level=", "lvl=", "severity=")):
        return token.partition("=")[2].strip('"')
    if token.endswith("]") or "][" in token:
        # "[ERROR][logger]" and Celery's "ERROR/Worker]"
        pieces = [*token.strip("[]").split("]["), *token.split("/", 1)[:1]]
        return next((piece for piece in pieces if _is_apart(piece, token)), None)
    return None


def _is_apart(piece: str, token: str) -> bool:
    return severity_of_word(piece) is not None and (piece.isupper() or f"[{piece}]" in token)


def levelled(time: Instant | None, level: str, message: str) -> Parsed:
    """Read a message whose level is known; empty for none."""
    outcome = outcome_of(message)
    severity = severity_of_word(level) or Severity.OTHER
    if outcome:
        severity = worse(severity, severity_of_status(outcome))
    return Parsed(time, level[:32], severity, message, outcome, duration_of(message, outcome))


def severity_of_priority(number: int) -> Severity:
    """Return what a priority of syslog says, with or without its facility."""
    if number & 7 <= _SYSLOG_FAILURE:
        return Severity.FAILURE
    return Severity.WARNING if number & 7 == _SYSLOG_WARNING else Severity.OTHER
