"""What a refused lookup was looked for in: counts of what was read, nothing that could pass for an answer."""

from services.executor.analyst.lookup.known import ENTRIES, INVENTORY, LOG_COUNT, SUMMARY, Known
from services.executor.analyst.reading.spot import Spot
from services.executor.analyst.wording.findings import Finding, Part, counted, quote, sentence

_MAX_NAMES = 12


def looked_at(known: Known) -> list[Finding]:
    """Return one sentence per kind of source that was read; none is critical, so that none answers."""
    found = [*_logs(known), *_metrics(known), *_cluster(known), *_topology(known), *_entries(known)]
    return [Finding("context", "confirmed", "", sentence(*parts)) for parts in found]


def _first(known: Known, tool: str) -> Spot | None:
    return next(known.material.documents(tool), None)


def _logs(known: Known) -> list[list[Part]]:
    document = _first(known, LOG_COUNT)
    if document is not None:
        read = counted(document.at("logs_read"), "log", "logs")
        return [["Looked at ", *read, " with ", *counted(document.at("lines"), "line", "lines")]]
    logs = known.material.whole_logs[:_MAX_NAMES]
    return [
        ["Looked at ", *counted(log.spot.at("lines"), "line", "lines"), f" of {log.source}"] for log in logs
    ]


def _metrics(known: Known) -> list[list[Part]]:
    document = _first(known, SUMMARY)
    return (
        [["Looked at ", *counted(document.at("read"), "series", "series"), " of metrics"]] if document else []
    )


def _cluster(known: Known) -> list[list[Part]]:
    document = _first(known, INVENTORY)
    if document is None or not document.at("objects").count:
        return []
    return [["Looked at ", *counted(document.at("objects"), "object", "objects"), " of a cluster"]]


def _topology(known: Known) -> list[list[Part]]:
    names = [
        element.at("value", "name")
        for document in known.material.documents("topology_get")
        for element in document.at("services").items()
    ]
    if not names:
        return []
    parts: list[Part] = ["Looked at the topology with the services "]
    for index, name in enumerate(names[:_MAX_NAMES]):
        parts += [", " if index else "", quote(name, name.text)]
    return [parts]


def _entries(known: Known) -> list[list[Part]]:
    document = _first(known, ENTRIES)
    return [["Looked at ", *counted(document.at("entries"), "entry", "entries")]] if document else []
