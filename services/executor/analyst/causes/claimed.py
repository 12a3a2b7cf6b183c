"""Which of the possible causes are claimed."""

from services.executor.analyst.causes.candidates import Candidate
from services.executor.analyst.causes.changes import change_candidates
from services.executor.analyst.causes.directions import direction_candidates, more_arrived
from services.executor.analyst.causes.mechanisms import FAILING, mechanism_candidates
from services.executor.analyst.causes.propagated import Propagation
from services.executor.analyst.story.effects import Effects
from services.executor.analyst.story.timeline import Timeline

# More directions than these do not help a person who must act.
MAX_CAUSES = 3
# These happen inside a component: a change elsewhere that only shares their moment does not explain them.
_SELF_EVIDENT = frozenset({"process.down", "code.exception"})


def causes(timeline: Timeline, effects: Effects) -> list[Candidate]:
    """Return the causes to claim, the best first; none where nothing supports one.

    Where neither a change nor a mechanism is stated, the measure that is complained of is followed along the
    calls, if its series were compared; that nothing got worse by it is an answer, too.
    """
    found = stated_causes(timeline, effects)
    if any(candidate.confirmed for candidate in found):
        return found
    if found:
        return _distinct([*more_arrived(timeline, effects), *found])
    propagation = Propagation(timeline)
    if propagation.decides:
        # New failures in logs are not nothing: more work than before may have made them.
        arrived = more_arrived(timeline, effects) if effects.failures.new else []
        return _distinct(propagation.candidates() or arrived)
    return _distinct(direction_candidates(timeline, effects)) if effects.all else []


def stated_causes(timeline: Timeline, effects: Effects) -> list[Candidate]:
    """Return the changes and the mechanisms to claim, the best first.

    A change that is proven stands alone. A mechanism that shows itself in a component on which the changed
    one depends explains the change's apparent effects away; one that the change does not explain is likelier
    than the change.
    """
    if not effects.all:
        return []
    changes = change_candidates(timeline, effects)
    mechanisms = mechanism_candidates(timeline, effects)
    changes = [change for change in changes if not _explained_away(change, mechanisms, timeline)]
    confirmed = [change for change in changes if change.confirmed]
    if confirmed:
        return confirmed[:1]
    sure = [mechanism for mechanism in mechanisms if mechanism.confirmed]
    if sure:
        return _distinct([*sure[:1], *(change for change in changes if not change.unexplained)])
    if changes and all(change.unexplained for change in changes):
        return _distinct([*mechanisms, *changes])
    # Who recorded nothing and answers with failures is likelier than what was changed where that is told.
    failing = [mechanism for mechanism in mechanisms if mechanism.fault == FAILING]
    return _distinct([*failing, *changes] if changes else mechanisms)


def _explained_away(change: Candidate, mechanisms: list[Candidate], timeline: Timeline) -> bool:
    dependencies = timeline.topology.dependencies(change.component)
    return any(
        mechanism.component in dependencies and mechanism.fault in _SELF_EVIDENT for mechanism in mechanisms
    )


def _distinct(candidates: list[Candidate]) -> list[Candidate]:
    by_component: dict[str, Candidate] = {}
    for candidate in candidates:
        by_component.setdefault(candidate.component, candidate)
    return list(by_component.values())[:MAX_CAUSES]
