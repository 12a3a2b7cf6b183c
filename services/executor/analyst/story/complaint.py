"""What is complained of: which measure of which component got worse, and since when."""

from collections.abc import Iterator
from dataclasses import dataclass

from services.executor.analyst.reading.measures import Measure, measure_in, measure_of_series
from services.executor.analyst.reading.shifts import SUBJECTS
from services.executor.analyst.reading.views import Alert
from services.executor.analyst.reading.words import seconds_of
from services.executor.analyst.story.timeline import Timeline


@dataclass(frozen=True)
class Complaint:
    """A measure, a component (empty where none is named), and an instant in seconds since the epoch."""

    measure: Measure
    component: str
    seconds: float


def complaint_of(timeline: Timeline) -> Complaint | None:
    """Return what the first alert complains of, those that the question names first; else the question.

    None where neither speaks of a measure, nothing tells since when, or the trouble is over: what came back
    is told by when it left its level, not by the mean since.
    """
    found = _stated(timeline)
    return None if found is None or _is_over(found, timeline) else found


def _stated(timeline: Timeline) -> Complaint | None:
    question = timeline.context.question
    asked = _named(timeline)
    for alert in _firing(timeline):
        measure = measure_in(alert.name) or measure_in(alert.spot.at("annotations", "summary").text)
        measure, since = measure or measure_in(question), seconds_of(alert.since.text)
        if measure is not None and since is not None:
            return Complaint(measure, asked or _component(alert, timeline), since)
    measure = measure_in(question)
    if measure is None or timeline.noticed is None:
        return None
    return Complaint(measure, asked, timeline.noticed)


def _is_over(complaint: Complaint, timeline: Timeline) -> bool:
    """Tell whether a series of the component and the measure came back after it was complained of."""
    return any(
        change.ended is not None
        and change.ended > complaint.seconds
        and timeline.subject_of(change) == complaint.component
        and measure_of_series(change.spot.at("name").text, change.labels, "") is complaint.measure
        for change in timeline.members
    )


def _named(timeline: Timeline) -> str:
    """Return the one component that the question names; empty where it names none or several."""
    words = timeline.context.question.replace("?", " ").replace(",", " ").replace(":", " ").split()
    named = timeline.topology.mentioned(words)
    return next(iter(named)) if len(named) == 1 else ""


def _firing(timeline: Timeline) -> Iterator[Alert]:
    question, asked = timeline.context.question, _named(timeline)
    firing = [alert for alert in timeline.material.alerts if alert.firing]
    firing.sort(
        key=lambda alert: (
            not (alert.name and alert.name in question),
            _component(alert, timeline) != asked,
            seconds_of(alert.since.text) or 0.0,
        )
    )
    yield from firing


def _component(alert: Alert, timeline: Timeline) -> str:
    labels = alert.spot.at("labels").members()
    known = timeline.topology.components
    named = next((label.text for label in labels.values() if label.text in known), "")
    if named or known:
        return named
    return next((labels[name].text for name in SUBJECTS if name in labels), "")
