"""What a lookup can be about: the names and the times that the recorded documents hold."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property

from services.common.evidence.strict_json import Json
from services.executor.analyst.reading.material import Material
from services.executor.analyst.reading.spot import Spot
from services.executor.analyst.reading.views import Alert, ChangeEvent
from services.executor.analyst.reading.words import seconds_of
from services.executor.recorded import ToolRequest

# What controllers put behind the name of a workload: a hash or a time, then letters of theirs or an ordinal.
_LETTERS = "[bcdfghjklmnpqrstvwxz2456789]"
_GENERATED = rf"(?:-(?:{_LETTERS}{{8,10}}|\d{{7,10}}))?(?:-(?:{_LETTERS}{{5}}|\d{{1,3}}))?"
INVENTORY = "kubernetes_inventory"
LOG_COUNT = "logs_count"
SUMMARY = "metrics_summary"
ENTRIES = "entries_count"


@dataclass(frozen=True)
class Known:
    """Names and times, read once from what was recorded."""

    material: Material

    def document(self, request: ToolRequest) -> Spot | None:
        """Return what a call answered; None where it was not made or did not answer."""
        wanted = dict(request.arguments)
        found = (each for each in self.material.documents(request.tool_name) if each.call.arguments == wanted)
        return next(found, None)

    @cached_property
    def logs(self) -> dict[str, str]:
        """The owner of each log that is known, empty for none."""
        found = {source: name for name, logs in self.material.topology.logs.items() for source in logs}
        found |= {log.source: log.owner for log in self.material.logs}
        return found | {row.at("source").text: row.at("owner").text for row in self.log_rows}

    @cached_property
    def log_rows(self) -> list[Spot]:
        """What the overview of all logs holds of each."""
        whole = (each for each in self.material.documents(LOG_COUNT) if "sources" not in each.call.arguments)
        return [row for document in whole for row in document.at("logs").items()]

    @cached_property
    def components(self) -> dict[str, str]:
        """The components by their names in small letters."""
        named = [event.component for event in self.material.all_events]
        names = [*self.material.topology.components, *self.logs.values(), *named]
        return {name.lower(): name for name in names if name}

    def logs_of(self, components: Iterable[str]) -> list[str]:
        """Return the logs of some components that were read."""
        read = {row.at("source").text for row in self.log_rows}
        wanted = set(components)
        return [source for source, owner in self.logs.items() if owner in wanted and source in read]

    def logs_about(self, names: Iterable[str]) -> list[str]:
        """Return the logs that were read of some objects, by the names that their files hold."""
        wanted = set(names)
        about = {row.at("name").text: {each.text for each in row.at("about").items()} for row in self.objects}
        found = []
        for source in (row.at("source").text for row in self.log_rows):
            held = max((name for name in about if _holds(source, name)), key=len, default="")
            meant = about[held] if held else {name for name in wanted if _holds(source, name, generated=True)}
            if wanted & meant:
                found.append(source)
        return found

    @cached_property
    def alerts(self) -> list[Alert]:
        """Every recorded alert."""
        return self.material.all_alerts

    @cached_property
    def changes(self) -> list[ChangeEvent]:
        """Every recorded change."""
        return self.material.all_events

    def sources_of(self, tool: str) -> list[str]:
        """Return the sources that a raw tool read."""
        return list(dict.fromkeys(each.at("source").text for each in self.material.documents(tool)))

    @cached_property
    def inventory(self) -> Spot | None:
        """The list of all objects of a cluster; None where none was made."""
        whole = (each for each in self.material.documents(INVENTORY) if not each.call.arguments)
        return next(whole, None)

    @cached_property
    def objects(self) -> list[Spot]:
        """The objects of a cluster."""
        return self.inventory.at("listed").items() if self.inventory else []

    @cached_property
    def object_names(self) -> dict[str, str]:
        """The names that objects go by, by the same in small letters."""
        names = (each.text for row in self.objects for each in row.at("about").items())
        return {name.lower(): name for name in names}

    @cached_property
    def nodes(self) -> dict[str, str]:
        """The names of nodes that objects state."""
        stated = (row.at("excerpts", "node", "text").text.partition("/")[0] for row in self.objects)
        return {name.lower(): name for name in stated if name}

    @cached_property
    def namespaces(self) -> dict[str, str]:
        """The namespaces that objects state."""
        return {row.at("namespace").text.lower(): row.at("namespace").text for row in self.objects}

    @cached_property
    def series(self) -> list[Spot]:
        """Every series that was summarised, without a bound or an instant."""
        found = [each for each in self.material.documents(SUMMARY) if _is_overview(each.call.arguments)]
        return [row for document in found for row in document.at("series").items()]

    @cached_property
    def recorded(self) -> tuple[float, float] | None:
        """The first and the last instant that anything states, in seconds; None without any."""
        # Alerts and changes may be of long ago; they tell of the day where nothing was measured or logged.
        times = [*_instants(self._measured())] or [*_instants(self._told())]
        return (min(times), max(times)) if times else None

    def _measured(self) -> Iterator[str]:
        yield from (row.at(side, "time").text for row in self.log_rows for side in ("first", "last"))
        yield from (row.at(side).text for row in self.series for side in ("first_at", "last_at"))

    def _told(self) -> Iterator[str]:
        yield from (event.time for event in self.changes)
        yield from (alert.since.text for alert in self.alerts)


def _instants(texts: Iterable[str]) -> Iterator[float]:
    return (seconds for text in texts if (seconds := seconds_of(text)) is not None)


def _holds(source: str, name: str, *, generated: bool = False) -> bool:
    """Tell whether a log's path holds a name, or one that was generated from it."""
    # A pattern of every name is dear.
    if name not in source:
        return False
    if generated:
        return (
            re.search(rf"(?<![A-Za-z0-9-]){re.escape(name)}{_GENERATED}(?![A-Za-z0-9-])", source) is not None
        )
    return re.search(rf"(?<![A-Za-z0-9-]){re.escape(name)}(?![A-Za-z0-9])", source) is not None


def _is_overview(arguments: dict[str, Json]) -> bool:
    return not {"at", "above", "below", "sources"} & arguments.keys()
