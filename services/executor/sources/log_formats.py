"""The table of log formats: for the first character of a line, the formats that can begin so, in order.

Each format is one anchored pattern and one small function that reads its groups. A format whose times lack
the year (RFC 3164 syslog, klog) gets it from a dated instant of the same bundle: the year that puts the line
nearest to it; without such an instant its lines have no time, because none is invented.
"""

import re
from collections.abc import Callable
from functools import lru_cache
from typing import Final

from services.executor.sources.instants import (
    MICROSECONDS,
    MONTHS,
    Instant,
    from_iso,
    instant,
    offset_seconds,
)
from services.executor.sources.log_json import parse_fields, parse_json
from services.executor.sources.log_line import Parsed, Severity, severity_of_status, severity_of_word, worse
from services.executor.sources.log_values import duration_of, outcome_of

Format = Callable[[str, Instant | None], Parsed | None]

_MONTH = "(Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)"
_CLOCK = r"([0-9]{2}:[0-9]{2}:[0-9]{2}(?:[.,][0-9]{1,9})?)"

_ISO = re.compile(
    rf"\[?([0-9]{{4}})-([0-9]{{2}})-([0-9]{{2}})[Tt ]{_CLOCK}(?: ?(Z|z|[+-][0-9]{{2}}(?::?[0-9]{{2}})?)|"
    r" (UTC|GMT|[A-Z]{3,5}(?= \[[0-9])))?\]?(?=$|[\s,;|:)\]-])[\s,;|:)\]-]*"
)
_SLASHES = re.compile(
    rf"([0-9]{{4}})/([0-9]{{2}})/([0-9]{{2}}) {_CLOCK} (?:\[([a-z]+)\] [0-9]+#[0-9]+: )?(?:\*[0-9]+ )?"
)
_REDIS = re.compile(rf"[0-9]+:[A-Z] ([0-9]{{2}}) {_MONTH} ([0-9]{{4}}) {_CLOCK} ([.*#-]) ")
_ACCESS = re.compile(
    rf"\S+ \S+ [^\[\"]{{0,256}}\[([0-9]{{2}})/{_MONTH}/([0-9]{{4}}):{_CLOCK} ([+-][0-9]{{4}})\] "
    r'"((?:[^"\\]|\\.)*)" ([0-9]{3}) (?:[0-9]+|-)'
)
_APACHE_ERROR = re.compile(
    rf"\[[A-Z][a-z]{{2}} {_MONTH} ([0-9]{{2}}) {_CLOCK} ([0-9]{{4}})\] \[(?:\w+:)?(\w+)\] "
)
_DASHED_MONTH = re.compile(rf"([0-9]{{2}})-{_MONTH}-([0-9]{{4}}) {_CLOCK} ")
_SYSLOG_5424 = re.compile(r"<([0-9]{1,3})>1 (\S{1,64}) (\S+) (\S+) \S+ \S+ (?:-|\[.*?\])(?= |$) ?")
_SYSLOG_3164 = re.compile(rf"(?:<([0-9]{{1,3}})>)?{_MONTH} ([ 0-9][0-9]) {_CLOCK} ")
_KLOG = re.compile(rf"([IWEF])([0-9]{{2}})([0-9]{{2}}) {_CLOCK} +[0-9]+ [^\]\s]+\] ")
_LOGFMT_FIRST = re.compile(r"[A-Za-z_@][\w.@-]*=")
_LOGFMT_FIELD = re.compile(r'(?:^|(?<=\s))([A-Za-z_@][\w.@-]*)=(?:"((?:[^"\\]|\\.)*)"|(\S*))')
_LEVEL_FIRST = re.compile(r"(?:([A-Z]{3,9})(?:\s|\[)|([A-Za-z]{3,9}):)[\s-]*")
_CRI = re.compile(r"(?:stdout|stderr) [FP] ")

_ESCAPE: Final = "\x1b"
_COLOUR = re.compile(r"\x1b\[[0-9;:]{0,32}m")

_HALF_A_YEAR: Final = 184 * 86_400 * MICROSECONDS
_LEVEL_TOKENS: Final = 5
_LEVEL_REACH: Final = 160
_SYSLOG_FAILURE: Final = 3
_SYSLOG_WARNING: Final = 4
_KLOG_LEVELS: Final = {
    "I": Severity.OTHER,
    "W": Severity.WARNING,
    "E": Severity.FAILURE,
    "F": Severity.FAILURE,
}


def parse_line(text: str, near: Instant | None) -> Parsed | None:
    """Read one line; None when it begins no record of a known format. `near` is an instant of the bundle.

    Colours are no part of what a line says: a level word in red is still one.
    """
    if _ESCAPE in text:
        text = _COLOUR.sub("", text)
    for candidate in _BY_FIRST.get(text[:1], _OTHER_FIRST):
        parsed = candidate(text, near)
        if parsed is not None:
            return parsed
    return None


def _iso(text: str, _near: Instant | None) -> Parsed | None:
    match = _ISO.match(text)
    if match is None:
        return None
    year, month, day, clock, offset, zone = match.groups()
    zone = offset or zone or ""
    time = instant(int(year), int(month), int(day), clock, zone)
    # A line in a zone that has no fixed offset is a record all the same, without a time.
    if time is None and offset_seconds(zone) is not None:
        return None
    rest = text[match.end() :]
    if rest.startswith(("stdout ", "stderr ")):
        rest = _CRI.sub("", rest, count=1)
    if rest.startswith("{") and (inner := parse_json(rest)) is not None:
        return inner._replace(time=time)
    return _worded(time, rest)


def _slashes(text: str, _near: Instant | None) -> Parsed | None:
    match = _SLASHES.match(text)
    if match is None:
        return None
    year, month, day, clock, level = match.groups()
    time = instant(int(year), int(month), int(day), clock)
    if time is None:
        return None
    rest = text[match.end() :]
    return _levelled(time, level, rest) if level else _worded(time, rest)


def _redis(text: str, _near: Instant | None) -> Parsed | None:
    match = _REDIS.match(text)
    if match is None:
        return None
    day, month, year, clock, sign = match.groups()
    time = instant(int(year), MONTHS[month], int(day), clock)
    if time is None:
        return None
    # Redis writes "#" for its level "warning", which is also its only one for failures.
    severity = Severity.WARNING if sign == "#" else Severity.OTHER
    return Parsed(time, sign, severity, text[match.end() :])


def _access(text: str, _near: Instant | None) -> Parsed | None:
    match = _ACCESS.match(text)
    if match is None:
        return None
    day, month, year, clock, zone, request, outcome = match.groups()
    time = instant(int(year), MONTHS[month], int(day), clock, zone)
    if time is None:
        return None
    # The query belongs to the caller and the version to the client, not to the route.
    message = " ".join(request.split(" ", 2)[:2]).split("?", 1)[0]
    duration = duration_of(text[match.end() :], "")
    return Parsed(time, "", severity_of_status(outcome), message, outcome, duration)


def _apache_error(text: str, _near: Instant | None) -> Parsed | None:
    match = _APACHE_ERROR.match(text)
    if match is None:
        return None
    month, day, clock, year, level = match.groups()
    time = instant(int(year), MONTHS[month], int(day), clock)
    return _levelled(time, level, text[match.end() :]) if time else None


def _dashed_month(text: str, _near: Instant | None) -> Parsed | None:
    match = _DASHED_MONTH.match(text)
    if match is None:
        return None
    day, month, year, clock = match.groups()
    time = instant(int(year), MONTHS[month], int(day), clock)
    return _worded(time, text[match.end() :]) if time else None


def _syslog_5424(text: str, _near: Instant | None) -> Parsed | None:
    match = _SYSLOG_5424.match(text)
    if match is None:
        return None
    priority, stamp, _host, application = match.groups()
    level, severity = _priority(priority)
    message = f"{application}: {text[match.end() :]}"
    return Parsed(from_iso(stamp), level, severity, message, outcome_of(message))


def _syslog_3164(text: str, near: Instant | None) -> Parsed | None:
    match = _SYSLOG_3164.match(text)
    if match is None:
        return None
    priority, month, day, clock = match.groups()
    time = _nearest_year(near, MONTHS[month], int(day), clock)
    # The host's name says nothing about the message.
    worded = _worded(time, text[match.end() :].partition(" ")[2])
    if not priority:
        return worded
    level, severity = _priority(priority)
    return worded._replace(level=level, severity=severity)


def _klog(text: str, near: Instant | None) -> Parsed | None:
    match = _KLOG.match(text)
    if match is None:
        return None
    letter, month, day, clock = match.groups()
    message = text[match.end() :]
    time = _nearest_year(near, int(month), int(day), clock)
    return Parsed(time, letter, _KLOG_LEVELS[letter], message, outcome_of(message))


def _logfmt(text: str, _near: Instant | None) -> Parsed | None:
    if _LOGFMT_FIRST.match(text) is None:
        return None
    fields = {key: quoted or bare for key, quoted, bare in _LOGFMT_FIELD.findall(text)}
    found = parse_fields(fields)
    if found.time is None and not found.level:
        return None
    return found._replace(
        message=found.message or text,
        duration_seconds=found.duration_seconds or duration_of(text, found.outcome),
    )


def _level_first(text: str, _near: Instant | None) -> Parsed | None:
    match = _LEVEL_FIRST.match(text)
    word = "" if match is None else match.group(1) or match.group(2)
    if match is None or severity_of_word(word) is None:
        return None
    return _levelled(None, word, text[match.end() :])


def _json(text: str, _near: Instant | None) -> Parsed | None:
    return parse_json(text)


def _worded(time: Instant | None, rest: str) -> Parsed:
    """Read a message that may name its level among its first words."""
    for token in rest[:_LEVEL_REACH].split(None, _LEVEL_TOKENS)[:_LEVEL_TOKENS]:
        level = _level_of(token)
        if level is not None:
            return _levelled(time, level, rest)
    return _levelled(time, "", rest)


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
    return None


def _levelled(time: Instant | None, level: str, message: str) -> Parsed:
    outcome = outcome_of(message)
    severity = severity_of_word(level) or Severity.OTHER
    if outcome:
        severity = worse(severity, severity_of_status(outcome))
    return Parsed(time, level[:32], severity, message, outcome, duration_of(message, outcome))


def _priority(number: str) -> tuple[str, Severity]:
    severity = int(number) & 7
    if severity <= _SYSLOG_FAILURE:
        return f"<{number}>", Severity.FAILURE
    return f"<{number}>", Severity.WARNING if severity == _SYSLOG_WARNING else Severity.OTHER


def _nearest_year(near: Instant | None, month: int, day: int, clock: str) -> Instant | None:
    if near is None:
        return None
    year = int(near.text[:4])
    dated = [found for y in (year - 1, year, year + 1) if (found := instant(y, month, day, clock))]
    # February 29 may be years away, and then it is none.
    close = [found for found in dated if abs(found.microseconds - near.microseconds) <= _HALF_A_YEAR]
    return min(close, key=lambda found: abs(found.microseconds - near.microseconds), default=None)


_DIGIT_FIRST: Final = (_iso, _slashes, _redis, _access, _dashed_month)
_OTHER_FIRST: Final[tuple[Format, ...]] = (_klog, _syslog_3164, _level_first, _logfmt, _access)
_BY_FIRST: Final[dict[str, tuple[Format, ...]]] = {
    **dict.fromkeys("0123456789", _DIGIT_FIRST),
    "{": (_json,),
    "[": (_iso, _apache_error),
    "<": (_syslog_5424, _syslog_3164),
    " ": (),
    "\t": (),
    "": (),
}
