"""Which objects of a cluster there are, how many of them are how, and one fact of some."""

from collections.abc import Sequence

from services.executor.analyst.lookup import vocabulary as words
from services.executor.analyst.lookup import wording as say
from services.executor.analyst.lookup.answer_facts import (
    about_of,
    facts,
    most_restarted,
    most_used,
    noun_of,
)
from services.executor.analyst.lookup.asked import Ask, Lookup, Refused
from services.executor.analyst.lookup.calls import events_call, objects_call
from services.executor.analyst.lookup.known import Known
from services.executor.analyst.lookup.objects import objects_of
from services.executor.analyst.lookup.resources import USED
from services.executor.analyst.reading.spot import Spot
from services.executor.analyst.wording.findings import Finding, Part, counted, literal, number, quote

_LABEL = "label:"


def objects(lookup: Lookup, known: Known) -> list[Finding]:
    """Return what answers a question about objects; raises Refused where none was recorded."""
    if lookup.is_strange:
        return [say.answer(_nothing(lookup, known))]
    document = _document(lookup, known)
    rows = document.at("listed").items()
    if lookup.group:
        return _grouped(document, lookup)
    if lookup.ask is Ask.MAX:
        most = most_used if lookup.fact in USED else most_restarted
        return [say.answer(most(document, rows, lookup))]
    if lookup.fact and not (lookup.fact == "restarts" and lookup.ask is Ask.COUNT):
        return facts(document, rows, lookup)
    lead = _restarts(document, lookup) if lookup.fact else _count(document, lookup)
    names = [row.at("name").text for row in rows]
    clauses = [
        [*_object(row, lookup), *(_where(row) if names.count(row.at("name").text) > 1 else [])]
        for row in rows[: say.MAX_LISTED]
    ]
    found = say.listed(lead, clauses) if clauses else [say.answer(lead)]
    return [*found, *_otherwise(rows, lookup, known)]


def events(lookup: Lookup, known: Known) -> list[Finding]:
    """Return the events about some objects; raises Refused where they were not read or do not agree."""
    document, told = _document(lookup, known), known.document(events_call(lookup, known))
    if told is None:
        raise Refused("the events could not be read")
    found = told.at("events").items()
    warns = bool(lookup.severities)
    count = document.at("warnings" if warns else "events")
    if count.count != len(found):
        raise Refused("there are more events than could be listed")
    if not found and document.at("events_unstated").count:
        raise Refused("what is recorded of the objects does not show their events")
    if not found:
        about = counted(document.at("count"), "recorded object", "recorded objects")
        noun = "No warning event" if warns else "No event"
        return [say.answer([say.cited(noun, count), " is recorded about ", *about])]
    lead_parts: list[Part] = [
        *(
            counted(count, "recorded warning event", "recorded warning events")
            if warns
            else counted(count, "recorded event", "recorded events")
        ),
        *about_of(lookup, document),
        ":",
    ]
    alone = len({each.at("name").text for each in found}) == 1
    return say.listed(lead_parts, [_event(each, named=not alone) for each in found[: say.MAX_LISTED]])


def _nothing(lookup: Lookup, known: Known) -> list[Part]:
    """Say that none of the recorded objects of a kind goes by a name, where any of that kind was recorded."""
    document, inventory = known.document(objects_call(lookup, known)), known.inventory
    if document is None or inventory is None or document.at("files_not_read").count:
        raise Refused("no object of this kind or name is recorded")
    of_kind = [each for each in inventory.at("by_kind").items() if each.at("kind").text == lookup.kind]
    if not of_kind or document.at("count").count:
        raise Refused("no object of this kind or name is recorded")
    whole, name = of_kind[0].at("count"), document.at("names").items()[0]
    lead: list[Part] = ["Of ", number(whole), f" recorded {noun_of(lookup, whole.count)}, "]
    return [*lead, say.cited("none", document.at("count")), " goes by the name ", literal(name)]


def _document(lookup: Lookup, known: Known) -> Spot:
    document = known.document(objects_call(lookup, known))
    inventory = known.inventory
    if document is None or inventory is None or not objects_of(lookup, known):
        raise Refused("no object of this kind or name is recorded")
    partial = (
        document.at("files_not_read").count or len(document.at("listed").items()) < document.at("count").count
    )
    if partial or (document.at("unstated").count and not document.at("count").count):
        raise Refused("what is recorded of the objects does not say enough to count them")
    return document


def _count(document: Spot, lookup: Lookup) -> list[Part]:
    count, of = document.at("count"), document.at("of_kind")
    state = _state(document, lookup)
    among: list[Part] = [*about_of(lookup, document)]
    if not state:
        verb = " is recorded" if count.count == 1 else " are recorded"
        return [number(count), f" {noun_of(lookup, count.count)}", *among, verb, ":" if count.count else ""]
    lead: list[Part] = [number(count)] if count.count else [say.cited("none", count)]
    whole: list[Part] = ["Of ", number(of), f" recorded {noun_of(lookup, of.count)}", *among, ", "]
    return [*whole, *lead, *state, *_beside(document), ":" if count.count else ""]


def _otherwise(rows: Sequence[Spot], lookup: Lookup, known: Known) -> list[Finding]:
    """Name those that are not well, where that is asked of some; and those that wait, beside pending ones."""
    fitting = {(row.at("name").text, row.at("namespace").text) for row in rows}
    others = [
        row
        for row in objects_of(lookup, known)
        if (row.at("name").text, row.at("namespace").text) not in fitting
        and row.at("namespace").text in (lookup.namespaces or (row.at("namespace").text,))
    ]
    if lookup.node or lookup.labels or len(lookup.states) != 1 or lookup.kind == "HorizontalPodAutoscaler":
        return []
    lead = ""
    if lookup.states == ("well",) and lookup.ask is Ask.ANY:
        lead = "The rest:"
    elif lookup.states == ("Pending",):
        lead = "Waiting under another status:"
        others = [row for row in others if row.at("excerpts", "status", "text").text in words.WAITING]
    clauses = [_object(row, lookup) for row in others[: say.MAX_LISTED]] if lead else []
    return say.listed([lead], clauses) if clauses else []


def _grouped(document: Spot, lookup: Lookup) -> list[Finding]:
    """Say how many objects there are of each status, namespace or node."""
    groups = document.at(f"by_{lookup.group}").items()
    if not groups:
        raise Refused("none of the recorded objects states this")
    count = document.at("count")
    told = sum(each.at("count").count for each in groups)
    unstated = [", as far as stated"] if told < count.count else []
    lead: list[Part] = [
        number(count), f" recorded {noun_of(lookup, count.count)}", *about_of(lookup, document),
        f" by {lookup.group}", *unstated, ":",
    ]  # fmt: skip
    return say.listed(lead, [[number(each.at("count")), " ", literal(each.at("text"))] for each in groups])


def _state(document: Spot, lookup: Lookup) -> list[Part]:
    one = document.at("count").count == 1
    clauses = [_condition(condition, lookup, one=one) for condition in document.at("where").items()]
    return [" ", *say.joined(clauses, " and ")] if clauses else []


def _condition(condition: Spot, lookup: Lookup, *, one: bool) -> list[Part]:
    texts, other = condition.at("texts").items(), bool(condition.at("other").value)
    has, are, were = ("has", "is", "was") if one else ("have", "are", "were")
    fact = condition.at("fact")
    if fact.text.startswith(_LABEL):
        return [f"{has} the label ", literal(fact, fact.text.removeprefix(_LABEL)), "=", literal(texts[0])]
    match fact.text:
        case "well":
            return [say.cited(_well(lookup, well=texts[0].text == "true", one=one), texts[0])]
        case "all_ready":
            ready = f"{has} all" if texts[0].text == "true" else f"{has} not all"
            return [say.cited(f"{ready} of the containers ready", texts[0])]
        case "restarts" if other:
            return [f"{were} restarted"]
        case "restarts":
            return [f"{has} the number of restarts ", literal(texts[0])]
        case "node":
            return [f"{are} on the node ", literal(texts[0], lookup.node)]
        case "type":
            return [f"{has} the type ", *say.alternatives(texts)]
        case "termination":
            return [f"{has} a container that ended as ", *say.alternatives(texts)]
    return [f"{has} another status than " if other else f"{has} the status ", *say.alternatives(texts)]


def _well(lookup: Lookup, *, well: bool, one: bool) -> str:
    has, are, its = ("has", "is", "its") if one else ("have", "are", "their")
    if lookup.kind == "Pod":
        means = "running with all containers ready, or done"
        return f"{are} well ({means})" if well else f"{are} not well (well means {means})"
    if lookup.kind == "Node":
        return f"{are} ready" if well else f"{are} not ready"
    if lookup.kind == "HorizontalPodAutoscaler":
        stated = f"by {its} own conditions and targets"
        return f"{are} well {stated}" if well else f"{are} not well {stated}"
    return f"{has} {'all' if well else 'not all'} of {its} wanted pods ready"


def _beside(document: Spot) -> list[Part]:
    parts: list[Part] = []
    if document.at("unstated").count:
        parts += [", and ", number(document.at("unstated")), " leave this unstated"]
    of_status = any(each.at("fact").text == "status" for each in document.at("where").items())
    differs = document.at("shown_differently")
    if of_status and differs.count:
        has = " has" if differs.count == 1 else " have"
        parts += [", and of them all ", number(differs), f"{has} another status in another file"]
    return parts


def _restarts(document: Spot, lookup: Lookup) -> list[Part]:
    count = document.at("count")
    total: list[Part] = [
        "Recorded restarts",
        *about_of(lookup, document),
        ": ",
        number(document.at("restarts")),
        " in all, of ",
    ]
    return [*total, number(count), f" recorded {noun_of(lookup, count.count)}:"]


def _object(row: Spot, lookup: Lookup) -> list[Part]:
    parts: list[Part] = [literal(row.at("name"))]
    if lookup.fact == "restarts":
        return [*parts, " ", number(row.at("counts", "restarts"))]
    if "restarted" in lookup.states:
        return [*parts, " (", *counted(row.at("counts", "restarts"), "restart", "restarts"), ")"]
    ready, of = row.at("counts", "ready"), row.at("counts", "of")
    if lookup.kind != "Pod" and {"well", "not well"} & set(lookup.states) and ready.text and of.text:
        return [*parts, " (", number(ready), " of ", number(of), " ready)"]
    status = row.at("excerpts", "status", "text")
    if status.text and lookup.states:
        parts += [" (", literal(status), ")"]
    return parts


def _where(row: Spot) -> list[Part]:
    """Say where an object is, of which another one has the name."""
    namespace = row.at("namespace")
    return [" in the namespace ", literal(namespace)] if namespace.text else []


def _event(event: Spot, *, named: bool) -> list[Part]:
    message = event.at("message", "text")
    name: list[Part] = [literal(event.at("name")), " "] if named else []
    return [*name, literal(event.at("reason", "text")), ": ", quote(message, say.shown_text(message.text))]
