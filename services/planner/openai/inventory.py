"""The sources as a model is shown them: by kind, those nearest to the question first, bounded. Pure."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple

from assay.common.v1 import tool_pb2
from google.protobuf.timestamp_pb2 import Timestamp

from services.common.evidence.names import rfc3339
from services.common.llm.quoted import quoted
from services.common.llm.room import weight_of
from services.common.visible import visible

MAX_NAME_CHARS: Final = 256
# A smaller source tells nothing by its size.
_TOLD_BYTES: Final = 16 << 10
_KIB: Final = 1 << 10
# A source that leaves out more than this share of its kind's time is told with its own.
_APART: Final = 0.1
_WORD: Final = re.compile(r"[^\W_]{2,}")
_SECONDS_CHARS: Final = len("2026-11-30T09:05:15")


def words_of(texts: Iterable[str]) -> set[str]:
    """Return the words by which a source may be near to what is asked."""
    return {word for text in texts for word in _WORD.findall(text.casefold())}


def inventory_lines(sources: Sequence[tool_pb2.SourceInfo], asked: set[str], room: int) -> list[str]:
    """Return each kind with its sources, as many as fit in `room` bytes, and how many are left out.

    Sources that share a word with what is asked come first; else every kind gets its turn.
    """
    kinds = [_kind(name, rows, asked) for name, rows in _by_kind(sources).items()]
    room -= weight_of(kind.heading(0) for kind in kinds)
    shown = _fitting([line for kind in kinds for line in kind.lines], room)
    lines: list[str] = []
    for kind in kinds:
        picked = [line.text for line in kind.lines if line in shown]
        lines += [kind.heading(len(picked)), *picked]
    return lines


class _Line(NamedTuple):
    """One source: whether it is near to what is asked, and its place among those of its kind."""

    near: bool
    place: int
    text: str


@dataclass(frozen=True, slots=True)
class _Kind:
    """The sources of one kind: how many there are, and a line for each that can be named."""

    name: str
    count: int
    whole: "_Span | None"
    lines: Sequence[_Line]

    def heading(self, shown: int) -> str:
        """Return what the kind covers, and how many sources are not among those shown."""
        parts = [f"{self.count} source" + ("" if self.count == 1 else "s")]
        if shown < self.count:
            parts.append(f"{self.count - shown} of them not shown here")
        if self.whole is not None:
            parts.append(self.whole.text())
        return quoted(f"all {self.name}", ", ".join(parts), MAX_NAME_CHARS)


def _by_kind(sources: Iterable[tool_pb2.SourceInfo]) -> dict[str, list[tool_pb2.SourceInfo]]:
    kinds: dict[str, list[tool_pb2.SourceInfo]] = {}
    for source in sources:
        kinds.setdefault(source.kind, []).append(source)
    return kinds


def _kind(name: str, rows: Sequence[tool_pb2.SourceInfo], asked: set[str]) -> _Kind:
    whole = _whole(rows)
    near = [(_is_near(source, asked), source) for source in rows if _is_named(source)]
    near.sort(key=lambda entry: not entry[0])
    lines = [_Line(is_near, place, _text(source, whole)) for place, (is_near, source) in enumerate(near)]
    return _Kind(name, len(rows), whole, lines)


def _fitting(lines: Iterable[_Line], room: int) -> set[_Line]:
    """Return the lines that fit, near ones first, then by turns of the kinds."""
    shown: set[_Line] = set()
    for line in sorted(lines, key=lambda line: (not line.near, line.place)):
        room -= weight_of([line.text])
        if room < 0:
            break
        shown.add(line)
    return shown


def _is_named(source: tool_pb2.SourceInfo) -> bool:
    """Tell whether a source can be named in a call exactly as it is shown."""
    return 0 < len(source.name) <= MAX_NAME_CHARS and visible(source.name) == source.name


def _is_near(source: tool_pb2.SourceInfo, asked: set[str]) -> bool:
    return bool(words_of([source.name.partition(".")[0], source.owner]) & asked)


def _text(source: tool_pb2.SourceInfo, whole: "_Span | None") -> str:
    told = [source.owner] if source.owner else []
    if source.size_bytes >= _TOLD_BYTES:
        told.append(f"{source.size_bytes // _KIB} KiB")
    own = _span(source)
    if own is not None and whole is not None and own.leaves_out_much_of(whole):
        told.append(own.text())
    return quoted(source.kind, source.name + (f" ({', '.join(told)})" if told else ""), 2 * MAX_NAME_CHARS)


@dataclass(frozen=True, slots=True)
class _Span:
    """From the first instant of sources to the last, in nanoseconds."""

    first: int
    last: int

    def text(self) -> str:
        """Return both, to the second."""
        return f"{_second(self.first)} to {_second(self.last)}"

    def leaves_out_much_of(self, whole: "_Span") -> bool:
        """Tell whether a good part of the whole is before or after."""
        return max(self.first - whole.first, whole.last - self.last) > (whole.last - whole.first) * _APART


def _span(source: tool_pb2.SourceInfo) -> _Span | None:
    """Return the time that a source covers; None where it says none that can be told."""
    bounds = (source.first_time, source.last_time)
    told = source.HasField("first_time") and source.HasField("last_time") and all(map(rfc3339, bounds))
    return _Span(*(bound.ToNanoseconds() for bound in bounds)) if told else None


def _whole(rows: Iterable[tool_pb2.SourceInfo]) -> _Span | None:
    spans = [span for span in map(_span, rows) if span is not None]
    if not spans:
        return None
    return _Span(min(span.first for span in spans), max(span.last for span in spans))


def _second(nanoseconds: int) -> str:
    time = Timestamp()
    time.FromNanoseconds(nanoseconds)
    return f"{rfc3339(time)[:_SECONDS_CHARS]}Z"
