"""Every recorded change that no cause names, so that a reader can judge each of them."""

from collections.abc import Iterator, Sequence

from services.executor.analyst.candidates import Candidate
from services.executor.analyst.findings import Finding, Part, instant, literal, quote, sentence
from services.executor.analyst.timeline import Timeline
from services.executor.analyst.views import ChangeEvent

# So many changes stand in one sentence, and so many sentences are made, of the latest changes.
_IN_ONE = 8
_MAX_SENTENCES = 8


def change_findings(timeline: Timeline, causes: Sequence[Candidate]) -> list[Finding]:
    """Return the recorded changes that no cause names, by time, a few in each finding."""
    events = [event for event in timeline.material.events if event.quote and event.instant is not None]
    named = [candidate.event for candidate in causes]
    others = [event for event in events if event not in named]
    lead = "Other recorded changes" if len(others) < len(events) else "Recorded changes"
    groups = list(_grouped(others))[-_MAX_SENTENCES:]
    return [Finding("context", "confirmed", "", sentence(*_listed(lead, group))) for group in groups]


def _grouped(events: Sequence[ChangeEvent]) -> Iterator[Sequence[ChangeEvent]]:
    for begin in range(0, len(events), _IN_ONE):
        yield events[begin : begin + _IN_ONE]


def _listed(lead: str, events: Sequence[ChangeEvent]) -> list[Part]:
    parts: list[Part] = [lead]
    for position, event in enumerate(events):
        parts += ["; " if position else ": ", *_change(event)]
    return parts


def _change(event: ChangeEvent) -> list[Part]:
    name: list[Part] = [literal(event.named), " "] if event.named is not None else []
    at: list[Part] = [" at ", instant(event.instant)] if event.instant is not None else []
    return [*name, quote(event.summary, event.quote), *at]
