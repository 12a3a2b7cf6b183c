"""The analyst's two questions: what else should be looked at, and what can be claimed."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from assay.common.v1 import context_pb2, evidence_pb2

from services.common.evidence.document import ExecutorEvidence
from services.executor.analyst import follow_up
from services.executor.analyst.account.asked import Asked
from services.executor.analyst.account.background import background
from services.executor.analyst.account.cluster import ClusterAccount
from services.executor.analyst.account.cluster_question import ClusterQuestion
from services.executor.analyst.account.complaint import complaint_findings
from services.executor.analyst.account.gaps import evidence_gaps
from services.executor.analyst.account.recorded_changes import change_findings
from services.executor.analyst.account.symptoms import symptoms, telling_series, told_failures
from services.executor.analyst.causes.candidates import Candidate
from services.executor.analyst.causes.claimed import causes, stated_causes
from services.executor.analyst.lookup import desk as lookup
from services.executor.analyst.lookup import mentions
from services.executor.analyst.lookup.known import INVENTORY
from services.executor.analyst.lookup.vocabulary import AILMENTS, WELLNESS
from services.executor.analyst.reading.ids import ids_of
from services.executor.analyst.reading.material import Material
from services.executor.analyst.reading.originals import Originals
from services.executor.analyst.reading.views import MetricChange
from services.executor.analyst.reading.window import window_of
from services.executor.analyst.reading.words import words_of
from services.executor.analyst.story.effects import Effects
from services.executor.analyst.story.failures import Failures
from services.executor.analyst.story.timeline import Timeline
from services.executor.analyst.wording.findings import Finding, claims
from services.executor.analyst.wording.second_cycle import answers
from services.executor.recorded import RecordedCall, ToolRequest


@dataclass(frozen=True)
class _Reading:
    """What was recorded, read once."""

    context: context_pb2.DiagnosisContext
    material: Material

    @cached_property
    def timeline(self) -> Timeline:
        return Timeline(self.material, self.context)

    @cached_property
    def effects(self) -> Effects:
        return Effects(self.timeline, Failures(self.timeline))

    @cached_property
    def causes(self) -> list[Candidate]:
        if not self.asked.concerned or self.is_of_cluster:
            return []
        return [each for each in causes(self.timeline, self.effects) if self.asked.is_about(each.component)]

    @property
    def lacks_stated_cause(self) -> bool:
        """Tell whether a cause is asked for and neither a change nor a mechanism is one."""
        return self.asked.concerned and not stated_causes(self.timeline, self.effects)

    @cached_property
    def cluster(self) -> ClusterAccount:
        report = self.material.cluster
        return ClusterAccount(report, ClusterQuestion(self.context.question, report))

    @cached_property
    def ids(self) -> tuple[str, ...]:
        """The ids that the question names: lines that hold one are what it is about."""
        known = {*self.cluster.report.names, *self.material.topology.components}
        return ids_of(self.context.question, known)

    @cached_property
    def is_of_cluster(self) -> bool:
        """Tell whether the question is answered by the cluster alone.

        It names an object of it, or nothing was recorded whose course could be followed.
        """
        followed = self.material.metric_changes or self.material.events
        return self.cluster.answers and (bool(self.cluster.question.names) or not followed)

    def of_cluster(self) -> list[Finding]:
        """Return what is claimed of a cluster; beside a course of events it is not what was asked for."""
        counted = self.cluster.counted(self.material.documents("kubernetes_inventory"))
        found = [*self.cluster.causes, *counted, *self.cluster.symptoms(), *self.cluster.well()]
        if self.is_of_cluster or not self.causes:
            return found
        return [replace(each, critical=False) for each in found if each.claim_type != "cause"]

    def what_ails(self) -> list[ToolRequest]:
        """Return the call that tells what is wrong, where it is asked whether something works."""
        recorded = any(document.at("objects").count for document in self.material.documents(INVENTORY))
        asks = self._asks_of_health or self._asks_of_trouble
        return [ToolRequest("kubernetes_findings", {})] if recorded and asks else []

    def ailing(self, *, refused: bool) -> list[Finding]:
        """Return what is wrong with what is asked of, where it is asked whether it works: beside the answer.

        Whoever asks of the trouble of a named object, and gets no answer, is told of that trouble as well.
        """
        names_it = refused and self._asks_of_trouble and bool(self.cluster.question.names)
        if not self._asks_of_health and not names_it:
            return []
        found = [*self.cluster.causes, *self.cluster.symptoms()]
        return [
            replace(each, critical=False, status="possible" if each.claim_type == "cause" else each.status)
            for each in found
        ]

    @property
    def _asks_of_health(self) -> bool:
        return bool(WELLNESS & words_of(self.context.question))

    @property
    def _asks_of_trouble(self) -> bool:
        return bool(AILMENTS & words_of(self.context.question))

    @cached_property
    def asked(self) -> Asked:
        return Asked(self.effects)

    def wrong(self) -> list[Finding]:
        """Return what is wrong; only what the question is about is critical."""
        found = symptoms(self.timeline, self.effects, self.causes)
        asks = self.asked.concerned and not self.is_of_cluster
        return [
            replace(each, critical=each.critical and asks and self.asked.is_about(each.component))
            for each in found
        ]

    def cited_series(self) -> list[MetricChange]:
        """Return the series whose samples a claim may show: those that began first, and the telling ones."""
        first = [effect.source for effect in self.effects.all if isinstance(effect.source, MetricChange)]
        return [*first[:4], *telling_series(self.timeline)]


class Analyst:
    """Reads recorded calls only. It holds no state: the same calls give the same answer."""

    def follow_up(
        self, context: context_pb2.DiagnosisContext, calls: Sequence[RecordedCall]
    ) -> list[ToolRequest]:
        """Return the calls that would help now; empty when nothing is missing."""
        reading = _Reading(context, Material(calls, window_of(context)))
        if context.intent == context_pb2.INTENT_LOOKUP:
            wanted = lookup.wanted(context.question, reading.material)
            return follow_up.not_yet_made([*wanted, *reading.what_ails()], reading.material)
        base = follow_up.missing_base(reading.material)
        if base:
            return base
        timeline = reading.timeline
        wanted = follow_up.not_yet_made(
            [
                *follow_up.cited_objects(reading.cluster),
                *follow_up.named_objects(reading.cluster),
                *mentions.wanted(reading.ids, reading.material),
                *follow_up.around_onset(timeline),
                *follow_up.lines_of_changes(timeline, reading.effects),
                *follow_up.first_lines(told_failures(reading.effects.failures)),
                *follow_up.raw_samples(reading.cited_series()),
            ],
            reading.material,
        )
        if wanted or not reading.lacks_stated_cause:
            return wanted
        return follow_up.not_yet_made(follow_up.around_complaint(timeline), reading.material)

    def conclude(
        self,
        context: context_pb2.DiagnosisContext,
        calls: Sequence[RecordedCall],
        gaps: Sequence[evidence_pb2.ClaimGap],
    ) -> ExecutorEvidence:
        """Return what the calls support.

        `gaps` are claims that were not carried by their evidence. They are answered with what the calls of
        this cycle show, and nothing else is claimed then.
        """
        reading = _Reading(context, Material(calls, window_of(context)))
        if context.intent == context_pb2.INTENT_LOOKUP:
            return _looked_up(reading, gaps)
        wrong = reading.wrong()
        found = [
            *reading.of_cluster(),
            *mentions.found(reading.ids, reading.material),
            *(candidate.finding(reading.timeline.topology) for candidate in reading.causes),
            *complaint_findings(reading.timeline),
            *wrong,
            *reading.asked.findings(),
            *background(reading.timeline, reading.effects, reading.causes, wrong),
            *change_findings(reading.timeline, reading.causes),
        ]
        return ExecutorEvidence(
            version="executor_evidence_v2",
            claims=answers(claims(found, Originals(reading.material)), gaps),
            evidence_gaps=evidence_gaps(reading.effects, reading.causes, reading.asked.gaps()),
        )


def _looked_up(reading: _Reading, gaps: Sequence[evidence_pb2.ClaimGap]) -> ExecutorEvidence:
    """Return the answer to a lookup; what is wrong is told beside it only where that was asked."""
    answer, refused = lookup.found(reading.context.question, reading.material)
    found = [*answer, *reading.ailing(refused=bool(refused))]
    return ExecutorEvidence(
        version="executor_evidence_v2",
        claims=answers(claims(found, Originals(reading.material)), gaps),
        evidence_gaps=refused,
    )
