"""Changes as causes: what was changed, and what began to move right after it.

A change counts only when an effect begins soon after it on what was changed or on what that uses; a series
that merely repeats the change is no effect. Where one component's trouble follows from another's, the other
one's change explains it. When a change is confirmed is the rule `suspicion.is_proven`.
"""

import re
from collections.abc import Sequence

from services.common.evidence.document import EvidenceBinding
from services.executor.analyst.causes.candidates import Candidate
from services.executor.analyst.causes.suspicion import (
    Suspicion,
    fault_of,
    filled_by,
    is_proven,
    shares_names,
    unexplained,
)
from services.executor.analyst.reading.signs import Sign, counts_arrivals, tells_change
from services.executor.analyst.reading.spot import Spot
from services.executor.analyst.reading.views import ChangeEvent, MetricChange
from services.executor.analyst.reading.words import seconds_of, words_of
from services.executor.analyst.story.effects import CLOCK_SLACK, Effect, Effects
from services.executor.analyst.story.failures import Failure
from services.executor.analyst.story.timeline import Timeline, is_part_of
from services.executor.analyst.wording.findings import Part, instant, line_instant, quote, subject
from services.executor.analyst.wording.phrases import limit_use
from services.executor.analyst.wording.records import named_exception

# Lines that occur more often than this around the onset are routine.
_RARE = 3
# A component writes of a change to itself within this many seconds, and in much the same words.
ECHO_SECONDS = 5.0
_SHARED_WORDS = 0.5


def change_candidates(timeline: Timeline, effects: Effects) -> list[Candidate]:
    """Return the changes that may be the cause, the best first."""
    events = [*timeline.material.events, *logged_changes(timeline)]
    found = [suspicion for event in events if (suspicion := _suspicion(event, timeline, effects)) is not None]
    found = [suspicion for suspicion in found if not _is_victim(suspicion, found, timeline)]
    if any(suspicion.own for suspicion in found):
        found = [suspicion for suspicion in found if suspicion.own]
    blamed = [suspicion for suspicion in found if filled_by(suspicion.event, timeline) is not None]
    found = blamed or found
    found.sort(key=lambda suspicion: (-len(suspicion.effects), suspicion.first - suspicion.event.seconds))
    return [_candidate(suspicion, found, effects) for suspicion in found]


def logged_changes(timeline: Timeline) -> list[ChangeEvent]:
    """Return what rare log lines around the onset tell of changes that no recorded event tells of."""
    told = {(event.component, fault_of(event)) for event in timeline.material.events}
    found = []
    for log in timeline.material.close_ups:
        for template in log.templates:
            first = template.spot.at("first")
            if template.failed or template.after > _RARE or not tells_change(template.quote):
                continue
            event = ChangeEvent(first.at("text"), None, template.first_time, log.owner, "")
            if (event.component, fault_of(event)) not in told and event.seconds:
                found.append(event)
    return found


def _suspicion(event: ChangeEvent, timeline: Timeline, effects: Effects) -> Suspicion | None:
    topology = timeline.topology
    targets = {event.component} | topology.mentioned(re.findall(r"[\w.-]+", event.quote))
    if not any(effects.concerns_trouble(target) for target in targets):
        return None
    own = [each for each in effects.after(event.seconds, targets) if not _is_made_by_callers(each, effects)]
    used = {dependency for target in targets for dependency in topology.uses(target)}
    if event.component not in topology.components:
        # A job that the topology does not know may have touched anything; what strains is what it can hurt.
        used |= effects.strained
    # What a change of one component did to another has to be more than one of the errors of every day.
    found = own or [each for each in effects.after(event.seconds, used) if not effects.may_be_chance(each)]
    if not found or _came_too_late(event, own, effects):
        return None
    return Suspicion(event, found, bool(own))


def _came_too_late(event: ChangeEvent, own: Sequence[Effect], effects: Effects) -> bool:
    """Tell whether the trouble was there before, and nothing on the changed component speaks for it."""
    return bool(effects.before(event.seconds)) and not own


def _is_victim(suspicion: Suspicion, others: Sequence[Suspicion], timeline: Timeline) -> bool:
    """Tell whether another change hit a dependency first, so that this one's effects follow from that."""
    dependencies = timeline.topology.dependencies(suspicion.event.component)
    return any(
        other.hurts and other.event.component in dependencies and other.first <= suspicion.first
        for other in others
    )


def _is_made_by_callers(effect: Effect, effects: Effects) -> bool:
    """Tell whether it is only more work that arrived, or less because those who call it are in trouble."""
    change = effect.source
    if not isinstance(change, MetricChange) or change.sign is not Sign.TRAFFIC:
        return False
    if not counts_arrivals(change.spot.at("name").text, change.labels):
        return False
    topology = effects.timeline.topology
    above = {each for each in topology.components if effect.components & topology.dependencies(each)}
    return change.rises or bool(above & effects.hurt)


def _candidate(suspicion: Suspicion, found: Sequence[Suspicion], effects: Effects) -> Candidate:
    event, timeline = suspicion.event, effects.timeline
    rivals = [other for other in found if other is not suspicion]
    proven = is_proven(suspicion, rivals, effects)
    shown = _most_telling(suspicion, timeline)
    pair = filled_by(suspicion.event, timeline)
    parts: list[Part] = [
        *subject(event.component, event.named),
        "the change ",
        quote(event.summary, event.quote),
        " is recorded at ",
        _instant(event), ", before ", *shown.clause(),
    ]  # fmt: skip
    exception = named_exception(shown.source.template) if isinstance(shown.source, Failure) else []
    clauses = [exception] if exception else []
    if pair is not None:
        clauses.append(limit_use(pair))
    return Candidate(
        component=event.component,
        fault=fault_of(event),
        seconds=event.seconds,
        status="confirmed" if proven else "possible",
        parts=parts,
        clauses=clauses,
        support=[*_same_words(event, timeline), *shown.support(timeline)],
        series=_grown(suspicion, shown),
        event=event,
        unexplained=bool(unexplained(suspicion, effects)),
    )


def _grown(suspicion: Suspicion, shown: Effect) -> list[MetricChange]:
    """Return the series that the cause names and the clearest other one that began with it."""
    series = [effect for effect in suspicion.effects if isinstance(effect.source, MetricChange)]
    others = sorted((effect for effect in series if effect is not shown), key=lambda effect: -effect.weight)
    chosen = [shown, *others][:2]
    return [effect.source for effect in chosen if isinstance(effect.source, MetricChange)]


def _most_telling(suspicion: Suspicion, timeline: Timeline) -> Effect:
    """Choose the effect to show: one that fills a limit, else among the first ones the clearest."""
    pair = filled_by(suspicion.event, timeline)
    if pair is not None:
        for effect in suspicion.effects:
            if isinstance(effect.source, MetricChange) and is_part_of(effect.source, pair):
                return effect
    first = suspicion.effects[0].seconds
    early = [
        effect for effect in suspicion.effects if effect.seconds <= first + max(timeline.step, CLOCK_SLACK)
    ]
    return max(early, key=lambda effect: (effect.is_trouble, effect.weight))


def _same_words(event: ChangeEvent, timeline: Timeline) -> list[EvidenceBinding]:
    """Return the changed component's own log line of the time that tells of the same change."""
    words = words_of(event.quote)
    found = []
    for line, owner in timeline.material.lines():
        text = line.at("text")
        time = seconds_of(line.at("time").text)
        near = time is not None and abs(time - event.seconds) <= ECHO_SECONDS
        if owner == event.component and near and tells_change(text.told):
            binding = text.bind()
            shared = len(words & words_of(text.told)) >= _SHARED_WORDS * len(words)
            if binding is not None and (shared or shares_names(event, text.told)):
                found.append(binding)
    return found[:1]


def _instant(event: ChangeEvent) -> Part:
    if event.instant is not None:
        return instant(event.instant)
    return line_instant(Spot(event.summary.call, event.summary.path[:-1]))
