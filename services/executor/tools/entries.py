"""How many alerts, change events or services of some sources fit conditions: a derived tool."""

from services.common.evidence.strict_json import Json
from services.executor.sources import kinds
from services.executor.sources.bundle import Bundle
from services.executor.sources.positioned_json import Element
from services.executor.sources.sniff import Source
from services.executor.sources.stop import Stop
from services.executor.tools.arguments import Condition, Entries, microseconds, rfc3339
from services.executor.tools.log_window import number
from services.executor.tools.tool import ToolError, ToolOutput

KINDS = (kinds.ALERT, kinds.CHANGE_EVENT, kinds.TOPOLOGY)


def entries_count(bundle: Bundle, arguments: Entries, stop: Stop) -> ToolOutput:
    """Count the entries of some sources that fit every condition, and those of them in a window."""
    names = list(dict.fromkeys(arguments.sources))
    sources = [_source(bundle, name) for name in names]
    entries = [entry for source in sources for entry in _entries(bundle, source, arguments, stop)]
    fitting = [entry for entry in entries if all(_holds(entry.value, each) for each in arguments.where)]
    start, end = microseconds(arguments.start), microseconds(arguments.end)
    undated = (
        [entry for entry in fitting if _time(entry.value) is None] if arguments.start or arguments.end else []
    )
    given = {"start": arguments.start, "end": arguments.end}
    return ToolOutput(
        {
            **{name: rfc3339(when) for name, when in given.items() if when is not None},
            "where": [{"path": each.path, "texts": [*each.texts]} for each in arguments.where],
            "inputs": [{"source": source.name} for source in sources],
            "entries": number(len(entries)),
            "count": number(sum(_within(_time(entry.value), start, end) for entry in fitting)),
            "undated": number(len(undated)),
        }
    )


def _source(bundle: Bundle, name: str) -> Source:
    found = next((source for source in bundle.sources if source.name == name), None)
    if found is not None and found.kind not in KINDS:
        raise ToolError(f"{name!r} is of kind {found.kind}; entries are counted of {', '.join(KINDS)}")
    return bundle.source(name, found.kind if found else kinds.ALERT)


def _entries(bundle: Bundle, source: Source, arguments: Entries, stop: Stop) -> list[Element]:
    stop.check()
    if source.kind != kinds.TOPOLOGY:
        return bundle.elements(source, stop)
    return bundle.elements(source, stop, ("calls" if arguments.calls else "services",))


def _holds(value: Json, condition: Condition) -> bool:
    for key in condition.path.split("/"):
        value = value.get(key) if isinstance(value, dict) else None
    return isinstance(value, str) and str(value) in condition.texts


def _time(value: Json) -> int | None:
    found = kinds.instants_of(value)
    return found[0].microseconds if found else None


def _within(time: int | None, start: int | None, end: int | None) -> bool:
    if time is None:
        return start is None and end is None
    return (start is None or time >= start) and (end is None or time < end)
