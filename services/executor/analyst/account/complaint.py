"""What became of the measure that is complained of, where its series were compared: moved or not."""

from services.executor.analyst.causes.propagated import Propagation
from services.executor.analyst.reading.shifts import Worsening
from services.executor.analyst.story.descent import CLEAR
from services.executor.analyst.story.timeline import Timeline
from services.executor.analyst.wording.findings import Finding, joined, sentence
from services.executor.analyst.wording.shifts import compared, usual_variation

# Of what is called, the one that moved most is told where nothing is blamed.
_MAX_CALLED = 1


def complaint_findings(timeline: Timeline) -> list[Finding]:
    """Return what the component that is complained of shows, and where nothing is blamed what it calls."""
    descent = Propagation(timeline).descent
    if descent is None:
        return []
    own = descent.path[:1]
    blamed = bool(descent.suspects)
    called = [
        each
        for name, each in descent.worse.items()
        if name in timeline.topology.dependencies(descent.start) and not blamed
    ]
    called.sort(key=lambda each: (-each.score(), each.component))
    return [
        *(_finding(each, moved=each.score() >= CLEAR) for each in own),
        *(_finding(each, moved=False) for each in called[:_MAX_CALLED]),
    ]


def _finding(worsening: Worsening, *, moved: bool) -> Finding:
    shown = worsening.shown
    parts, _ = joined([f"{worsening.component}: ", *compared(shown)], [usual_variation(shown)])
    return Finding("symptom" if moved else "context", "confirmed", worsening.component, sentence(*parts))
