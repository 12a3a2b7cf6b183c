"""Which further calls would help, in rounds: first what the plan left out, then what depends on the onset."""

from collections.abc import Iterable, Sequence

from services.common.evidence.strict_json import Json, NumberToken
from services.executor.analyst.account.cluster import ClusterAccount
from services.executor.analyst.causes.changes import ECHO_SECONDS
from services.executor.analyst.reading.material import Material
from services.executor.analyst.reading.stated import tells_lock_wait
from services.executor.analyst.reading.views import Log, MetricChange
from services.executor.analyst.reading.words import instant_text, seconds_of
from services.executor.analyst.story.complaint import complaint_of
from services.executor.analyst.story.effects import Effects
from services.executor.analyst.story.failures import Failure, is_telling
from services.executor.analyst.story.timeline import Timeline
from services.executor.recorded import ToolRequest

# Bounds of one round: every log of a small system, a few files of samples, a few changes.
MAX_LOGS = 12
MAX_SERIES_FILES = 6
MAX_CHANGES = 4
MAX_OBJECT_FILES = 8
MAX_COMPONENTS = 2000
# Of one log, so many messages are counted wherever they stand.
MAX_LITERALS = 12
# So many first lines of failures are read as they stand in the log, and so many lines of their moment.
MAX_FIRST_LINES = 4
_LINES_OF_A_MOMENT = 20
_MOMENT = 0.002
# The longest literal that can be searched for.
_MAX_LITERAL = 256
_ONE_LINE: dict[str, Json] = {"limit": NumberToken("1")}
# A change is looked for in the logs from this long before the onset.
_LOOK_BACK = 45.0
_LOOK_AHEAD = 5.0


def missing_base(material: Material) -> list[ToolRequest]:
    """Return the calls without which there is no timeline."""
    bounds = material.window.bounds()
    wanted = [
        ToolRequest(tool, bounds)
        for tool in ("metrics_change_points", "metrics_saturation")
        if not material.was_called(tool)
    ]
    unread = [
        source for source in log_sources(material) if not material.was_called("logs_templates", source=source)
    ]
    return wanted + [
        ToolRequest("logs_templates", {**bounds, "source": source}) for source in unread[:MAX_LOGS]
    ]


def cited_objects(account: ClusterAccount) -> list[ToolRequest]:
    """Return the calls that show what is claimed of a cluster as its files hold it."""
    objects = [
        ToolRequest("kubernetes_objects", {"source": source, "names": [*names]})
        for source, names in account.sources().items()
    ]
    lines = [
        ToolRequest("logs_search", {"source": source, "contains": [text[:_MAX_LITERAL]], **_ONE_LINE})
        for source, text in dict.fromkeys(account.lines())
    ]
    return [*objects[:MAX_OBJECT_FILES], *lines[:MAX_FIRST_LINES]]


def named_objects(account: ClusterAccount) -> list[ToolRequest]:
    """Return the calls that count objects: those of names that nothing found goes by, those that are well."""
    return [ToolRequest("kubernetes_inventory", arguments) for arguments in account.inventories()]


def around_onset(timeline: Timeline) -> list[ToolRequest]:
    """Return the calls that compare the logs before and after the onset, and that look at its moment."""
    onset = timeline.onset
    if onset is None:
        return []
    window = timeline.material.window
    start = instant_text(max(window.start, onset.seconds - _LOOK_BACK))
    end = instant_text(min(window.end, onset.seconds + _LOOK_AHEAD))
    requests = []
    # A log that could not be read as a whole is not asked for again.
    read = {log.source: log for log in timeline.material.whole_logs}
    for source, log in list(read.items())[:MAX_LOGS]:
        arguments: dict[str, Json] = {**window.bounds(), "source": source, "split": timeline.split}
        if literals := _worth_counting(log):
            arguments["literals"] = [*literals]
        requests.append(ToolRequest("logs_templates", arguments))
        if not timeline.material.events:
            requests.append(ToolRequest("logs_templates", {"source": source, "start": start, "end": end}))
    return requests


def _worth_counting(log: Log) -> Sequence[Json]:
    """Return what failures, and lines that state a mechanism, say: a statement may count it."""
    told = [template.quote for template in log.templates if is_telling(template) and not template.is_status]
    return [*filter(None, dict.fromkeys(told))][:MAX_LITERALS]


def first_lines(failures: Sequence[Failure]) -> list[ToolRequest]:
    """Return the searches for the lines in which failures were first said."""
    found = []
    for failure in failures[:MAX_FIRST_LINES]:
        line = failure.template.first
        begin = seconds_of(line.at("time").text)
        if begin is None:
            continue
        # The lines that follow a wait for a lock tell who holds it.
        waits = tells_lock_wait(failure.template.first_text)
        whole = line.at("text").text[:_MAX_LITERAL]
        literal = whole if failure.template.is_status else failure.template.quote
        arguments: dict[str, Json] = {
            "source": failure.log.source,
            "contains": [] if waits or not literal else [literal],
            "start": line.at("time").text,
            "end": instant_text(begin + _MOMENT),
            "limit": NumberToken(_LINES_OF_A_MOMENT),
        }
        found.append(ToolRequest("logs_search", arguments))
    return found


def lines_of_changes(timeline: Timeline, effects: Effects) -> list[ToolRequest]:
    """Return the searches for what changed components wrote of the change themselves."""
    topology = timeline.topology
    read = {log.source for log in timeline.material.whole_logs}
    near = [
        event
        for event in timeline.material.events
        if any(0 <= effect.seconds + 1 - event.seconds <= timeline.effect_window for effect in effects.all)
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
    """Return the queries for the raw samples around the onsets of some series, one per file and onset."""
    requests: dict[tuple[str, float], ToolRequest] = {}
    for change in changes:
        source = change.spot.at("source").text
        arguments = {
            "source": source,
            "start": instant_text(change.onset - 2 * change.step),
            "end": instant_text(change.onset + 2 * change.step),
        }
        requests.setdefault((source, change.onset), ToolRequest("metrics_query_range", dict(arguments)))
    return list(requests.values())[:MAX_SERIES_FILES]


def around_complaint(timeline: Timeline) -> list[ToolRequest]:
    """Return the call that compares what is complained of, and what it calls, before and since."""
    complaint, topology = complaint_of(timeline), timeline.topology
    if complaint is None:
        return []
    arguments: dict[str, Json] = {
        **timeline.material.window.bounds(),
        "split": instant_text(complaint.seconds),
    }
    if topology.calls and complaint.component in topology.components:
        concerned = {complaint.component, *topology.dependencies(complaint.component)}
        arguments["components"] = [*sorted(concerned)[:MAX_COMPONENTS]]
    return [ToolRequest("metrics_shift", arguments)]


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
