"""The raw tools: what a system said, element by element or line by line."""

from services.common.evidence.strict_json import Json
from services.executor.sources import kinds, metrics
from services.executor.sources.bundle import Bundle
from services.executor.sources.kinds import Form
from services.executor.sources.log_line import LogLine
from services.executor.sources.metrics_csv import Column
from services.executor.sources.positioned_json import Element
from services.executor.sources.sniff import Source
from services.executor.sources.stop import Stop
from services.executor.tools import samples as samples_of
from services.executor.tools.arguments import LogSearch, OneSource, SourceWindow, microseconds, unix_seconds
from services.executor.tools.log_window import extent_of, number, records, shown
from services.executor.tools.tool import ToolError, ToolOutput


def alerts_list(bundle: Bundle, arguments: OneSource, stop: Stop) -> ToolOutput:
    """Return every alert of a source."""
    return _elements(bundle, bundle.source(arguments.source, kinds.ALERT), stop)


def change_events_list(bundle: Bundle, arguments: OneSource, stop: Stop) -> ToolOutput:
    """Return every change event of a source."""
    return _elements(bundle, bundle.source(arguments.source, kinds.CHANGE_EVENT), stop)


def topology_get(bundle: Bundle, arguments: OneSource, stop: Stop) -> ToolOutput:
    """Return the services and who calls whom."""
    source = bundle.source(arguments.source, kinds.TOPOLOGY)
    services = [_located(element) for element in bundle.elements(source, stop, ("services",))]
    calls = [_located(element) for element in bundle.elements(source, stop, ("calls",))]
    return ToolOutput({"source": source.name, "services": services, "calls": calls})


def logs_search(bundle: Bundle, arguments: LogSearch, stop: Stop) -> ToolOutput:
    """Return the records of a log that hold every literal, whole."""
    source = bundle.source(arguments.source, kinds.LOG)
    start, end = microseconds(arguments.start), microseconds(arguments.end)
    lines: list[Json] = []
    log = bundle.log(source)
    truncated = False
    where: dict[str, Json] = {"source": source.name, "owner": source.owner}
    reading = log.read(stop, start, end)
    for record in records(reading, start, end):
        if not _holds(record, arguments.contains):
            continue
        if len(lines) + len(record) > arguments.limit:
            truncated = True
            lines += [shown(line) for line in record[: arguments.limit - len(lines)]]
            break
        truncated = truncated or any(line.cut for line in record)
        lines += [shown(line) for line in record]
    if not truncated:
        where |= extent_of(reading.extent)
    return ToolOutput({**where, "lines": lines}, truncated or reading.extent.cut)


def metrics_list(bundle: Bundle, arguments: OneSource, stop: Stop) -> ToolOutput:
    """Return what an index lists, or the labels of a response's series without their samples."""
    source = bundle.source(arguments.source, kinds.METRIC)
    if source.form is Form.INDEX:
        return _elements(bundle, source, stop)
    if source.form is Form.TABLE:
        elements = [_column_element(bundle, column, 1, 1, {}) for column in bundle.table(source, stop)]
    else:
        elements = [
            _series_element(bundle, source, element, {"metric": _metric(element)})
            for element in bundle.elements(source, stop)
        ]
    return ToolOutput({"source": source.name, "elements": elements})


def metrics_query_range(bundle: Bundle, arguments: SourceWindow, stop: Stop) -> ToolOutput:
    """Return the series of a source with their samples within the window."""
    source = bundle.source(arguments.source, kinds.METRIC)
    if source.form is Form.INDEX:
        raise ToolError(f"{source.name!r} is an index and holds no samples; metrics_list shows what it lists")
    start, end = unix_seconds(arguments.start), unix_seconds(arguments.end)
    if source.form is Form.TABLE:
        columns = [_column_samples(bundle, column, start, end) for column in bundle.table(source, stop)]
        return ToolOutput({"source": source.name, "elements": columns})
    elements: list[Json] = []
    for element in bundle.elements(source, stop):
        stop.check()
        value: dict[str, Json] = {"metric": _metric(element), "values": _samples(element.value, start, end)}
        elements.append(_series_element(bundle, source, element, value))
    return ToolOutput({"source": source.name, "elements": elements})


def _elements(bundle: Bundle, source: Source, stop: Stop) -> ToolOutput:
    elements = [_located(element) for element in bundle.elements(source, stop)]
    return ToolOutput({"source": source.name, "elements": elements})


def _located(element: Element) -> Json:
    return {
        "first_line": number(element.first_line),
        "last_line": number(element.last_line),
        "value": element.value,
    }


def _series_element(bundle: Bundle, source: Source, element: Element, value: Json) -> Json:
    return {
        "first_line": number(element.first_line),
        "last_line": number(element.last_line),
        "owner": bundle.owner_of(source, metrics.response_labels(element.value)),
        "value": value,
    }


def _column_samples(bundle: Bundle, column: Column, start: float | None, end: float | None) -> Json:
    """Return a column as a series: its samples within a window, and the lines on which they stand."""
    samples = [sample for sample in column.samples if _within(sample[0], start, end)]
    lines = [column.lines[time] for time, _ in samples] or [1]
    pairs: list[Json] = [[samples_of.number(time), token] for time, token in samples]
    return _column_element(bundle, column, min(lines), max(lines), {"values": pairs})


def _column_element(
    bundle: Bundle, column: Column, first_line: int, last_line: int, more: dict[str, Json]
) -> Json:
    labels: dict[str, Json] = {"__name__": column.name} if column.name else {}
    labels |= column.labels
    return {
        "first_line": number(first_line),
        "last_line": number(last_line),
        "owner": bundle.owners.of_column(column.labels, column.name),
        "value": {"metric": labels, **more},
    }


def _metric(element: Element) -> Json:
    return element.value.get("metric", {}) if isinstance(element.value, dict) else {}


def _samples(value: Json, start: float | None, end: float | None) -> list[Json]:
    """Return the `[time, "value"]` pairs within a window, as the file wrote them."""
    if not isinstance(value, dict):
        return []
    pairs = value.get("values")
    if not isinstance(pairs, list):
        pairs = [value.get("value")]
    found: list[Json] = []
    for pair in pairs:
        sample = metrics.sample_of(pair)
        if sample is not None and _within(sample[0], start, end):
            found.append(pair)
    return found


def _within(seconds: float, start: float | None, end: float | None) -> bool:
    return (start is None or seconds >= start) and (end is None or seconds < end)


def _holds(record: list[LogLine], literals: list[str]) -> bool:
    text = record[0].text if len(record) == 1 else "\n".join(line.text for line in record)
    return all(literal in text for literal in literals)
