"""One fact of some objects of a cluster, and the objects of which a figure is the greatest."""

import re
from collections.abc import Sequence
from decimal import Decimal

from services.executor.analyst.lookup import wording as say
from services.executor.analyst.lookup.asked import Lookup, Refused
from services.executor.analyst.lookup.resources import EVERY, STATED, USED, amount
from services.executor.analyst.reading.spot import Spot
from services.executor.analyst.wording.findings import Finding, Part, literal, number, quote

_FACT_WORDS = {
    "image": "the image ", "restarts": "restarts: ", "replicas": "replicas: ", "status": "the status ",
    "ip": "the address ", "node": "the node ", "capacity": "the capacity ", "version": "the version ",
    "labels": "the labels ", "started": "the start ", "created": "the creation time ", "age": "the age ",
    "controller": "the owner ", "outcome": "", "ready_containers": "containers ready: ",
    "ready_replicas": "replicas ready: ", "cpu_used": "CPU in use: ", "memory_used": "memory in use: ",
    "cpu_limit": "the CPU limit ", "cpu_request": "the CPU request ", "memory_limit": "the memory limit ",
    "memory_request": "the memory request ", "liveness_probe": "the liveness probe ",
    "readiness_probe": "the readiness probe ", "startup_probe": "the startup probe ", "runs": "",
    "all_limits": "the limits ", "all_requests": "the requests ", "type": "the type ",
    "ports": "the ports ", "external_ip": "the external address ", "storage_class": "the storage class ",
    "runtime": "the container runtime ", "os": "the operating system ", "kernel": "the kernel ",
}  # fmt: skip
_SEVERAL = {
    "outcome": (("the status ", "status"), ("completions ", "completions"), ("pods ", "pods")),
    "runs": (
        ("the schedule ", "schedule"),
        ("suspended ", "suspended"),
        ("the last schedule ", "last_schedule"),
        ("active ", "active"),
    ),
}
_MEASURES = {"cpu_used": "CPU in use", "memory_used": "memory in use"}
_WORD_IN_NAME = re.compile(r"(?<=[a-z])(?=[A-Z])")


def facts(document: Spot, rows: Sequence[Spot], lookup: Lookup) -> list[Finding]:
    """Tell one fact of each object; raises Refused where some do not state it."""
    told = [(row, _values(row, lookup.fact)) for row in rows]
    stated = [(row, values) for row, values in told if values]
    # What only a description tells is seldom recorded of all pods.
    partly = lookup.fact in STATED | {"image"} and len(stated) < len(told)
    if not stated or (len(stated) < len(told) and not partly):
        raise Refused("some of the recorded objects do not state this")
    noun = _FACT_WORDS[lookup.fact]
    clauses = [[literal(row.at("name")), f" has {noun}", *say.joined(values)] for row, values in stated]
    if len(told) == 1:
        return [say.answer(clauses[0])]
    lead: list[Part] = [
        number(document.at("count")),
        f" recorded {noun_of(lookup, len(told))}",
        *about_of(lookup, document),
        ", as far as stated:" if partly else ":",
    ]
    return say.listed(lead, clauses)


def most_restarted(document: Spot, rows: Sequence[Spot], lookup: Lookup) -> list[Part]:
    """Name those that were restarted most, where all say how often they were."""
    counts = [row.at("counts", "restarts") for row in rows]
    if not rows or any(not spot.text for spot in counts):
        raise Refused("some of the recorded objects do not state this")
    most = max(spot.count for spot in counts)
    lead: list[Part] = ["Of ", number(document.at("count")), f" recorded {noun_of(lookup, len(rows))}"]
    if not most:
        return [*lead, *about_of(lookup, document), ", none was restarted: ", number(document.at("restarts"))]
    first: list[list[Part]] = [
        [literal(row.at("name")), " ", number(spot)]
        for row, spot in zip(rows, counts, strict=True)
        if spot.count == most
    ]
    return [*lead, *about_of(lookup, document), ", the most restarts: ", *say.joined(first[: say.MAX_LISTED])]


def most_used(document: Spot, rows: Sequence[Spot], lookup: Lookup) -> list[Part]:
    """Name those that use most of a resource, among those of which that was measured."""
    measured = [(row, _amount(row, lookup.fact)) for row in rows]
    if not measured or any(used is None for _, used in measured):
        raise Refused("some of the recorded objects do not state this")
    most = max(used for _, used in measured if used is not None)
    first = [
        [literal(row.at("name")), " ", *_used(row, lookup.fact)] for row, used in measured if used == most
    ]
    lead: list[Part] = ["Of ", number(document.at("count")), f" measured {noun_of(lookup, len(rows))}"]
    what = f", the most {_MEASURES[lookup.fact]}: "
    return [*lead, *about_of(lookup, document), what, *say.joined(first[: say.MAX_LISTED])]


def about_of(lookup: Lookup, document: Spot) -> list[Part]:
    """Name the names and namespaces that were asked for, as the first of the objects says them."""
    parts: list[Part] = []
    if lookup.names:
        said = [each for each in document.at("names").items() if each.text in lookup.names]
        parts += [" of ", literal(said[0])] if said else []
    if lookup.namespaces:
        parts += [" of the namespace ", literal(document.at("namespaces").items()[0])]
    return parts


def noun_of(lookup: Lookup, count: int) -> str:
    """Return what objects of the kind are called, in the number of a count."""
    noun = lookup.kind or "object"
    if not noun.isupper():
        # A name in mixed letters would be taken for an identifier.
        noun = _WORD_IN_NAME.sub(" ", noun).lower()
    if count == 1:
        return noun
    return f"{noun[:-1]}ies" if noun.endswith("y") else f"{noun}es" if noun.endswith("s") else f"{noun}s"


def _values(row: Spot, name: str, lead: str = "") -> Sequence[list[Part]]:
    """Return what an object states of a fact, each value for itself; nothing where it states none."""
    if name in EVERY:
        return [value for lead, fact in EVERY[name] for value in _values(row, fact, lead)]
    if name in STATED:
        return [
            [lead, _shown(one.at(name, "text")), " (container ", literal(one.at("container", "text")), ")"]
            for one in row.at("resources").items()
            if one.at(name, "text").text
        ]
    if name in USED:
        return [_used(row, name)] if row.at("excerpts", name, "text").text else []
    if name in _SEVERAL:
        spots = ((lead, row.at("excerpts", fact, "text")) for lead, fact in _SEVERAL[name])
        return [[lead, _shown(spot)] for lead, spot in spots if spot.text]
    if name.startswith("ready_"):
        ready, of = row.at("counts", "ready"), row.at("counts", "of")
        shares: list[Part] = [number(ready), " of ", number(of)]
        return [shares] if ready.text and of.text else []
    if name == "controller":
        maker = row.at("excerpts", "maker", "text")
        found: list[list[Part]] = [[_shown(spot)] for spot in _texts(row, name) if spot.text]
        if maker.text:
            found.append(["by its name the deployment ", literal(maker)])
        return found
    if name == "restarts":
        return [[number(row.at("counts", name))]] if row.at("counts", name).text else []
    return [[_shown(spot)] for spot in _texts(row, name) if spot.text]


def _texts(row: Spot, name: str) -> Sequence[Spot]:
    """Return the texts of a fact as they stand."""
    spot = row.at("excerpts", name, "text")
    if name == "image":
        return [each.at("text") for each in row.at("images").items()] or [
            row.at("excerpts", "images", "text")
        ]
    if name in ("labels", "ports"):
        return [each.at("text") for each in row.at(name).items()]
    return [row.at("excerpts", "ready", "text") if name == "replicas" and not spot.text else spot]


def _shown(spot: Spot) -> Part:
    return quote(spot, spot.text) if " " in spot.text else literal(spot)


def _amount(row: Spot, name: str) -> Decimal | None:
    return amount(row.at("excerpts", name, "text").text)


def _used(row: Spot, name: str) -> list[Part]:
    """Return an amount that is in use, with its share where that is told."""
    share = row.at("excerpts", f"{name.partition('_')[0]}_share", "text")
    shown: list[Part] = [literal(row.at("excerpts", name, "text"))]
    return [*shown, " (", literal(share), ")"] if share.text else shown
