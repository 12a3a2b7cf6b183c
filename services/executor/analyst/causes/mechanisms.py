"""Mechanisms as causes, where no change explains the trouble: a stopped process, a lock, a full resource.

What series show comes before what a log alone states: they tell who used a thing up. Each rule answers with
candidates or with nothing. A rule confirms only what the order of onsets and the texts show together;
everything else is a direction.
"""

import re
from collections.abc import Callable, Iterator, Sequence, Set

from services.common.evidence.document import ClaimStatusName, EvidenceBinding
from services.common.evidence.holdings import has_word
from services.executor.analyst.causes.candidates import Candidate
from services.executor.analyst.reading.signs import (
    Sign,
    tells_exception,
    tells_failing_answer,
    tells_holder,
    tells_timeout,
)
from services.executor.analyst.reading.stated import (
    OTHER_RESOURCE,
    UNREACHABLE,
    is_exhaustion,
    tells_exhausted,
    tells_lock_wait,
    tells_of_peer,
    tells_unreachable,
)
from services.executor.analyst.reading.views import MetricChange
from services.executor.analyst.reading.words import quotation, resource_fault
from services.executor.analyst.story.effects import CLOCK_SLACK, Effects
from services.executor.analyst.story.failures import Failure
from services.executor.analyst.story.silences import fell_silent
from services.executor.analyst.story.testimony import Testimony, origins, testimonies
from services.executor.analyst.story.timeline import Timeline, is_part_of
from services.executor.analyst.wording.findings import Part, line_instant, line_quote, subject
from services.executor.analyst.wording.phrases import beginning, course, first_record, limit_use, raw_samples
from services.executor.analyst.wording.records import named_exception

# What PostgreSQL calls a session that holds its locks and does nothing.
_OPEN_TRANSACTION = "idle in transaction"
_HOLDING = (_OPEN_TRANSACTION, "exclusive")
_EXCEPTION = "code.exception"
FAILING = "dependency.failing"
MAX_HOLDERS = 2
# A log tells details of a wait within so many lines below it.
_LINES_BELOW = 4

Rule = Callable[[Timeline, Effects], Iterator[Candidate]]


def mechanism_candidates(timeline: Timeline, effects: Effects) -> list[Candidate]:
    """Return the mechanisms that may be the cause: confirmed before possible, then by rule."""
    rules: tuple[Rule, ...] = (
        _process_down,
        _lock_contention,
        _resource_full,
        _failing_stranger,
        _own_exception,
    )
    found = [candidate for rule in rules for candidate in rule(timeline, effects)]
    shown = {candidate.fault for candidate in found} - {_EXCEPTION}
    stated = [each for each in _stated(timeline, effects) if not _is_shown(each, shown)]
    of_stated = {candidate.component for candidate in stated}
    # An error class beside a mechanism in the same component's words is the same trouble.
    rest = [each for each in found if each.fault != _EXCEPTION or each.component not in of_stated]
    return sorted([*stated, *rest], key=lambda candidate: not candidate.confirmed)


def _stated(timeline: Timeline, effects: Effects) -> Iterator[Candidate]:
    """Yield the mechanisms that log lines state in words, about the component where each begins.

    One is confirmed where the words say what happened, only one component can be meant, nothing that hurts
    began before it, and all that hurts can be hurt by it.
    """
    told = testimonies(effects.failures)
    for fault in dict.fromkeys(testimony.stated.fault for testimony in told):
        first = origins([each for each in told if each.stated.fault == fault], timeline.topology)
        for testimony in first:
            if fault == UNREACHABLE and testimony.component in effects.failures.owners:
                # It answers, and says itself what is wrong with it.
                continue
            first_of_all = len(first) == 1 and not effects.before(testimony.seconds)
            # What a client says of a store is not what the store says of itself.
            told_by_itself = not testimony.stated.answered or testimony.component == testimony.failure.owner
            outright = testimony.stated.outright and told_by_itself
            sure = outright and first_of_all and effects.all_hurt_by([testimony.component])
            yield Candidate(
                component=testimony.component,
                fault=fault,
                seconds=testimony.seconds,
                status=_status(sure),
                parts=_as_told(testimony, timeline),
                support=_told_beside(testimony, told),
            )


def _is_shown(stated: Candidate, shown: Set[str]) -> bool:
    """Tell whether series show the same; a full resource whose name tells nothing may be the stated one."""
    unnamed = OTHER_RESOURCE in shown and is_exhaustion(stated.fault) and not stated.confirmed
    return stated.fault in shown or unnamed


def _as_told(testimony: Testimony, timeline: Timeline) -> list[Part]:
    teller, component = testimony.failure.owner or testimony.failure.template.source, testimony.component
    # A line may name a component as a part of a host's name, or not at all.
    about = subject(component, timeline.material.named(component)) if component != teller else []
    line = testimony.line
    template = testimony.failure.template
    at = template.spot.at("first") if not line.at("time").text else line
    told = line_quote(line, testimony.excerpt)
    return [*about, f"{teller} first logged ", told, f"{template.where} at ", line_instant(at)]


def _told_beside(testimony: Testimony, told: Sequence[Testimony]) -> list[EvidenceBinding]:
    """Return the other lines of the same moment that state the same mechanism."""
    beside = [
        other.line.at("text").bind(other.excerpt)
        for other in told
        if other is not testimony
        and other.stated.fault == testimony.stated.fault
        and abs(other.seconds - testimony.seconds) <= CLOCK_SLACK
    ]
    return [binding for binding in beside if binding is not None]


def _process_down(timeline: Timeline, effects: Effects) -> Iterator[Candidate]:
    down = effects.series(Sign.DOWN)
    unreachable = _first_new(effects, tells_unreachable)
    for change in down:
        component = timeline.subject_of(change)
        # A scrape sees the end of a process late: by a step, and by the scrape's own timeout.
        early = effects.before(change.onset - timeline.effect_window)
        alone = len({timeline.subject_of(each) for each in down}) == 1
        parts: list[Part] = [f"{component}: ", *course(change)]
        further = [fell_silent(timeline, component, change.onset)]
        if unreachable is not None:
            further.append(first_record(unreachable.template))
        clauses = [clause for clause in further if clause]
        support = raw_samples(timeline.material, change)
        status = _status(alone and not early)
        yield Candidate(component, "process.down", change.onset, status, parts, clauses, support, [change])


def _lock_contention(timeline: Timeline, effects: Effects) -> Iterator[Candidate]:
    waits, told = effects.series(Sign.LOCK)[:1], _first_new(effects, tells_lock_wait)
    begins = [change.onset for change in waits] + ([told.seconds] if told else [])
    if not begins:
        return
    holders = _holders(timeline, begins[0])[:MAX_HOLDERS]
    series = [*holders, *waits]
    owners = [timeline.subject_of(change) for change in series] + ([told.owner] if told else [])
    component = next(filter(None, owners), "")
    # Who holds the lock and who waits comes first; every series has a claim of its own beside.
    clauses = [course(change) for change in holders[:1]]
    if told is not None:
        clauses += [first_record(told.template), *_named_holder(timeline, told)]
    clauses += [course(change) for change in series[len(holders[:1]) :]]
    parts: list[Part] = [f"{component}: ", *clauses[0]] if series else clauses[0]
    elsewhere = [effect for effect in effects.before(begins[0]) if component not in effect.components]
    status = _status(bool(waits and told) and not elsewhere)
    support = [binding for change in series for binding in raw_samples(timeline.material, change)]
    yield Candidate(
        component, "lock.contention", begins[0], status, parts, clauses[1:], support, series
    )  # fmt: skip


def _holders(timeline: Timeline, first: float) -> list[MetricChange]:
    """Return the series of open transactions and exclusive locks that rose with the waits, new ones first."""
    limit = first + max(timeline.step, CLOCK_SLACK)
    found = [
        change
        for change in timeline.members
        if change.rises and change.onset <= limit and any(sign in change.labels for sign in _HOLDING)
    ]
    return sorted(found, key=lambda change: (not change.was_absent, _OPEN_TRANSACTION not in change.labels))


def _named_holder(timeline: Timeline, told: Failure) -> list[list[Part]]:
    """Cite the line below a wait that tells who holds the lock, where the log has one."""
    head = told.template.first
    begin = head.at("n").count
    for document in timeline.material.documents("logs_search"):
        for line in document.at("lines").items() if document.at("source").text == told.log.source else []:
            text, below = line.at("text"), line.at("n").count - begin
            if 0 < below <= _LINES_BELOW and tells_holder(text.told):
                excerpt = quotation(text.told[_lead(text.told) :])
                return [["below it stands ", line_quote(line, excerpt)]] if excerpt else []
    return []


def _resource_full(timeline: Timeline, effects: Effects) -> Iterator[Candidate]:
    refusal = _first_new(effects, tells_exhausted)
    for pair in timeline.material.pairs:
        grown = [change for change in timeline.members if change.rises and is_part_of(change, pair)]
        if pair.filled is None or not grown:
            continue
        change = grown[0]
        # One component may hold the largest part; who filled a resource that is not shared is not known.
        component = timeline.subject_of(change) if pair.largest_labels else pair.owner
        in_order = refusal is not None and refusal.seconds >= pair.filled - timeline.effect_window
        status = _status(in_order and not effects.before(change.onset) and component != pair.owner)
        parts: list[Part] = [f"{component}: ", *beginning(change)]
        clauses = [limit_use(pair), *([first_record(refusal.template)] if refusal else [])]
        support = raw_samples(timeline.material, change)
        fault = resource_fault(f"{pair.spot.at('limit_name').text} {pair.spot.at('usage_name').text}")
        yield Candidate(component, fault, change.onset, status, parts, clauses, support, [change])


def _failing_stranger(timeline: Timeline, effects: Effects) -> Iterator[Candidate]:
    """Yield who is called, recorded nothing itself, and answered with a failure as its caller tells."""
    topology = timeline.topology
    for failure in effects.failures.new:
        text = failure.template.detail_text
        strangers = sorted(
            each for each in topology.uses(failure.owner) - topology.components if has_word(text, each)
        )
        if len(strangers) == 1 and tells_failing_answer(text):
            about = subject(strangers[0], timeline.material.named(strangers[0]))
            parts: list[Part] = [*about, *first_record(failure.template)]
            error = named_exception(failure.template)
            clauses = [error] if error else []
            yield Candidate(strangers[0], FAILING, failure.seconds, "possible", parts, clauses)
            return


def _own_exception(timeline: Timeline, effects: Effects) -> Iterator[Candidate]:
    for failure in effects.failures.new:
        told = failure.owner and tells_exception(failure.template.detail_text)
        if not told or _is_relayed(failure, timeline, effects):
            continue
        parts, exception = first_record(failure.template), named_exception(failure.template)
        clauses = [exception] if exception else []
        yield Candidate(failure.owner, _EXCEPTION, failure.seconds, "possible", parts, clauses)
        return


def _lead(text: str) -> int:
    """Return where what a line says of a holder begins: behind its instant, process and the like."""
    found = re.search(r"(?<![A-Z])[A-Z]++: .*$", text)
    return found.start() if found else 0


def _status(sure: bool) -> ClaimStatusName:
    return "confirmed" if sure else "possible"


def _first_new(effects: Effects, tells: Callable[[str], bool]) -> Failure | None:
    return next((failure for failure in effects.failures.new if tells(failure.template.detail_text)), None)


def _is_relayed(failure: Failure, timeline: Timeline, effects: Effects) -> bool:
    """Tell whether a failure is of a peer by its words, or follows from a dependency that failed no later."""
    text = failure.template.detail_text
    if effects.failures.origin_of(failure) or tells_of_peer(text) or tells_timeout(text):
        return True
    topology = timeline.topology
    if not topology.calls:
        return any(
            other.owner != failure.owner and other.seconds < failure.seconds - CLOCK_SLACK
            for other in effects.failures.new
        )
    return any(
        other.owner in topology.dependencies(failure.owner) and other.seconds <= failure.seconds + CLOCK_SLACK
        for other in effects.failures.new
    )
