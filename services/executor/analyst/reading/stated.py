"""Mechanisms that a log line states in words: which fault they are, and whether the words alone prove it.

The one vocabulary of its kind: whoever asks what a line states asks here. The words are those of operating
systems, runtimes and servers in general. A mechanism is stated *outright* where the line says what happened
to whom it speaks of: a full disk, a killed process. It is not where the line only says what somebody met: a
server that refuses connections was used up by a client, a wait for a lock has a holder, a certificate
may be the other side's, and a peer that cannot be reached may be anything. A line that says that trying again
helped states nothing.
"""

import re
from dataclasses import dataclass

from services.common.evidence.overcome import is_overcome


@dataclass(frozen=True, slots=True)
class Stated:
    """A mechanism in a line; `start` and `end` are the offsets of the words that state it."""

    fault: str
    outright: bool
    start: int
    end: int
    answered: bool = False
    """Whether a store says it to whoever writes to it: its client's log holds it, too."""

    @property
    def is_of_peer(self) -> bool:
        """Tell whether it is about another one than its teller, which may only be the client."""
        return self.answered or self.fault in _OF_PEERS


UNREACHABLE = "dependency.unreachable"
UNRESOLVED = "dns.unresolved"
LIMITED = "requests.limited"
CLOCKS = "clock.skewed"
CERTIFICATE = "certificate.expired"
LOCK = "lock.contention"
READ_ONLY = "dependency.read_only"
OTHER_RESOURCE = "resource.exhausted"

# What is wrong with a peer, as the one that calls it tells.
_OF_PEERS = frozenset({UNREACHABLE, UNRESOLVED, CERTIFICATE, LIMITED})
# What keeps what is written to it.
_HOLDER = (
    r"(?:server|node|instance|database|db|cluster|table|primary|store|storage|index|broker|engine|member"
    r"|tablespace|volume)"
)
_REFUSED = r"\b(?:refused|rejected|denied|can(?:no|')t)\b"
_OF_LOCK = r"(?:(?:access|row|share|update|exclusive|advisory|table|metadata|read|write)[ -]?){0,4}lock\b"
# The first that a line holds counts. A cache that refuses writes was filled by those who write; a runtime
# that stops to look for memory everywhere is short of it, and not out of it yet.
_TABLE: tuple[tuple[str, bool, tuple[str, ...]], ...] = (
    (
        "disk.exhausted", True,
        (r"no space left on device", r"\bENOSPC\b", r"disk quota exceeded", r"\bdisk (?:is )?full\b"),
    ),
    (
        "memory.exhausted", False,
        (
            r"used memory > 'maxmemory'", r"\bOOM command not allowed", r"to-space exhausted",
            r"Pause Full \((?:G1 Compaction Pause|Allocation Failure)\)", r"Full GC \(Allocation Failure\)",
        ),
    ),
    (
        "memory.exhausted", True,
        (
            r"out of memory", r"\bOutOfMemoryError\b", r"\boom[-_ ]?kill", r"\bkilled process \d+",
            r"cannot allocate memory", r"\bENOMEM\b",
        ),
    ),
    (
        CERTIFICATE, False,
        (
            r"certificate (?:has |is )?expired", r"certificate is not yet valid",
            r"\bCERT(?:IFICATE)?_HAS_EXPIRED\b",
        ),
    ),
    (
        READ_ONLY, False,
        (
            r"\bREADONLY You can't write", r"\bMISCONF (?:\w+ is configured|Errors writing)",
            r"\bNOREPLICAS Not enough\b", r"\bNotWritablePrimary\b",
            r"\bcannot execute (?:\w+ ){1,4}in a read[- ]only transaction",
            r"blocked by\b.{0,200}\b(?:index read-only|read[-_]only[-_]allow[-_]delete)\b",
            r"running with the --(?:super-)?read-only option so it cannot",
            rf"{_REFUSED}[^\"]{{0,80}}\bread[- ]only replica\b",
            # An account or a page may be in that mode, too.
            rf"{_REFUSED}[^\"]{{0,80}}\b{_HOLDER}\b[^\"]{{0,30}}\bread[- ]only mode\b",
            r"\bwrites?\b[^\"]{0,20}\b(?:refused|rejected|denied)\b[^\"]{0,40}\bread[- ]only mode\b",
        ),
    ),
    (OTHER_RESOURCE, True, (r"too many open files", r"\bEMFILE\b")),
    (
        "connections.exhausted", False,
        (
            r"too many (?:clients|connections)", r"remaining connection slots", r"maxclients",
            r"max(?:imum)? number of clients reached", r"couldn't get a connection", r"QueuePool limit",
            r"pool (?:is )?exhausted",
        ),
    ),
    (
        LIMITED, False,
        (
            r"\b429,? too many requests", r"too many requests",
            r"rate[- ]limit(?:ed)? (?:\w+ ){0,2}(?:exceeded|reached|hit)", r"\bRateLimitExceeded\b",
            r"exceeded (?:\w+ ){0,2}rate[- ]limit", r"request was throttled",
        ),
    ),
    (OTHER_RESOURCE, False, (r"quota exceeded",)),
    (
        LOCK, False,
        (
            rf"still waiting for (?:an? |the )?{_OF_LOCK}", r"deadlock (?:detected|found)", r"lock timeout",
            r"lock wait timeout", r"could not obtain lock",
        ),
    ),
    (
        "process.down", True,
        (
            r"main process exited, code=(?:killed|dumped)", r"was terminated by signal \d+",
            r"\bsegfault at\b", r"received (?:fast|smart|immediate) shutdown request",
            r"database system is shut down", r"redis is now ready to exit", r"received shutdown from user",
        ),
    ),
    (
        CLOCKS, False,
        (
            r"system clock wrong by", r"clock skew (?:detected|exceed|too)", r"\bRequestTimeTooSkewed\b",
            r"token (?:was )?used before issued", r"\b(?:iat|nbf|issued)\b[^;]{0,40}\bin the future\b",
            r"clocks? (?:is|are) (?:out of sync|not synchroni[sz]ed)",
        ),
    ),
    (
        UNRESOLVED, False,
        (
            r"name or service not known", r"failure in name resolution", r"could not translate host name",
            r"no such host", r"\bENOTFOUND\b", r"\bEAI_AGAIN\b",
            r"\bUnknownHostException\b", r"(?:could not|couldn't|failed to) resolve (?:host|')",
            r"nodename nor servname",
            r"\blookup \S{1,253}(?: on \S{1,64})?: (?:(?:read|dial) udp|i/o timeout|server misbehaving)",
        ),
    ),
    (
        UNREACHABLE, False,
        (
            r"connection refused", r"\bECONNREFUSED\b", r"connect\(\) failed", r"no live upstreams",
            r"no route to host", r"\bEHOSTUNREACH\b", r"host is unreachable", r"connection reset",
            r"could not connect", r"connection timed out",
            r"the database system is (?:shutting down|starting up|not accepting connections)",
        ),
    ),
)  # fmt: skip
_PATTERNS = tuple((fault, sure, re.compile("|".join(words), re.IGNORECASE)) for fault, sure, words in _TABLE)
_EXHAUSTED = ".exhausted"
# How stores say, and their clients pass on, that there is no room for what somebody writes.
_ANSWER = re.compile(
    r"\bOOM command not allowed|used memory > 'maxmemory'|read[- ]only mode|could not extend file"
    r"|\bSQLSTATE\b|\bwrites? (?:\w+ )?(?:refused|rejected)\b"
    r"|\b(?:psycopg\d?|asyncpg|pgx|pq|pymysql|mysql|redis|mongo)\b[.:]"
    r"|\b(?:Mongo)?(?:Reply|Response|Server|Operational|BulkWrite)(?:Error|Exception)\b",
    re.IGNORECASE,
)
_ROOM = frozenset({"disk.exhausted", "memory.exhausted"})
# Whom a server answers went away, or said nothing more: that is about nobody whom it calls.
_CLIENT_GONE = re.compile(
    r"\bwhile (?:sending (?:\w+ )?to client|reading client request|waiting for (?:client )?request"
    r"|processing HTTP/\d connection|keepalive)\b",
    re.IGNORECASE,
)
# What a peer may do to a caller now and then, all being well: the caller tries again.
_PASSING = frozenset({LIMITED, UNRESOLVED, UNREACHABLE})


def stated_by(text: str) -> Stated | None:
    """Return the mechanism that a line states; None where it states none, or that it is overcome."""
    if is_overcome(text):
        return None
    for fault, outright, pattern in _PATTERNS:
        if found := pattern.search(text):
            if fault == UNREACHABLE and tells_client_gone(text):
                return None
            answered = fault == READ_ONLY or (fault in _ROOM and _ANSWER.search(text) is not None)
            return Stated(fault, outright, found.start(), found.end(), answered)
    return None


def tells_client_gone(text: str) -> bool:
    """Tell whether a server states that the client whom it answers is gone or says nothing more."""
    return bool(_CLIENT_GONE.search(text))


def tells_of_peer(text: str) -> bool:
    """Tell whether a line states what is wrong with another one than its teller."""
    stated = stated_by(text)
    return stated is not None and stated.is_of_peer


def may_pass(fault: str) -> bool:
    """Tell whether callers meet a fault now and then, all being well."""
    return fault in _PASSING


def is_exhaustion(fault: str) -> bool:
    """Tell whether a fault is that a bounded resource is used up."""
    return fault.endswith(_EXHAUSTED)


def tells_lock_wait(text: str) -> bool:
    """Tell whether a line states that work waits for a lock."""
    stated = stated_by(text)
    return stated is not None and stated.fault == LOCK


def tells_unreachable(text: str) -> bool:
    """Tell whether a line states that a peer could not be reached, or not even found."""
    stated = stated_by(text)
    return stated is not None and stated.fault in (UNREACHABLE, UNRESOLVED)


def tells_exhausted(text: str) -> bool:
    """Tell whether a line states that a bounded resource is used up."""
    stated = stated_by(text)
    return stated is not None and is_exhaustion(stated.fault)
