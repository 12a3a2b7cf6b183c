"""The derived tools: numbers, counts and excerpts, computed from the sources."""

from dataclasses import dataclass

from services.common.evidence.strict_json import Json
from services.executor.sources import kinds
from services.executor.sources.bundle import Bundle
from services.executor.sources.kinds import Form
from services.executor.sources.log_reader import LogReader, Reading
from services.executor.sources.metrics import Series
from services.executor.sources.sniff import Source
from services.executor.sources.stop import Stop
from services.executor.tools import log_templates
from services.executor.tools.arguments import (
    LogTemplates,
    SeriesSplit,
    SeriesSummary,
    SeriesWindow,
    microseconds,
    rfc3339,
    unix_seconds,
)
from services.executor.tools.log_tallies import tallies
from services.executor.tools.log_window import extent_of, number
from services.executor.tools.metrics_change_points import change_points
from services.executor.tools.metrics_saturation import saturation
from services.executor.tools.metrics_shift import metrics_shift as shift
from services.executor.tools.metrics_summary import Asked
from services.executor.tools.metrics_summary import metrics_summary as summary
from services.executor.tools.tool import ToolOutput


def logs_templates(bundle: Bundle, arguments: LogTemplates, stop: Stop) -> ToolOutput:
    """Return a log's records grouped by the shape of their messages, as far as they were read in time."""
    source = bundle.source(arguments.source, kinds.LOG)
    log = bundle.log(source)
    made = _summary(bundle, source, log, arguments, stop)
    # What was told to stop is of no use, however far it came.
    stop.check()
    split = microseconds(arguments.split)
    found = tallies(arguments.literals, log.blocks(made.reading, stop), made.summary.census, split)
    ends = {number for tally in found for number in (tally.first, tally.last)}
    lines = log.lines_at(made.reading, ends, stop)
    extent = made.reading.extent
    where: dict[str, Json] = {
        "source": source.name,
        "owner": source.owner,
        "sha256": extent.sha256,
        "bytes": number(source.size_bytes),
        **extent_of(extent),
        **_selection(arguments),
    }
    document = log_templates.document(made.summary, split, where, [tally.document(lines) for tally in found])
    return ToolOutput(document, extent.cut or len(made.summary.groups) > log_templates.MAX_LISTED)


@dataclass(frozen=True, slots=True)
class _Made:
    """A summary, and the reading that it is of."""

    reading: Reading
    summary: log_templates.Summary


def _summary(bundle: Bundle, source: Source, log: LogReader, arguments: LogTemplates, stop: Stop) -> _Made:
    """Return the summary of a window, which does not depend on the split: the one kept, or a new one."""
    start, end = microseconds(arguments.start), microseconds(arguments.end)
    key = (source.name, log.version(), start, end)
    kept = bundle.kept.get(key)
    if isinstance(kept, _Made):
        return kept
    reading = log.read(stop.sooner(), start, end)
    made = _Made(reading, log_templates.summarize(reading, start, end))
    if made.summary.whole:
        bundle.kept.put(key, made, len(made.summary.census))
    return made


def _selection(arguments: LogTemplates) -> dict[str, Json]:
    """Return the instants that made the counts, as far as they were given."""
    given = {"start": arguments.start, "end": arguments.end, "split": arguments.split}
    return {name: rfc3339(when) for name, when in given.items() if when is not None}


def metrics_change_points(bundle: Bundle, arguments: SeriesWindow, stop: Stop) -> ToolOutput:
    """Return the series that left their baseline."""
    series, left_out = _series(bundle, arguments, stop)
    start, end = unix_seconds(arguments.start), unix_seconds(arguments.end)
    return _marked(change_points(series, start, end, stop.check), left_out)


def metrics_saturation(bundle: Bundle, arguments: SeriesWindow, stop: Stop) -> ToolOutput:
    """Return usage series against the constant series that limit them."""
    series, left_out = _series(bundle, arguments, stop)
    start, end = unix_seconds(arguments.start), unix_seconds(arguments.end)
    return _marked(saturation(series, start, end, stop.check), left_out)


def metrics_shift(bundle: Bundle, arguments: SeriesSplit, stop: Stop) -> ToolOutput:
    """Return the series before an instant and since."""
    series, left_out = _series(bundle, arguments, stop)
    bounds = unix_seconds(arguments.start), unix_seconds(arguments.end)
    split = arguments.split.timestamp()
    return _marked(shift(series, split, bounds, frozenset(arguments.components), stop.check), left_out)


def metrics_summary(bundle: Bundle, arguments: SeriesSummary, stop: Stop) -> ToolOutput:
    """Return the ends and the extremes of the series that are named."""
    series, left_out = _series(bundle, arguments, stop)
    start, end, at = (unix_seconds(when) for when in (arguments.start, arguments.end, arguments.at))
    asked = Asked(start, end, at, arguments.above, arguments.below)
    document, whole = summary(series, arguments.words, asked, stop.check)
    made = _marked(document, left_out)
    return ToolOutput(made.document, made.truncated or not whole)


def _marked(document: dict[str, Json], left_out: int) -> ToolOutput:
    """Say how many series were not read, where that is so."""
    if not left_out:
        return ToolOutput(document)
    return ToolOutput({**document, "series_left_out": number(left_out)}, truncated=True)


def _series(bundle: Bundle, arguments: SeriesWindow, stop: Stop) -> tuple[list[Series], int]:
    if arguments.sources:
        sources = [bundle.source(name, kinds.METRIC) for name in arguments.sources]
    else:
        sources = [source for source in bundle.of_kind(kinds.METRIC) if source.form is not Form.INDEX]
    return bundle.series(sources, stop)
