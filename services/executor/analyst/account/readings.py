"""What was read, for where little or nothing can be said about it: counts, down to zero."""

from collections.abc import Sequence

from services.executor.analyst.reading.spot import Spot
from services.executor.analyst.reading.views import Log
from services.executor.analyst.story.timeline import Timeline
from services.executor.analyst.wording.findings import (
    Finding,
    Part,
    bindings_of,
    instant,
    joined,
    number,
    quote,
    sentence,
)

_MAX_COMPONENTS = 12


def empty_window(timeline: Timeline) -> list[Finding]:
    """Say that a window holds nothing that was read, where that is so."""
    if not timeline.material.window_is_empty:
        return []
    found = []
    logs = timeline.material.whole_logs
    if logs:
        lead: list[Part] = ["The window", *_bounds(logs[0].spot), " is empty of log lines: "]
        found.append(_counted(lead, [_lines_in(log) for log in logs]))
    for document in timeline.material.change_points:
        lead = ["Metric series with enough samples to be judged in the window", *_bounds(document)]
        count: list[Part] = [number(document.at("changed")), "; with fewer or none: "]
        support = bindings_of([number(document.at("unchanged"))])
        parts = sentence(*lead, ": ", *count, number(document.at("not_judged")))
        found.append(Finding("context", "confirmed", "", parts, support=support))
    return found


def what_was_read(timeline: Timeline) -> list[Finding]:
    """Return the plainest facts: how much was read of what, for when nothing else can be told."""
    logs = [_read_lines(log) for log in timeline.material.whole_logs]
    counted = [_counted(["Lines read: "], logs)] if logs else []
    return [*counted, *_judged_series(timeline)] or _described(timeline)


def _counted(lead: Sequence[Part], clauses: Sequence[Sequence[Part]]) -> Finding:
    parts, left = joined([*lead, *clauses[0]], clauses[1:], ", ")
    support = bindings_of(part for clause in left for part in clause)
    return Finding("context", "confirmed", "", sentence(*parts), support=support)


def _lines_in(log: Log) -> list[Part]:
    return [number(log.spot.at("lines")), f" in {log.source}"]


def _read_lines(log: Log) -> list[Part]:
    failed = number(log.spot.at("errors_after"))
    return [*_lines_in(log), ", where ", failed, " report a failure by their level or status"]


def _judged_series(timeline: Timeline) -> list[Finding]:
    return [
        Finding(
            "context", "confirmed", "",
            sentence(
                "Metric series that kept their usual level: ", number(document.at("unchanged")),
                "; that left it: ", number(document.at("changed")), "; with too few samples to tell: ",
                number(document.at("not_judged")),
            ),
        )
        for document in timeline.material.change_points
    ]  # fmt: skip


def _described(timeline: Timeline) -> list[Finding]:
    """Name the components of the topology: without anything else it is all that was read."""
    names = [
        element.at("value", "name")
        for document in timeline.material.documents("topology_get")
        for element in document.at("services").items()
    ]
    clauses = [[quote(name, name.text)] for name in names[:_MAX_COMPONENTS] if name.text]
    return [_counted(["The topology names the services "], clauses)] if clauses else []


def _bounds(document: Spot) -> list[Part]:
    """Name the bounds that a document was made within, as far as it states them."""
    parts: list[Part] = []
    for word, side in ((" from ", "start"), (" to ", "end")):
        if document.at(side).text:
            parts += [word, instant(document.at(side))]
    return parts
