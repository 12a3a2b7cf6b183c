"""The table of log formats: for the first character of a line, the formats that can begin so, in order.

Each format is one anchored pattern and one small function that reads its groups. A format whose times lack
the year (RFC 3164 syslog, klog) gets it from a dated instant of the same bundle: the year that puts the line
nearest to it; without such an instant its lines have no time, because none is invented.
"""

import re
from collections.abc import Callable
from typing import Final

from services.executor.sources.instants import (
    CLOCK,
    MICROSECONDS,
    MONTH,
    MONTHS,
    Instant,
    from_epoch,
    from_iso,
    instant,
    offset_seconds,
)
from services.executor.sources.log_json import parse_fields, parse_json
from services.executor.sources.log_line import Parsed, Severity, severity_of_word
from services.executor.sources.log_requests import access, balancer, cloudfront, haproxy, iis
from services.executor.sources.log_text import levelled, severity_of_priority, worded
from services.executor.sources.log_values import duration_of, outcome_of

Format = Callable[[str, Instant | None], Parsed | None]

_ISO = re.compile(
    rf"\[?([0-9]{{4}})-([0-9]{{2}})-([0-9]{{2}})(?:[Tt ]|, ){CLOCK}"
    r"(?: ?(Z|z|[+-][0-9]{2}(?::?[0-9]{2})?)|"
    r" (UTC|GMT|[A-Z]{3,5}(?= \[[0-9])))?\]?(?=$|[\s,;|:)\]-])[\s,;|:)\]-]*"
)
_SLASHES = re.compile(
    rf"([0-9]{{4}})[/.]([0-9]{{2}})[/.]([0-9]{{2}}) {CLOCK} (?:\[([a-z]+)\] [0-9]+#[0-9]+: )?(?:\*[0-9]+ )?"
)
_REDIS = re.compile(rf"[0-9]+:[A-Z] ([0-9]{{2}}) {MONTH} ([0-9]{{4}}) {CLOCK} ([.*#-]) ")
_APACHE_ERROR = re.compile(
    rf"\[[A-Z][a-z]{{2}} {MONTH} ([0-9]{{2}}) {CLOCK} ([0-9]{{4}})\] \[(?:\w+:)?(\w+)\] "
)
_DASHED_MONTH = re.compile(rf"\[?([0-9]{{2}})-{MONTH}-([0-9]{{4}}) {CLOCK}(?: ([A-Z][\w/+-]{{1,40}})\])?\]? ")
_DOTS = re.compile(rf"([0-9]{{2}})\.([0-9]{{2}})\.([0-9]{{4}}) {CLOCK} ")
# Kernel messages with times, `date`, and what C's ctime writes.
_CTIME = re.compile(
    rf"\[?(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun) {MONTH} ([ 0-9][0-9]) {CLOCK} "
    r"(?:([A-Z]{3,5}) )?([0-9]{4})\]?[:,]? "
)
# java.util.logging, whose next line begins with the level.
_JUL = re.compile(rf"{MONTH} ([0-9]{{1,2}}), ([0-9]{{4}}) ([0-9]{{1,2}})(:[0-9]{{2}}:[0-9]{{2}}) (AM|PM) ")
_RUBY = re.compile(
    rf"[A-Z], \[([0-9]{{4}})-([0-9]{{2}})-([0-9]{{2}})T{CLOCK} #[0-9]+\] +([A-Z]{{3,7}}) -- [^:]{{0,128}}: ?"
)
# MariaDB pads the hour with a blank.
_PADDED = re.compile(r"([0-9]{4})-([0-9]{2})-([0-9]{2})  ([0-9]:[0-9]{2}:[0-9]{2}) ")
_EPOCH = re.compile(r"([0-9]{10}(?:\.[0-9]{1,9})?|[0-9]{13}|[0-9]{16}|[0-9]{19})\s+")
_CLOCK_ALONE = re.compile(rf"{CLOCK}\s")
_TIME_BEHIND = re.compile(r"([A-Z]{3,9}):? +(?:\[[^\]]{0,128}\] +)?(?=[0-9]{4}-)")
# The kernel's own lines, by the seconds since the machine started.
_KERNEL = re.compile(r"\[ {0,6}[0-9]{1,8}\.[0-9]{6}\] ")
_BRACKET_FIRST = re.compile(r"\[([A-Za-z]{3,9})\] ")
_SYSLOG_5424 = re.compile(r"<([0-9]{1,3})>1 (\S{1,64}) (\S+) (\S+) \S+ \S+ (?:-|\[.*?\])(?= |$) ?")
_SYSLOG_3164 = re.compile(rf"(?:<([0-9]{{1,3}})>)?{MONTH} ([ 0-9][0-9]) {CLOCK} ")
_KLOG = re.compile(rf"([IWEF])([0-9]{{4}})?([0-9]{{2}})([0-9]{{2}}) {CLOCK} +[0-9]+ [^\]\s]+\] ")
_LOGFMT_FIRST = re.compile(r"[A-Za-z_@][\w.@-]*=")
_LOGFMT_FIELD = re.compile(r'(?:^|(?<=\s))([A-Za-z_@][\w.@-]*)=(?:"((?:[^"\\]|\\.)*)"|(\S*))')
_LEVEL_FIRST = re.compile(r"(?:([A-Z]{3,9})(?:\s|\[)|([A-Za-z]{3,9}):)[\s-]*")

_ESCAPE: Final = "\x1b"
_COLOUR = re.compile(r"\x1b\[[0-9;:]{0,32}m")

_HALF_A_YEAR: Final = 184 * 86_400 * MICROSECONDS
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


def is_of_kernel(text: str) -> bool:
    """Tell whether a line begins as the kernel writes: a record, though without a time of day."""
    return _KERNEL.match(text) is not None


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
    if rest[:1].isdigit() and (request := iis(time, rest)) is not None:
        return request
    if rest.startswith("{") and (inner := parse_json(rest)) is not None:
        return inner._replace(time=time)
    return worded(time, rest)


def _slashes(text: str, _near: Instant | None) -> Parsed | None:
    match = _SLASHES.match(text)
    if match is None:
        return None
    year, month, day, clock, level = match.groups()
    time = instant(int(year), int(month), int(day), clock)
    if time is None:
        return None
    rest = text[match.end() :]
    return levelled(time, level, rest) if level else worded(time, rest)


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


def _apache_error(text: str, _near: Instant | None) -> Parsed | None:
    match = _APACHE_ERROR.match(text)
    if match is None:
        return None
    month, day, clock, year, level = match.groups()
    time = instant(int(year), MONTHS[month], int(day), clock)
    return levelled(time, level, text[match.end() :]) if time else None


def _dashed_month(text: str, _near: Instant | None) -> Parsed | None:
    match = _DASHED_MONTH.match(text)
    if match is None:
        return None
    day, month, year, clock, zone = match.groups()
    return _zoned(instant(int(year), MONTHS[month], int(day), clock, zone or ""), zone, text[match.end() :])


def _dots(text: str, _near: Instant | None) -> Parsed | None:
    match = _DOTS.match(text)
    if match is None:
        return None
    day, month, year, clock = match.groups()
    return _zoned(instant(int(year), int(month), int(day), clock), "", text[match.end() :])


def _ctime(text: str, _near: Instant | None) -> Parsed | None:
    match = _CTIME.match(text)
    if match is None:
        return None
    month, day, clock, zone, year = match.groups()
    return _zoned(instant(int(year), MONTHS[month], int(day), clock, zone or ""), zone, text[match.end() :])


def _zoned(time: Instant | None, zone: str | None, rest: str) -> Parsed | None:
    """Return a record; one in a zone that has no fixed offset is a record all the same, without a time."""
    return worded(time, rest) if time or offset_seconds(zone or "") is None else None


def _jul(text: str, _near: Instant | None) -> Parsed | None:
    match = _JUL.match(text)
    if match is None:
        return None
    month, day, year, hour, clock, half = match.groups()
    hours = int(hour) % 12 + (12 if half == "PM" else 0)
    time = instant(int(year), MONTHS[month], int(day), f"{hours:02d}{clock}")
    return worded(time, text[match.end() :]) if time else None


def _ruby(text: str, _near: Instant | None) -> Parsed | None:
    match = _RUBY.match(text)
    if match is None:
        return None
    year, month, day, clock, level = match.groups()
    time = instant(int(year), int(month), int(day), clock)
    return levelled(time, level, text[match.end() :]) if time else None


def _padded(text: str, _near: Instant | None) -> Parsed | None:
    match = _PADDED.match(text)
    if match is None:
        return None
    year, month, day, clock = match.groups()
    time = instant(int(year), int(month), int(day), f"0{clock}")
    return worded(time, text[match.end() :]) if time else None


def _epoch(text: str, near: Instant | None) -> Parsed | None:
    match = _EPOCH.match(text)
    time = from_epoch(match.group(1)) if match else None
    if match is None or time is None:
        return None
    # A whole number may count anything: it is a time only where it lies near to the others.
    is_near = near is not None and abs(time.microseconds - near.microseconds) <= _HALF_A_YEAR
    return worded(time, text[match.end() :]) if is_near or "." in match.group(1) else None


def _clock_alone(text: str, _near: Instant | None) -> Parsed | None:
    """Read a line with a time of day and a level: without its date the time is none, but it is a record."""
    match = _CLOCK_ALONE.match(text)
    found = worded(None, text[match.end() :]) if match else None
    return found if found and found.level else None


def _bracket_first(text: str, _near: Instant | None) -> Parsed | None:
    match = _BRACKET_FIRST.match(text)
    if match is None or severity_of_word(match.group(1)) is None:
        return None
    return levelled(None, match.group(1), text[match.end() :])


def _kernel(text: str, _near: Instant | None) -> Parsed | None:
    """Read a line of the kernel: when the machine started is not known, so that it has no time."""
    match = _KERNEL.match(text)
    return worded(None, text[match.end() :]) if match else None


def _syslog_5424(text: str, _near: Instant | None) -> Parsed | None:
    match = _SYSLOG_5424.match(text)
    if match is None:
        return None
    priority, stamp, _host, application = match.groups()
    level, severity = f"<{priority}>", severity_of_priority(int(priority))
    message = f"{application}: {text[match.end() :]}"
    return Parsed(from_iso(stamp), level, severity, message, outcome_of(message))


def _syslog_3164(text: str, near: Instant | None) -> Parsed | None:
    match = _SYSLOG_3164.match(text)
    if match is None:
        return None
    priority, month, day, clock = match.groups()
    time = _nearest_year(near, MONTHS[month], int(day), clock)
    # The host's name says nothing about the message.
    message = text[match.end() :].partition(" ")[2]
    _, mark, rest = message.partition("]: ")
    if mark and (request := haproxy(rest, near)) is not None:
        return request
    found = worded(time, message)
    if not priority:
        return found
    return found._replace(level=f"<{priority}>", severity=severity_of_priority(int(priority)))


def _klog(text: str, near: Instant | None) -> Parsed | None:
    match = _KLOG.match(text)
    if match is None:
        return None
    letter, year, month, day, clock = match.groups()
    message = text[match.end() :]
    dated = instant(int(year), int(month), int(day), clock) if year else None
    time = dated or _nearest_year(near, int(month), int(day), clock)
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


def _level_first(text: str, near: Instant | None) -> Parsed | None:
    behind = _TIME_BEHIND.match(text)
    if behind is not None and severity_of_word(behind.group(1)) is not None:
        found = _iso(text[behind.end() :], near)
        if found is not None:
            return levelled(found.time, behind.group(1), found.message)
    match = _LEVEL_FIRST.match(text)
    word = "" if match is None else match.group(1) or match.group(2)
    if match is None or severity_of_word(word) is None:
        return None
    return levelled(None, word, text[match.end() :])


def _json(text: str, _near: Instant | None) -> Parsed | None:
    return parse_json(text)


def _nearest_year(near: Instant | None, month: int, day: int, clock: str) -> Instant | None:
    if near is None:
        return None
    year = int(near.text[:4])
    dated = [found for y in (year - 1, year, year + 1) if (found := instant(y, month, day, clock))]
    # February 29 may be years away, and then it is none.
    close = [found for found in dated if abs(found.microseconds - near.microseconds) <= _HALF_A_YEAR]
    return min(close, key=lambda found: abs(found.microseconds - near.microseconds), default=None)


_DIGIT_FIRST: Final = (
    _iso, _slashes, _redis, access, cloudfront, _dashed_month, haproxy, _padded, _epoch, _dots, _clock_alone,
)  # fmt: skip
_OTHER_FIRST: Final[tuple[Format, ...]] = (
    _klog, _syslog_3164, _level_first, _logfmt, access, balancer, _ctime, _jul, _ruby, haproxy,
)  # fmt: skip
_BY_FIRST: Final[dict[str, tuple[Format, ...]]] = {
    **dict.fromkeys("0123456789", _DIGIT_FIRST),
    "{": (_json,),
    "[": (_iso, _apache_error, _dashed_month, _ctime, _kernel, _bracket_first),
    "<": (_syslog_5424, _syslog_3164),
    " ": (),
    "\t": (),
    "": (),
}
