"""Everything that was recorded, sorted by what it is."""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from assay.common.v1 import tool_pb2

from services.executor.analyst.reading.cluster import ClusterReport, cluster_report
from services.executor.analyst.reading.shifts import Shift
from services.executor.analyst.reading.spot import Spot
from services.executor.analyst.reading.topology import Topology, read_topology
from services.executor.analyst.reading.views import Alert, ChangeEvent, Log, MetricChange, Pair, change_event
from services.executor.analyst.reading.window import Window
from services.executor.analyst.reading.words import seconds_of
from services.executor.recorded import RecordedCall, ToolRequest

# A summary of a shorter span shows a moment, not the course of things.
CLOSE_UP_SECONDS = 120.0


@dataclass(frozen=True)
class Material:
    """The recorded calls and typed views of those that answered."""

    calls: Sequence[RecordedCall]
    window: Window = field(default_factory=Window)

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

    def was_called_with(self, request: ToolRequest) -> bool:
        """Tell whether exactly this call was made, whatever came of it."""
        wanted = dict(request.arguments)
        return any(call.tool_name == request.tool_name and call.arguments == wanted for call in self.calls)

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

    def named(self, component: str) -> Spot | None:
        """Return where the topology names a component, as one that it describes or that one calls."""
        for document in self.documents("topology_get"):
            names = [service.at("value", "name") for service in document.at("services").items()]
            names += [call.at("value", "to") for call in document.at("calls").items()]
            return next((name for name in names if name.text == component), None)
        return None

    @cached_property
    def logs(self) -> list[Log]:
        """Every recorded summary of a log."""
        documents = list(self.documents("logs_templates"))
        owned = {(document.at("owner").text, document.at("source").text) for document in documents}
        several = Counter(owner for owner, _ in owned)
        return [Log(document, several[document.at("owner").text] == 1) for document in documents]

    @cached_property
    def whole_logs(self) -> list[Log]:
        """The summaries that cover the question's whole window."""
        bare = [log for log in self.logs if not log.argument("split")]
        # In a short window, the first summary of a log is the whole of it.
        first = {log.source: log for log in reversed(bare)}
        covered = {log.source for log in bare if not _is_close_up(log)}
        return [
            log
            for log in bare
            if not _is_close_up(log) or (log.source not in covered and log is first[log.source])
        ]

    def split_logs(self, split: str) -> list[Log]:
        """Return the summaries that count before and after an instant."""
        return [log for log in self.logs if log.argument("split") == split]

    @cached_property
    def metric_changes(self) -> list[MetricChange]:
        """Every series that left its level, by onset."""
        documents = self.change_points
        changes = [MetricChange(spot) for document in documents for spot in document.at("series").items()]
        unique = {(change.spot.at("source").text, change.name): change for change in changes}
        return sorted(unique.values(), key=lambda change: change.onset)

    @cached_property
    def pairs(self) -> list[Pair]:
        """Every usage against its limit."""
        documents = self.documents("metrics_saturation")
        return [Pair(spot) for document in documents for spot in document.at("pairs").items()]

    @cached_property
    def change_points(self) -> list[Spot]:
        """The comparisons of metrics that had any source."""
        return [
            document for document in self.documents("metrics_change_points") if document.at("inputs").items()
        ]

    @cached_property
    def shifts(self) -> list[Shift]:
        """Every series that was compared before and since an instant."""
        documents = self.documents("metrics_shift")
        return [Shift(spot) for document in documents for spot in document.at("series").items()]

    @property
    def window_is_empty(self) -> bool:
        """Tell whether the question has a window, and no log line and no usable series lies in it."""
        read = bool(self.window.arguments) and bool(self.whole_logs or self.change_points)
        lines = any(log.spot.at("lines").count for log in self.whole_logs)
        judged = any(
            document.at(kind).count for document in self.change_points for kind in ("changed", "unchanged")
        )
        return read and not lines and not judged

    @cached_property
    def events(self) -> list[ChangeEvent]:
        """Every recorded change event until the window's end, by time: what came later explains nothing."""
        return [event for event in self.all_events if not self.window.is_over(event.seconds)]

    @cached_property
    def all_events(self) -> list[ChangeEvent]:
        """Every recorded change event, by time."""
        documents = self.documents("change_events_list")
        elements = [element for document in documents for element in document.at("elements").items()]
        found = [event for element in elements if (event := change_event(element)) is not None]
        return sorted(found, key=lambda event: event.seconds)

    @cached_property
    def alerts(self) -> list[Alert]:
        """Every recorded alert but those that began after the window or have nothing to do with it."""
        return [alert for alert in self.all_alerts if not self.is_outside(alert)]

    def is_outside(self, alert: Alert) -> bool:
        """Tell whether an alert began after the window, or outside of a window that holds nothing."""
        since = seconds_of(alert.since.text)
        if since is None:
            return False
        return self.window.is_over(since) or (self.window_is_empty and not self.window.holds(since))

    @cached_property
    def all_alerts(self) -> list[Alert]:
        """Every recorded alert."""
        documents = self.documents("alerts_list")
        return [Alert(spot.at("value")) for document in documents for spot in document.at("elements").items()]

    @cached_property
    def cluster(self) -> ClusterReport:
        """What was found in a cluster; nothing where none was recorded."""
        return cluster_report(self.documents("kubernetes_findings"))

    def lines(self) -> Iterator[tuple[Spot, str]]:
        """Yield every raw log line that was searched for, with the component that wrote it."""
        for document in self.documents("logs_search"):
            owner = document.at("owner").text
            for line in document.at("lines").items():
                yield line, owner

    @cached_property
    def close_ups(self) -> list[Log]:
        """Return the summaries of a few moments around an onset."""
        bare = [log for log in self.logs if not log.argument("split") and _is_close_up(log)]
        return [log for log in bare if not any(log is whole for whole in self.whole_logs)]


def _is_close_up(log: Log) -> bool:
    start, end = seconds_of(log.argument("start")), seconds_of(log.argument("end"))
    return start is not None and end is not None and end - start <= CLOSE_UP_SECONDS
