"""Which alerts, changes, services and calls there are: lists of recorded entries, counted by a tool."""

from collections.abc import Sequence

from services.executor.analyst.lookup import wording as say
from services.executor.analyst.lookup.asked import Ask, Lookup, Refused, Span
from services.executor.analyst.lookup.calls import (
    alerts_call,
    bounds_of,
    calls_call,
    changes_call,
    services_call,
)
from services.executor.analyst.lookup.chosen import chosen_alerts, chosen_changes, inside
from services.executor.analyst.lookup.known import Known
from services.executor.analyst.reading.spot import Spot
from services.executor.analyst.reading.views import Alert, ChangeEvent
from services.executor.analyst.reading.words import seconds_of
from services.executor.analyst.wording.findings import Finding, Part, counted, instant, literal, number, quote
from services.executor.recorded import ToolRequest

_COMPONENT_LABELS = ("service", "component", "app", "job", "deployment", "pod", "namespace", "instance")


def alerts(lookup: Lookup, known: Known) -> list[Finding]:
    """Return what answers a question about alerts; raises Refused where they cannot be counted."""
    chosen = inside(chosen_alerts(lookup, known).entries, lookup.span, lambda each: each.since.text)
    chosen.sort(key=lambda each: seconds_of(each.since.text) or 0.0)
    document = _checked(known, alerts_call(lookup, known), len(chosen))
    picked = _picked(chosen, lookup)
    lead = _lead(document, lookup, "alert", " of ", picked, len(chosen))
    return say.listed(lead, [_alert(each) for each in picked[: say.MAX_LISTED]])


def changes(lookup: Lookup, known: Known) -> list[Finding]:
    """Return what answers a question about changes; raises Refused where they cannot be counted."""
    chosen = inside(chosen_changes(lookup, known).entries, _span(lookup, known), lambda each: each.time)
    document = _checked(known, changes_call(lookup, known), len(chosen))
    picked = _picked(chosen, lookup)
    lead = _lead(document, lookup, "change", " of ", picked, len(chosen))
    return say.listed(lead, [_change(each) for each in picked[: say.MAX_LISTED]])


def components(_: Lookup, known: Known) -> list[Finding]:
    """Return the services of the topology; raises Refused without one."""
    names = [
        element.at("value", "name")
        for document in known.material.documents("topology_get")
        for element in document.at("services").items()
    ]
    document = known.document(services_call(known))
    if document is None or document.at("count").count != len(names):
        raise Refused("no topology was read that names the services")
    lead = ["The topology names ", *counted(document.at("count"), "service", "services"), ":"]
    return say.listed(lead, [[literal(name)] for name in names])


def calls(lookup: Lookup, known: Known) -> list[Finding]:
    """Return whom a component calls or who calls it; raises Refused without a topology."""
    side, other = ("to", "from") if lookup.callers else ("from", "to")
    component, *callee = lookup.components
    found = [
        element.at("value")
        for document in known.material.documents("topology_get")
        for element in document.at("calls").items()
        if element.at("value", side).text == component
        and (not callee or element.at("value", other).text == callee[0])
    ]
    document = known.document(calls_call(lookup, known))
    if document is None or document.at("count").count != len(found) or not document.at("entries").count:
        raise Refused("no topology was read that tells of calls")
    lead = _of_calls(document, lookup)
    return say.listed(lead, [[literal(each.at(other))] for each in found])


def _of_calls(document: Spot, lookup: Lookup) -> list[Part]:
    named = [literal(each.at("texts", 0)) for each in document.at("where").items()]
    whom: list[Part] = [" to ", named[0]] if lookup.callers else [" from ", named[0]]
    if len(named) > 1:
        whom += [" from " if lookup.callers else " to ", named[1]]
    if not document.at("count").count:
        lead = say.cited("no call", document.at("count"))
        return ["Of ", number(document.at("entries")), " calls of the topology, ", lead, " goes", *whom]
    return ["The topology names ", *counted(document.at("count"), "call", "calls"), *whom, ":"]


def _span(lookup: Lookup, known: Known) -> Span:
    bounds = bounds_of(lookup.span, known.material.window)
    return Span(*(str(bounds.get(side, "")) for side in ("start", "end")))


def _checked(known: Known, call: ToolRequest, chosen: int) -> Spot:
    """Return the count of a tool, which must be the number of those that were chosen."""
    document = known.document(call)
    if document is None or document.at("count").count != chosen or document.at("undated").count:
        raise Refused("some entries do not say enough of themselves to be counted")
    return document


def _picked(chosen: Sequence[object], lookup: Lookup) -> list:  # type: ignore[type-arg]
    limit = lookup.limit or 1
    if lookup.ask is Ask.LAST or lookup.from_end:
        return list(chosen[-limit:])
    return list(chosen[:limit]) if lookup.ask is Ask.FIRST or lookup.limit else list(chosen)


def _lead(
    document: Spot, lookup: Lookup, noun: str, of: str, picked: Sequence[object], chosen: int
) -> list[Part]:
    count, entries = document.at("count"), document.at("entries")
    bounds, meant = say.window(document), _meant(document)
    plural = f"{noun}s"
    if not chosen:
        return [
            say.cited(f"No {noun}", count), *meant, " is recorded", *bounds, ", among ",
            *counted(entries, noun, plural), " in all",
        ]  # fmt: skip
    if len(picked) < chosen:
        end = "last" if lookup.ask is Ask.LAST or lookup.from_end else "first"
        return [f"The {end}{of}", number(count), f" recorded {plural}", *meant, *bounds, ":"]
    verb = " is recorded" if count.count == 1 else " are recorded"
    return [*counted(count, noun, plural), *meant, verb, *bounds, ":"]


def _meant(document: Spot) -> list[Part]:
    """Name the conditions by which the entries were chosen."""
    parts: list[Part] = []
    for condition in document.at("where").items():
        path = condition.at("path").text.rpartition("/")[2]
        parts += [
            f" of {path} " if not parts else f" and {path} ",
            *say.alternatives(condition.at("texts").items()),
        ]
    return parts


def _alert(alert: Alert) -> list[Part]:
    labels = alert.spot.at("labels").members()
    about = next((labels[name] for name in _COMPONENT_LABELS if name in labels), None)
    parts: list[Part] = [literal(alert.spot.at("labels", "alertname"))]
    if about is not None and about.text:
        parts += [" for ", literal(about)]
    if alert.state.text:
        parts += [", ", literal(alert.state)]
    if not alert.since.text:
        return parts
    # A rule may wait before it fires, and what has ended is not so since it began.
    waits = bool(alert.spot.at("activeAt").text)
    return [*parts, ", its condition met since " if waits else ", begun at ", instant(alert.since)]


def _change(event: ChangeEvent) -> list[Part]:
    parts: list[Part] = [quote(event.summary, say.shown_text(event.summary.text))]
    if event.instant is not None:
        parts += [" at ", instant(event.instant)]
    return [*parts, " on ", literal(event.named)] if event.named is not None and event.component else parts
