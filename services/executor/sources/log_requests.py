"""Lines that proxies and web servers write of each request: its route, its status, how long it took."""

import re

from services.executor.sources.instants import CLOCK, MONTH, MONTHS, Instant, from_iso, instant
from services.executor.sources.log_line import Parsed, severity_of_status
from services.executor.sources.log_values import duration_of, seconds

_ACCESS = re.compile(
    rf"\S+ \S+ [^\[\"]{{0,256}}\[([0-9]{{2}})/{MONTH}/([0-9]{{4}}):{CLOCK} ([+-][0-9]{{4}})\] "
    r'"((?:[^"\\]|\\.)*)" ([0-9]{3}) (?:[0-9]+|-)'
)
# Client, accept date (of the proxy's clock, without a zone), frontend, backend and server, timers, status.
_HAPROXY = re.compile(
    rf"\S+:[0-9]+ \[([0-9]{{2}})/{MONTH}/([0-9]{{4}}):{CLOCK}\] \S+ \S[^\s/]*+/\S++ "
    r'(?:-?[0-9]+/){4}\+?([0-9]+) ([0-9]{3}) [^"]{0,512}"([^"]*)'
)
# Type, time, balancer, client, target, the three times, the statuses of balancer and target, bytes, request.
_ALB = re.compile(
    r"(?:https?|h2|grpcs|wss?) (\S+Z) \S+ \S+ \S+ (-?[0-9.]+) (-?[0-9.]+) (-?[0-9.]+) ([0-9]{3}) "
    r'\S+ [0-9]+ [0-9]+ "([^"]*)"'
)
# The fields that IIS writes unless it is told otherwise, behind date and time; the last is in milliseconds.
_IIS = re.compile(
    r"[0-9a-fA-F.:]+ ([A-Z]{3,16}) (\S+) \S+ [0-9]+ \S+ \S+ \S+(?: \S+)? "
    r"([1-5][0-9]{2}) [0-9]+ [0-9]+(?: ([0-9]+))?$"
)
# The standard log of CloudFront: fields in a fixed order between tabs, times in UTC; the 19th is in seconds.
_CLOUDFRONT = re.compile(
    r"([0-9]{4})-([0-9]{2})-([0-9]{2})\t([0-9]{2}:[0-9]{2}:[0-9]{2})\t[A-Z]{3}[A-Z0-9-]*\t[0-9]+\t\S+\t"
    r"([A-Z]{3,16})\t[^\t]*\t([^\t]+)\t([1-5][0-9]{2})\t(?:[^\t]*\t){9}([0-9.]+)"
)
_ORIGIN = re.compile(r"(?<![a-z])[a-z]++://[^/\s]*")


def without_origin(text: str) -> str:
    """Return a text without the scheme and the host of the first URL in it."""
    return _ORIGIN.sub("", text, count=1)


def access(text: str, _near: Instant | None) -> Parsed | None:
    """Read a line of the common log format or one that begins so."""
    match = _ACCESS.match(text)
    if match is None:
        return None
    day, month, year, clock, zone, request, outcome = match.groups()
    time = instant(int(year), MONTHS[month], int(day), clock, zone)
    if time is None:
        return None
    duration = duration_of(text[match.end() :], "")
    return _request(time, request, outcome, duration)


def haproxy(text: str, _near: Instant | None) -> Parsed | None:
    """Read a line of HAProxy's HTTP log, behind the head that syslog gives it."""
    match = _HAPROXY.match(text)
    if match is None:
        return None
    day, month, year, clock, took, outcome, request = match.groups()
    time = instant(int(year), MONTHS[month], int(day), clock)
    return _request(time, request, outcome, seconds(took, "ms")) if time else None


def balancer(text: str, _near: Instant | None) -> Parsed | None:
    """Read a line of an AWS application load balancer."""
    match = _ALB.match(text)
    if match is None:
        return None
    stamp, *times, outcome, request = match.groups()
    time = from_iso(stamp)
    if time is None:
        return None
    took = [seconds(each, "s") for each in times if not each.startswith("-")]
    return _request(time, without_origin(request), outcome, sum(took) if took else None)


def cloudfront(text: str, _near: Instant | None) -> Parsed | None:
    """Read a line of CloudFront's standard log."""
    match = _CLOUDFRONT.match(text)
    if match is None:
        return None
    year, month, day, clock, method, path, outcome, took = match.groups()
    time = instant(int(year), int(month), int(day), clock, "Z")
    duration = float(took) if took.replace(".", "", 1).isdigit() else None
    return _request(time, f"{method} {path}", outcome, duration) if time else None


def iis(time: Instant | None, rest: str) -> Parsed | None:
    """Read what follows date and time in a line of IIS."""
    match = _IIS.match(rest)
    if match is None:
        return None
    method, path, outcome, took = match.groups()
    return _request(time, f"{method} {path}", outcome, seconds(took, "ms") if took else None)


def _request(time: Instant | None, request: str, outcome: str, duration: float | None) -> Parsed:
    # The query belongs to the caller and the version to the client, not to the route.
    message = " ".join(request.split(" ", 2)[:2]).split("?", 1)[0]
    return Parsed(time, "", severity_of_status(outcome), message, outcome, duration)
