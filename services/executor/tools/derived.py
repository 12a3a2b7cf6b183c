"""The derived tools: numbers, counts and excerpts, computed from the sources."""

from services.common.evidence.strict_json import Json
from services.executor.sources import kinds
from services.executor.sources.bundle import Bundle
from services.executor.sources.kinds import Form
from services.executor.sources.metrics import Series
from services.executor.sources.stop import Stop
from services.executor.tools import log_templates
from services.executor.tools.arguments import LogTemplates, SeriesWindow, microseconds, rfc3339, unix_seconds
from services.executor.tools.log_window import number
from services.executor.tools.metrics_change_points import change_points
from services.executor.tools.metrics_saturation import saturation
from services.executor.tools.tool import ToolOutput


def logs_templates(bundle: Bundle, arguments: LogTemplates, stop: Stop) -> ToolOutput:
    """Return a log's records grouped by the shape of their messages."""
    source = bundle.source(arguments.source, kinds.LOG)
    log = bundle.log(source)
    start, end = microseconds(arguments.start), microseconds(arguments.end)
    summary = log_templates.summarize(
        log.lines(stop, start, end), start, end, microseconds(arguments.split), arguments.literals, log.notes
    )
    where: dict[str, Json] = {
        "source": source.name,
        "owner": source.owner,
        "sha256": log.sha256,
        "bytes": number(source.size_bytes),
        **_selection(arguments),
    }
    truncated = log.cut or len(summary.groups) > log_templates.MAX_LISTED
    return ToolOutput(log_templates.document(summary, where), truncated)


def _selection(arguments: LogTemplates) -> dict[str, Json]:
    """Return the instants that made the counts, as far as they were given."""
    given = {"start": arguments.start, "end": arguments.end, "split": arguments.split}
    return {name: rfc3339(when) for name, when in given.items() if when is not None}


def metrics_change_points(bundle: Bundle, arguments: SeriesWindow, stop: Stop) -> ToolOutput:
    """Return the series that left their baseline."""
    series = _series(bundle, arguments, stop)
    start, end = unix_seconds(arguments.start), unix_seconds(arguments.end)
    document = change_points(series, start, end, stop.check)
    return ToolOutput(document)


def metrics_saturation(bundle: Bundle, arguments: SeriesWindow, stop: Stop) -> ToolOutput:
    """Return usage series against the constant series that limit them."""
    series = _series(bundle, arguments, stop)
    start, end = unix_seconds(arguments.start), unix_seconds(arguments.end)
    return ToolOutput(saturation(series, start, end, stop.check))


def _series(bundle: Bundle, arguments: SeriesWindow, stop: Stop) -> list[Series]:
    if arguments.sources:
        sources = [bundle.source(name, kinds.METRIC) for name in arguments.sources]
    else:
        sources = [source for source in bundle.of_kind(kinds.METRIC) if source.form is not Form.INDEX]
    return bundle.series(sources, stop)
