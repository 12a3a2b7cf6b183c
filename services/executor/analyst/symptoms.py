"""What is wrong and who suffers: the few observations that tell the story, most direct first."""

import re
from collections.abc import Iterable
from dataclasses import replace

from services.common.evidence.document import ClaimTypeName
from services.executor.analyst.candidates import Candidate
from services.executor.analyst.effects import Effects
from services.executor.analyst.failures import Failure, Failures
from services.executor.analyst.findings import (
    Finding,
    Part,
    instant,
    line_instant,
    line_quote,
    literal,
    number,
    sentence,
    subject,
)
from services.executor.analyst.phrases import course, limit_use, raw_samples
from services.executor.analyst.signs import Sign
from services.executor.analyst.spot import Spot
from services.executor.analyst.timeline import Timeline
from services.executor.analyst.views import Log, MetricChange, Pair

MAX_LINES = 6
MAX_PER_OWNER = 2
MAX_SERIES = 4
_LOOK_BACK = re.compile(r"\[(\d+)([smh])(?::\w*)?\]")
_UNIT_SECONDS = {"s": 1.0, "m": 60.0, "h": 3600.0}
# A rate over more than this says when it began, and not when it was over.
_LONG_SECONDS = 90.0
_SIGN_ORDER = (Sign.DOWN, Sign.ERROR, Sign.LOCK, Sign.LATENCY, Sign.QUEUE)


def symptoms(timeline: Timeline, effects: Effects, causes: Iterable[Candidate]) -> list[Finding]:
    """Return symptom and impact findings; the first failing line, or else the first of them, is critical."""
    grown = [change for candidate in causes for change in candidate.series]
    lines = _lines(timeline, effects.failures)
    told = {finding.component for finding in lines}
    slow = [
        finding
        for log in timeline.split_logs
        if log.owner not in told
        for finding in slow_requests(timeline, log)
    ]
    limits = [_limit(pair) for pair in timeline.material.pairs if pair.filled is not None]
    series = [_series(timeline, change) for change in _without_doubles([*grown, *telling_series(timeline)])]
    found = [*lines, *slow, *limits, *series]
    main = next((finding for finding in found if finding.claim_type == "symptom"), None)
    return [replace(finding, critical=True) if finding is main else finding for finding in found]


def _without_doubles(changes: Iterable[MetricChange]) -> list[MetricChange]:
    return list({change.name: change for change in changes}.values())[:MAX_SERIES]


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


def slow_requests(timeline: Timeline, log: Log) -> list[Finding]:
    """Say how many requests of a log were slow since the onset, if none or few were before."""
    durations = log.spot.at("durations")
    after, before = durations.at("over_1s_after").count, durations.at("over_1s_before").count
    first, last = durations.at("first_over_1s"), durations.at("last_over_1s")
    if timeline.onset is None or after <= 3 * before or not first.at("text").text:
        return []
    parts: list[Part] = [
        f"{log.owner or log.source}: ", number(durations.at("over_1s_after")),
        " requests took longer than one second, the longest ", number(durations.at("max_seconds")),
        " s, the first logged at ", line_instant(first), " and the last at ", line_instant(last), "; ",
        number(durations.at("over_1s_before")), " before ", split_instant(timeline),
    ]  # fmt: skip
    return [Finding("symptom", "confirmed", log.owner, sentence(*parts))]


def split_instant(timeline: Timeline) -> Part:
    """Cite the onset, at which the logs were split: a series states it, or a log line bears it."""
    onset = timeline.onset
    if onset is None:
        return ""
    spot = onset.spot
    return instant(spot) if spot.path[-1] == "onset" else line_instant(Spot(spot.call, spot.path[:-1]))


def _lines(timeline: Timeline, failures: Failures) -> list[Finding]:
    kinds = [(failure, _claim_type(failure, failures)) for failure in _folded(failures)]
    kinds.sort(key=lambda pair: pair[1] != "symptom")
    return [_line(timeline, failure, kind) for failure, kind in kinds[:MAX_LINES]]


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


def _line(timeline: Timeline, failure: Failure, claim_type: ClaimTypeName) -> Finding:
    template = failure.template
    since = line_instant(template.spot.at("first")) if failure.is_new else split_instant(timeline)
    before = number(template.spot.at("count_before"))
    parts = [*_what(failure), " from ", since, " on; ", before, " before ", split_instant(timeline)]
    return Finding(claim_type, "confirmed", failure.owner, sentence(*parts))


def _what(failure: Failure) -> list[Part]:
    template, who = failure.template, failure.owner or failure.template.source
    count = number(template.spot.at("count_after"))
    if template.outcome and not template.level:
        return [f"{who} answered ", count, " requests with status ", literal(template.spot.at("outcome"))]
    if template.quote:
        return [f"{who} logged ", line_quote(template.spot.at("first"), template.quote), " ", count, " times"]
    return [f"{who} logged ", count, " failing lines"]


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
