"""Which calls show what a lookup asks for: first what there is, then the figures of what is meant."""

from collections.abc import Iterable, Sequence

from services.common.evidence.strict_json import Json, NumberToken
from services.executor.analyst.lookup import vocabulary as words
from services.executor.analyst.lookup.asked import Ask, Lookup, Refused, Span, What
from services.executor.analyst.lookup.chosen import chosen_alerts, chosen_changes, chosen_series
from services.executor.analyst.lookup.known import ENTRIES, INVENTORY, LOG_COUNT, SUMMARY, Known
from services.executor.analyst.lookup.objects import conditions, event_subjects
from services.executor.analyst.lookup.question import Question
from services.executor.analyst.reading.spot import Spot
from services.executor.analyst.reading.window import Window
from services.executor.analyst.reading.words import seconds_of
from services.executor.recorded import ToolRequest

# So many lines are shown unless the question says how many.
SHOWN = 10
MAX_SHOWN = 20
MAX_GROUPS = 12
_MAX_WORDS = 32
_MIN_WORD = 3
_SHARED = 0.1
_ALL_OUTCOMES = ("1xx", "2xx", "3xx", "4xx", "5xx")
_OF_LOGS = words.LINES | words.FAILURES | words.WARNINGS | words.REQUESTS | words.LEVELS_IN_ANY_CASE
_OF_LOGS |= words.REQUEST_KEYS
_OF_CLUSTER = (
    words.RESOURCES.keys()
    | words.KINDS_BY_WORD.keys()
    | words.FACTS.keys()
    | words.STATES.keys()
    | words.EVENTS
)
_OF_OTHERS = (
    words.ALERTS | words.FIRING | words.CHANGES | words.CHANGE_TYPES.keys() | words.COMPONENTS | words.CALLS
)
_VALUES = {Ask.MAX, Ask.MIN, Ask.MEAN, Ask.VALUE}


def overviews(question: Question, known: Known) -> list[ToolRequest]:
    """Return the calls that tell what exists of what the question may be about."""
    bounds = known.material.window.bounds()
    undated = any(not each.instant.dated for each in question.times)
    named = any("-" in word.text or "/" in word.text for word in question.words)
    of_logs = bool(question.literals or question.outcomes or question.is_oom) or question.has(_OF_LOGS)
    of_values = bool(_VALUES & question.also) or question.above is not None or question.below is not None
    of_values = of_values or question.has(words.METRIC) or any("_" in word.text for word in question.words)
    of_cluster = question.has(_OF_CLUSTER) or question.is_oom or named
    nothing = not (of_logs or of_values or of_cluster or question.has(_OF_OTHERS))
    wanted = []
    if of_logs or undated or named or nothing:
        wanted.append(ToolRequest(LOG_COUNT, bounds))
    if of_cluster or nothing or question.has(("service", "services")):
        wanted.append(ToolRequest(INVENTORY, {}))
    if of_values:
        wanted.append(ToolRequest(SUMMARY, {**bounds, "words": [*_search_words(question)]}))
    return wanted


def _search_words(question: Question) -> Iterable[str]:
    found = (part for word in question.words for part in (word.lower, word.lower.removesuffix("s")))
    return list(dict.fromkeys(part for part in found if len(part) >= _MIN_WORD))[:_MAX_WORDS]


def calls_for(lookup: Lookup, known: Known) -> list[ToolRequest]:
    """Return the calls whose documents hold the answer."""
    match lookup.what:
        case What.LINES:
            return line_calls(lookup, known)
        case What.REQUESTS:
            return [call for _, call in request_calls(lookup, known)]
        case What.ALERTS:
            return [alerts_call(lookup, known)]
        case What.CHANGES:
            return [changes_call(lookup, known)]
        case What.COMPONENTS:
            return [services_call(known)]
        case What.CALLS:
            return [calls_call(lookup, known)]
        case What.OBJECTS:
            return [objects_call(lookup, known)]
        case What.EVENTS:
            return [objects_call(lookup, known), events_call(lookup, known)]
        case What.METRIC:
            return [metric_call(lookup, known) if lookup.names else all_metrics_call(known)]


def line_calls(lookup: Lookup, known: Known) -> list[ToolRequest]:
    """Return the count of the lines; for a level also of the lines that hold its word at all."""
    scope = _window(lookup, known)
    if sources := _scope(lookup, known):
        scope["sources"] = [*sources]
    arguments = {**scope, **_texts(lookup), **_shown(lookup)}
    for name, values in (("severities", lookup.severities), ("levels", lookup.levels)):
        if values:
            arguments[name] = [*values]
    if lookup.group:
        arguments["by"] = lookup.group
    words_alone = [
        ToolRequest(LOG_COUNT, {**scope, "contains": [level]})
        for level in lookup.levels
        if not lookup.literals
    ]
    count = ToolRequest(LOG_COUNT, arguments)
    if lookup.severities == ("failure",) and not lookup.literals and _counted_none(count, known):
        # A log without levels can still speak of errors.
        words_alone.append(ToolRequest(LOG_COUNT, {**scope, "contains": ["error"], "ignore_case": True}))
    return [count, *words_alone]


def _counted_none(call: ToolRequest, known: Known) -> bool:
    document = known.document(call)
    return document is not None and document.at("count").text == "0"


def _window(lookup: Lookup, known: Known) -> dict[str, Json]:
    """Return the bounds; where the question states a time, what has none is counted apart."""
    bounds = bounds_of(lookup.span, known.material.window)
    return {**bounds, "dated_only": True} if lookup.span != Span() else bounds


def _scope(lookup: Lookup, known: Known) -> Sequence[str]:
    return lookup.sources or known.logs_of(lookup.components)


def _texts(lookup: Lookup) -> dict[str, Json]:
    if not lookup.literals:
        return {}
    if lookup.is_phrase and _ends_in_a_number(lookup.literals):
        return {"whole": [*lookup.literals], "ignore_case": True}
    several = lookup.is_phrase and len(lookup.literals) > 1
    texts: dict[str, Json] = {"any_of" if several else "contains": [*lookup.literals]}
    return texts | ({"ignore_case": True} if lookup.is_phrase else {})


def _ends_in_a_number(texts: Sequence[str]) -> bool:
    """Tell whether the one text would stand in a longer number, too: of another order, user or run."""
    return len(texts) == 1 and (texts[0][0].isdigit() or texts[0][-1].isdigit())


def _shown(lookup: Lookup) -> dict[str, Json]:
    if lookup.ask is not Ask.LIST:
        return {}
    shown = min(lookup.limit or SHOWN, MAX_SHOWN)
    return {"show": NumberToken(str(shown)), **({"last": True} if lookup.from_end else {})}


def request_calls(lookup: Lookup, known: Known) -> list[tuple[str, ToolRequest]]:
    """Return, for each component that logs requests, the count of those in all of its logs."""
    wanted = set(_scope(lookup, known))
    rows = [
        row
        for row in known.log_rows
        if row.at("requests").count and (not wanted or row.at("source").text in wanted)
    ]
    groups = _counted_once(rows)
    if len(groups) > MAX_GROUPS:
        raise Refused("too many logs tell of requests to be told apart; name one of them")
    bounds = _window(lookup, known)
    return [
        (
            owner,
            ToolRequest(
                LOG_COUNT,
                {
                    **bounds,
                    "sources": [*sources],
                    "outcomes": [*(lookup.outcomes or _ALL_OUTCOMES)],
                    **_of_requests(lookup),
                    **_shown(lookup),
                },
            ),
        )
        for owner, sources in groups
    ]


def _of_requests(lookup: Lookup) -> dict[str, Json]:
    """Return the conditions that only requests have, and how they are told apart."""
    found: dict[str, Json] = {}
    for name, texts in (
        ("contains", lookup.literals),
        ("paths", lookup.paths),
        ("methods", lookup.methods),
        ("clients", lookup.clients),
    ):
        if texts:
            found[name] = [*texts]
    if lookup.slower is not None:
        found["slower_than"] = NumberToken(repr(lookup.slower))
    if lookup.group:
        found["by"] = lookup.group
    return found | ({"slowest": True} if lookup.slowest else {})


def _counted_once(rows: Iterable[Spot]) -> list[tuple[str, list[str]]]:
    """Return logs by who wrote them, together only where they follow one another in time.

    Two logs of one component and one time, of its proxy and its own, may tell of the same requests.
    """
    groups: list[tuple[str, list[Spot]]] = []
    for row in rows:
        owner = row.at("owner").text or row.at("source").text
        joined = (logs for name, logs in groups if name == owner and all(_follow(row, log) for log in logs))
        found = next(joined, None)
        if found is None:
            groups.append((owner, [row]))
        else:
            found.append(row)
    return [(owner, [log.at("source").text for log in logs]) for owner, logs in groups]


def _follow(one: Spot, other: Spot) -> bool:
    """Tell whether two logs share at most a tenth of the shorter one's time: a rotation overlaps a little."""
    ends = [seconds_of(log.at(side, "time").text) for log in (one, other) for side in ("first", "last")]
    if any(end is None for end in ends):
        return False
    first, last, begin, end = (each or 0.0 for each in ends)
    shared = min(last, end) - max(first, begin)
    return shared < 0 or 0 < shared <= _SHARED * min(last - first, end - begin)


def alerts_call(lookup: Lookup, known: Known) -> ToolRequest:
    """Return the count of the alerts that are meant; one may have begun before all that is recorded."""
    chosen = chosen_alerts(lookup, known)
    return _entries(known.sources_of("alerts_list"), chosen.where, {**lookup.span.arguments()})


def changes_call(lookup: Lookup, known: Known) -> ToolRequest:
    """Return the count of the changes that are meant."""
    chosen = chosen_changes(lookup, known)
    bounds = bounds_of(lookup.span, known.material.window)
    return _entries(known.sources_of("change_events_list"), chosen.where, bounds)


def _entries(sources: Sequence[str], where: Sequence[Json], bounds: dict[str, Json]) -> ToolRequest:
    if not sources:
        raise Refused("no source of such entries was read")
    return ToolRequest(ENTRIES, {**bounds, "sources": [*sources], "where": [*where]})


def services_call(known: Known) -> ToolRequest:
    """Return the count of the services of the topology."""
    return ToolRequest(ENTRIES, {"sources": [*_topologies(known)]})


def calls_call(lookup: Lookup, known: Known) -> ToolRequest:
    """Return the count of the calls of a component, or to it."""
    (component, *callee) = lookup.components
    sides = ("to", "from") if lookup.callers else ("from", "to")
    where: list[Json] = [
        {"path": side, "texts": [name]} for side, name in zip(sides, (component, *callee), strict=False)
    ]
    return ToolRequest(ENTRIES, {"sources": [*_topologies(known)], "where": where, "calls": True})


def _topologies(known: Known) -> list[str]:
    sources = known.sources_of("topology_get")
    if not sources:
        raise Refused("no topology was read")
    return sources


def objects_call(lookup: Lookup, known: Known) -> ToolRequest:
    """Return the objects that are meant, counted."""
    return ToolRequest(INVENTORY, conditions(lookup, known))


def events_call(lookup: Lookup, known: Known) -> ToolRequest:
    """Return the events about the objects that are meant."""
    arguments: dict[str, Json] = {"names": [*event_subjects(lookup, known)]}
    if lookup.severities:
        arguments["warnings_only"] = True
    return ToolRequest("kubernetes_events", arguments)


def all_metrics_call(known: Known) -> ToolRequest:
    """Return what lists every series."""
    return ToolRequest(SUMMARY, known.material.window.bounds())


def metric_call(lookup: Lookup, known: Known) -> ToolRequest:
    """Return the figures of the series that are meant, within the window, at an instant, beyond a bound."""
    rows = chosen_series(lookup, known)
    sources = list(dict.fromkeys(row.at("source").text for row in rows))
    arguments: dict[str, Json] = {"sources": [*sources], "words": [*lookup.names[:_MAX_WORDS]]}
    if lookup.at and lookup.ask not in (Ask.MAX, Ask.MIN):
        arguments["at"] = lookup.at
        arguments |= known.material.window.bounds()
    else:
        arguments |= bounds_of(lookup.span, known.material.window)
    for name, bound in (("above", lookup.above), ("below", lookup.below)):
        if bound is not None:
            arguments[name] = NumberToken(repr(bound))
    return ToolRequest(SUMMARY, arguments)


def bounds_of(span: Span, window: Window) -> dict[str, Json]:
    """Return the part of a span that lies in the question's window, as arguments; raises Refused for none."""
    given, asked = window.bounds(), span.arguments()
    found: dict[str, Json] = {**given, **asked}
    for side, pick in (("start", max), ("end", min)):
        one, other = given.get(side), asked.get(side)
        if isinstance(one, str) and other:
            found[side] = pick((str(one), other), key=lambda text: seconds_of(text) or 0.0)
    begin, end = (seconds_of(str(found.get(side, ""))) for side in ("start", "end"))
    if begin is not None and end is not None and begin >= end:
        raise Refused("the time that the question is about lies outside of what is looked at")
    return found
