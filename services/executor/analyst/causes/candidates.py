"""A possible cause, whatever led to it."""

from collections.abc import Sequence
from dataclasses import dataclass

from services.common.evidence.document import ClaimStatusName, EvidenceBinding
from services.executor.analyst.reading.topology import Topology
from services.executor.analyst.reading.views import ChangeEvent, MetricChange
from services.executor.analyst.wording.findings import Finding, Part, bindings_of, joined, sentence


@dataclass(frozen=True)
class Candidate:
    """A component, what happened to it, and how sure the order of events makes it."""

    component: str
    fault: str
    seconds: float
    status: ClaimStatusName
    parts: Sequence[Part]
    """What the sentence must say."""
    clauses: Sequence[Sequence[Part]] = ()
    """What it says further where there is room; what finds none supports it unsaid."""
    support: Sequence[EvidenceBinding] = ()
    series: Sequence[MetricChange] = ()
    """The series that grew with it: observations that deserve a claim of their own."""
    event: ChangeEvent | None = None
    """The change that it is about, where it is one."""
    unexplained: bool = False
    """True for a change where a log states a mechanism that it does not explain."""

    @property
    def confirmed(self) -> bool:
        """Tell whether order and mechanism leave no other explanation."""
        return self.status == "confirmed"

    def finding(self, topology: Topology) -> Finding:
        """Return the cause claim."""
        parts, left = joined(self.parts, self.clauses)
        unsaid = [binding for clause in left for binding in bindings_of(clause)]
        return Finding(
            claim_type="cause",
            status=self.status,
            component=self.component,
            parts=sentence(*parts),
            critical=self.confirmed,
            component_kind=topology.kind_of(self.component),
            fault=self.fault,
            support=[*self.support, *unsaid],
        )
