"""What began to move after a moment: series and kinds of failing lines that a change may have caused."""

import math
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property

from services.common.evidence.document import EvidenceBinding
from services.executor.analyst.reading.signs import Sign
from services.executor.analyst.reading.views import MetricChange
from services.executor.analyst.story.failures import Failure, Failures
from services.executor.analyst.story.timeline import Timeline
from services.executor.analyst.wording.findings import Part
from services.executor.analyst.wording.phrases import beginning, first_record, raw_samples

# Clocks of an event recorder and of a system differ by less than this.
CLOCK_SLACK = 1.0


@dataclass(frozen=True)
class Effect:
    """One thing that began, and the components that it is about."""

    seconds: float
    components: frozenset[str]
    source: MetricChange | Failure

    @property
    def is_trouble(self) -> bool:
        """Tell whether it hurts, rather than just being different."""
        if isinstance(self.source, Failure):
            return True
        return self.source.sign in (Sign.DOWN, Sign.ERROR, Sign.LOCK, Sign.LATENCY)

    @property
    def weight(self) -> float:
        """How far it left the usual; more is easier to believe."""
        return float(self.source.template.after) if isinstance(self.source, Failure) else self.source.score

    def clause(self) -> list[Part]:
        """Say how it began."""
        if isinstance(self.source, Failure):
            return first_record(self.source.template)
        return beginning(self.source)

    def support(self, timeline: Timeline) -> list[EvidenceBinding]:
        """Return the raw samples that bear it out."""
        return [] if isinstance(self.source, Failure) else raw_samples(timeline.material, self.source)


@dataclass(frozen=True)
class Effects:
    """All effects of a timeline, first ones first."""

    timeline: Timeline
    failures: Failures

    @cached_property
    def all(self) -> list[Effect]:
        """Every series of the trouble and every new kind of failing line."""
        series = [
            Effect(change.onset, self.timeline.components_of(change), change)
            for change in self.timeline.members
        ]
        lines = [
            Effect(failure.seconds, frozenset({failure.owner} - {""}), failure)
            for failure in self.failures.new
        ]
        return sorted([*series, *lines], key=lambda effect: effect.seconds)

    def after(self, seconds: float, components: Iterable[str]) -> list[Effect]:
        """Return the effects on some components that begin soon after an instant.

        Order is judged to the second: that is how exactly it is stated, and how well clocks agree.
        """
        wanted = frozenset(components)
        return [
            effect
            for effect in self.all
            if effect.components & wanted
            and math.floor(seconds) <= effect.seconds <= seconds + self.timeline.effect_window
        ]

    def may_be_chance(self, effect: Effect) -> bool:
        """Tell whether an effect is so rare a failure that it need not belong to the trouble."""
        return isinstance(effect.source, Failure) and self.failures.may_be_chance(effect.source)

    def before(self, seconds: float) -> list[Effect]:
        """Return the effects that hurt and began before an instant."""
        return [effect for effect in self.all if effect.is_trouble and effect.seconds < seconds - CLOCK_SLACK]

    @cached_property
    def hurt(self) -> frozenset[str]:
        """The components that something is wrong with."""
        return frozenset(each for effect in self.all if effect.is_trouble for each in effect.components)

    @cached_property
    def symptomatic(self) -> frozenset[str]:
        """The components that hurt, or that an alert or the question names."""
        topology = self.timeline.topology
        asked = self.timeline.context.question.replace("?", " ").replace(",", " ").replace(":", " ").split()
        return self.hurt | self.alerted | topology.mentioned(asked)

    @cached_property
    def alerted(self) -> frozenset[str]:
        """The components that a firing alert names."""
        return self.timeline.topology.mentioned(
            label.text
            for alert in self.timeline.material.alerts
            if alert.firing
            for label in alert.spot.at("labels").members().values()
        )

    def all_hurt_by(self, origins: Iterable[str]) -> bool:
        """Tell whether what is wrong with some components can be what is wrong with all that hurt.

        Those count that hurt and that no other hurt one calls: who depends on none of the origins has a
        trouble of another kind. Where no calls are known, nothing can be ruled out.
        """
        topology, causing = self.timeline.topology, frozenset(origins)
        hurt = self.hurt & topology.components
        top = [each for each in hurt if not any(each in topology.dependencies(other) for other in hurt)]
        return not topology.calls or all(causing & {each, *topology.dependencies(each)} for each in top)

    @cached_property
    def strained(self) -> frozenset[str]:
        """The components whose limit was reached, or that report failures or waiting."""
        full = {pair.owner for pair in self.timeline.material.pairs if pair.filled is not None}
        waits = (self.timeline.components_of(change) for change in self.series(Sign.LOCK))
        return frozenset(full).union(self.failures.owners, *waits)

    def series(self, sign: Sign) -> list[MetricChange]:
        """Return the series of the trouble that tell the same, first ones first."""
        return [change for change in self.timeline.members if change.sign is sign]

    def concerns_trouble(self, component: str) -> bool:
        """Tell whether what happens to a component can hurt those that hurt."""
        topology = self.timeline.topology
        if component in self.symptomatic or not topology.calls or not self.symptomatic:
            return True
        if component not in topology.components:
            return True
        reaches = any(component in topology.dependencies(hurt) for hurt in self.symptomatic)
        return reaches or bool(topology.uses(component) & self.strained)
