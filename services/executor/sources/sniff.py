"""What a file of a bundle is: its kind, its form and the time that it spans, from a look at its content."""

import io
import os
from collections.abc import Iterable
from dataclasses import dataclass
from typing import BinaryIO, Final

from services.common.evidence import pointer
from services.common.evidence.strict_json import Json, StrictJsonError
from services.common.evidence.strict_json import loads as strict_loads
from services.executor.sources import kinds
from services.executor.sources.folder import Listed
from services.executor.sources.instants import Instant, from_seconds
from services.executor.sources.kinds import Form
from services.executor.sources.log_formats import parse_line
from services.executor.sources.log_json import parse_json
from services.executor.sources.log_records import log_lines
from services.executor.sources.metrics import response_samples
from services.executor.sources.metrics_csv import is_table
from services.executor.sources.stop import Stop
from services.executor.sources.text_lines import text_lines

_LOOK_BYTES: Final = 64 * 1024
_LOOK_LINES: Final = 20
_LOG_ENDINGS: Final = (".log", ".jsonl", ".ndjson", ".out", ".err")
_COMPRESSED_ENDINGS: Final = (".gz", ".bz2", ".xz", ".zst", ".zip")
_COMPRESSED_MAGIC: Final = (b"\x1f\x8b", b"BZh", b"\xfd7zXZ", b"\x28\xb5\x2f\xfd", b"PK\x03\x04")
_UTF16_MARKS: Final = (b"\xff\xfe", b"\xfe\xff")
# Text with zero bytes has at most one of them, and one byte that is not UTF-8, in so many.
_MAX_NUL_SHARE: Final = 50
_MAX_STRAY_SHARE: Final = 10
# What a bundle may hold beside its sources: the question, and prose.
_IGNORED_NAMES: Final = ("question.txt",)
_IGNORED_ENDINGS: Final = (".md",)


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


def is_ignored(name: str) -> bool:
    """Tell whether a file is no source by its name."""
    return name in _IGNORED_NAMES or name.lower().endswith(_IGNORED_ENDINGS)


def may_be_structured(name: str) -> bool:
    """Tell whether a file is to be read as one JSON text."""
    return name.lower().endswith(".json") and not _lies_in_logs(name)


def unreadable(item: Listed, problem: str) -> Source:
    """Return the inventory entry of a file that cannot be read."""
    return Source(item.name, kinds.kind_by_name(item.name), Form.TEXT, item.size_bytes, problem=problem)


def structured(item: Listed, data: bytes, max_bytes: int) -> Source:
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
    first, last = _structured_times(value, shape)
    return Source(
        item.name,
        shape.kind,
        shape.form,
        item.size_bytes,
        path=shape.path,
        first_time=first,
        last_time=last,
    )


def text(item: Listed, file: BinaryIO) -> Source:
    """Return the entry of a file that is no JSON text."""
    head = file.read(_LOOK_BYTES)
    problem = _binary_problem(item.name, head)
    if problem:
        return unreadable(item, problem)
    lines = head.decode("utf-8", "replace").splitlines()[:_LOOK_LINES]
    if lines and item.name.lower().endswith(".csv") and is_table(lines[0]):
        return Source(item.name, kinds.METRIC, Form.TABLE, item.size_bytes)
    if _lies_in_logs(item.name) or item.name.lower().endswith(_LOG_ENDINGS) or _looks_timed(lines):
        return Source(item.name, kinds.LOG, Form.TEXT, item.size_bytes)
    return unreadable(item, "its content is of no kind that a tool reads")


def log_times(file: BinaryIO, near: Instant | None, stop: Stop) -> tuple[Instant | None, Instant | None]:
    """Return the earliest and latest instant of a log's first and last 64 KiB; logs are written in order."""
    size = os.fstat(file.fileno()).st_size
    head = file.read(_LOOK_BYTES)
    file.seek(max(0, size - _LOOK_BYTES))
    tail = file.read(_LOOK_BYTES)
    if size > _LOOK_BYTES:
        tail = tail.partition(b"\n")[2]
    found = [*_times(head, near, stop), *_times(tail, near, stop)]
    return min(found, default=None), max(found, default=None)


def sample_times(samples: Iterable[tuple[float, str]]) -> tuple[Instant | None, Instant | None]:
    """Return the earliest and latest instant of samples."""
    seconds = [sample[0] for sample in samples]
    return (from_seconds(min(seconds)), from_seconds(max(seconds))) if seconds else (None, None)


def _times(data: bytes, near: Instant | None, stop: Stop) -> list[Instant]:
    lines = log_lines(text_lines(io.BytesIO(data), stop, max_bytes=len(data)), near)
    return [line.parsed.time for line in lines if line.parsed.time is not None]


def _structured_times(value: Json, shape: kinds.Shape) -> tuple[Instant | None, Instant | None]:
    if shape.form in (Form.INDEX, Form.TOPOLOGY):
        return None, None
    elements = pointer.walk(value, shape.path)[-1]
    if not isinstance(elements, list):
        return None, None
    if shape.form is Form.RESPONSE:
        return sample_times(sample for element in elements for sample in response_samples(element))
    found = [time for element in elements for time in kinds.instants_of(element)]
    return min(found, default=None), max(found, default=None)


def _lies_in_logs(name: str) -> bool:
    return "logs" in name.lower().split("/")[:-1]


def _is_json_lines(data: bytes) -> bool:
    first = [line for line in data[:_LOOK_BYTES].split(b"\n", 3)[:2] if line.strip()]
    return len(first) > 1 and all(parse_json(line.decode("utf-8", "replace")) for line in first)


def _binary_problem(name: str, head: bytes) -> str:
    if name.lower().endswith(_COMPRESSED_ENDINGS) or head.startswith(_COMPRESSED_MAGIC):
        return "compressed files cannot be read; unpack it"
    if head.startswith(_UTF16_MARKS):
        return "it is UTF-16 text, which cannot be read; convert it to UTF-8"
    return "" if _is_text(head) else "it is not text"


def _is_text(head: bytes) -> bool:
    """Tell text from binary: a writer that crashed leaves some zero bytes in what is text all the same."""
    zeros = head.count(0)
    if not zeros:
        return True
    text = head.decode("utf-8", "replace")
    return _MAX_NUL_SHARE * zeros <= len(head) and _MAX_STRAY_SHARE * text.count("\ufffd") <= len(text)


def _looks_timed(lines: list[str]) -> bool:
    told = [line for line in lines if line.strip()]
    timed = sum((parsed := parse_line(line, None)) is not None and parsed.time is not None for line in told)
    return bool(told) and 2 * timed >= len(told)
