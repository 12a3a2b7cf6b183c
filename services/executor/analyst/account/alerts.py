"""What the alerts say, folded so that they take little room."""

from collections.abc import Sequence

from services.executor.analyst.reading.spot import Spot
from services.executor.analyst.reading.views import Alert
from services.executor.analyst.reading.words import quotation
from services.executor.analyst.story.timeline import Timeline
from services.executor.analyst.wording.findings import (
    Finding,
    Part,
    instant,
    joined,
    literal,
    quote,
    sentence,
    subject,
)

MAX_ALERTS = 4


def alert_findings(timeline: Timeline) -> list[Finding]:
    """Return at most two findings: the alerts on the first one's component, and the others.

    Alerts outside the window only stand there when there are no others.
    """
    material = timeline.material
    inside = _firing(timeline, material.alerts)
    shown = inside or _firing(timeline, material.all_alerts)
    if not shown:
        return []
    lead = "" if inside else "recorded outside the window: "
    component = _name(_about(timeline, shown[0]))
    same = [alert for alert in shown if _name(_about(timeline, alert)) == component]
    others = [alert for alert in shown if alert not in same]
    return [_finding(timeline, group, lead) for group in (same, others) if group]


def _firing(timeline: Timeline, alerts: Sequence[Alert]) -> list[Alert]:
    firing = [alert for alert in alerts if alert.firing and alert.name]
    firing.sort(key=lambda alert: alert.name not in timeline.context.question)
    return firing[:MAX_ALERTS]


def _finding(timeline: Timeline, alerts: Sequence[Alert], lead: str) -> Finding:
    about = [_about(timeline, alert) for alert in alerts]
    one = about[0] if len({_name(each) for each in about}) == 1 else None
    beginning: list[Part] = [*subject(_name(one), one), *([lead] if lead else [])]
    # What the rules say is left out from the last alert on where it would be too much to read.
    full, bare = ([_clause(alert, says=says) for alert in alerts] for says in (True, False))
    options = [[*full[:said], *bare[said:]] for said in range(len(alerts), 0, -1)]
    clauses = next((each for each in options if not joined([*beginning, *each[0]], each[1:])[1]), bare)
    parts, _ = joined([*beginning, *clauses[0]], clauses[1:])
    return Finding("context", "confirmed", _name(one), sentence(*parts))


def _clause(alert: Alert, *, says: bool) -> list[Part]:
    parts: list[Part] = [
        "the alert ", literal(alert.spot.at("labels", "alertname")), " is ", literal(alert.state),
        ", its condition met since ", instant(alert.since),
    ]  # fmt: skip
    summary = alert.spot.at("annotations", "summary")
    excerpt = quotation(summary.text) if says else ""
    return [*parts, ", and says ", quote(summary, excerpt)] if excerpt else parts


def _about(timeline: Timeline, alert: Alert) -> Spot | None:
    """Return the label that names a component of the topology."""
    labels = alert.spot.at("labels").members().values()
    return next((label for label in labels if label.text in timeline.topology.components), None)


def _name(label: Spot | None) -> str:
    return label.text if label else ""
