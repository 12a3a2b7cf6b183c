"""What a folder holds: the kind of each file, whether it can be read, whose it is, which time it covers."""

from collections.abc import Sequence
from dataclasses import replace

from services.executor.sources import kinds, sniff
from services.executor.sources.contents import Contents, columns_of
from services.executor.sources.directory import Listed, SourceError
from services.executor.sources.instants import Instant
from services.executor.sources.kinds import Form
from services.executor.sources.log_fields import constant_component
from services.executor.sources.owners import Owners, components_of
from services.executor.sources.sniff import Source
from services.executor.sources.stop import Stop


class Inventory:
    """The sources of a folder, ordered by kind, then name; what cannot be read is one with a problem.

    `near` is an instant that dates lines without a year. Raises StoppedError when told to stop.
    """

    def __init__(self, contents: Contents, stop: Stop) -> None:
        self._contents = contents
        self.owners = Owners([])
        self.near: Instant | None = None
        self.sources = self._looked_through(stop)

    def _looked_through(self, stop: Stop) -> list[Source]:
        listed = [item for item in self._contents.folder.files() if not sniff.is_ignored(item.name)]
        structured = [item for item in listed if sniff.may_be_structured(item.name)]
        found = [self._structured(item, stop) for item in structured]
        self.owners = self._topology(found, stop)
        self.near = _latest(found)
        found = [self._as_log(source, stop) if source.form is Form.TEXT else source for source in found]
        found += [self._text(item, stop) for item in listed if not sniff.may_be_structured(item.name)]
        if self.near is None:
            self.near = _latest(found)
            found = [self._dated(source, stop) for source in found]
        return sorted(found, key=lambda source: (source.kind, source.name))

    def _dated(self, source: Source, stop: Stop) -> Source:
        """Look again at a log without a time: that may have been for want of a year."""
        is_undated = source.kind == kinds.LOG and source.form is Form.TEXT and source.first_time is None
        return self._as_log(source, stop) if is_undated and self.near else source

    def _topology(self, sources: Sequence[Source], stop: Stop) -> Owners:
        for source in sources:
            if source.kind == kinds.TOPOLOGY and source.available:
                services = self._contents.elements(source.name, ("services",), stop)
                return Owners(components_of([element.value for element in services]))
        return Owners([])

    def _structured(self, item: Listed, stop: Stop) -> Source:
        stop.check()
        if item.problem:
            return sniff.unreadable(item, item.problem)
        try:
            return sniff.structured(item, self._contents.bytes_of(item.name), self._contents.limit, stop)
        except (SourceError, OSError) as error:
            # Lines of JSON may be many; as a log they are read as a stream.
            source = self._text(item, stop)
            return source if source.available else sniff.unreadable(item, str(error))

    def _text(self, item: Listed, stop: Stop) -> Source:
        stop.check()
        if item.problem:
            return sniff.unreadable(item, item.problem)
        try:
            with self._contents.folder.open(item.name) as file:
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
            with self._contents.folder.open(source.name) as file:
                head, tail = sniff.log_ends(file)
        except (SourceError, OSError) as error:
            return replace(source, problem=str(error))
        first, last = sniff.log_times(head, tail, self.near, stop)
        looked = "" if self.owners.known else (head + b"\n" + tail).decode("utf-8", "replace")
        owner = self.owners.of_log(source.name, constant_component(looked.splitlines()))
        return replace(source, owner=owner, first_time=first, last_time=last)

    def _with_objects(self, source: Source, stop: Stop) -> Source:
        """Tell of a file that looks like objects and cannot be read as such why."""
        try:
            self._contents.objects(source.name, stop)
        except (SourceError, OSError) as error:
            return replace(source, problem=str(error))
        return source

    def _timed_table(self, source: Source, stop: Stop) -> Source:
        try:
            columns, _ = columns_of(self._contents.text_of(source.name), stop)
        except SourceError as error:
            return replace(source, problem=str(error), first_time=None)
        first, last = sniff.sample_times(sample for column in columns for sample in column.samples)
        # Samples are Unix times: that their table states no zone is known of its first row.
        told = first and first._replace(zone_assumed=source.zone_assumed)
        return replace(source, first_time=told, last_time=last)


def _latest(sources: Sequence[Source]) -> Instant | None:
    """Return an instant that dates lines without a year: any of the bundle's is near enough."""
    dated = [source.last_time for source in sources if source.last_time is not None]
    return max(dated, default=None)
