"""The analyst's two questions: what else should be looked at, and what can be claimed."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from assay.common.v1 import context_pb2, evidence_pb2

from services.common.evidence.document import ExecutorEvidence
from services.executor.analyst import follow_up
from services.executor.analyst.background import background
from services.executor.analyst.candidates import Candidate
from services.executor.analyst.causes import causes
from services.executor.analyst.effects import Effects
from services.executor.analyst.failures import Failures
from services.executor.analyst.findings import claims
from services.executor.analyst.gaps import evidence_gaps
from services.executor.analyst.material import Material
from services.executor.analyst.originals import Originals
from services.executor.analyst.symptoms import symptoms, telling_series, told_failures
from services.executor.analyst.timeline import Timeline
from services.executor.analyst.views import MetricChange
from services.executor.analyst.window import window_of
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
        if self.context.intent == context_pb2.INTENT_LOOKUP:
            return []
        return causes(self.timeline, self.effects)

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
        base = follow_up.missing_base(reading.material)
        if base:
            return base
        timeline = reading.timeline
        return follow_up.not_yet_made(
            [
                *follow_up.around_onset(timeline),
                *follow_up.lines_of_changes(timeline, reading.effects),
                *follow_up.first_lines(told_failures(reading.effects.failures)),
                *follow_up.raw_samples(reading.cited_series()),
            ],
            reading.material,
        )

    def conclude(
        self,
        context: context_pb2.DiagnosisContext,
        calls: Sequence[RecordedCall],
        gaps: Sequence[evidence_pb2.ClaimGap],
    ) -> ExecutorEvidence:
        """Return what the calls support.

        `gaps` are claims that were not carried by their evidence. The analyst claims nothing that it does not
        cite, so it answers them with what the calls of this cycle show, under the same stable ids.
        """
        del gaps
        reading = _Reading(context, Material(calls, window_of(context)))
        wrong = symptoms(reading.timeline, reading.effects, reading.causes)
        if context.intent == context_pb2.INTENT_LOOKUP:
            # What is wrong does not answer a question for a number or a name.
            wrong = [replace(finding, critical=False) for finding in wrong]
        found = [
            *(candidate.finding(reading.timeline.topology) for candidate in reading.causes),
            *wrong,
            *background(reading.timeline, reading.effects, reading.causes, wrong),
        ]
        return ExecutorEvidence(
            version="executor_evidence_v2",
            claims=claims(found, Originals(reading.material)),
            evidence_gaps=evidence_gaps(reading.timeline, reading.causes),
        )
