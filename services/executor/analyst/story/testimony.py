"""Mechanisms that the logs state since the onset: whom each statement is about, and who said it first."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from services.executor.analyst.reading.spot import Spot
from services.executor.analyst.reading.stated import (
    UNREACHABLE,
    UNRESOLVED,
    Stated,
    stated_by,
)
from services.executor.analyst.reading.topology import PRODUCTS, Topology
from services.executor.analyst.reading.words import mechanism_clause, quotation, vocabulary, words_of
from services.executor.analyst.story.effects import CLOCK_SLACK
from services.executor.analyst.story.failures import Failure, Failures

# What a line calls a peer: a whole host or name, also within an address.
_NAME = re.compile(r"[A-Za-z][\w.-]*(?<![.-])")
# What the service manager of a machine calls a service.
_UNIT = re.compile(r"(?<![\w.-])([A-Za-z][\w.-]*)\.(?:service|scope)(?![\w-])")
_RESOLVERS = vocabulary("dns coredns kubedns dnsmasq unbound resolver resolved named nameserver")


@dataclass(frozen=True)
class Testimony:
    """A line that states a mechanism, and the component that it is about; empty where nobody can tell."""

    failure: Failure
    line: Spot
    stated: Stated
    component: str

    @property
    def seconds(self) -> float:
        """When it was first stated."""
        return self.failure.seconds

    @property
    def excerpt(self) -> str:
        """The part of the line that states the mechanism, as it can be quoted; may be empty."""
        told = quotation(self.text, self.failure.template.level)
        return told if stated_by(told) else mechanism_clause(self.text)

    @property
    def text(self) -> str:
        """The line, as far as a system told it."""
        return self.line.at("text").told


def testimonies(failures: Failures) -> list[Testimony]:
    """Return what new kinds of lines state, by first occurrence."""
    found = []
    for failure in failures.new:
        # The line that names the exception says more than the first one of its record.
        for line in (failure.template.spot.at("detail"), failure.template.spot.at("first")):
            stated = stated_by(line.at("text").told)
            if stated is not None and not failure.template.is_status:
                component = _component(failure, line.at("text").told, stated, failures)
                found.append(Testimony(failure, line, stated, component))
                break
    return _of_the_resolver(found, failures.timeline.topology)


def _of_the_resolver(told: Sequence[Testimony], topology: Topology) -> list[Testimony]:
    """Take back that a peer is to blame where names of several are not resolved: who resolves them is."""
    peers = {testimony.component for testimony in told if testimony.stated.fault == UNRESOLVED}
    resolvers = [
        each for each in topology.components if words_of(f"{topology.kinds[each]} {each}") & _RESOLVERS
    ]
    if len(peers) < 2 and not resolvers:
        return [*told]
    known = resolvers[0] if len(resolvers) == 1 else ""
    return [
        replace(each, component=known or each.failure.owner) if each.stated.fault == UNRESOLVED else each
        for each in told
    ]


def origins(group: Iterable[Testimony], topology: Topology) -> list[Testimony]:
    """Return the testimonies of one mechanism that no other one explains, first ones first.

    A component that only repeats what a dependency says of itself, or embeds another's whole message in its
    own, is no origin; of the others those count that said it first, as exactly as clocks agree.
    """
    told = [testimony for testimony in group if testimony.component]
    own = [each for each in told if not any(_follows(each, other, topology) for other in told)]
    if any(testimony.stated.fault == UNRESOLVED for testimony in own):
        # Who missed a name first only asked first.
        return _one_each(own)
    first = min((testimony.seconds for testimony in own), default=0.0)
    return _one_each([each for each in own if each.seconds <= first + CLOCK_SLACK])


def _component(failure: Failure, text: str, stated: Stated, failures: Failures) -> str:
    topology, owner = failures.timeline.topology, failure.owner
    if owner and stated.answered:
        return _store_of(owner, text, topology)
    if stated.is_of_peer:
        named = named_peers(owner, text, topology)
        if named or stated.fault != UNREACHABLE:
            return named[0] if named else owner
        return _only(sorted(topology.uses(owner)))
    # A system's log speaks of others: of the one that it names.
    words = {*_NAME.findall(text), *_UNIT.findall(text)}
    return (_only(sorted(topology.mentioned(words))) if not owner else "") or owner


def _store_of(owner: str, text: str, topology: Topology) -> str:
    """Return the store that refused a write: the teller, or the one that it names, by name or by what it is.

    Else it is the only one that the teller is known to write to. A client is not at fault by its words.
    """
    stores = sorted(each for each in topology.uses(owner) if topology.is_store(each))
    if topology.is_store(owner) and not stores:
        return owner
    callees = topology.uses(owner) if topology.calls else topology.components
    products = {each for word in words_of(text) & PRODUCTS for each in topology.of_kind(word)} - {owner}
    return _only(named_peers(owner, text, topology)) or _only(sorted(products & callees)) or _only(stores)


def named_peers(owner: str, text: str, topology: Topology) -> list[str]:
    """Return whom a line of a component names of those that it may call, in the order of their names.

    It may call whom the topology says, or anybody where that says nothing.
    """
    called = topology.dependencies(owner) if topology.calls else topology.components
    hosts = frozenset(_NAME.findall(text))
    # A host is called by its first label, wherever it stands.
    return sorted((hosts | {host.partition(".")[0] for host in hosts}) & called - {owner})


def _only(names: Sequence[str]) -> str:
    """Return the one name that is possible; empty where none or several are."""
    return names[0] if len(names) == 1 else ""


def _follows(testimony: Testimony, other: Testimony, topology: Topology) -> bool:
    if other.component == testimony.component:
        return False
    if other.component in topology.dependencies(testimony.component):
        return True
    return not topology.calls and _embeds(testimony, other)


def _embeds(testimony: Testimony, other: Testimony) -> bool:
    """Tell whether a line holds all that another one says up to the mechanism, and more before it."""
    mine, others = _message(testimony), _message(other)
    return others != mine and bool(others) and mine.endswith(others)


def _message(testimony: Testimony) -> str:
    """Return what a line says from behind its level to the end of the words that state the mechanism."""
    text, level = testimony.text[: testimony.stated.end], testimony.failure.template.level
    found = re.search(rf"\b{re.escape(level)}\b\W*", text) if level else None
    return text[found.end() :] if found else text


def _one_each(testimonies: Sequence[Testimony]) -> list[Testimony]:
    by_component: dict[str, Testimony] = {}
    for testimony in testimonies:
        by_component.setdefault(testimony.component, testimony)
    return list(by_component.values())
