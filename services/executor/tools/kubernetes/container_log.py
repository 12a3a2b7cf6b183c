"""The lines of a container's log that tell why it failed, or what took long, however long the log is."""

import re
from collections import deque
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Final, NamedTuple

from services.common.evidence.overcome import is_overcome
from services.executor.sources.kubernetes.container_logs import is_marker
from services.executor.tools.kubernetes.signs import MAX_MESSAGE

# What a line states, in the words of runtimes, shells and clients. The first that a line holds counts.
_FAULTS: Final = tuple(
    (fault, re.compile(words, re.IGNORECASE))
    for fault, words in (
        (
            "config.env_missing",
            (
                r"variables? \S+ (?:is|are|was|not) (?:undefined|missing|unset|empty|required|not set|set)"
                r"|missing (?:required )?(?:environment|env|config)"
                r"|\benv\S* .{0,80}(?:not set|must be set|is required|undefined)"
                # Only settings of the environment are called so.
                r"|(?-i:\b[A-Z][A-Z0-9]*_[A-Z0-9_]+\b)['\"`]? "
                r"(?:must be set|(?:is|was) (?:required|not set|missing|undefined|empty))"
            ),
        ),
        (
            "dns.unresolved",
            (
                r"could not resolve|couldn't resolve|failed to resolve|name or service not known|no such host"
                r"|failure in name resolution|NameResolutionError|ENOTFOUND|EAI_AGAIN|UnknownHostException"
                r"|bad address|server can't find|host not found|could not translate host name"
                r"|nodename nor servname"
                r"|\blookup \S{1,253}(?: on \S{1,64})?: (?:(?:read|dial) udp|i/o timeout|server misbehaving)"
            ),
        ),
        (
            "rbac.forbidden",
            r"is forbidden: User |\bcannot (?:get|list|watch|create|update|patch|delete) resource",
        ),
        (
            "dependency.auth_failed",
            (
                r"authentication failed|access denied for user|invalid (?:credentials|password|api key)"
                r"|\bNOAUTH\b|\bWRONGPASS\b|login failed for user|ACCESS_REFUSED|InvalidClientTokenId"
                r"|SignatureDoesNotMatch|ExpiredToken"
            ),
        ),
        (
            "certificate.expired",
            r"certificate (?:has |is )?expired|certificate is not yet valid|CERT_HAS_EXPIRED",
        ),
        (
            "certificate.untrusted",
            (
                r"signed by unknown authority|self[- ]signed certificate|unable to get (?:local )?issuer cert"
                r"|PKIX path building failed|UNABLE_TO_VERIFY_LEAF_SIGNATURE|DEPTH_ZERO_SELF_SIGNED_CERT"
            ),
        ),
        (
            "certificate.name_mismatch",
            (
                r"certificate is (?:not )?valid for .{1,300}, not |ERR_TLS_CERT_ALTNAME_INVALID"
                r"|certificate is not valid for (?:any names|')|Hostname mismatch, certificate"
                r"|cannot validate certificate for .{1,200} because it doesn't contain"
            ),
        ),
        (
            "tls.secret_missing",
            r"X\.509 certificate: no object matching key|SSL certificate .{1,200} not found",
        ),
        (
            "connections.exhausted",
            (
                r"too many (?:clients|connections)|remaining connection slots"
                r"|connection pool (?:exhausted|is full)|QueuePool limit of"
            ),
        ),
        ("dependency.rate_limited", r"too many requests|rate limit(?:ed| exceeded)|RateLimitError"),
        (
            "dependency.read_only",
            (
                r"\bREADONLY You can't write|\bMISCONF (?:\w+ is configured|Errors writing)"
                r"|\bNOREPLICAS Not enough\b|\bNotWritablePrimary\b"
                r"|\bcannot execute (?:\w+ ){1,4}in a read[- ]only transaction"
                r"|blocked by\b.{0,200}\b(?:index read-only|read[-_]only[-_]allow[-_]delete)\b"
                r"|running with the --(?:super-)?read-only option so it cannot"
                r"|OOM command not allowed|used memory > 'maxmemory'|could not extend file"
            ),
        ),
        ("cluster.partitioned", r"running_partitioned_network|network partition|split[- ]brain"),
        (
            "dependency.unreachable",
            (
                r"connection refused|ECONNREFUSED|no route to host|network is unreachable|could not connect"
                r"|failed to connect|unable to connect|can't connect|cannot connect|connection timed out"
                r"|i/o timeout|connect timeout|no available connection|host\(s\) tried|ETIMEDOUT"
                r"|connection error|max retries exceeded|no brokers? available|NoBrokersAvailable"
            ),
        ),
        ("memory.exhausted", r"out of memory|OutOfMemoryError|cannot allocate memory|heap out of memory"),
        ("disk.exhausted", r"no space left on device|ENOSPC|disk quota exceeded"),
        ("image.wrong_platform", r"exec format error"),
        ("container.port_taken", r"address already in use|EADDRINUSE"),
        (
            "container.command_error",
            (
                r"syntax error|command not found|unrecognized (?:option|arguments?)"
                r"|unknown (?:flag|option)|invalid option"
            ),
        ),
        (
            "clock.skewed",
            r"clock[ -]?skew|RequestTimeTooSkewed|\b(?:used|valid) before .{0,20}issued|issued in the future",
        ),
        ("container.read_only", r"read-only file ?system|\bEROFS\b"),
        (
            "config.invalid",
            (
                r"(?:cannot|could not|couldn't|can't|failed to|unable to) (?:parse|load|read) .{0,40}config"
                r"|error (?:parsing|loading|reading) .{0,40}config"
                r"|config\w{0,40}\W{1,3}(?:file )?contains errors|\binvalid .{0,40}config"
                r"|config\w{0,40} (?:is invalid|(?:validation )?error)|unknown directive"
                r"|\[config\].{1,200}(?:missing|unknown|invalid)"
            ),
        ),
        (
            "container.file_missing",
            (
                r"no such file or directory|can't open file|cannot find module|no module named"
                r"|could not find or load main class"
                r"|(?:open|read|access|execute|create|write|mkdir|chown)\b.{1,200}permission denied"
            ),
        ),
        (
            "code.exception",
            r"traceback|\bpanic:|\bexception\b|\w(?:Error|Exception)\b|segmentation fault",
        ),
        (
            "container.failure_logged",
            (
                r"\bfatal\b|\bemerg\b|\berr(?:or)?\b|\bfailed\b|\bfailure\b|\bcritical\b|\bundefined\b"
                r"|\baborted\b|^[EF]\d{4} \d\d:"
            ),
        ),
    )
)
_RAISED: Final = "code.exception"
_ENV_MISSING: Final = "config.env_missing"
# Below this a traceback of Python stands indented; what ends it is the error, whatever that is called.
_TRACEBACK: Final = "Traceback (most recent call last)"
# What a line says that names a failure, and no more of it.
GENERAL: Final = "container.failure_logged"
# Where the first line says what is wrong, and those behind it that it was.
_FIRST_TELLS: Final = frozenset({GENERAL, "config.invalid"})
_RAISED_ROW: Final = next((n, fault) for n, (fault, _) in enumerate(_FAULTS) if fault == _RAISED)
_ANY: Final = re.compile("|".join(pattern.pattern for _, pattern in _FAULTS), re.IGNORECASE)
_CALM: Final = re.compile(
    r"\b(?:0|no|zero|without) (?:errors?|failures?)|(?:errors?|failed|failures?)[=: ]+0\b"
    r"|\berr(?:or)?[\"']?[=: ]+[\"']?(?:nil|null|none)\b",
    re.IGNORECASE,
)
_WARNS: Final = re.compile(r"\bWARN(?:ING)?\b|\blevel\W{1,3}warn|^W\d{4} \d\d:", re.IGNORECASE)
# What callers meet now and then, all being well: no failure where it is said seldom and as routine.
_PASSING: Final = frozenset({"dns.unresolved", "dependency.rate_limited", "dependency.unreachable"})
_ROUTINE: Final = re.compile(
    r"\b(?:INFO|DEBUG|TRACE)\b|\blevel\W{1,3}(?:info|debug|trace)\b|^[ID]\d{4} \d\d:"
)
_SELDOM: Final = 4
_TOOK: Final = re.compile(
    r"(?P<what>[A-Za-z][\w /.'-]{2,60}?)\s"
    r"(?:completed|finished|took|returned|rendered|done|executed|responded)\b"
    r"[^\d\n]{0,30}(?P<number>\d{1,6}(?:\.\d{1,6})?)\s?(?P<unit>ms|milliseconds|s|sec|secs|seconds)\b",
    re.IGNORECASE,
)
_DEPENDENCY: Final = re.compile(
    r"\b(?:database|db|query|queries|sql|redis|cache|upstream|downstream|request to|call|rpc|grpc|http|api"
    r"|kafka|queue|storage|s3|disk|lock|gateway|provider|external|elasticsearch|opensearch|mongo\w*"
    r"|postgres\w*|mysql|mariadb|memcached|rabbitmq|ldap|smtp|vault|dns|select|insert|update|delete)\b",
    re.IGNORECASE,
)
# The same as a field: its unit stands in its name, or behind the number.
_MEASURED: Final = re.compile(
    r"[\s,({\[\"'](?:duration|elapsed|latency|took|time_taken|response_time|query_time)"
    r"(?:_?(?P<key>ms|millis|seconds|secs))?[\"']?\s?[=:]\s?[\"']?(?P<number>\d{1,9}(?:\.\d{1,9})?)"
    r"\s?(?P<unit>ms|milliseconds|s|sec|secs|seconds)?\b",
    re.IGNORECASE,
)
_MASKED: Final = re.compile(r"0x[0-9a-f]+|\b[0-9a-f]{8,}\b|\d+", re.IGNORECASE)
# Where a program says with whom it talks: a line before the one that says how that failed.
_OF_PEERS: Final = frozenset({"dns.unresolved", "dependency.unreachable", "dependency.auth_failed"})
_PEER: Final = re.compile(
    r"[a-z][a-z0-9+.-]{1,30}://[^\s\"']{3,253}"
    r"|\b(?:connect\w*|dial\w*|host|server|broker|endpoint|address)\b"
    r".{0,60}?[^\w:][A-Za-z][\w-]{0,62}+(?:\.[\w-]{1,63}+){0,16}+:\d{2,5}\b",
    re.IGNORECASE,
)
# Where in its code a program was when it failed: before an error of Python, below those of others.
_FRAME: Final = re.compile(r'\s*File "[^"]{1,300}", line \d+|\s+at .{1,300}:\d+\)?$|\s+/\S{1,300}\.\w+:\d+')
_IN_CODE: Final = frozenset({_RAISED, _ENV_MISSING})
_LOOK_BACK: Final = 6
_LOOK_AHEAD: Final = 8
# Failures so close together are of one moment, and the first of them led to the others.
_MOMENT_LINES: Final = 10
_SLOW_SECONDS: Final = 1.0
# A warning that is written once or twice tells little.
_OFTEN: Final = 3
_MAX_WHAT: Final = 200
_MAX_SHAPES: Final = 2000
_MAX_TEXT: Final = 2000


class Line(NamedTuple):
    """A line of a log."""

    n: int
    text: str


_NO_LINE: Final = Line(0, "")


@dataclass(slots=True)
class Shape:
    """Lines that differ in numbers only: how many, and the last of them with what stands around it."""

    fault: str
    rank: int
    count: int = 0
    first: Line = _NO_LINE
    last: Line = _NO_LINE
    position: int = 0
    """Which of the lines that hold anything the last one is."""
    peer: Line = _NO_LINE
    frame: Line = _NO_LINE

    def is_in_passing(self, lines: int) -> bool:
        """Tell whether it only mentions what callers meet, in a log of so many lines."""
        goes_on = lines - self.position > _MOMENT_LINES
        return (
            self.fault in _PASSING
            and goes_on
            and self.count <= _SELDOM
            and _ROUTINE.search(self.last.text) is not None
        )

    def add(self, line: Line, position: int, before: Iterable[Line]) -> None:
        """Take a line, with those shortly before it."""
        self.count += 1
        self.first = self.first if self.first.n else line
        self.last, self.position = line, position
        self.peer = self.frame = _NO_LINE
        for each in before:
            if self.fault in _OF_PEERS and not _PEER.search(line.text) and _PEER.search(each.text):
                self.peer = each
            if self.fault in _IN_CODE and _FRAME.match(each.text) and "<frozen" not in each.text:
                self.frame = each

    def follow(self, line: Line, position: int) -> None:
        """Look at a line that follows: it may tell where the program was."""
        near = position - self.position <= _LOOK_AHEAD
        if near and self.fault in _IN_CODE and not self.frame.n and _FRAME.match(line.text):
            self.frame = line


@dataclass(slots=True)
class Slow:
    """Lines that tell how long one operation took, in seconds: the shortest and the longest."""

    count: int = 0
    slow: int = 0
    """How many of them took a second or more."""
    shortest: tuple[float, Line] = (0.0, _NO_LINE)
    longest: tuple[float, Line] = (0.0, _NO_LINE)

    def add(self, seconds: float, line: Line) -> None:
        """Take a line."""
        self.shortest = min(self.shortest, (seconds, line)) if self.count else (seconds, line)
        self.longest = max(self.longest, (seconds, line)) if self.count else (seconds, line)
        self.count += 1
        self.slow += seconds >= _SLOW_SECONDS


@dataclass(slots=True)
class Summary:
    """What a log holds: its lines counted, failures by their shape, operations by what they are called."""

    lines: int = 0
    last: Line = _NO_LINE
    failures: dict[str, Shape] = field(default_factory=dict)
    slow: dict[str, Slow] = field(default_factory=dict)
    warnings: dict[str, Shape] = field(default_factory=dict)

    def decisive(self) -> Shape | None:
        """Return the failure that tells most: the most particular fault, then what came last.

        Of some, such as those that only say that they are failures, the first of the last moment counts.
        """
        told = [shape for shape in self.failures.values() if not shape.is_in_passing(self.lines)]
        found = min(told, key=lambda shape: (shape.rank, -shape.last.n), default=None)
        if found is None or found.fault not in _FIRST_TELLS:
            return found
        moment = [
            shape
            for shape in told
            if shape.rank == found.rank and found.position - shape.position <= _MOMENT_LINES
        ]
        return min(moment, key=lambda shape: shape.position)

    def warning(self) -> Shape | None:
        """Return the warning that was written most often: it may be all that a log without failures tells."""
        often = [shape for shape in self.warnings.values() if shape.count >= _OFTEN]
        return max(often, key=lambda shape: shape.count, default=None)

    def slowest(self) -> tuple[str, Slow] | None:
        """Return the operation that took a second or more; one on something else before the program's own."""
        found = [(what, slow) for what, slow in self.slow.items() if slow.longest[0] >= _SLOW_SECONDS]
        return min(found, key=lambda each: (not is_on_dependency(each[0]), -each[1].longest[0]), default=None)


def is_on_dependency(what: str) -> bool:
    """Tell whether an operation is, by its name, done by something else that the program calls."""
    return _DEPENDENCY.search(what.replace("_", " ")) is not None


def summarize(lines: Iterable[tuple[int, str]]) -> Summary:
    """Read a log once; memory is bounded by the number of shapes."""
    made = Summary()
    before: deque[Line] = deque(maxlen=_LOOK_BACK)
    failure: Shape | None = None
    traced = False
    for n, text in lines:
        if not text.strip() or is_marker(text):
            continue
        made.lines += 1
        made.last = line = Line(n, text[:_MAX_TEXT])
        if failure is not None:
            failure.follow(line, made.lines)
        raised = traced and not line.text[0].isspace()
        if raised or _states_failure(line.text):
            failure = _take_failure(made, line, before)
        elif match := _TOOK.search(line.text):
            _take_duration(made, match["what"], match, line)
        elif match := _MEASURED.search(line.text):
            _take_duration(made, line.text[: match.start()], match, line)
        elif _WARNS.search(line.text):
            _take_warning(made, line)
        traced = _TRACEBACK in line.text or (traced and not raised)
        before.append(line)
    return made


def _states_failure(text: str) -> bool:
    if _CALM.search(text) or _FRAME.match(text):
        return False
    return _ANY.search(text) is not None and not is_overcome(text)


def fault_of_line(text: str) -> str:
    """Return the fault that a line of a log states; empty where it states none."""
    return next((fault for fault, pattern in _FAULTS if pattern.search(text[:MAX_MESSAGE])), "")


def _take_failure(made: Summary, line: Line, before: Iterable[Line]) -> Shape | None:
    stated = ((n, fault) for n, (fault, pattern) in enumerate(_FAULTS) if pattern.search(line.text))
    # What ends a traceback may hold no word that is known.
    rank, fault = next(stated, _RAISED_ROW)
    if fault == _RAISED and "KeyError" in line.text and any("environ" in each.text for each in before):
        rank, fault = next((n, each) for n, (each, _) in enumerate(_FAULTS) if each == _ENV_MISSING)
    key = _MASKED.sub("#", line.text)
    if key not in made.failures:
        if len(made.failures) >= _MAX_SHAPES:
            return None
        made.failures[key] = Shape(fault, rank)
    made.failures[key].add(line, made.lines, before)
    return made.failures[key]


def _take_warning(made: Summary, line: Line) -> None:
    key = _MASKED.sub("#", line.text)
    if key in made.warnings or len(made.warnings) < _MAX_SHAPES:
        made.warnings.setdefault(key, Shape("", len(_FAULTS))).add(line, made.lines, ())


def _take_duration(made: Summary, what: str, match: re.Match[str], line: Line) -> None:
    unit = match["unit"] or match.groupdict().get("key") or ""
    if not unit:
        return
    seconds = float(match["number"]) / (1000.0 if unit.lower().startswith("m") else 1.0)
    what = _MASKED.sub("#", what.strip()[-_MAX_WHAT:])
    if what in made.slow or len(made.slow) < _MAX_SHAPES:
        made.slow.setdefault(what, Slow()).add(seconds, line)
