"""Every recorded change that no cause names, so that a reader can judge each of them."""

from collections.abc import Sequence

from services.executor.analyst.causes.candidates import Candidate
from services.executor.analyst.reading.views import ChangeEvent
from services.executor.analyst.story.timeline import Timeline
from services.executor.analyst.wording.findings import (
    Finding,
    Part,
    instant,
    joined,
    literal,
    quote,
    sentence,
)

# So many sentences are made, each of as many of the changes as still can be read.
_MAX_SENTENCES = 8


def change_findings(timeline: Timeline, causes: Sequence[Candidate]) -> list[Finding]:
    """Return the changes that no cause names, and those outside the window, a few in each finding."""
    window = timeline.material.window
    events = [event for event in timeline.material.all_events if event.quote and event.instant is not None]
    inside = [event for event in events if window.holds(event.seconds)]
    outside = [event for event in events if not window.holds(event.seconds)]
    named = [candidate.event for candidate in causes]
    others = [event for event in inside if event not in named]
    lead = "Other recorded changes" if len(others) < len(inside) else "Recorded changes"
    return [*_told(lead, others), *_told("Changes recorded outside the window", outside)]


def _told(lead: str, events: Sequence[ChangeEvent]) -> list[Finding]:
    clauses: list[Sequence[Part]] = [_change(event) for event in events]
    found: list[Finding] = []
    while clauses and len(found) < _MAX_SENTENCES:
        parts, clauses = joined([lead, ": ", *clauses[0]], clauses[1:])
        found.append(Finding("context", "confirmed", "", sentence(*parts)))
    return found


def _change(event: ChangeEvent) -> list[Part]:
    name: list[Part] = [literal(event.named), " "] if event.named is not None else []
    at: list[Part] = [" at ", instant(event.instant)] if event.instant is not None else []
    return [*name, quote(event.summary, event.quote), *at]
