"""What is wrong and who suffers: the few observations that tell the story, most direct first."""

import re
from collections import Counter
from collections.abc import Iterable
from dataclasses import replace

from services.common.evidence.document import ClaimTypeName
from services.executor.analyst.causes.candidates import Candidate
from services.executor.analyst.reading.signs import Sign
from services.executor.analyst.reading.views import Log, MetricChange, Pair
from services.executor.analyst.reading.words import verb_of_status
from services.executor.analyst.story.effects import Effects
from services.executor.analyst.story.failures import Failure, Failures
from services.executor.analyst.story.silences import silences
from services.executor.analyst.story.timeline import Timeline
from services.executor.analyst.wording.findings import (
    Finding,
    Part,
    counted,
    instant,
    line_instant,
    line_quote,
    literal,
    none,
    number,
    sentence,
    subject,
)
from services.executor.analyst.wording.phrases import course, limit_use, raw_samples, slow_requests
from services.executor.analyst.wording.records import named_exception

# A tired person reads so many.
MAX_SYMPTOMS = 8
MAX_LINES = 6
MAX_PER_OWNER = 2
MAX_SERIES = 4
_LOOK_BACK = re.compile(r"\[(\d+)([smh])(?::\w*)?\]")
_UNIT_SECONDS = {"s": 1.0, "m": 60.0, "h": 3600.0}
# A rate over more than this says when it began, and not when it was over.
_LONG_SECONDS = 90.0
_SIGN_ORDER = (Sign.DOWN, Sign.ERROR, Sign.LOCK, Sign.LATENCY, Sign.QUEUE)


def symptoms(timeline: Timeline, effects: Effects, causes: Iterable[Candidate]) -> list[Finding]:
    """Return symptom and impact findings: what decides, how it came about, who suffers at the edge, the rest.

    The first failing line, or else the first of them, is critical.
    """
    failures = effects.failures
    told_lines = told_failures(failures)
    lines = [_line(failure, _claim_type(failure, failures)) for failure in told_lines]
    rare = [line for line, failure in zip(lines, told_lines, strict=True) if failures.may_be_chance(failure)]
    told = {finding.component for finding in lines}
    slow = [
        finding for log in timeline.split_logs if log.owner not in told for finding in _slow_requests(log)
    ]
    limits = [_limit(pair) for pair in timeline.material.pairs if pair.filled is not None]
    grown = {change.name: change for candidate in causes for change in candidate.series}
    telling = [change for change in telling_series(timeline) if change.name not in grown]
    mechanism = [*limits, *(_series(timeline, change) for change in grown.values())]
    direct = [*(line for line in lines if line not in rare), *slow, *rare]
    first = next((finding for finding in direct if finding.claim_type == "symptom"), None)
    rest = [finding for finding in direct if finding is not first]
    rest.sort(key=lambda finding: (finding in rare, not timeline.topology.is_edge(finding.component)))
    series = [_series(timeline, change) for change in telling[:MAX_SERIES]]
    silent = [] if failures.all else silences(timeline)
    found = [*([first] if first else []), *mechanism, *rest, *series, *silent][:MAX_SYMPTOMS]
    main = next((finding for finding in found if finding.claim_type == "symptom"), None)
    return [replace(finding, critical=True) if finding is main else finding for finding in found]


def told_failures(failures: Failures) -> list[Failure]:
    """Return the failures worth telling: symptoms by themselves first, then one of every component.

    What may be chance comes last.
    """
    told: Counter[str] = Counter()
    ranked = []
    for failure in _folded(failures):
        by_rank = failures.may_be_chance(failure), _claim_type(failure, failures) != "symptom"
        ranked.append((*by_rank, told[failure.owner], failure))
        told[failure.owner] += 1
    ranked.sort(key=lambda row: row[:3])
    return [failure for _, _, _, failure in ranked[:MAX_LINES]]


def telling_series(timeline: Timeline) -> list[MetricChange]:
    """Return the series worth showing: the clearest per component and sign, the most telling signs first."""
    chosen: dict[tuple[str, Sign], MetricChange] = {}
    for change in timeline.members:
        if change.sign not in _SIGN_ORDER:
            continue
        key = (timeline.subject_of(change), change.sign)
        if key not in chosen or _clarity(change) > _clarity(chosen[key]):
            chosen[key] = change
    return sorted(chosen.values(), key=lambda change: (_SIGN_ORDER.index(change.sign), change.onset))[
        :MAX_SERIES
    ]


def _slow_requests(log: Log) -> list[Finding]:
    """Say how many requests of a log were slow since the onset, if none or few were before."""
    parts = slow_requests(log)
    return [Finding("symptom", "confirmed", log.owner, sentence(*parts))] if parts else []


def _folded(failures: Failures) -> list[Failure]:
    """Keep few kinds of failure per component: variants of one message add nothing."""
    by_owner: dict[str, dict[str, Failure]] = {}
    # A status code says more about who suffers than the words of the same component's error log.
    for failure in sorted(failures.all, key=lambda each: not each.template.outcome):
        telling = failure.template.outcome or failure.template.quote
        by_owner.setdefault(failure.owner, {}).setdefault(telling, failure)
    kept = [failure for kinds in by_owner.values() for failure in list(kinds.values())[:MAX_PER_OWNER]]
    return sorted(kept, key=lambda failure: failure.seconds)


def _claim_type(failure: Failure, failures: Failures) -> ClaimTypeName:
    repeats = failures.origin_of(failure) is not None
    return "impact" if repeats or failures.timeline.topology.is_edge(failure.owner) else "symptom"


def _line(failure: Failure, claim_type: ClaimTypeName) -> Finding:
    template, split = failure.template, instant(failure.log.spot.at("split"))
    before = template.counted.at("count_before")
    if not before.count:
        # The first line of the whole window: that there is none before it is bound to a count of 0.
        when = [" from ", line_instant(template.first), " on; ", *none(before), " before"]
    else:
        when = [" from ", split, " on; ", number(before), " before"]
    exception = named_exception(template)
    parts = [*_what(failure), *when, *(["; ", *exception] if exception else [])]
    return Finding(claim_type, "confirmed", failure.owner, sentence(*parts))


def _what(failure: Failure) -> list[Part]:
    template, who = failure.template, failure.owner or failure.template.source
    count = template.counted.at("count_after")
    if template.is_status:
        status = literal(template.spot.at("outcome"))
        return [
            f"{who} {verb_of_status(template.first.at('text').text)} ",
            *counted(count, "request", "requests"),
            " with status ",
            status,
            template.where,
        ]
    if not template.quote:
        return [f"{who} logged ", *counted(count, "failing line", "failing lines"), template.where]
    if template.tally is not None:
        times = ["once"] if count.count == 1 else [number(count), " times"]
        return [f"{who} logged ", line_quote(template.first, template.quote), " ", *times, template.where]
    example = line_quote(template.first, template.example or template.quote)
    lines = counted(count, "line", "lines")
    return [f"{who} logged ", *lines, template.where, " of the same kind as ", example]


def _limit(pair: Pair) -> Finding:
    return Finding("symptom", "confirmed", pair.owner, sentence(*subject(pair.owner), *limit_use(pair)))


def _series(timeline: Timeline, change: MetricChange) -> Finding:
    component, support = timeline.subject_of(change), raw_samples(timeline.material, change)
    parts = sentence(*subject(component), *course(change))
    return Finding("symptom", "confirmed", component, parts, support=support)


def _clarity(change: MetricChange) -> tuple[bool, float]:
    # Short windows show when it began and ended; a long one comes late and stays.
    return change.ended is not None or not long_window(change), change.score


def long_window(change: MetricChange) -> str:
    """Return the look-back of a series' query, as it is written, where it outlasts a short disturbance."""
    found = _LOOK_BACK.search(change.spot.at("query").text)
    return found.group() if found and float(found[1]) * _UNIT_SECONDS[found[2]] > _LONG_SECONDS else ""
