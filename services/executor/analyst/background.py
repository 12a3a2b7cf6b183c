"""What frames the story: what was normal, what else was changed, what is over, and what the alerts say."""

from collections.abc import Sequence

from services.executor.analyst.candidates import Candidate
from services.executor.analyst.effects import Effects
from services.executor.analyst.findings import (
    Finding,
    Part,
    instant,
    line_instant,
    literal,
    number,
    quote,
    sentence,
    subject,
)
from services.executor.analyst.phrases import course, series_name
from services.executor.analyst.signs import Sign
from services.executor.analyst.spot import Spot
from services.executor.analyst.symptoms import long_window, split_instant, telling_series
from services.executor.analyst.timeline import Timeline
from services.executor.analyst.views import Alert, ChangeEvent, Log
from services.executor.analyst.words import quotation, seconds_of

MAX_OTHER_CHANGES = 3
MAX_ALERTS = 4
_MAX_QUIET_LOGS = 12
_MAX_LONG_WINDOWS = 2
_MAX_RETURNED = 2
_MAX_FREE_LIMITS = 3


def background(timeline: Timeline, effects: Effects, causes: Sequence[Candidate]) -> list[Finding]:
    """Return context findings, the most useful first."""
    blamed = [candidate.component for candidate in causes]
    return [
        *_silences(timeline, effects),
        *_returned(timeline),
        *_long_windows(timeline),
        *_quiet_logs(timeline),
        *_other_changes(timeline, blamed),
        *_alerts(timeline),
        *_unreached_limits(timeline, blamed),
    ]


def _silences(timeline: Timeline, effects: Effects) -> list[Finding]:
    """Tell of a log that paused at the onset; pointless where failures tell the story."""
    onset = timeline.onset
    if onset is None or effects.failures.all:
        return []
    pauses = [(log, log.pause) for log in timeline.split_logs if log.pause is not None]
    return [
        _silence(log, pause)
        for log, pause in pauses
        if abs((seconds_of(pause.at("last_before", "time").text) or 0.0) - onset.seconds)
        <= timeline.effect_window
    ]


def _silence(log: Log, pause: Spot) -> Finding:
    parts: list[Part] = [
        f"{log.owner or log.source} logged its last line before a pause at ",
        line_instant(pause.at("last_before")), " and its next one at ", line_instant(pause.at("first_after")),
        ", ", number(pause.at("seconds")), " s later where ", number(pause.at("typical_seconds")),
        " s is usual",
    ]  # fmt: skip
    return Finding("symptom", "confirmed", log.owner, sentence(*parts))


def _returned(timeline: Timeline) -> list[Finding]:
    shown = {id(change) for change in telling_series(timeline)}
    back = [
        change
        for change in timeline.members
        if change.ended is not None and id(change) not in shown and change.sign is not Sign.LEVEL
    ]
    found = [(timeline.subject_of(change), change) for change in back[:_MAX_RETURNED]]
    return [
        Finding("context", "confirmed", component, sentence(*subject(component), *course(change)))
        for component, change in found
    ]


def _quiet_logs(timeline: Timeline) -> list[Finding]:
    """Say which logs hold no failure since the onset."""
    quiet = [
        log
        for log in timeline.split_logs
        if log.spot.at("errors_after").value is not None
        and log.spot.at("errors_after").count == 0
        and log.spot.at("lines_after").count > 0
    ]
    if not quiet:
        return []
    parts: list[Part] = ["Failing lines from ", split_instant(timeline), " on: "]
    for position, log in enumerate(quiet[:_MAX_QUIET_LOGS]):
        errors, lines = number(log.spot.at("errors_after")), number(log.spot.at("lines_after"))
        parts += [", " if position else "", errors, " of ", lines, f" in {log.source}"]
    return [Finding("context", "confirmed", "", sentence(*parts))]


def _long_windows(timeline: Timeline) -> list[Finding]:
    """Tell of series that stay away only because their query looks back over more than the disturbance."""
    over = {
        (timeline.subject_of(change), change.sign): change
        for change in telling_series(timeline)
        if change.ended
    }
    found = []
    for change in timeline.members:
        key, look_back = (timeline.subject_of(change), change.sign), long_window(change)
        if change.ended is None and look_back and key in over:
            parts: list[Part] = [
                *subject(key[0]), *series_name(change), " is last at ",
                number(change.spot.at("last", "value")), "; its query looks back over ",
                quote(change.spot.at("query"), look_back), ", while ", *series_name(over[key]),
                " was back in its usual range at ", instant(over[key].spot.at("ended")),
            ]  # fmt: skip
            found.append(Finding("context", "confirmed", key[0], sentence(*parts)))
    return found[-_MAX_LONG_WINDOWS:]


def _other_changes(timeline: Timeline, blamed: list[str]) -> list[Finding]:
    others = [event for event in timeline.material.events if event.component not in blamed]
    return [_other_change(timeline, event) for event in others[-MAX_OTHER_CHANGES:] if event.quote]


def _other_change(timeline: Timeline, event: ChangeEvent) -> Finding:
    parts: list[Part] = [
        *subject(event.component, event.named),
        "the change ",
        quote(event.summary, event.quote), " is recorded",
    ]  # fmt: skip
    if event.instant is not None:
        parts += [" at ", instant(event.instant)]
    if timeline.onset is not None:
        parts += ["; the first sign of the trouble is at ", split_instant(timeline)]
    return Finding("context", "confirmed", event.component, sentence(*parts))


def _alerts(timeline: Timeline) -> list[Finding]:
    firing = [alert for alert in timeline.material.alerts if alert.firing and alert.name]
    asked = [alert for alert in firing if alert.name in timeline.context.question]
    return [
        _alert(timeline, alert) for alert in [*asked, *(a for a in firing if a not in asked)][:MAX_ALERTS]
    ]


def _alert(timeline: Timeline, alert: Alert) -> Finding:
    spot = alert.spot
    parts: list[Part] = [
        "The alert ", literal(spot.at("labels", "alertname")), " is ", literal(spot.at("state")),
        ", active since ", instant(alert.since),
    ]  # fmt: skip
    summary = spot.at("annotations", "summary")
    if excerpt := quotation(summary.text):
        parts += ["; it says ", quote(summary, excerpt)]
    about = list(spot.at("labels").members().values())
    named = [label for label in about if label.text in timeline.topology.components]
    component = named[0].text if named else ""
    support = [binding for label in named[:1] if (binding := label.bind()) is not None]
    return Finding("context", "confirmed", component, sentence(*parts), support=support)


def _unreached_limits(timeline: Timeline, blamed: list[str]) -> list[Finding]:
    if blamed:
        return []
    free = [pair for pair in timeline.material.pairs if pair.reached is None]
    return [
        Finding(
            "context", "confirmed", pair.owner,
            sentence(
                *subject(pair.owner), literal(pair.spot.at("usage_name")), " used at most ",
                number(pair.spot.at("usage_max")), " of ", literal(pair.spot.at("limit_name")), " ",
                number(pair.spot.at("limit")),
            ),
        )
        for pair in free[:_MAX_FREE_LIMITS]
    ]  # fmt: skip
