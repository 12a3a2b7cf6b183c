"""From a question and what exists to one typed lookup; whatever does not fit is refused."""

import re
from collections.abc import Callable, Sequence
from dataclasses import replace

from services.executor.analyst.lookup import vocabulary as words
from services.executor.analyst.lookup.asked import Ask, Lookup, Refused, Span, What
from services.executor.analyst.lookup.grouped import Grouped, grouped
from services.executor.analyst.lookup.known import Known
from services.executor.analyst.lookup.metric_names import named_metrics
from services.executor.analyst.lookup.of_cluster import of_cluster
from services.executor.analyst.lookup.question import Question
from services.executor.analyst.lookup.reader import Reader
from services.executor.analyst.lookup.times import span_of
from services.executor.analyst.reading.words import seconds_of

_WRITERS = ("logs", "pod", "pods", "container", "containers", *sorted(words.COMPONENTS))
# Which logs there are, or hold something, is told by how many lines of each count.
_WHICH = re.compile(rf"\b(which|what) ({'|'.join(_WRITERS)})\b", re.IGNORECASE)
_OWNERS = (*_WRITERS[1:], "deployment", "statefulset", "daemonset", "job")
_OF_REQUESTS = ("status", "client", "path", "method")
_TIME_TAKEN = re.compile(r"\b(total|response|request|processing|turnaround) times?\b", re.IGNORECASE)
# "200 or failed" adds what failed to what has a status; "failed with 502 or 504" does not.
_FAIL = "|".join(sorted(words.FAILURES))
_FAILED_BESIDE = re.compile(
    rf"\b(?:or|and)\s+(?:\w+\s+)?(?:{_FAIL})\b|\b(?:{_FAIL})\s+(?:or|and)\b", re.IGNORECASE
)
_OR = re.compile(r"\bor\b", re.IGNORECASE)
_JOINED = re.compile(r"\b(or|and)\b", re.IGNORECASE)


def resolve(question: Question, known: Known) -> Lookup:
    """Return what is asked for; raises Refused where that is not one thing, or not wholly understood."""
    what = _what(question, known)
    span, at = span_of(question.times, known.recorded) if question.times else (Span(), "")
    if what in (What.LINES, What.REQUESTS, What.METRIC) and known.recorded is not None:
        _refuse_elsewhen(span, known.recorded)
    _refuse_bounds(question, what)
    if question.outcomes and what is not What.REQUESTS:
        raise Refused("a number of the question could be a status, and what is asked about has none")
    if question.is_oom and what not in (What.LINES, What.OBJECTS):
        raise Refused("what ran out of memory is looked for in logs and among the objects of a cluster")
    if question.limit is not None and what in (What.OBJECTS, What.EVENTS, What.METRIC, What.CALLS):
        raise Refused("the first, the last or the most are shown of lines, requests, alerts and changes")
    if question.literals and what not in (What.LINES, What.REQUESTS):
        raise Refused("quoted text is looked for in logs only")
    reader = Reader(question, known)
    found = _READERS[what](reader, Lookup(what, question.ask, span, at))
    reader.done()
    if what in (What.REQUESTS, What.OBJECTS, What.EVENTS):
        _refuse_sorts_joined(question, found)
    return found


def _refuse_sorts_joined(question: Question, found: Lookup) -> None:
    """Refuse "or" between conditions of two sorts: they are to be added, not to hold at once."""
    sorts = (
        found.components, found.sources, found.outcomes, found.methods, found.clients,
        found.names, found.namespaces, found.states, found.labels,
    )  # fmt: skip
    within = sum(max(len(sort) - 1, 0) for sort in sorts)
    if sum(map(bool, (*sorts, found.paths, found.literals, found.node, found.slower))) < 2:
        return
    if len(_OR.findall(question.plain)) > within:
        raise Refused("conditions of two sorts are joined; ask for one of them")


def _refuse_bounds(question: Question, what: What) -> None:
    """Refuse a number with which nothing of this kind is compared."""
    bounded = question.above is not None or question.below is not None
    if question.took is not None and what is What.REQUESTS:
        return
    if question.took is not None and not question.took.is_in_seconds:
        raise Refused("only how long requests took is compared in another unit than seconds")
    if bounded and what is not What.METRIC:
        raise Refused("only values of metrics, and how long requests took, are compared with a number")


def _what(question: Question, known: Known) -> What:
    """Return what is asked about, the most telling word first."""
    has = question.has
    kinds = question.lowered & words.KINDS_BY_WORD.keys()
    named_object = has(known.object_names) or has(known.nodes)
    changes = has(words.CHANGES) or (has(words.CHANGE_TYPES) and not _of_deployments(question, known))
    is_logged = has(words.LINES) or bool(question.literals)
    if named_metrics(question, known) or has(words.METRIC):
        return What.METRIC
    if named_object and words.FACTS.keys() & question.lowered & {"image", "images", "version", "versions"}:
        return What.OBJECTS
    if has(words.ALERTS) or has({alert.name.lower() for alert in known.alerts}):
        return What.ALERTS
    if changes:
        return What.CHANGES
    of_requests = bool(question.outcomes) or has(words.REQUEST_KEYS)
    if is_logged and not (of_requests or has(words.REQUEST_NOUNS)):
        return What.LINES
    of_events = has(words.EVENTS) and (bool(kinds) or not has(words.FAILURES))
    if has(words.NOUNS_OF_FAILURES) and not kinds and not (of_requests or has(words.REQUESTS)):
        return What.EVENTS if of_events and known.objects else What.LINES
    if has(words.EVENTS):
        return What.EVENTS if known.objects else What.CHANGES
    if question.is_oom and _has_pods(known):
        return What.OBJECTS
    named_object = named_object or has(words.FACTS.keys() | words.RESOURCES.keys())
    if has(kinds) or (known.objects and named_object and not question.outcomes):
        return What.OBJECTS
    return _of_services(question, known)


def _has_pods(known: Known) -> bool:
    return any(row.at("kind").text == "Pod" for row in known.objects)


def _refuse_elsewhen(span: Span, recorded: tuple[float, float]) -> None:
    """Refuse a time of which nothing was recorded: then a count of zero would say nothing."""
    start, end = seconds_of(span.start), seconds_of(span.end)
    if (start is not None and start > recorded[1]) or (end is not None and end <= recorded[0]):
        raise Refused("the question is about a time of which nothing is recorded")


def _of_services(question: Question, known: Known) -> What:
    has = question.has
    if has(words.CALLS) and (words.CALLERS.search(question.plain) or words.CALLEES.search(question.plain)):
        return What.CALLS
    of_keys = has(words.REQUEST_KEYS) or any(
        word.text.removesuffix("s") in words.METHODS for word in question.words
    )
    if question.outcomes or ((has(words.REQUESTS) or of_keys) and not has(known.object_names)):
        return What.REQUESTS
    if has(words.LEVELS_IN_ANY_CASE) or has(words.FAILURES) or has(words.WARNINGS) or question.is_oom:
        return What.LINES
    if has(words.FIRING):
        return What.ALERTS
    if has(words.COMPONENTS):
        return What.COMPONENTS if known.material.topology.components or not known.objects else What.OBJECTS
    if question.literals or has(words.LINES):
        return What.LINES
    raise Refused("the question, which is understood in English only, names nothing that can be looked up")


def _of_deployments(question: Question, known: Known) -> bool:
    """Tell whether deployments are objects here: there are some, and nothing speaks of a time."""
    only = question.lowered & words.CHANGE_TYPES.keys() <= {"deployment", "deployments"}
    objects = any(row.at("kind").text == "Deployment" for row in known.objects)
    objects = objects or (bool(known.objects) and not known.changes)
    of_time = question.times or question.ask in (Ask.WHEN, Ask.FIRST, Ask.LAST)
    return only and objects and (not of_time or not known.changes)


def _lines(reader: Reader, bare: Lookup) -> Lookup:
    question = reader.question
    if question.outcomes:
        raise Refused("lines are counted by text, level or severity; a status is one of requests")
    counted_apart = _apart_of_lines(reader)
    apart = counted_apart.by
    sources, levels = reader.sources(), reader.levels()
    severities = _severities(reader) if not levels else ()
    if levels:
        _refuse_a_sum(question, [*levels, *reader.take(words.FAILURES | words.WARNINGS)])
    has_noun = bool(reader.take(words.LINES)) or bool(severities)
    components = reader.components()
    if not components and not sources:
        sources = _of_objects(reader)
    by_log = apart == "log" or (not apart and _by_log(reader))
    is_most = counted_apart.is_most
    ask = _ask_of_groups(question, is_most=is_most) if apart or by_log else _ask_of_lines(question)
    if ask is Ask.ANY and severities:
        # Whoever asks whether there are any wants to see them.
        ask = Ask.LIST
    literals, is_phrase = question.literals, False
    if question.is_oom:
        literals, is_phrase = (*literals, *words.OOM_SIGNS), True
    elif reader.left and has_noun and not literals and (phrase := reader.phrase()):
        literals, is_phrase = (phrase,), True
    if literals and (severities or levels):
        _refuse_a_sum(question, [*literals, "level"])
    if len(literals) > 1 and not question.is_oom:
        raise Refused("several quoted texts may be meant together or one by one; ask for one of them")
    return replace(
        bare, ask=ask, sources=sources, levels=levels, severities=severities,
        components=components, literals=literals, is_phrase=is_phrase, limit=question.limit, by_log=by_log,
        group="" if by_log else apart, from_end=Ask.LAST in question.also,
        most=is_most and not by_log,
    )  # fmt: skip


def _apart_of_lines(reader: Reader) -> Grouped:
    """Take by what lines are to be counted apart."""
    found = grouped(reader)
    if found.is_slowest or found.by in _OF_REQUESTS:
        raise Refused("only requests are told apart by that")
    return found


def _of_objects(reader: Reader) -> tuple[str, ...]:
    """Take the names of objects of a cluster, for their logs; raises Refused where none was read."""
    names = reader.names(reader.known.object_names)
    if not names:
        return ()
    reader.take(_OWNERS)
    found = reader.known.logs_about(names)
    if not found:
        raise Refused("no log of the named object was read")
    return tuple(found)


def _by_log(reader: Reader) -> bool:
    """Tell whether lines are to be counted log by log: which of them holds any, or most."""
    most = bool(reader.take(("most",)))
    which = reader.question.ask is Ask.LIST and _WHICH.search(reader.question.plain) is not None
    if most or which:
        reader.take(_OWNERS)
    return most or which


def _severities(reader: Reader) -> tuple[str, ...]:
    kinds = (("failure", words.FAILURES), ("warning", words.WARNINGS))
    return tuple(severity for severity, said in kinds if reader.take(said))


def _refuse_a_sum(question: Question, conditions: Sequence[str]) -> None:
    """Refuse conditions of two sorts that "or" or "and" joins: they are to be added, not to hold at once."""
    if len(conditions) > 1 and _JOINED.search(question.plain):
        raise Refused("conditions of two sorts are joined; ask for one of them")


def _ask_of_lines(question: Question) -> Ask:
    """Return what is asked of lines: "the last 5" are a list, "does it log" is whether there is any."""
    if question.ask in (Ask.MAX, Ask.MIN, Ask.MEAN, Ask.VALUE):
        raise Refused("lines are counted, listed or dated; they have no value")
    # "The last line" is one, "the last lines" are a list.
    lists = Ask.LIST in question.also and question.ask in (Ask.FIRST, Ask.LAST)
    lists = lists and not question.has(words.ONE_LINE)
    return (
        Ask.LIST if question.limit is not None or (lists and Ask.WHEN not in question.also) else question.ask
    )


def _ask_of_groups(question: Question, *, is_most: bool) -> Ask:
    """Return that they are counted: "in what minute" asks for no value, "the highest number" for the most."""
    plain = question.ask is Ask.VALUE or (is_most and question.ask is Ask.MAX)
    if {Ask.FIRST, Ask.LAST} & question.also or (not plain and _ask_of_lines(question) is Ask.WHEN):
        raise Refused("of what is counted apart, none is the first or the last")
    return Ask.COUNT


def _requests(reader: Reader, bare: Lookup) -> Lookup:
    question = reader.question
    if _TIME_TAKEN.search(question.plain):
        raise Refused("how long requests took is told of the slowest, or of those above a bound")
    counted_apart = grouped(reader)
    if counted_apart.by in ("message", "level"):
        raise Refused("requests are not told apart by that")
    if question.outcomes and _FAILED_BESIDE.search(question.plain):
        raise Refused("conditions of two sorts are joined; ask for one of them")
    failed = bool(reader.take(words.FAILURES))
    said = reader.take(words.REQUESTS)
    if (
        set(said) <= {"status", "code", "http"}
        and said
        and not (question.outcomes or counted_apart.by or failed)
    ):
        raise Refused(
            "of requests a status is asked for with its number, and of components how they are is not known"
        )
    # "What share" is told by the count and by the number of all.
    reader.take((*words.LINES, *words.SHARES))
    sources, components = reader.sources(), reader.components()
    if len(components) > 1 and not _JOINED.search(question.plain):
        raise Refused("the requests of one component to another are not told apart")
    paths, methods = reader.paths(), reader.methods()
    clients = reader.clients()
    if clients:
        reader.take(("make", "made", "send", "sent", "client", "clients", "ip"))
    outcomes = question.outcomes or (("5xx",) if failed else ())
    if question.took:
        reader.take(("took", "take", "takes", "taking", "lasted", "slower", "longer"))
    if len(question.literals) > 1 or len(paths) > 1:
        raise Refused("several texts or paths may be meant together or one by one; ask for one of them")
    return replace(
        bare, ask=_ask_of_requests(question, counted_apart), sources=sources, components=components,
        literals=question.literals, paths=paths, methods=methods, clients=clients, outcomes=outcomes,
        limit=question.limit, from_end=Ask.LAST in question.also, most=counted_apart.is_most,
        slower=question.took.seconds if question.took else None,
        group="" if counted_apart.by == "log" else counted_apart.by, slowest=counted_apart.is_slowest,
    )  # fmt: skip


def _ask_of_requests(question: Question, counted_apart: Grouped) -> Ask:
    if counted_apart.by:
        return _ask_of_groups(question, is_most=counted_apart.is_most)
    ask = _ask_of_lines(question)
    if counted_apart.is_slowest and ask in (Ask.FIRST, Ask.LAST):
        raise Refused("requests are shown in their order, or the slowest of them")
    return Ask.LIST if counted_apart.is_slowest else ask


def _alerts(reader: Reader, bare: Lookup) -> Lookup:
    known = reader.known
    reader.take(words.ALERTS)
    said = reader.take(words.FIRING)
    # What fired may have ended since.
    fired = not {"firing", "active"} & set(said) and (
        not {"fire", "fires"} & set(said) or "did" in reader.question.tokens
    )
    if bare.at and set(said) & {"firing", "fire", "fires", "active"}:
        # What fires at an instant began at any time until then.
        bare = replace(bare, span=Span("", bare.span.end))
    names = reader.names({alert.name.lower(): alert.name for alert in known.alerts})
    states: tuple[str, ...] = ("pending",) if reader.take(("pending",)) else ()
    if said:
        states = ("fired",) if fired else ("firing",)
    return replace(
        bare, names=names, components=reader.components(), states=states, ask=_ask_of_lines(reader.question),
        limit=reader.question.limit, from_end=Ask.LAST in reader.question.also,
    )  # fmt: skip


def _changes(reader: Reader, bare: Lookup) -> Lookup:
    reader.take(words.CHANGES)
    reader.take(words.EVENTS)
    named = reader.take(words.CHANGE_TYPES)
    parts = {part for word in named for part in _parts_of(words.CHANGE_TYPES[word])}
    reader.take(("made", "make", "done"))
    return replace(
        bare, types=tuple(sorted(parts)), components=reader.components(), ask=_ask_of_lines(reader.question),
        limit=reader.question.limit, from_end=Ask.LAST in reader.question.also,
    )  # fmt: skip


def _parts_of(kind: str) -> tuple[str, ...]:
    return words.TYPE_PARTS.get(kind, (kind,))


def _components(reader: Reader, bare: Lookup) -> Lookup:
    reader.take(words.COMPONENTS)
    if reader.question.ask not in (Ask.COUNT, Ask.LIST, Ask.ANY) or bare.span != Span():
        raise Refused("components are listed or counted, whatever the time")
    return bare


def _calls(reader: Reader, bare: Lookup) -> Lookup:
    plain = reader.question.plain
    callers = words.CALLEES.search(plain) is None and words.CALLERS.search(plain) is not None
    reader.take(words.CALLS)
    reader.take(words.COMPONENTS)
    reader.take(("who", "whom"))
    components = reader.components()
    if bare.span != Span() or not components or len(components) > 1 + (reader.question.ask is Ask.ANY):
        raise Refused("of one component it is listed what it calls or who calls it, whatever the time")
    return replace(bare, components=components, callers=callers)


def _metric(reader: Reader, bare: Lookup) -> Lookup:
    question = reader.question
    named = named_metrics(question, reader.known)
    reader.take(words.METRIC)
    bounded = question.above is not None or question.below is not None
    listed = question.ask in (Ask.LIST, Ask.ANY, Ask.COUNT) and bare.span == Span() and not bounded
    if listed and not named and not reader.left:
        return replace(bare, ask=Ask.LIST)
    if not named:
        raise Refused("the question names no metric that is recorded")
    reader.left = [word for word in reader.left if word not in named.words]
    if bounded:
        reader.take(words.REACHING)
    if question.ask in (Ask.MAX, Ask.MIN):
        # Whose it is stands in the labels of the series.
        reader.take(words.COMPONENTS)
    components = reader.components()
    if question.above is not None and question.below is not None:
        raise Refused("a metric is compared with one number at a time")
    ask = _ask_of_metric(question, bounded=bounded)
    return replace(
        bare, ask=ask, names=named.names, components=components, above=question.above, below=question.below
    )


def _ask_of_metric(question: Question, *, bounded: bool) -> Ask:
    ask = question.ask
    if ask is Ask.COUNT and question.has(words.METRIC):
        raise Refused("samples and series are not counted")
    if ask in (Ask.COUNT, Ask.ANY, Ask.LIST):
        ask = Ask.WHEN if bounded else Ask.VALUE
    if ask in (Ask.WHEN, Ask.FIRST) and not bounded:
        ask = Ask.MAX if Ask.MAX in question.also else ask
        if ask is not Ask.MAX:
            raise Refused("of a metric it is asked when it was beyond a number, greatest or least")
    return ask


_READERS: dict[What, Callable[[Reader, Lookup], Lookup]] = {
    What.LINES: _lines,
    What.REQUESTS: _requests,
    What.ALERTS: _alerts,
    What.CHANGES: _changes,
    What.COMPONENTS: _components,
    What.CALLS: _calls,
    What.METRIC: _metric,
    What.OBJECTS: of_cluster,
    What.EVENTS: of_cluster,
}
