"""What the alerts say, folded so that they take little room."""

from collections.abc import Sequence

from services.executor.analyst.findings import Finding, Part, instant, literal, quote, sentence, subject
from services.executor.analyst.spot import Spot
from services.executor.analyst.timeline import Timeline
from services.executor.analyst.views import Alert
from services.executor.analyst.words import quotation

MAX_ALERTS = 4


def alert_findings(timeline: Timeline) -> list[Finding]:
    """Return at most two findings: the alerts on the first one's component, and the others."""
    firing = [alert for alert in timeline.material.alerts if alert.firing and alert.name]
    firing.sort(key=lambda alert: alert.name not in timeline.context.question)
    shown = firing[:MAX_ALERTS]
    if not shown:
        return []
    component = _name(_about(timeline, shown[0]))
    same = [alert for alert in shown if _name(_about(timeline, alert)) == component]
    others = [alert for alert in shown if alert not in same]
    return [_finding(timeline, group) for group in (same, others) if group]


def _finding(timeline: Timeline, alerts: Sequence[Alert]) -> Finding:
    about = [_about(timeline, alert) for alert in alerts]
    one = about[0] if len({_name(each) for each in about}) == 1 else None
    parts: list[Part] = []
    for alert in alerts:
        parts += ["; " if parts else "", *_clause(alert)]
    lead = subject(_name(one), one)
    return Finding("context", "confirmed", _name(one), sentence(*lead, *parts))


def _clause(alert: Alert) -> list[Part]:
    parts: list[Part] = [
        "the alert ", literal(alert.spot.at("labels", "alertname")), " is ", literal(alert.spot.at("state")),
        ", active since ", instant(alert.since),
    ]  # fmt: skip
    summary = alert.spot.at("annotations", "summary")
    if excerpt := quotation(summary.text):
        parts += [", and says ", quote(summary, excerpt)]
    return parts


def _about(timeline: Timeline, alert: Alert) -> Spot | None:
    """Return the label that names a component of the topology."""
    labels = alert.spot.at("labels").members().values()
    return next((label for label in labels if label.text in timeline.topology.components), None)


def _name(label: Spot | None) -> str:
    return label.text if label else ""
