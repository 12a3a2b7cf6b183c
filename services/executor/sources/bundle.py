"""A recorded incident: the files of one folder, what each of them is, and how to read it."""

import hashlib
import io
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Final

from services.common.errors import FailedPreconditionError
from services.executor.sources import kinds, metrics
from services.executor.sources.contents import Contents, columns_of
from services.executor.sources.directory import SourceError
from services.executor.sources.folder import Folder
from services.executor.sources.inventory import Inventory
from services.executor.sources.kept import Kept
from services.executor.sources.kinds import Form
from services.executor.sources.kubernetes.tree import KubeObject
from services.executor.sources.log_reader import LogReader
from services.executor.sources.metrics_csv import Column
from services.executor.sources.positioned_json import Element
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
        self._contents = Contents(folder, limits.structured_bytes)
        self._log_bytes = limits.log_bytes
        found = Inventory(self._contents, stop)
        self.sources = found.sources
        self.owners = found.owners
        self._near = found.near
        self._logs: dict[str, LogReader] = {}
        self.kept = Kept(_KEPT_LINES)
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
        return self._contents.elements(source.name, source.path if path is None else path, stop)

    def objects(self, source: Source, stop: Stop) -> list[KubeObject]:
        """Return the objects of a cluster that a source shows, in its order."""
        return self._contents.objects(source.name, stop)

    def prose(self, source: Source, stop: Stop) -> Iterator[TextLine]:
        """Yield the lines of a runbook."""
        data = self._contents.text_of(source.name)
        return text_lines(io.BytesIO(data), stop, max_bytes=len(data))

    def log(self, source: Source) -> LogReader:
        """Return the reader of a log, the same for every call."""
        if source.name not in self._logs:
            opened = partial(self._contents.folder.open, source.name)
            self._logs[source.name] = LogReader(opened, self._near, self._log_bytes)
        return self._logs[source.name]

    def owner_of(self, source: Source, value: metrics.Labels) -> str:
        """Return the owner of one series of a metric source."""
        entry = self._entries.get(source.name)
        return self._series_owner(source, value, entry)

    def table(self, source: Source, stop: Stop) -> list[Column]:
        """Return the columns of a table of samples, each with the lines of its samples."""
        return columns_of(self._contents.text_of(source.name), stop)[0]

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
        data = self._contents.bytes_of(source.name)
        elements = self._contents.json(data).elements(source.path, stop.check)
        owners = [self._series_owner(source, metrics.response_labels(item.value), entry) for item in elements]
        return metrics.response_series(source.name, _sha256(data), elements, entry, owners)

    def _table_series(self, source: Source, stop: Stop) -> list[metrics.Series]:
        data = self._contents.text_of(source.name)
        columns, last_line = columns_of(data, stop)
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


def _sha256(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()
