"""Weaker readings, where neither a change nor a mechanism is stated: who stopped, was busier, or is slow.

None of them is ever confirmed: each is only where a person would look first.
"""

from collections.abc import Callable, Iterator

from services.executor.analyst.causes.candidates import Candidate
from services.executor.analyst.reading.signs import Sign, tells_cut_off, tells_timeout
from services.executor.analyst.reading.views import Log, MetricChange
from services.executor.analyst.story.effects import CLOCK_SLACK, Effects
from services.executor.analyst.story.failures import Failure
from services.executor.analyst.story.testimony import named_peers
from services.executor.analyst.story.timeline import Timeline
from services.executor.analyst.wording.findings import Part, subject
from services.executor.analyst.wording.phrases import course, first_record, slow_requests
from services.executor.analyst.wording.records import named_exception

# Work that falls below this share of itself has stopped.
_STOPPED_SHARE = 0.1
# Less growth than this is a busy hour.
_LOAD_FACTOR = 1.5
# An alert waits and looks back for some minutes before it fires.
_ALERT_LAG = 600.0
# So many callers that wait for one have more than themselves in common.
_SEVERAL = 2
# Robust standard deviations; at the smallest spread of a latency this is slower by four fifths.
_CLEARLY_SLOWER = 12.0


def direction_candidates(timeline: Timeline, effects: Effects) -> list[Candidate]:
    """Return the weak readings of a trouble that is not over, the first rule that applies first."""
    rules: tuple[tuple[str, Callable[[Timeline, Effects], Iterator[MetricChange]]], ...] = (
        ("process.down", _stopped_work),
        ("load.increased", _more_load),
        ("dependency.slow", _slow_dependency),
    )
    found = [
        _candidate(timeline, change, fault)
        for fault, rule in rules
        for change in list(rule(timeline, effects))[:1]
    ]
    return [*_awaited(timeline, effects), *_slow_by_log(timeline, effects), *found]


def more_arrived(timeline: Timeline, effects: Effects) -> list[Candidate]:
    """Return that more work arrived from outside before anything hurt: no change inside made it."""
    changes = _more_load(timeline, effects)
    edges = (each for each in changes if timeline.topology.is_edge(timeline.subject_of(each)))
    return [_candidate(timeline, change, "load.increased") for change in list(edges)[:1]]


def _candidate(timeline: Timeline, change: MetricChange, fault: str) -> Candidate:
    component = timeline.subject_of(change)
    return Candidate(component, fault, change.onset, "possible", [f"{component}: ", *course(change)])


def _stopped_work(timeline: Timeline, effects: Effects) -> Iterator[MetricChange]:
    for change in _early_traffic(timeline, effects):
        if not change.rises and _value(change, "extreme") <= _STOPPED_SHARE * _value(change, "before"):
            yield change


def _more_load(timeline: Timeline, effects: Effects) -> Iterator[MetricChange]:
    for change in _early_traffic(timeline, effects):
        grown = change.rises and not change.was_absent
        if grown and _value(change, "extreme") >= _LOAD_FACTOR * _value(change, "before"):
            yield change


def _awaited(timeline: Timeline, effects: Effects) -> list[Candidate]:
    """Return whom several wait for in vain by their own words, where nobody waits for anybody else.

    One caller alone may itself be too busy to wait, or cut off; and what one only repeats of another's words
    makes it no second. Who is cut off by its own words tells of nobody, and whom they wait for may only wait
    itself.
    """
    cut_off = {each.owner for each in effects.failures.all if tells_cut_off(each.template.detail_text)}
    waits: dict[str, dict[str, Failure]] = {}
    for failure in effects.failures.new:
        text = failure.template.detail_text
        if failure.owner in cut_off or effects.failures.origin_of(failure):
            continue
        if failure.owner and tells_timeout(text):
            for peer in named_peers(failure.owner, text, timeline.topology):
                waits.setdefault(peer, {}).setdefault(failure.owner, failure)
    peers = [*waits]
    if len(peers) != 1 or len(waits[peers[0]]) < _SEVERAL:
        return []
    first, *others = waits[peers[0]].values()
    if _complains(peers[0], first.seconds - timeline.effect_window, timeline):
        return []
    about = subject(peers[0], timeline.material.named(peers[0]))
    parts: list[Part] = [*about, *_wait(first)]
    clauses = [_wait(each) for each in others]
    return [Candidate(peers[0], "dependency.slow", first.seconds, "possible", parts, clauses)]


def _complains(component: str, since: float, timeline: Timeline) -> bool:
    """Tell whether a component itself warns, as never before an instant, of one that it calls."""
    return any(
        line.owner == component
        and line.onset is not None
        and line.onset >= since
        and line.spot.at("severity").text != "other"
        and bool(named_peers(component, line.detail_text, timeline.topology))
        for log in timeline.split_logs
        for line in log.templates
    )


def _wait(failure: Failure) -> list[Part]:
    """Tell of a line, and of the error that it names where its message does not say that it waited."""
    said, error = first_record(failure.template), named_exception(failure.template)
    return [*said, *(["; ", *error] if error else [])]


def _slow_by_log(timeline: Timeline, effects: Effects) -> list[Candidate]:
    """Return the deepest that others wait for and whose own log tells that it is slow to the end."""
    topology, slow = timeline.topology, _logged_slow(timeline)
    suffering = {timeline.subject_of(change) for change in _lasting(timeline, effects)}
    used = {below for each in suffering for below in topology.dependencies(each)}
    return [
        Candidate(log.owner, "dependency.slow", effects.all[0].seconds, "possible", slow_requests(log))
        for log in slow
        if log.owner in used and not topology.dependencies(log.owner) & {other.owner for other in slow}
    ]


def _logged_slow(timeline: Timeline) -> list[Log]:
    end = timeline.logged[1] - timeline.effect_window
    return [
        log
        for log in timeline.split_logs
        if log.owner and slow_requests(log) and (log.last_slow or 0.0) >= end
    ]


def _lasting(timeline: Timeline, effects: Effects) -> list[MetricChange]:
    """Return the latencies that stay high, but of those of whom one came back.

    A quantile over a long window stays high after a short pause; one that came back tells the truth.
    """
    latencies = effects.series(Sign.LATENCY)
    over = {timeline.subject_of(change) for change in latencies if change.ended is not None}
    return [change for change in latencies if timeline.subject_of(change) not in over]


def _slow_dependency(timeline: Timeline, effects: Effects) -> Iterator[MetricChange]:
    topology, slow = timeline.topology, _lasting(timeline, effects)
    hurt = {timeline.subject_of(change) for change in slow} | {log.owner for log in _logged_slow(timeline)}
    for change in slow:
        component = timeline.subject_of(change)
        waits = any(
            component in topology.uses(timeline.subject_of(other)) and other.onset >= change.onset
            for other in slow
        )
        own = not topology.dependencies(component) & (hurt | effects.strained)
        if waits and own and change.score >= _CLEARLY_SLOWER and not change.looks_over:
            yield change


def _early_traffic(timeline: Timeline, effects: Effects) -> list[MetricChange]:
    """Return the movements of work that began with the first effects, before anything that hurts."""
    if not effects.all:
        return []
    limit = effects.all[0].seconds + max(timeline.step, CLOCK_SLACK)
    return [
        change
        for change in effects.series(Sign.TRAFFIC)
        if change.onset <= limit
        and change.ended is None
        and timeline.subject_of(change)
        and not effects.before(change.onset)
        and _belongs(change, timeline, effects)
    ]


def _belongs(change: MetricChange, timeline: Timeline, effects: Effects) -> bool:
    """Tell whether anything else moved soon after, or somebody noticed; otherwise it is another story."""
    limit = change.onset + timeline.effect_window
    followed = any(
        effect.source is not change and change.onset <= effect.seconds <= limit for effect in effects.all
    )
    return followed or (timeline.noticed or 0.0) <= change.onset + _ALERT_LAG


def _value(change: MetricChange, side: str) -> float:
    return change.spot.at(side, "value").number or 0.0
