"""Which further calls would help, in rounds: first what the plan left out, then what depends on the onset."""

from collections.abc import Iterable, Sequence

from services.executor.analyst.changes import ECHO_SECONDS
from services.executor.analyst.material import Material
from services.executor.analyst.timeline import Timeline
from services.executor.analyst.views import MetricChange
from services.executor.analyst.words import instant_text
from services.executor.recorded import ToolRequest

# Bounds of one round: every log of a small system, a few files of samples, a few changes.
MAX_LOGS = 12
MAX_SERIES_FILES = 6
MAX_CHANGES = 4
# A change is looked for in the logs from this long before the onset.
_LOOK_BACK = 45.0
_LOOK_AHEAD = 5.0


def missing_base(material: Material) -> list[ToolRequest]:
    """Return the calls without which there is no timeline."""
    wanted = [
        ToolRequest(tool, {})
        for tool in ("metrics_change_points", "metrics_saturation")
        if not material.was_called(tool)
    ]
    unread = [
        source for source in log_sources(material) if not material.was_called("logs_templates", source=source)
    ]
    return wanted + [ToolRequest("logs_templates", {"source": source}) for source in unread[:MAX_LOGS]]


def around_onset(timeline: Timeline) -> list[ToolRequest]:
    """Return the calls that compare the logs before and after the onset, and that look at its moment."""
    onset = timeline.onset
    if onset is None:
        return []
    start, end = instant_text(onset.seconds - _LOOK_BACK), instant_text(onset.seconds + _LOOK_AHEAD)
    requests = []
    # A log that could not be read as a whole is not asked for again.
    read = dict.fromkeys(log.source for log in timeline.material.whole_logs)
    for source in list(read)[:MAX_LOGS]:
        requests.append(ToolRequest("logs_templates", {"source": source, "split": onset.text}))
        if not timeline.material.events:
            requests.append(ToolRequest("logs_templates", {"source": source, "start": start, "end": end}))
    return requests


def raw_lines(timeline: Timeline) -> list[ToolRequest]:
    """Return the searches for what changed components wrote of the change themselves."""
    onset, topology = timeline.onset, timeline.topology
    read = {log.source for log in timeline.material.whole_logs}
    if onset is None:
        return []
    near = [
        event
        for event in timeline.material.events
        if 0 <= onset.seconds - event.seconds + ECHO_SECONDS <= ECHO_SECONDS + timeline.effect_window
    ]
    return [
        ToolRequest(
            "logs_search",
            {
                "source": source,
                "contains": [],
                "start": instant_text(event.seconds - ECHO_SECONDS),
                "end": instant_text(event.seconds + ECHO_SECONDS),
            },
        )
        for event in near[-MAX_CHANGES:]
        for source in topology.logs.get(event.component, [])
        if source in read
    ]


def raw_samples(changes: Iterable[MetricChange]) -> list[ToolRequest]:
    """Return the queries for the raw samples around the onsets of some series, one per file."""
    requests: dict[str, ToolRequest] = {}
    for change in changes:
        source = change.spot.at("source").text
        # The samples of a table are shown by the derived tools only.
        if source.endswith(".csv"):
            continue
        arguments = {
            "source": source,
            "start": instant_text(change.onset - 2 * change.step),
            "end": instant_text(change.onset + 2 * change.step),
        }
        requests.setdefault(source, ToolRequest("metrics_query_range", dict(arguments)))
    return list(requests.values())[:MAX_SERIES_FILES]


def log_sources(material: Material) -> list[str]:
    """Return the logs of the topology and of the calls so far, in that order."""
    called = [
        source
        for call in material.calls
        if call.tool_name in ("logs_templates", "logs_search")
        and isinstance(source := call.arguments.get("source"), str)
    ]
    named = [log for logs in material.topology.logs.values() for log in logs]
    return list(dict.fromkeys([*named, *called]))


def not_yet_made(requests: Sequence[ToolRequest], material: Material) -> list[ToolRequest]:
    """Leave out what was called before, whatever came of it."""
    made = [(call.tool_name, dict(call.arguments)) for call in material.calls]
    return [request for request in requests if (request.tool_name, dict(request.arguments)) not in made]
