"""Everything that was recorded, sorted by what it is."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

from assay.common.v1 import tool_pb2

from services.executor.analyst.spot import Spot
from services.executor.analyst.topology import Topology, read_topology
from services.executor.analyst.views import Alert, ChangeEvent, Log, MetricChange, Pair, change_event
from services.executor.analyst.words import seconds_of
from services.executor.recorded import RecordedCall

# A summary of a shorter span shows a moment, not the course of things.
CLOSE_UP_SECONDS = 120.0


@dataclass(frozen=True)
class Material:
    """The recorded calls and typed views of those that answered."""

    calls: Sequence[RecordedCall]

    def documents(self, tool: str) -> Iterator[Spot]:
        """Yield the documents of a tool that answered, in the order of the calls."""
        for call in self.calls:
            if call.tool_name == tool and call.status == tool_pb2.INVOCATION_STATUS_OK:
                yield Spot(call)

    def was_called(self, tool: str, **arguments: str) -> bool:
        """Tell whether a tool was called with these arguments, whatever came of it."""
        return any(
            call.tool_name == tool
            and all(call.arguments.get(key) == value for key, value in arguments.items())
            for call in self.calls
        )

    @cached_property
    def topology(self) -> Topology:
        """The recorded topology; without one, the components that events name and logs belong to."""
        for document in self.documents("topology_get"):
            return read_topology(document)
        logs: dict[str, list[str]] = {event.component: [] for event in self.events}
        for log in self.logs:
            logs.setdefault(log.owner, []).append(log.source)
        known = {name: list(dict.fromkeys(sources)) for name, sources in logs.items() if name}
        return Topology(dict.fromkeys(known, ""), known)

    @cached_property
    def logs(self) -> list[Log]:
        """Every recorded summary of a log."""
        return [Log(document) for document in self.documents("logs_templates")]

    @cached_property
    def whole_logs(self) -> list[Log]:
        """The summaries that cover the question's whole window."""
        return [log for log in self.logs if not log.argument("split") and not _is_close_up(log)]

    def split_logs(self, split: str) -> list[Log]:
        """Return the summaries that count before and after an instant."""
        return [log for log in self.logs if log.argument("split") == split]

    @cached_property
    def metric_changes(self) -> list[MetricChange]:
        """Every series that left its level, by onset."""
        documents = self.documents("metrics_change_points")
        changes = [MetricChange(spot) for document in documents for spot in document.at("series").items()]
        unique = {(change.spot.at("source").text, change.name): change for change in changes}
        return sorted(unique.values(), key=lambda change: change.onset)

    @cached_property
    def pairs(self) -> list[Pair]:
        """Every usage against its limit."""
        documents = self.documents("metrics_saturation")
        return [Pair(spot) for document in documents for spot in document.at("pairs").items()]

    @cached_property
    def events(self) -> list[ChangeEvent]:
        """Every recorded change event, by time."""
        documents = self.documents("change_events_list")
        elements = [element for document in documents for element in document.at("elements").items()]
        found = [event for element in elements if (event := change_event(element)) is not None]
        return sorted(found, key=lambda event: event.seconds)

    @cached_property
    def alerts(self) -> list[Alert]:
        """Every recorded alert."""
        documents = self.documents("alerts_list")
        return [Alert(spot.at("value")) for document in documents for spot in document.at("elements").items()]

    def lines(self) -> Iterator[tuple[Spot, str]]:
        """Yield every raw log line that was searched for, with the component that wrote it."""
        for document in self.documents("logs_search"):
            owner = document.at("owner").text
            for line in document.at("lines").items():
                yield line, owner

    @cached_property
    def close_ups(self) -> list[Log]:
        """Return the summaries of a few moments around an onset."""
        return [log for log in self.logs if _is_close_up(log)]


def _is_close_up(log: Log) -> bool:
    start, end = seconds_of(log.argument("start")), seconds_of(log.argument("end"))
    return start is not None and end is not None and end - start <= CLOSE_UP_SECONDS
