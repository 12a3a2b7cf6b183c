"""Directions from metrics alone: where the measure that is complained of got worse, along the calls.

None of them is ever confirmed: that two things got worse together, and that one calls the other, states no
mechanism. Every competitor is shown with the same numbers, so that a person can decide between them.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise

from services.common.evidence.document import EvidenceBinding
from services.executor.analyst.causes.candidates import Candidate
from services.executor.analyst.reading.measures import Measure
from services.executor.analyst.reading.shifts import Worsening, worsenings
from services.executor.analyst.reading.spot import Spot
from services.executor.analyst.story.complaint import Complaint, complaint_of
from services.executor.analyst.story.descent import Descent
from services.executor.analyst.story.timeline import Timeline
from services.executor.analyst.wording.findings import Part, bindings_of, literal
from services.executor.analyst.wording.shifts import compared

_FAULTS = {
    Measure.LATENCY: "dependency.slow",
    Measure.FAILURES: "dependency.failing",
    Measure.THROUGHPUT: "dependency.idle",
}


@dataclass(frozen=True)
class Propagation:
    """How the trouble that is complained of spreads, as far as series were compared."""

    timeline: Timeline

    @cached_property
    def complaint(self) -> Complaint | None:
        """What is complained of."""
        return complaint_of(self.timeline)

    @cached_property
    def descent(self) -> Descent | None:
        """From the component that is complained of to where it begins; None where nothing was compared."""
        if self.complaint is None:
            return None
        topology = self.timeline.topology
        worse = worsenings(self.timeline.material.shifts, self.complaint.measure, topology)
        return Descent(self.complaint.component, worse, topology) if worse else None

    @property
    def decides(self) -> bool:
        """Tell whether what was compared is the answer, be it that nothing got worse."""
        return self.descent is not None and not self.descent.stands_alone

    def candidates(self) -> list[Candidate]:
        """Return the directions, the likeliest first."""
        if self.descent is None or self.complaint is None:
            return []
        return [self._candidate(each, self.complaint, self.descent) for each in self.descent.suspects]

    def _candidate(self, worsening: Worsening, complaint: Complaint, descent: Descent) -> Candidate:
        component = worsening.component
        callers = [each for each in descent.path if component in self.timeline.topology.uses(each.component)]
        clauses = [self._called_by(callers[-1], component)] if callers else []
        return Candidate(
            component=component,
            fault=_FAULTS[complaint.measure],
            seconds=worsening.left_at or complaint.seconds,
            status="possible",
            parts=[f"{component}: ", *compared(worsening.shown)],
            clauses=clauses,
            support=self._way_to(component, descent),
        )

    def _called_by(self, caller: Worsening, component: str) -> Sequence[Part]:
        call = self._call(caller.component, component)
        name = literal(call.at("value", "from")) if call else caller.component
        return [name, ", which calls it: ", *compared(caller.shown)]

    def _way_to(self, component: str, descent: Descent) -> list[EvidenceBinding]:
        """Return the calls that lead from the component that is complained of to this one."""
        names = [each.component for each in descent.path]
        if component not in names:
            return []
        way = names[: names.index(component) + 1]
        calls = [self._call(caller, callee) for caller, callee in pairwise(way)]
        return bindings_of(
            literal(call.at("value", side)) for call in calls if call for side in ("from", "to")
        )

    def _call(self, caller: str, callee: str) -> Spot | None:
        return next(
            (
                call
                for call in self._calls()
                if (call.at("value", "from").text, call.at("value", "to").text) == (caller, callee)
            ),
            None,
        )

    def _calls(self) -> Iterator[Spot]:
        for document in self.timeline.material.documents("topology_get"):
            yield from document.at("calls").items()
