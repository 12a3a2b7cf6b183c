"""What frames the story: what was normal, what is over, what else was changed, and what the alerts say."""

from collections.abc import Sequence, Set

from services.executor.analyst.account.alerts import alert_findings
from services.executor.analyst.account.readings import empty_window, what_was_read
from services.executor.analyst.account.symptoms import long_window, telling_series
from services.executor.analyst.causes.candidates import Candidate
from services.executor.analyst.reading.signs import Sign
from services.executor.analyst.reading.views import Log, MetricChange
from services.executor.analyst.story.effects import Effects
from services.executor.analyst.story.timeline import Timeline
from services.executor.analyst.wording.findings import (
    Finding,
    Part,
    instant,
    joined,
    literal,
    number,
    quote,
    sentence,
    subject,
)
from services.executor.analyst.wording.phrases import course, in_all, series_name

# A tired person reads so many facts, causes apart.
MAX_FACTS = 12
_MAX_QUIET = 2
_MAX_LONG_WINDOWS = 1
_MAX_MOVED = 3
_MAX_RISEN = 2
_MAX_FREE_LIMITS = 3


def background(
    timeline: Timeline, effects: Effects, causes: Sequence[Candidate], wrong: Sequence[Finding]
) -> list[Finding]:
    """Return context findings, the most useful first, as many as still can be read beside what is wrong."""
    blamed = [candidate.component for candidate in causes]
    alerts = alert_findings(timeline)
    found = [
        *empty_window(timeline),
        *(_long_windows(timeline) if wrong else _moved(timeline)),
        *_quiet_logs(timeline, {*blamed, *effects.failures.owners}, wrong),
        *_steady_series(timeline),
        *([] if any(candidate.confirmed for candidate in causes) else _risen_below(timeline, effects)),
        *([] if blamed else _unreached_limits(timeline)),
    ]
    if not (found or alerts or wrong or causes):
        return what_was_read(timeline)
    return [*found[: max(0, MAX_FACTS - len(wrong) - len(alerts))], *alerts]


def _moved(timeline: Timeline) -> list[Finding]:
    """Tell of series that moved where nothing hurts: those of the trouble, else the clearest that stayed."""
    changes = timeline.members
    if not changes:
        told = [change for change in timeline.material.metric_changes if change.can_be_told]
        changes = sorted(told, key=lambda change: (change.ended is not None, -change.score))
    found = [(timeline.subject_of(change), change) for change in changes[:_MAX_MOVED]]
    return [
        Finding("context", "confirmed", component, sentence(*subject(component), *course(change)))
        for component, change in found
    ]


def _risen_below(timeline: Timeline, effects: Effects) -> list[Finding]:
    """Tell of what rose and stayed up in something that those who hurt use: a disk that is busy, say."""
    used = {below for each in effects.hurt for below in timeline.topology.dependencies(each)}
    risen = [
        (component, change)
        for change in effects.series(Sign.LEVEL)
        if change.rises and change.ended is None and (component := timeline.subject_of(change)) in used
    ]
    risen.sort(key=lambda found: (found[1].onset, -found[1].score))
    return [
        Finding("context", "confirmed", component, sentence(*subject(component), *course(change)))
        for component, change in risen[:_MAX_RISEN]
    ]


def _quiet_logs(timeline: Timeline, cited: Set[str], wrong: Sequence[Finding]) -> list[Finding]:
    """Say which logs hold no failure: since the onset where something is wrong, else at all.

    The log of a component that is cited for failures or as the cause, or that has new warnings, is not called
    quiet: the counts would read as if nothing were wrong there.
    """
    logs = timeline.split_logs if wrong else timeline.material.whole_logs
    quiet = [log for log in logs if log.owner not in cited and _is_quiet(log)]
    if not quiet:
        return []
    lead: list[Part] = ["Lines that report a failure by their level or status"]
    if wrong:
        lead += [", from ", instant(quiet[0].spot.at("split")), " on"]
    clauses = [_no_failure(log) for log in quiet]
    found = []
    for _ in range(_MAX_QUIET):
        if clauses:
            parts, clauses = joined([*lead, ": ", *clauses[0]], clauses[1:], ", ")
            found.append(Finding("context", "confirmed", "", sentence(*parts)))
    return found


def _no_failure(log: Log) -> Sequence[Part]:
    errors, lines = number(log.spot.at("errors_after")), number(log.spot.at("lines_after"))
    return [errors, " of ", lines, f" in {log.source}"]


def _is_quiet(log: Log) -> bool:
    counted = log.spot.at("errors_after").value is not None and log.spot.at("lines_after").count > 0
    split = bool(log.argument("split"))
    warned = split and log.spot.at("warnings_after").count > 0 and log.spot.at("warnings_before").count == 0
    return counted and log.spot.at("errors_after").count == 0 and not warned


def _steady_series(timeline: Timeline) -> list[Finding]:
    """Say how many of the series that were read kept their level."""
    for document in timeline.material.change_points:
        if document.at("unchanged").count or document.at("changed").count:
            parts: list[Part] = [
                "Metric series that kept their usual level: ", number(document.at("unchanged")),
                "; series that left it, be it for a moment: ", number(document.at("changed")),
            ]  # fmt: skip
            return [Finding("context", "confirmed", "", sentence(*parts))]
    return []


def _long_windows(timeline: Timeline) -> list[Finding]:
    """Tell of series that stay away only because their query looks back over more than the disturbance."""
    over = {
        (timeline.subject_of(change), change.sign): change
        for change in telling_series(timeline)
        if change.ended
    }
    found = [
        _long_window(timeline, change, over[key])
        for change in timeline.members
        if (key := (timeline.subject_of(change), change.sign)) in over
        and change.ended is None
        and long_window(change)
    ]
    return found[-_MAX_LONG_WINDOWS:]


def _long_window(timeline: Timeline, change: MetricChange, short: MetricChange) -> Finding:
    component = timeline.subject_of(change)
    parts: list[Part] = [
        *subject(component), *series_name(change), " is last at ",
        number(change.spot.at("last", "value")), "; its query looks back over ",
        quote(change.spot.at("query"), long_window(change)), ", while ", *series_name(short),
        " was back in its usual range at ", instant(short.spot.at("ended")),
    ]  # fmt: skip
    return Finding("context", "confirmed", component, sentence(*parts))


def _unreached_limits(timeline: Timeline) -> list[Finding]:
    free = [pair for pair in timeline.material.pairs if pair.reached is None]
    return [
        Finding(
            "context", "confirmed", pair.owner,
            sentence(
                *subject(pair.owner), *in_all(pair), literal(pair.spot.at("usage_name")), " used at most ",
                number(pair.spot.at("usage_max")), " of ", literal(pair.spot.at("limit_name")), " ",
                number(pair.spot.at("limit")),
            ),
        )
        for pair in free[:_MAX_FREE_LIMITS]
    ]  # fmt: skip
