"""Words of names and texts, and how numbers, instants and quotations are written in a statement."""

import json
import math
import re
from datetime import UTC, datetime
from itertools import groupby

from services.common.evidence.matching import hides
from services.common.evidence.redacted import citable_parts, holds_marker
from services.executor.analyst.reading.stated import stated_by

# Who calls another writes where that is. Balancers write so of their own requests, too, but in quotes.
_METHODS = "(?:GET|HEAD|POST|PUT|DELETE|PATCH|OPTIONS)"
_OWN_CALL = re.compile(rf'(?<![\w"]){_METHODS} https?://|https?://[^\s"]{{1,256}} "{_METHODS} ')
_WORD = re.compile(r"[a-z]+|[0-9]+")
_CAMEL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")
# What a terminal obeys and does not show: colours and moves; titles and the like with all their text.
_TERMINAL = re.compile("\x1b(?:\\[[0-9;?]*[ -/]*[@-~]|\\][^\x07\x1b]*(?:\x07|\x1b\\\\)?)")
_MAX_QUOTE = 160
# Shorter pieces say nothing, and the gate refuses to match them.
_MIN_QUOTE = 4
# A clause of fewer characters says too little to stop at.
_MIN_CLAUSE = 24
_SIGNIFICANT_DIGITS = 4
# Where a message ends and the request's own data begin.
# Each part begins where nothing of it lies before, so that a long run is looked through once.
_PAIRS = re.compile(r'(?:,\s*+[\w-]++: |(?:(?<![\s,])[\s,]++)?(?<![\w.-])[\w.-]++=)"')
# What a field of an error is called, and in a line of fields with names how it is written.
_ERROR_KEYS = ("error", "err", "exception", "error.message")
_ERROR_FIELD = re.compile(r'(?<!\S)(?:error|err|exception)=(?:"((?:[^"\\]|\\.)*+)"|(\S++))')
_MESSAGE_KEYS = ("msg", "message", "event", "error", "err", "exception", "exc")


def words_of(text: str) -> frozenset[str]:
    """Return the lower-case words and numbers of a name or sentence."""
    return frozenset(_WORD.findall(_CAMEL.sub(" ", text).lower()))


def verb_of_status(line: str) -> str:
    """Say what a log tells of a request with a status: that its owner answered, or what it was answered."""
    return "logged" if _OWN_CALL.search(line) else "answered"


def vocabulary(words: str) -> frozenset[str]:
    """Return the words of a list that is written as text."""
    return frozenset(words.split())


_RESOURCE_FAULTS = (
    ("connections.exhausted", vocabulary("connection connections clients backends sessions")),
    ("memory.exhausted", vocabulary("memory mem heap rss")),
    ("disk.exhausted", vocabulary("disk filesystem storage volume inodes")),
    ("cpu.exhausted", vocabulary("cpu cores")),
)


def resource_fault(name: str) -> str:
    """Return which resource ran out by what its limit or its usage is called."""
    words = words_of(name)
    return next((fault for fault, signs in _RESOURCE_FAULTS if words & signs), "resource.exhausted")


def seconds_of(instant: str) -> float | None:
    """Return an RFC 3339 instant as seconds since the epoch; None for anything else."""
    try:
        moment = datetime.fromisoformat(_microseconds(instant))
    except ValueError:
        return None
    return moment.timestamp() if moment.tzinfo else None


def instant_text(seconds: float) -> str:
    """Write seconds since the epoch as RFC 3339 in UTC with milliseconds, as a tool argument."""
    moment = datetime.fromtimestamp(seconds, UTC)
    return moment.isoformat(timespec="milliseconds").replace("+00:00", "Z")


def show_instant(instant: str) -> str:
    """Write an RFC 3339 instant in UTC at the precision of a second; the rest is cut off, not rounded."""
    seconds = seconds_of(instant)
    if seconds is None:
        return instant
    moment = datetime.fromtimestamp(math.floor(seconds), UTC)
    return moment.isoformat(timespec="seconds").replace("+00:00", "Z")


def show_number(token: str) -> str:
    """Write a number token for a reader: whole numbers as they are, others with four significant digits.

    What has a fraction keeps a decimal: written as a whole number it would be another one, and exact.
    """
    try:
        value = float(token)
    except ValueError:
        return token
    if not math.isfinite(value):
        return token
    if value.is_integer() and abs(value) < 1e15:
        return str(int(value))
    decimals = _SIGNIFICANT_DIGITS - 1 - math.floor(math.log10(abs(value)))
    whole, _, fraction = f"{value:.{max(1, min(12, decimals))}f}".partition(".")
    return f"{whole}.{fraction.rstrip('0') or '0'}"


def quotation(text: str, level: str = "") -> str:
    """Return the telling part of a log line: literal, at most 160 characters.

    For a JSON line it is the message, for a text line what follows the level; empty when nothing tells. Inner
    quotations stay where they stand as they are, in pairs, so that what follows them is not lost; else it is
    the piece between double quotes that states a mechanism, or the first one that tells something.
    """
    for candidate in _candidates(text, level):
        whole = _with_inner_quotations(candidate)
        if whole and whole in text:
            return whole
        pieces = [piece for clean in clean_pieces(candidate) for piece in re.split(r'\\?"', clean)]
        last = len(pieces) - 1
        cut = [_trim(piece if index == last else _whole_clauses(piece)) for index, piece in enumerate(pieces)]
        telling = [shown for shown in cut if _tells(shown) and shown in text]
        if telling:
            return next((shown for shown in telling if stated_by(shown)), telling[0])
    return ""


def error_of(text: str) -> str:
    """Return the telling part of what a field of a line names as its error, literally; empty without one.

    Who passes an error on puts words before it, so that of pieces between quotations the last one tells.
    """
    for error in _errors(text):
        runs = (run for clean in clean_pieces(error) for run in re.split(r'\\?"|\n', clean))
        pieces = [_trim(begun(run)) for run in runs]
        telling = [piece for piece in pieces if _tells(piece) and piece in text]
        if telling:
            return next((piece for piece in telling if stated_by(piece)), telling[-1])
    return ""


def mechanism_clause(text: str) -> str:
    """Return the clause of a line that states a mechanism, without what other clauses and quotations add."""
    text = next((part for part in clean_pieces(text) if stated_by(part)), "")
    stated = stated_by(text)
    if stated is None:
        return ""
    before = re.split(r': |; |, |\\?"', text[: stated.start])[-1]
    after = re.split(r': |; |, |\\?"', text[stated.end :])[0]
    return _trim(begun(before) + text[stated.start : stated.end] + after)


def begun(text: str) -> str:
    """Leave out what only closes something before a text: the end of a bracket, a comma."""
    return text.lstrip(" ])}>:;,")


def clean_pieces(text: str) -> list[str]:
    """Split a text at what cannot be cited.

    That is what hides or reorders what a person sees, terminal codes included, and what stands for a secret.
    """
    shown = (piece for part in citable_parts(text) for piece in _TERMINAL.split(part))
    runs = (run for piece in shown for run in groupby(piece, key=hides))
    return ["".join(run) for hidden, run in runs if not hidden]


def details(text: str) -> list[str]:
    """Return literal parts of a line that another system may have said first."""
    pieces = (piece for part in citable_parts(text) for piece in re.split(r'\\?"|: ', part))
    return [
        piece.strip() for piece in pieces if len(piece.strip()) >= 2 * _MIN_QUOTE and " " in piece.strip()
    ]


def _microseconds(instant: str) -> str:
    """Cut fractions of a second to what `datetime` holds."""
    return re.sub(r"(\.\d{6})\d+", r"\1", instant)


def _candidates(text: str, level: str) -> list[str]:
    if text.lstrip().startswith("{"):
        return _json_messages(text)
    pieces = clean_pieces(text)
    for index, piece in enumerate(pieces):
        found = re.search(rf"\b{re.escape(level)}\b", piece, re.IGNORECASE) if level else None
        if found is not None:
            return [*_behind(piece, found), *pieces[index + 1 :]]
    return pieces


def _behind(piece: str, level: re.Match[str]) -> list[str]:
    # What stands between the level and the first word are brackets, process numbers and the like.
    rest = piece[level.end() :]
    start = re.search(r"(?:^|[\s\]])(?=[A-Za-z])", rest)
    lead = piece[level.start() :] if rest.startswith(": ") else rest[start.end() :] if start else rest
    return [lead, rest]


def _errors(text: str) -> list[str]:
    if not text.lstrip().startswith("{"):
        return [quoted or bare for quoted, bare in _ERROR_FIELD.findall(text)]
    record = _json_object(text)
    values = [record.get(key) for key in _ERROR_KEYS]
    values = [each.get("message") if isinstance(each, dict) else each for each in values]
    return [value for value in values if isinstance(value, str)]


def _json_object(text: str) -> dict[str, object]:
    try:
        record = json.loads(text)
    except (ValueError, RecursionError):
        return {}
    return record if isinstance(record, dict) else {}


def _json_messages(text: str) -> list[str]:
    record = _json_object(text)
    values = (record.get(key) for key in _MESSAGE_KEYS)
    return [value for value in values if isinstance(value, str)]


def _whole_clauses(piece: str) -> str:
    """Cut a piece that an inner quotation ends back to its last whole clause, if that still says enough."""
    piece = piece.rstrip(" :,;")
    clauses = re.split(r"(?:: |, |; )", piece)
    kept = piece[: len(piece) - len(clauses[-1])].rstrip(" :,;")
    return kept if len(kept) >= _MIN_CLAUSE else piece


def _tells(piece: str) -> bool:
    return len(piece) >= _MIN_QUOTE and re.search(r"[A-Za-z]{3}", piece) is not None


def _with_inner_quotations(candidate: str) -> str:
    """Return a text with the quotations in it, up to where `name: "value"` pairs follow; empty without any.

    What is cut at its length, hides characters or holds curly marks cannot be shown between curly marks.
    """
    shown = _trim(_PAIRS.split(candidate, maxsplit=1)[0])
    marks = shown.count('"')
    if marks == 0 or marks % 2 or hides(shown) or holds_marker(shown):
        return ""
    return "" if re.search(r'[“”]|\\"', shown) or not _tells(shown.split('"')[0]) else shown


def _trim(piece: str) -> str:
    shown = piece.strip()
    if len(shown) > _MAX_QUOTE:
        shown = shown[:_MAX_QUOTE].rsplit(" ", 1)[0]
    # A cut-off "key: " at the end belongs to the quotation that follows it.
    return re.sub(r"(?:,\s*)?\b[\w-]+[:=]\s*$", "", shown).rstrip(" ,;:([")
