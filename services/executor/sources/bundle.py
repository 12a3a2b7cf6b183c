"""A recorded incident: the files of one folder, what each of them is, and how to read it."""

import hashlib
import io
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import BinaryIO, Final

from services.common.errors import FailedPreconditionError
from services.common.evidence.strict_json import StrictJsonError
from services.executor.sources import kinds, metrics, sniff
from services.executor.sources.directory import Listed, SourceError
from services.executor.sources.encodings import as_utf8
from services.executor.sources.folder import Folder
from services.executor.sources.instants import Instant
from services.executor.sources.kept import Kept
from services.executor.sources.kinds import Form
from services.executor.sources.kubernetes.reader import read_objects
from services.executor.sources.kubernetes.tree import KubeObject, ShapeError
from services.executor.sources.log_fields import constant_component
from services.executor.sources.log_reader import LogReader
from services.executor.sources.metrics_csv import Column, TableError, read_table
from services.executor.sources.owners import Owners, components_of
from services.executor.sources.packed import Unpacked
from services.executor.sources.positioned_json import Element, PositionedJson
from services.executor.sources.sniff import Source
from services.executor.sources.stop import Stop
from services.executor.sources.text_lines import TextLine, text_lines

MAX_SERIES: Final = 5000
# For each of so many lines, what a tool made of a log is kept for the next call: 100 MB.
_KEPT_LINES: Final = 8_000_000
# So many files are named in a refusal.
_MAX_NAMED: Final = 5


@dataclass(frozen=True, slots=True)
class Limits:
    """How much of one file is read: of a structured file all or nothing, of a log the part asked for."""

    structured_bytes: int
    log_bytes: int


class Bundle:
    """The sources of one folder, ordered by kind, then name.

    Raises FailedPreconditionError when the folder holds no readable source. Every method that reads raises
    SourceError when it cannot, and StoppedError when told to stop.
    """

    def __init__(self, folder: Folder, limits: Limits, stop: Stop) -> None:
        self._folder = folder
        self._limits = limits
        self.owners = Owners([])
        self._near: Instant | None = None
        self._logs: dict[str, LogReader] = {}
        self.kept = Kept(_KEPT_LINES)
        self.sources = self._inventory(stop)
        self._entries = self._indexed(stop)
        # Prose about systems in general says nothing of an incident.
        if not any(source.available and source.kind != kinds.RUNBOOK for source in self.sources):
            raise FailedPreconditionError(self._nothing_readable(), field="scope.bundle")

    def source(self, name: str, kind: str) -> Source:
        """Return an available source of a kind by name."""
        found = next((source for source in self.sources if source.name == name), None)
        if found is None:
            raise SourceError(f"the bundle has no source {name!r}; it has {self._names(kind)}")
        if found.kind != kind:
            raise SourceError(
                f"{name!r} is of kind {found.kind}, not {kind}; of that are {self._names(kind)}"
            )
        if not found.available:
            raise SourceError(f"{name!r} cannot be read: {found.problem}")
        return found

    def of_kind(self, kind: str) -> list[Source]:
        """Return the available sources of a kind."""
        return [source for source in self.sources if source.kind == kind and source.available]

    def elements(self, source: Source, stop: Stop, path: Sequence[str] | None = None) -> list[Element]:
        """Return the elements of a structured source, or of another list in its file."""
        return self._json(source).elements(source.path if path is None else path, stop.check)

    def objects(self, source: Source, stop: Stop) -> list[KubeObject]:
        """Return the objects of a cluster that a source shows, in its order."""
        with self._folder.open(source.name) as file:
            packed = Unpacked(file)
            data = self._whole(packed, as_utf8(packed.stream))
        try:
            return list(read_objects(source.name, data, self._limits.structured_bytes, stop.check))
        except ShapeError as error:
            raise SourceError(str(error)) from None

    def prose(self, source: Source, stop: Stop) -> Iterator[TextLine]:
        """Yield the lines of a runbook."""
        data = self._text_of(source.name)
        return text_lines(io.BytesIO(data), stop, max_bytes=len(data))

    def log(self, source: Source) -> LogReader:
        """Return the reader of a log, the same for every call."""
        if source.name not in self._logs:
            opened = partial(self._folder.open, source.name)
            self._logs[source.name] = LogReader(opened, self._near, self._limits.log_bytes)
        return self._logs[source.name]

    def owner_of(self, source: Source, value: metrics.Labels) -> str:
        """Return the owner of one series of a metric source."""
        entry = self._entries.get(source.name)
        return self._series_owner(source, value, entry)

    def table(self, source: Source, stop: Stop) -> list[Column]:
        """Return the columns of a table of samples, each with the lines of its samples."""
        return self._columns(self._text_of(source.name), stop)[0]

    def series(self, sources: Sequence[Source], stop: Stop) -> tuple[list[metrics.Series], int]:
        """Return the series of the sources, at most 5,000, and how many are left out; an index has none."""
        entries = self._entries
        found: list[metrics.Series] = []
        left_out = 0
        for source in sources:
            stop.check()
            more: list[metrics.Series] = []
            if source.form is Form.TABLE:
                more = self._table_series(source, stop)
            elif source.form is Form.RESPONSE:
                more = self._response_series(source, entries.get(source.name), stop)
            taken = more[: MAX_SERIES - len(found)]
            found += taken
            left_out += len(more) - len(taken)
        return found, left_out

    def _response_series(
        self, source: Source, entry: metrics.IndexEntry | None, stop: Stop
    ) -> list[metrics.Series]:
        data = self._bytes(source.name)
        elements = self._parse(data).elements(source.path, stop.check)
        owners = [self._series_owner(source, metrics.response_labels(item.value), entry) for item in elements]
        return metrics.response_series(source.name, _sha256(data), elements, entry, owners)

    def _table_series(self, source: Source, stop: Stop) -> list[metrics.Series]:
        data = self._text_of(source.name)
        columns, last_line = self._columns(data, stop)
        sha256 = _sha256(data)
        return [
            metrics.Series(
                source=source.name,
                owner=self.owners.of_column(column.labels, column.name),
                first_line=min(2, last_line),
                last_line=last_line,
                sha256=sha256,
                name=column.name,
                query=column.header,
                labels=column.labels,
                samples=column.samples,
                step_seconds=metrics.step_of(column.samples),
            )
            for column in columns
        ]

    @staticmethod
    def _columns(data: bytes, stop: Stop) -> tuple[list[Column], int]:
        try:
            return read_table(data.decode("utf-8", "replace").removeprefix("\ufeff"), stop.check)
        except TableError as error:
            raise SourceError(str(error)) from None

    def _series_owner(self, source: Source, labels: metrics.Labels, entry: metrics.IndexEntry | None) -> str:
        name = (entry.name if entry else "") or labels.get("__name__", "") or metrics.stem(source.name)
        query = entry.query if entry else ""
        return self.owners.of_series(labels, name, query)

    def _indexed(self, stop: Stop) -> dict[str, metrics.IndexEntry]:
        entries: dict[str, metrics.IndexEntry] = {}
        for source in self.of_kind(kinds.METRIC):
            if source.form is Form.INDEX:
                found = metrics.index_entries([element.value for element in self.elements(source, stop)])
                # Files are named from the bundle's root, or from where the index lies.
                beside = source.name.rpartition("/")[0]
                entries |= {f"{beside}/{file}": entry for file, entry in found.items()} | found
        return entries

    def _inventory(self, stop: Stop) -> list[Source]:
        listed = [item for item in self._folder.files() if not sniff.is_ignored(item.name)]
        structured = [item for item in listed if sniff.may_be_structured(item.name)]
        found = [self._structured(item, stop) for item in structured]
        self.owners = self._topology(found, stop)
        self._near = _latest(found)
        found = [self._as_log(source, stop) if source.form is Form.TEXT else source for source in found]
        found += [self._text(item, stop) for item in listed if not sniff.may_be_structured(item.name)]
        if self._near is None:
            self._near = _latest(found)
            found = [self._dated(source, stop) for source in found]
        return sorted(found, key=lambda source: (source.kind, source.name))

    def _dated(self, source: Source, stop: Stop) -> Source:
        """Look again at a log without a time: that may have been for want of a year."""
        is_undated = source.kind == kinds.LOG and source.form is Form.TEXT and source.first_time is None
        return self._as_log(source, stop) if is_undated and self._near else source

    def _topology(self, sources: Sequence[Source], stop: Stop) -> Owners:
        for source in sources:
            if source.kind == kinds.TOPOLOGY and source.available:
                services = self.elements(source, stop, ("services",))
                return Owners(components_of([element.value for element in services]))
        return Owners([])

    def _structured(self, item: Listed, stop: Stop) -> Source:
        stop.check()
        if item.problem:
            return sniff.unreadable(item, item.problem)
        try:
            return sniff.structured(item, self._bytes(item.name), self._limits.structured_bytes, stop)
        except (SourceError, OSError) as error:
            # Lines of JSON may be many; as a log they are read as a stream.
            source = self._text(item, stop)
            return source if source.available else sniff.unreadable(item, str(error))

    def _text(self, item: Listed, stop: Stop) -> Source:
        stop.check()
        if item.problem:
            return sniff.unreadable(item, item.problem)
        try:
            with self._folder.open(item.name) as file:
                source = sniff.text(item, file)
        except (SourceError, OSError) as error:
            return sniff.unreadable(item, str(error))
        if source.form is Form.TABLE and source.available:
            return self._timed_table(source, stop)
        if source.form is Form.OBJECTS:
            return self._with_objects(source, stop)
        if source.form is Form.PROSE:
            return source
        return self._as_log(source, stop)

    def _as_log(self, source: Source, stop: Stop) -> Source:
        if not source.available:
            return source
        try:
            with self._folder.open(source.name) as file:
                head, tail = sniff.log_ends(file)
        except (SourceError, OSError) as error:
            return replace(source, problem=str(error))
        first, last = sniff.log_times(head, tail, self._near, stop)
        looked = "" if self.owners.known else (head + b"\n" + tail).decode("utf-8", "replace")
        owner = self.owners.of_log(source.name, constant_component(looked.splitlines()))
        return replace(source, owner=owner, first_time=first, last_time=last)

    def _with_objects(self, source: Source, stop: Stop) -> Source:
        """Tell of a file that looks like objects and cannot be read as such why."""
        try:
            self.objects(source, stop)
        except (SourceError, OSError) as error:
            return replace(source, problem=str(error))
        return source

    def _timed_table(self, source: Source, stop: Stop) -> Source:
        try:
            found = self._table_series(source, stop)
        except SourceError as error:
            return replace(source, problem=str(error))
        first, last = sniff.sample_times(sample for one in found for sample in one.samples)
        return replace(source, first_time=first, last_time=last)

    def _json(self, source: Source) -> PositionedJson:
        return self._parse(self._bytes(source.name))

    def _parse(self, data: bytes) -> PositionedJson:
        try:
            return PositionedJson(data, max_bytes=self._limits.structured_bytes)
        except StrictJsonError as error:
            raise SourceError(f"it is not readable JSON: {error}") from None

    def _bytes(self, name: str) -> bytes:
        """Return a structured file, unpacked; JSON is UTF-8 or it is refused."""
        with self._folder.open(name) as file:
            packed = Unpacked(file)
            return self._whole(packed, packed.stream)

    def _text_of(self, name: str) -> bytes:
        """Return a table or a page, unpacked and as UTF-8: other programs write other encodings."""
        with self._folder.open(name) as file:
            packed = Unpacked(file)
            return self._whole(packed, as_utf8(packed.stream))

    def _whole(self, packed: Unpacked, stream: BinaryIO) -> bytes:
        limit = self._limits.structured_bytes
        data = stream.read(limit + 1)
        if packed.cut:
            raise SourceError(packed.cut)
        if len(data) > limit:
            raise SourceError(f"it is larger than the {limit} bytes that are read of a structured file")
        return data

    def _nothing_readable(self) -> str:
        found = [f"{source.name!a}: {source.problem}" for source in self.sources]
        more = f"; and {len(found) - _MAX_NAMED} more" if len(found) > _MAX_NAMED else ""
        listed = "; ".join(found[:_MAX_NAMED]) + more if found else "no file but a question or prose"
        return (
            "no readable source: looked for logs (dated text, JSON lines), metrics (Prometheus responses,"
            " CSV with a time column), alerts, change events and a topology (JSON), and what kubectl printed;"
            " found " + listed
        )

    def _names(self, kind: str) -> str:
        names = [source.name for source in self.of_kind(kind)]
        return ", ".join(names[:20]) + (", ..." if len(names) > 20 else "") if names else f"no {kind}"


def _latest(sources: Sequence[Source]) -> Instant | None:
    """Return an instant that dates lines without a year: any of the bundle's is near enough."""
    dated = [source.last_time for source in sources if source.last_time is not None]
    return max(dated, default=None)


def _sha256(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()
