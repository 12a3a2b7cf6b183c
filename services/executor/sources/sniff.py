"""What a file of a bundle is: its kind, its form and the time that it spans, from a look at its content."""

import io
from collections.abc import Iterable
from dataclasses import dataclass
from typing import BinaryIO, Final

from services.common.evidence import pointer
from services.common.evidence.strict_json import Json, StrictJsonError
from services.common.evidence.strict_json import loads as strict_loads
from services.executor.sources import kinds, log_names
from services.executor.sources.directory import Listed
from services.executor.sources.encodings import LOOK_BYTES, as_utf8, is_text
from services.executor.sources.instants import Instant, from_seconds
from services.executor.sources.kinds import Form
from services.executor.sources.kubernetes.container_logs import is_container_log
from services.executor.sources.kubernetes.reader import Writing, writing_of
from services.executor.sources.log_formats import is_of_kernel
from services.executor.sources.log_json import parse_json
from services.executor.sources.log_records import log_lines, parsed_alone
from services.executor.sources.metrics import response_samples
from services.executor.sources.metrics_csv import first_time, is_table
from services.executor.sources.packed import Unpacked
from services.executor.sources.prose import is_prose
from services.executor.sources.spans import span_of, span_of_seconds
from services.executor.sources.stop import Stop, watched
from services.executor.sources.text_lines import text_lines

_ANY_TIME: Final = from_seconds(0)
_LOOK_LINES: Final = 20
_COMPRESSED_ENDINGS: Final = (".bz2", ".xz", ".zst", ".zip", ".7z", ".tar", ".tgz", ".tar.gz", ".rar")
_COMPRESSED_MAGIC: Final = (b"BZh", b"\xfd7zXZ", b"\x28\xb5\x2f\xfd", b"PK\x03\x04", b"7z\xbc\xaf")
# An end of a log is looked at in steps, until a dated line is found: most logs date every line.
_END_STEPS: Final = (4 * 1024, 16 * 1024, LOOK_BYTES)
# The end of a stream that cannot be positioned is looked for within so many bytes.
_MAX_FORWARD_BYTES: Final = 64 * 1024 * 1024
# What a bundle may hold beside its sources: the question, and what says what the bundle is.
_IGNORED_NAMES: Final = ("question.txt", "readme.md")


@dataclass(frozen=True, slots=True)
class Source:
    """One file of a bundle. `problem` says why it cannot be read; `path` leads to its list of elements."""

    name: str
    kind: str
    form: Form
    size_bytes: int
    path: tuple[str, ...] = ()
    owner: str = ""
    first_time: Instant | None = None
    last_time: Instant | None = None
    problem: str = ""

    @property
    def available(self) -> bool:
        """Tell whether the source can be read."""
        return not self.problem

    @property
    def zone_assumed(self) -> bool:
        """Tell whether times of the source state no zone, so that they are read as UTC."""
        return any(time.zone_assumed for time in (self.first_time, self.last_time) if time is not None)


def is_ignored(name: str) -> bool:
    """Tell whether a file is no source by its name."""
    return name.lower() in _IGNORED_NAMES


def may_be_structured(name: str) -> bool:
    """Tell whether a file is to be read as one JSON text."""
    return log_names.unpacked(name.lower()).endswith(".json") and not _lies_in_logs(name)


def unreadable(item: Listed, problem: str) -> Source:
    """Return the inventory entry of a file that cannot be read."""
    return Source(item.name, kinds.kind_by_name(item.name), Form.TEXT, item.size_bytes, problem=problem)


def structured(item: Listed, data: bytes, max_bytes: int, stop: Stop) -> Source:
    """Return the entry of a file that should be one JSON text; one JSON object per line makes it a log."""
    try:
        value = strict_loads(data.removeprefix(b"\xef\xbb\xbf"), max_bytes=max_bytes)
    except StrictJsonError as error:
        if _is_json_lines(data):
            return Source(item.name, kinds.LOG, Form.TEXT, item.size_bytes)
        return unreadable(item, f"it is not readable JSON: {error}")
    shape = kinds.shape_of(value, item.name)
    if shape is None:
        return unreadable(item, "its content is of no kind that a tool reads")
    first, last = _structured_times(value, shape, stop)
    return Source(
        item.name,
        shape.kind,
        shape.form,
        item.size_bytes,
        path=shape.path,
        first_time=first,
        last_time=last,
    )


def text(item: Listed, file: io.BufferedReader) -> Source:
    """Return the entry of a file that is no JSON text."""
    head, problem = _look(item.name, file)
    if problem:
        return unreadable(item, problem)
    lines = head.decode("utf-8", "replace").removeprefix("\ufeff").splitlines()[:_LOOK_LINES]
    if is_prose(item.name, []):
        return Source(item.name, kinds.RUNBOOK, Form.PROSE, item.size_bytes)
    if lines and log_names.unpacked(item.name.lower()).endswith((".csv", ".tsv")) and is_table(lines[0]):
        return Source(item.name, kinds.METRIC, Form.TABLE, item.size_bytes, first_time=first_time(lines))
    if writing_of(lines) is Writing.DRAIN:
        return Source(item.name, kinds.KUBERNETES, Form.OBJECTS, item.size_bytes)
    if _lies_in_logs(item.name) or log_names.is_log(item.name) or is_container_log(lines):
        return Source(item.name, kinds.LOG, Form.TEXT, item.size_bytes)
    if writing_of(lines) is not None:
        return Source(item.name, kinds.KUBERNETES, Form.OBJECTS, item.size_bytes)
    if _looks_timed(lines):
        return Source(item.name, kinds.LOG, Form.TEXT, item.size_bytes)
    if is_prose(item.name, lines):
        return Source(item.name, kinds.RUNBOOK, Form.PROSE, item.size_bytes)
    return unreadable(item, "its content is of no kind that a tool reads")


def log_ends(file: io.BufferedReader) -> tuple[bytes, bytes]:
    """Return a log's first and last 64 KiB as UTF-8; of a short one they overlap.

    The last ones of a long compressed log are empty: it is not read through for them.
    """
    stream = as_utf8(Unpacked(file).stream)
    head = stream.read(LOOK_BYTES)
    return head, _end_of(stream, head)


def log_times(
    head: bytes, tail: bytes, near: Instant | None, stop: Stop
) -> tuple[Instant | None, Instant | None]:
    """Return the earliest and latest instant of a log's ends; logs are written in order.

    A time far from the others at its end is set aside: a clock that was not yet set, or a date in a message.
    """
    first = next((found for size in _END_STEPS if (found := _times(head[:size], near, stop))), [])
    last: list[Instant] = []
    for size in _END_STEPS:
        part = tail[-size:]
        last = last or _times(part.partition(b"\n")[2] if len(part) == size else part, near, stop)
    return min(span_of(first) + span_of(last), default=None), max(span_of(last), default=None)


def sample_times(samples: Iterable[tuple[float, str]]) -> tuple[Instant | None, Instant | None]:
    """Return the earliest and latest instant of samples."""
    return span_of_seconds([sample[0] for sample in samples])


def _times(data: bytes, near: Instant | None, stop: Stop) -> list[Instant]:
    lines = log_lines(text_lines(io.BytesIO(data), stop, max_bytes=len(data)), near)
    return [line.parsed.time for line in lines if line.parsed.time is not None]


def _structured_times(value: Json, shape: kinds.Shape, stop: Stop) -> tuple[Instant | None, Instant | None]:
    if shape.form in (Form.INDEX, Form.TOPOLOGY, Form.OBJECTS):
        return None, None
    elements = pointer.walk(value, shape.path)[-1]
    if not isinstance(elements, list):
        return None, None
    if shape.form is Form.RESPONSE:
        return sample_times(
            sample for element in watched(elements, stop.check) for sample in response_samples(element)
        )
    found = span_of([time for each in watched(elements, stop.check) for time in kinds.instants_of(each)])
    return min(found, default=None), max(found, default=None)


def _lies_in_logs(name: str) -> bool:
    return "logs" in name.lower().split("/")[:-1]


def _is_json_lines(data: bytes) -> bool:
    first = [line for line in data[:LOOK_BYTES].split(b"\n", 3)[:2] if line.strip()]
    return len(first) > 1 and all(parse_json(line.decode("utf-8", "replace")) for line in first)


def _look(name: str, file: io.BufferedReader) -> tuple[bytes, str]:
    """Return a file's first block as UTF-8, or why it cannot be read."""
    if name.lower().endswith(_COMPRESSED_ENDINGS) or file.peek(8).startswith(_COMPRESSED_MAGIC):
        return b"", "of packed files gzip and zip can be read, but no archive within another; unpack it"
    packed = Unpacked(file)
    head = as_utf8(packed.stream).read(LOOK_BYTES)
    if packed.cut and not head:
        return b"", packed.cut
    return head, "" if is_text(head) else "it is not text"


def _end_of(stream: BinaryIO, head: bytes) -> bytes:
    """Return the last block of a stream that was read for its first one; empty when that is too far away."""
    if stream.seekable():
        size = stream.seek(0, io.SEEK_END)
        stream.seek(max(0, size - LOOK_BYTES))
        return stream.read(LOOK_BYTES)
    tail, passed = head, 0
    while data := stream.read(LOOK_BYTES):
        tail, passed = (tail + data)[-LOOK_BYTES:], passed + len(data)
        if passed > _MAX_FORWARD_BYTES:
            return b""
    return tail


def _looks_timed(lines: list[str]) -> bool:
    told = [line for line in lines if line.strip()]
    # Whether a line has a date is asked here, not which: any year will do.
    timed = sum(
        is_of_kernel(line)
        or ((parsed := parsed_alone(line, _ANY_TIME)) is not None and parsed.time is not None)
        for line in told
    )
    return bool(told) and 2 * timed >= len(told)
