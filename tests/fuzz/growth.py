"""Whether reading a text costs more than its length: evil texts in two lengths, and the CPU that each takes.

Speed is no matter for a test that runs beside others; `make fuzz` measures it.
"""

import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from decimal import Decimal
from typing import Final

from orchestrator.intent import intent_of
from services.common.evidence import pointer
from services.common.evidence.facts import facts_of
from services.common.evidence.matching import hides
from services.common.evidence.measures import Measures, NamedText
from services.common.evidence.quantities import Dimension
from services.common.llm.repair import object_in
from services.common.redaction.redactor import Redactor
from services.common.redaction.shapes import shape_of_named
from services.common.visible import visible
from services.executor.analyst.lookup import question
from services.executor.analyst.lookup.asked import Refused
from services.executor.analyst.reading import signs, stated, words
from services.executor.analyst.wording import phrases
from services.executor.analyst.wording.cluster import telling
from services.executor.sources import log_fields, log_names, metrics_csv
from services.executor.sources.kubernetes import container_logs
from services.executor.sources.kubernetes.reader import read_objects
from services.executor.sources.log_callers import path_of
from services.executor.sources.log_formats import parse_line
from services.executor.sources.log_line import LogLine, Parsed, Severity
from services.executor.sources.log_outsiders import outsider_parts
from services.executor.sources.log_records import is_exception
from services.executor.sources.log_values import duration_of, outcome_of
from services.executor.sources.positioned_json import PositionedJson
from services.executor.sources.stop import never
from services.executor.tools.kubernetes.ages import seconds_of
from services.executor.tools.kubernetes.container_log import fault_of_line, summarize
from services.executor.tools.kubernetes.signs import MAX_MESSAGE, fault_of
from services.executor.tools.log_masks import shape_of

# Four times the length may cost four times as much, twice that on a busy machine; sixteen times is a square.
_FACTOR: Final = 4
_MAX_GROWTH: Final = 10.0
# Below this nobody waits, whatever the growth.
_FREE_SECONDS: Final = 0.02
_REPEATED: Final = (
    *("1", "a", "A", " ", '"', "'", "[", "]", "{", "(", ":", "/", "\\", "-", "_", ",", "=", ".", "@", "\t"),
    *("a.", "1.", "1,", "a-", "a:", "a@", "aB", "/a1", '\\"', "a=b ", 'a="b" ', 'a="b",', "a=", 'a="', "a: "),
    *(
        "1:",
        "12:00:",
        "2026-11-",
        "1.1.",
        "+1",
        "-1",
        "status=",
        "error: ",
        "not ",
        "what ",
        "GET /a",
        "[a] ",
    ),
    *(
        "http://",
        '"a" ',
        "'a' ",
        "<*> ",
        "\x1b]0;",
        "\x1b[",
        "; ",
        ", ",
        "a\\",
        "1e",
        "0x1",
        "1 ms ",
        "ERROR ",
    ),
    *("line 1 ", "Caused by: ", "pull ", "/v2/", "host-", "config", "OSE"),
    *('"\\', ":1", ".1", "\xe9", " ()"),
)
_ENDS: Final = ("", "!", '"', " =")


@dataclass(frozen=True)
class Reader:
    """A function of a text, and the longest text that it is ever given, in characters."""

    read: Callable[[str], object]
    chars: int
    lead: str = ""


def _labels(text: str) -> object:
    inside = text.replace('"', '""')
    return metrics_csv.read_table(f'time,"{{{inside}}}"\n')


def _measures(text: str) -> object:
    held = Measures([NamedText(text, "name")], [text])
    return [held.has_number(dimension, Decimal(-1), Decimal(1)) for dimension in Dimension]


def _path(text: str) -> object:
    return path_of(LogLine(1, text, False, Parsed(None, "", Severity.OTHER, text), False))


def _equal_keys(text: str) -> object:
    """Redact an object whose keys all become one; there are as many as the text is long, whatever it says."""
    keys = (f"ghp_{'a1B2c3D4' * 3}{number:012}" for number in range(len(text) // 8))
    return Redactor().document(dict.fromkeys(keys, ""))


def _json(text: str) -> object:
    written = text.replace("\\", "\\\\").replace('"', '\\"').replace("\t", " ").replace("\x1b", " ")
    return PositionedJson(f'["{written}"]'.encode(), max_bytes=1 << 24).elements(())


def _lookup(text: str) -> None:
    with suppress(Refused):
        question.parse(text)


def _objects(text: str) -> object:
    return list(read_objects("a", text.encode("utf-8", "replace"), 1 << 24, never))


_HAPROXY: Final = "10.0.0.1:5 [30/Nov/2026:09:05:33.123] web a"

READERS: Final[Mapping[str, Reader]] = {
    "log line": Reader(lambda text: parse_line(text, None), 8192),
    "log line behind a time": Reader(lambda text: parse_line(text, None), 8192, lead="2026-11-30T09:00:00Z "),
    "exception": Reader(is_exception, 8192),
    "outsiders' parts of a line": Reader(outsider_parts, 8192),
    "request's outsiders": Reader(
        outsider_parts, 8192, lead='10.0.0.1 - - [30/Nov/2026:09:05:33 +0000] "GET / HTTP/1.1" 200 1 "'
    ),
    "outsiders in JSON": Reader(outsider_parts, 8192, lead='{"path": '),
    "outsiders behind HAProxy": Reader(outsider_parts, 8192, lead=_HAPROXY),
    "log line of HAProxy": Reader(lambda text: parse_line(text, None), 8192, lead=_HAPROXY),
    "path of a request": Reader(_path, 8192, lead="GET "),
    "secrets of a text": Reader(Redactor().text, 1 << 15),
    "a secret written out": Reader(Redactor().text, 1 << 15, lead="kind: Secret\ndata:\n"),
    "data of a secret": Reader(Redactor().text, 1 << 15, lead="kind: Secret\ndata:"),
    "name of a secret": Reader(shape_of_named.__wrapped__, 8192),
    "equal keys": Reader(_equal_keys, 1 << 14),
    "a private key": Reader(Redactor().text, 1 << 15, lead="-----BEGIN PRIVATE KEY-----\n"),
    "shape of a message": Reader(shape_of.__wrapped__, 8192),
    "outcome of a message": Reader(outcome_of, 8192),
    "duration of a message": Reader(lambda text: duration_of(text, "500"), 8192),
    "field of a log": Reader(lambda text: log_fields.constant_component([text]), 1 << 16),
    "name of a log": Reader(log_names.unrotated, 1024),
    "labels of a table": Reader(_labels, 1 << 16),
    "JSON file": Reader(_json, 1 << 16),
    "facts": Reader(facts_of, 8192),
    "measures": Reader(_measures, 8192),
    "hides": Reader(hides, 1 << 16),
    "pointer": Reader(lambda text: pointer.tokens("/" + text.replace("~", "")), 1024),
    "intent": Reader(intent_of, 4096),
    "lookup": Reader(_lookup, question.MAX_LENGTH),
    "quotation": Reader(words.quotation, 8192),
    "mechanism clause": Reader(words.mechanism_clause, 8192),
    "error of a line": Reader(words.error_of, 8192),
    "details": Reader(words.details, 8192),
    "clean pieces": Reader(words.clean_pieces, 8192),
    "words": Reader(words.words_of, 8192),
    "verb of a status": Reader(words.verb_of_status, 8192),
    "labels of a series": Reader(phrases.telling_labels, 1 << 16),
    "stated mechanism": Reader(stated.stated_by, 8192),
    "holder": Reader(signs.tells_holder, 8192),
    "named exception": Reader(signs.tells_exception, 8192),
    "error of a peer": Reader(signs.tells_conversation, 8192),
    "answer of a model": Reader(lambda text: object_in(text, ()), 1 << 16, lead='{"a": '),
    "prose of a model": Reader(lambda text: object_in(text, ()), 1 << 16),
    "visible": Reader(visible, 1 << 16),
    "described object": Reader(_objects, 1 << 15, lead="Name: a\nA: b\nB: c\n"),
    "table of objects": Reader(_objects, 1 << 15, lead="NAME   AGE\n"),
    "objects in YAML": Reader(_objects, 1 << 15, lead="kind: "),
    "message of a cluster": Reader(lambda text: fault_of("Pod", "", text), MAX_MESSAGE, lead="pull image "),
    "message of an autoscaler": Reader(
        lambda text: fault_of("HorizontalPodAutoscaler", "", text), MAX_MESSAGE
    ),
    "line of a container": Reader(lambda text: summarize([(1, text)]), 2000, lead="variable "),
    "peer of a container": Reader(
        lambda text: summarize([(1, text), (2, text)]), 2000, lead="connection refused "
    ),
    "last message of a container": Reader(fault_of_line, 1 << 15),
    "age of an object": Reader(seconds_of, 8192),
    "name of a container's log": Reader(lambda text: container_logs.pod_of_log(text, text, ["a-0"]), 1024),
    "telling part": Reader(telling, 4096),
}


def too_much() -> Iterator[str]:
    """Yield a line for each reader and text whose cost grows faster than the text."""
    for name, reader in READERS.items():
        for unit in _REPEATED:
            for end in _ENDS:
                if line := _growth(name, reader, unit, end):
                    yield line


def _growth(name: str, reader: Reader, unit: str, end: str) -> str:
    """Describe the growth of one reader's cost on one text; empty when nobody need care."""
    seconds = _cost(reader, _text(reader, unit, end, reader.chars))
    if seconds < _FREE_SECONDS:
        return ""
    growth = seconds / max(_cost(reader, _text(reader, unit, end, reader.chars // _FACTOR)), 1e-6)
    if growth <= _MAX_GROWTH:
        return ""
    milliseconds = round(seconds * 1000)
    return f"GROWTH of {name}: {milliseconds} ms for {reader.chars} of {unit + end!a}, x{growth:.0f}"


def _text(reader: Reader, unit: str, end: str, chars: int) -> str:
    return (reader.lead + unit * chars)[: chars - len(end)] + end


def _cost(reader: Reader, text: str) -> float:
    """Return the CPU that one reading takes, in seconds: the least of two, of what other work disturbs."""
    seconds = []
    for _ in range(2):
        started = time.process_time()
        # A refusal takes its time as well.
        with suppress(ValueError, LookupError):
            reader.read(text)
        seconds.append(time.process_time() - started)
        if seconds[0] < _FREE_SECONDS:
            break
    return min(seconds)
