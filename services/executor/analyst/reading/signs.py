"""What a metric or a log line is a sign of, by the words that such things are named with in this field."""

import re
from enum import Enum

from services.executor.analyst.reading.stated import tells_client_gone
from services.executor.analyst.reading.words import vocabulary, words_of


class Sign(Enum):
    """What a series that left its level tells, most telling first."""

    DOWN = "down"
    ERROR = "error"
    LOCK = "lock"
    LATENCY = "latency"
    QUEUE = "queue"
    TRAFFIC = "traffic"
    LEVEL = "level"
    IDENTITY = "identity"
    """It says which version or revision is there, and only repeats a change."""


_IDENTITY = vocabulary("version revision generation build info uptime boot birth")
_ERROR = vocabulary(
    """aborted deadlocks denied dropped error errors evicted evictions exceptions fail failed failure failures
    oom panics refused rejected rejections restarts rollbacks throttled timeouts"""
)
_LOCK = vocabulary("lock locks locked deadlock")
_WAIT = vocabulary("wait waiting waiters waits blocked")
_LATENCY = vocabulary("latency duration p50 p90 p95 p99 quantile response")
_QUEUE = vocabulary("backlog depth inflight inprogress lag pending queue queued waiting")
_TRAFFIC = vocabulary(
    """commits consumed delivered handled hits messages notifications processed published qps requests rps
    sent throughput tps transactions"""
)
# Work that comes in, rather than goes out: others decide how much it is.
_INCOMING = vocabulary("requests request rps qps queries calls invocations")
_OTHER_CODE = re.compile(r'\b(?:code|status|status_code)="(?!2|3)')
_FAILED_CODE = re.compile(r'\b(?:code|status|status_code)="(?:5\d\d|5xx|aborted|error|timeout)"')
_HOLDER_TEXT = re.compile(
    r"hold(?:s|ing) the lock|lock (?:is )?held by|blocked by"
    r"|blocking (?:pid|process|session|transaction|query)",
    re.IGNORECASE,
)
_EXCEPTION = re.compile(r"\bTraceback \(most recent call last\)|\b[A-Z]\w*(?:Error|Exception)\b|\bpanic: ")
_FAILING_ANSWER = re.compile(
    r"\b(?:answered|returned|responded|replied|status(?: code)?|HTTP(?:/\d(?:\.\d)?)?)\W{1,3}(?:with )?"
    r"5\d\d\b|\b50[0234] (?:Internal Server Error|Bad Gateway|Service Unavailable|Gateway Time-?out)\b",
    re.IGNORECASE,
)
# Errors of a conversation with a peer say nothing of the code that talks.
_TALK = r"(?:HTTP|Http|Connect|Timeout|TimedOut|Operational|Socket|Network|SSL|DNS|OS|IO)"
_PEER_ERROR = re.compile(rf"\b(?=[A-Z])(?:(?!{_TALK})\w)*+{_TALK}\w*+(?:(?<=Error)|(?<=Exception))")
# Neither does what a peer answered.
_PEER_ANSWER = re.compile(
    r"\b(?:answered|returned|responded|replied|status(?: code)?|HTTP(?:/\d(?:\.\d)?)?)\W{1,3}(?:with )?"
    r"[45]\d\d\b|\b[45]\d\d (?:Too Many Requests|Internal Server Error|Bad Gateway|Service Unavailable"
    r"|Gateway Time-?out)\b",
    re.IGNORECASE,
)
# Not a setting of how long to wait, which any line can show, nor that nobody waited in vain, nor a rest.
_TIMEOUT = re.compile(
    r"(?<!\bno )(?<!\bnot )(?<!\bnever )(?<!\bwithout )(?<!\bwithout a )(?<!\bidle )(?<!\bsession )"
    r"(?<!\bkeepalive )\btim(?:ed|e)[ -]?out\b"
    r"(?!=|\"?: ?\d| (?:is|was|set|changed|raised|lowered|configured)\b(?! (?:reached|exceeded|hit)\b))"
    r"|(?<!\bno )\btimeouts\b(?!=|\"?: ?\d)|\bdeadline[ _]exceeded\b|\bETIMEDOUT\b"
    r"|\b\w*Time(?:d[Oo]|o)ut(?:Error|Exception)\b",
    re.IGNORECASE,
)
# What the system says to a program that has no network itself.
_CUT_OFF = re.compile(
    r"\bnetwork is (?:unreachable|down)\b|\b(?:ENETUNREACH|ENETDOWN)\b|\blink is down\b|\bno carrier\b",
    re.IGNORECASE,
)
_CHANGE_WORDS = vocabulary(
    """config configuration deploy deployed migration migrations reload reloaded reloading restarted revision
    rollout starting started upgrade upgraded"""
)


def sign_of_metric(name: str, query: str, labels: str, *, rises: bool, value: float | None) -> Sign:
    """Tell what it means that a series moved; `value` is its extreme."""
    words = words_of(name)
    if words & _IDENTITY or "start_time" in name:
        return Sign.IDENTITY
    if "up" in words and not rises and value == 0:
        return Sign.DOWN
    if words & _ERROR or _FAILED_CODE.search(labels):
        return Sign.ERROR if rises else Sign.LEVEL
    if words & _LOCK and words_of(f"{name} {query}") & _WAIT:
        return Sign.LOCK if rises else Sign.LEVEL
    if words & _LATENCY or "histogram_quantile" in query:
        return Sign.LATENCY if rises else Sign.LEVEL
    if words & _QUEUE and not words & _LOCK:
        return Sign.QUEUE if rises else Sign.LEVEL
    return Sign.TRAFFIC if words & _TRAFFIC else Sign.LEVEL


def counts_arrivals(name: str, labels: str) -> bool:
    """Tell whether a series counts work that arrives, and not only what was refused."""
    return bool(words_of(name) & _INCOMING) and not _OTHER_CODE.search(labels)


def tells_holder(text: str) -> bool:
    """Tell whether a line states who holds a lock."""
    return bool(_HOLDER_TEXT.search(text))


def tells_exception(text: str) -> bool:
    """Tell whether a line names an error class or begins a stack trace."""
    return bool(_EXCEPTION.search(text))


def tells_failing_answer(text: str) -> bool:
    """Tell whether a line states that a peer answered with a failure of its own, not of who asked."""
    return bool(_FAILING_ANSWER.search(text))


def tells_conversation(text: str) -> bool:
    """Tell whether a line names an error of talking with a peer, or states what a peer answered."""
    return bool(_PEER_ERROR.search(text) or _PEER_ANSWER.search(text))


def tells_timeout(text: str) -> bool:
    """Tell whether a line states that somebody waited for an answer in vain."""
    return _TIMEOUT.search(text) is not None and not tells_client_gone(text)


def tells_cut_off(text: str) -> bool:
    """Tell whether a line states that its teller itself has no network."""
    return bool(_CUT_OFF.search(text))


def tells_change(text: str) -> bool:
    """Tell whether a line states that a component was started, reloaded or changed."""
    return bool(words_of(text) & _CHANGE_WORDS)
