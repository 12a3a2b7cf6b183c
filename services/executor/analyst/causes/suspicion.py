"""A change under suspicion, and the rule that says when more than its moment speaks against it."""

import math
import re
from collections.abc import Sequence, Set
from dataclasses import dataclass

from services.common.evidence.holdings import has_word
from services.executor.analyst.reading.changed import change_fault
from services.executor.analyst.reading.signs import Sign, tells_conversation, tells_exception
from services.executor.analyst.reading.stated import (
    LOCK,
    OTHER_RESOURCE,
    READ_ONLY,
    UNREACHABLE,
    UNRESOLVED,
    is_exhaustion,
)
from services.executor.analyst.reading.views import ChangeEvent, MetricChange, Pair
from services.executor.analyst.reading.words import resource_fault
from services.executor.analyst.story.effects import CLOCK_SLACK, Effect, Effects
from services.executor.analyst.story.failures import Failure
from services.executor.analyst.story.testimony import Testimony, testimonies
from services.executor.analyst.story.timeline import Timeline, is_part_of

# Versions, settings and the like: what two texts share only when they speak of the same thing.
_DISTINCTIVE = re.compile(r"(?<!\w)\w++(?:[.-]\w++)++|(?<![A-Za-z0-9])[A-Za-z0-9]++_\w+")
# What a component holds or is, rather than how its callers fare.
_LEVELS = frozenset({Sign.LEVEL, Sign.QUEUE, Sign.LOCK})


@dataclass(frozen=True)
class Suspicion:
    """A change, and the effects that began soon after it."""

    event: ChangeEvent
    effects: list[Effect]
    own: bool
    """True when the effects are on the changed component itself."""

    @property
    def component(self) -> str:
        """The changed component."""
        return self.event.component

    @property
    def hurts(self) -> bool:
        """Tell whether the changed component itself is in trouble."""
        return self.own and any(effect.is_trouble for effect in self.effects)

    @property
    def first(self) -> float:
        """When the first effect began."""
        return self.effects[0].seconds

    @property
    def failures(self) -> list[Failure]:
        """The changed component's own new failures, first ones first."""
        found = [effect.source for effect in self.effects if isinstance(effect.source, Failure)]
        return [failure for failure in found if failure.owner == self.component]

    @property
    def levels(self) -> list[MetricChange]:
        """The series of what the changed component itself holds that stay risen."""
        found = [effect.source for effect in self.effects if isinstance(effect.source, MetricChange)]
        return [each for each in found if each.sign in _LEVELS and each.rises and each.ended is None]


def is_proven(suspicion: Suspicion, rivals: Sequence[Suspicion], effects: Effects) -> bool:
    """Tell whether a change is the cause, rather than something that happened just before.

    That one thing came after another proves nothing: every busy system is changed shortly before something
    breaks. So all of this must hold:

    0. Nothing that hurts began before it, no second change explains the same, and the change is recorded for
       a component that is known. A start that only a log tells of is as well a consequence.
    1. The trouble begins with what was changed: on the component itself, or on a resource that its own share
       fills. A failure that a dependency logged no later, or whose words are a dependency's, begins there.
    2. No log states a mechanism that the change does not explain. A disk that is full is full whatever was
       deployed: what is stated is known, and the change is not known to lead to it.
    3. Something besides the order links the two: the component's own new error names its own code or what
       the change names, or what the component holds rises before anything hurts, or its process stops. And
       all that hurts can be hurt by it.
    """
    timeline = effects.timeline
    known = suspicion.component in timeline.topology.components
    restart = suspicion.event.instant is None and fault_of(suspicion.event) == "process.down"
    first_of_all = known and not restart and not rivals and not effects.before(suspicion.event.seconds)
    fills = filled_by(suspicion.event, timeline) is not None
    begins = fills or (suspicion.own and not _comes_from_below(suspicion, effects))
    reached = {suspicion.component} | (timeline.topology.uses(suspicion.component) if fills else set())
    linked = (fills or _is_linked(suspicion, effects)) and effects.all_hurt_by(reached)
    return first_of_all and begins and not unexplained(suspicion, effects) and linked


def unexplained(suspicion: Suspicion, effects: Effects) -> list[Testimony]:
    """Return the mechanisms that logs state and the change does not explain."""
    return [
        testimony
        for testimony in testimonies(effects.failures)
        if not _explains(suspicion, testimony, effects.timeline)
    ]


def filled_by(event: ChangeEvent, timeline: Timeline) -> Pair | None:
    """Return the limit that the changed component's share reached, where it began to grow with the change."""
    return next((pair for pair in timeline.material.pairs if _fills(event, pair, timeline)), None)


def _fills(event: ChangeEvent, pair: Pair, timeline: Timeline) -> bool:
    users = {event.component, *timeline.topology.uses(event.component)}
    # One component's part of what many share, or all of what one thing holds.
    named = f'="{event.component}"' in pair.largest_labels
    if pair.filled is None or not (named or (not pair.largest_labels and pair.owner in users)):
        return False
    first, last = math.floor(event.seconds), event.seconds + timeline.effect_window
    return pair.filled >= event.seconds and any(
        change.rises and first <= change.onset <= last and is_part_of(change, pair)
        for change in timeline.members
    )


def fault_of(event: ChangeEvent) -> str:
    """Return which kind of change it is; empty when its words tell none."""
    return change_fault(event.kind, event.quote)


def shares_names(event: ChangeEvent, text: str) -> bool:
    """Tell whether a text holds a version, a setting or the like that a change names."""
    names = set(_DISTINCTIVE.findall(event.quote)) - {event.component}
    return bool(names & set(_DISTINCTIVE.findall(text)))


def _comes_from_below(suspicion: Suspicion, effects: Effects) -> bool:
    if any(effects.failures.origin_of(failure) for failure in suspicion.failures[:1]):
        return True
    topology = effects.timeline.topology
    if not topology.calls:
        # Who depends on whom is not known: then only the first one can be where it begins.
        return any(
            failure.owner != suspicion.component and failure.seconds < suspicion.first - CLOCK_SLACK
            for failure in effects.failures.new
        )
    below = topology.dependencies(suspicion.component)
    return any(
        failure.owner in below and failure.seconds <= suspicion.first + CLOCK_SLACK
        for failure in effects.failures.new
    )


def _explains(suspicion: Suspicion, testimony: Testimony, timeline: Timeline) -> bool:
    event, fault, topology = suspicion.event, testimony.stated.fault, timeline.topology
    if shares_names(event, testimony.excerpt):
        return True
    if fault in (UNREACHABLE, UNRESOLVED, READ_ONLY):
        # Who stops answering, or taking what is written, is missed by those who call it.
        teller = testimony.failure.owner
        missed = testimony.component in (suspicion.component, "")
        return missed and suspicion.component in topology.dependencies(teller)
    if fault == LOCK:
        # A job that the topology does not know may have touched anything; who calls what is locked waits.
        touched = {suspicion.component, *topology.uses(suspicion.component)}
        waits = suspicion.component in topology.dependencies(testimony.component)
        reached = testimony.component in touched or suspicion.component not in topology.components
        return fault_of(event) == "data.changed" and (reached or waits)
    if not testimony.stated.outright and suspicion.component in topology.dependencies(testimony.component):
        # Who waits for it fills up as well.
        return testimony.seconds >= suspicion.first
    pair = filled_by(event, timeline)
    filled = [resource_fault(pair.spot.at("usage_name").text)] if pair else []
    grown = [resource_fault(change.spot.at("name").text) for change in suspicion.levels]
    # Of a resource whose name tells nothing it is not known that it is another one.
    unnamed = OTHER_RESOURCE in filled and is_exhaustion(fault) and not testimony.stated.outright
    return fault in [*filled, *grown] or unnamed


def _is_linked(suspicion: Suspicion, effects: Effects) -> bool:
    hurts = [effect.seconds for effect in effects.all if effect.is_trouble]
    early = min(hurts, default=suspicion.first) + effects.timeline.step
    risen = any(change.onset <= early for change in suspicion.levels)
    stopped = any(
        isinstance(effect.source, MetricChange) and effect.source.sign is Sign.DOWN
        for effect in suspicion.effects
    )
    called = effects.timeline.topology.dependencies(suspicion.component)
    own = any(_names_own_code(failure, suspicion.event, called) for failure in suspicion.failures)
    return own or stopped or risen


def _names_own_code(failure: Failure, event: ChangeEvent, called: Set[str]) -> bool:
    """Tell whether an error is of the component's own code, or names what the change names.

    One that tells of a peer, by what it answered or by its name, began there as well as here.
    """
    template = failure.template
    text = template.detail_text
    if (
        tells_exception(text)
        and not tells_conversation(text)
        and not any(has_word(text, name) for name in called)
    ):
        return True
    return shares_names(
        event, f"{template.example} {template.quote} {template.spot.at('detail', 'text').told}"
    )
