"""How many requests were answered how: per component, since one request passes several of them."""

from services.executor.analyst.lookup import answer_groups as groups
from services.executor.analyst.lookup import wording as say
from services.executor.analyst.lookup.answer_lines import check_complete
from services.executor.analyst.lookup.asked import Ask, Lookup, Refused
from services.executor.analyst.lookup.calls import MAX_SHOWN, SHOWN, request_calls
from services.executor.analyst.lookup.known import Known
from services.executor.analyst.reading.spot import Spot
from services.executor.analyst.reading.words import seconds_of, verb_of_status
from services.executor.analyst.wording.findings import Finding, Part, number

# So many of the slowest are shown unless the question says how many.
SLOWEST_SHOWN = 5


def requests(lookup: Lookup, known: Known) -> list[Finding]:
    """Return what answers a question about requests; raises Refused where no log tells of them."""
    made = [(owner, known.document(call)) for owner, call in request_calls(lookup, known)]
    found = [(owner, document) for owner, document in made if document is not None]
    if not found or len(found) < len(made):
        raise Refused("no log that was read tells how requests were answered")
    for _, document in found:
        check_complete(document, lookup)
        if document.at("undated").count:
            raise Refused("some requests are logged without a time, so that a part of them cannot be counted")
    found = [each for each in found if each[1].at("requests").count]
    if not found:
        # Of no request at all a count of zero would say nothing.
        raise Refused("no request is logged in the time that is asked about")
    if not lookup.outcomes:
        found = [each for each in found if _tells_all(each[1])]
        if not found:
            raise Refused(
                "the logs state the status of failures only, so that all requests cannot be counted"
            )
    found = _timed(found) if lookup.slowest or lookup.slower is not None else found
    # Who is called from outside saw every request.
    topology = known.material.topology
    found.sort(key=lambda each: (not topology.is_edge(each[0]), not _tells_all(each[1])))
    owners = {owner for owner, _ in found}
    component = found[0][0] if len(owners) == 1 and found[0][0] in known.components.values() else ""
    clauses = [_clause(owner, document, lookup) for owner, document in found]
    bounds = say.window(found[0][1])
    if len(found) == 1:
        heads = [say.answer([*clauses[0], *bounds], component)]
    else:
        heads = say.listed(["As each log tells it", *bounds, ":"], clauses, component)
    if lookup.group:
        return [*heads, *(each for _, document in found for each in _groups(document, lookup))]
    if lookup.ask is not Ask.LIST:
        return heads
    return [*heads, *(each for _, document in found for each in _shown(document, lookup))]


def _timed(found: list[tuple[str, Spot]]) -> list[tuple[str, Spot]]:
    """Return those whose logs tell how long requests took; raises Refused for none."""
    timed = [each for each in found if each[1].at("timed").count]
    if not timed:
        raise Refused("no log states how long requests took")
    return timed


def _groups(document: Spot, lookup: Lookup) -> list[Finding]:
    if not groups.has_groups(document):
        return []
    return groups.apart(document, lookup, ["In ", *_logs(document)])


def _tells_all(document: Spot) -> bool:
    """Tell whether the logs state the status of requests that went well, too."""
    return document.at("answered_well").count > 0


def _clause(owner: str, document: Spot, lookup: Lookup) -> list[Part]:
    count, of = document.at("count"), document.at("requests")
    partial = document.at("logs_read_in_part").count
    least = "at least " if partial else ""
    who = f"{owner} {_verb(document)}"
    if not _tells_all(document):
        what: list[Part] = [f"{owner} logged {least}", number(count), " records that state a status"]
    elif _selects(lookup):
        what = [f"{who} {least}", number(count), " of ", number(of), " requests"]
    else:
        what = [f"{who} {least}", number(count), " requests"]
    status: list[Part] = (
        [" with a status of ", *say.alternatives(document.at("outcomes").items())]
        if lookup.outcomes and _tells_all(document)
        else [" of ", *say.alternatives(document.at("outcomes").items())]
        if lookup.outcomes
        else []
    )
    status += _took(document, lookup)
    return [*what, *status, *_holding(document), *_where(document), *_ends(document, lookup)]


def _selects(lookup: Lookup) -> bool:
    """Tell whether some requests are counted, of all."""
    texts = lookup.outcomes or lookup.methods or lookup.clients or lookup.literals
    return bool(texts or lookup.paths) or lookup.slower is not None


def _took(document: Spot, lookup: Lookup) -> list[Part]:
    """Say how long they took; and of how many that is known, where it is not of all."""
    parts: list[Part] = []
    if lookup.slower is not None:
        parts += [" that took more than ", number(document.at("slower_than")), " seconds"]
    if (parts or lookup.slowest) and document.at("timed").count < document.at("requests").count:
        parts += [", of ", number(document.at("timed")), " that state how long they took"]
    return parts


def _verb(document: Spot) -> str:
    """Say what the logs tell of: what their owner answered, or what it was answered."""
    texts = (row.at(side, "text").text for row in document.at("logs").items() for side in ("first", "last"))
    return "logged" if "logged" in map(verb_of_status, texts) else "answered"


def _holding(document: Spot) -> list[Part]:
    texts, methods = document.at("contains").items(), document.at("methods").items()
    parts: list[Part] = [", by the method ", *say.alternatives(methods)] if methods else []
    clients = document.at("clients").items()
    parts += [", from ", *say.alternatives(clients)] if clients else []
    parts += [", where the log holds ", *say.alternatives(texts, quoted=True, by=" and ")] if texts else []
    paths = document.at("paths").items()
    below: list[Part] = [", to the path ", *say.alternatives(paths, quoted=True), " or below it"]
    return [*parts, *(below if paths else [])]


def _where(document: Spot) -> list[Part]:
    return [", in ", *_logs(document)]


def _logs(document: Spot) -> list[Part]:
    rows = [row for row in document.at("logs").items() if row.at("requests").count]
    names: list[list[Part]] = [[say.cited(row.at("source").text, row.at("requests"))] for row in rows]
    return say.joined(names)


def _ends(document: Spot, lookup: Lookup) -> list[Part]:
    """Say when the first and the last were, as far as logs follow one another."""
    rows = [row for row in document.at("logs").items() if row.at("count").count]
    if not rows or lookup.ask is Ask.LIST:
        return []
    firsts = [row.at("first") for row in rows if row.at("first", "time").text]
    lasts = [row.at("last") for row in rows if row.at("last", "time").text]
    if not firsts or not lasts:
        return []
    first = min(firsts, key=lambda spot: seconds_of(spot.at("time").text) or 0.0)
    last = max(lasts, key=lambda spot: seconds_of(spot.at("time").text) or 0.0)
    match lookup.ask:
        case Ask.FIRST:
            return [", the first of them", *say.at(first)]
        case Ask.LAST:
            return [", the last of them", *say.at(last)]
    return [", the first", *say.at(first), ", the last", *say.at(last)]


def _shown(document: Spot, lookup: Lookup) -> list[Finding]:
    limit = min(lookup.limit or SHOWN, MAX_SHOWN)
    rows = document.at("logs").items()
    pairs = [(spot, row.at("source").text) for row in rows for spot in row.at("excerpts").items()]
    if lookup.slowest:
        pairs.sort(key=lambda pair: -(pair[0].at("seconds").number or 0.0))
        return [say.answer(_slow(spot, source)) for spot, source in pairs[: lookup.limit or SLOWEST_SHOWN]]
    pairs.sort(key=lambda pair: seconds_of(pair[0].at("time").text) or 0.0)
    kept = pairs[-limit:] if lookup.from_end else pairs[:limit]
    return [say.answer(say.line(spot, source)) for spot, source in kept]


def _slow(spot: Spot, source: str) -> list[Part]:
    return [number(spot.at("seconds")), " seconds took ", *say.line(spot, source)]
