"""Who exists, what kind of thing it is, and who calls whom."""

import re
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import cached_property

from services.common.evidence.document import ComponentKind
from services.executor.analyst.reading.spot import Spot
from services.executor.analyst.reading.words import vocabulary, words_of

# In this order: the "job" in "redis job queue" says less than the "redis".
_KINDS: tuple[tuple[ComponentKind, frozenset[str]], ...] = (
    (
        "database",
        frozenset({"postgres", "postgresql", "mysql", "mariadb", "database", "db", "sql", "mongodb"}),
    ),
    ("cache", vocabulary("redis memcached cache valkey")),
    ("queue", vocabulary("kafka rabbitmq nats queue broker")),
    ("proxy", vocabulary("nginx envoy haproxy proxy ingress gateway")),
    ("node", vocabulary("node host vm machine")),
    ("job", vocabulary("job cron batch migration")),
)
# Of which kind a program is whose runtime is called like a machine.
_PROGRAM = re.compile(r"\bnode[ -](?:service|worker|app|application|api)\b|\bnode\.?js\b", re.IGNORECASE)
# What a person calls a thing by its kind, and by its product.
CATEGORIES: dict[str, ComponentKind] = {
    "database": "database", "db": "database", "cache": "cache", "queue": "queue", "broker": "queue",
    "proxy": "proxy", "ingress": "proxy", "gateway": "proxy",
}  # fmt: skip
PRODUCTS = vocabulary(
    """envoy haproxy kafka mariadb memcached mongodb mysql nats nginx postgres postgresql rabbitmq redis
    valkey"""
)


_STORES: frozenset[ComponentKind] = frozenset({"database", "cache", "queue"})
# "postgres" and "postgresql" are one.
_MIN_ALIKE = 5
# What a caller measures of another is about the one that such a label names.
_FAR_SIDE = vocabulary("peer upstream destination target remote callee dependency backend")
_PAIR = re.compile(r'(?<!\w)(\w++)="((?:[^"\\]|\\.)*+)"')


@dataclass(frozen=True)
class Topology:
    """The components and calls that the recorded topology names."""

    kinds: dict[str, str] = field(default_factory=dict)
    """What each component is, in the topology's own words."""
    logs: dict[str, list[str]] = field(default_factory=dict)
    calls: frozenset[tuple[str, str]] = frozenset()

    @property
    def components(self) -> frozenset[str]:
        """Every component that the topology describes."""
        return frozenset(self.kinds)

    def kind_of(self, component: str) -> ComponentKind:
        """Return the closed-list kind of a component."""
        if component not in self.kinds:
            return "external" if component else ""
        words = words_of(f"{self.kinds[component]} {component}")
        if _PROGRAM.search(self.kinds[component]):
            return "service"
        return next((kind for kind, signs in _KINDS if words & signs), "service")

    def is_store(self, component: str) -> bool:
        """Tell whether a component, described or not, is by its name and kind one that others write to."""
        words = words_of(f"{self.kinds.get(component, '')} {component}")
        return any(kind in _STORES and words & signs for kind, signs in _KINDS)

    def of_kind(self, word: str) -> list[str]:
        """Return the components that are what a word says: a product, or a category such as a database."""
        if word in CATEGORIES:
            return [each for each in self.components if self.kind_of(each) == CATEGORIES[word]]
        if word not in PRODUCTS:
            return []
        return [
            each
            for each in self.components
            if any(_alike(word, other) for other in words_of(f"{self.kinds[each]} {each}"))
        ]

    def uses(self, component: str) -> frozenset[str]:
        """Return what a component calls directly."""
        return self._callees.get(component, frozenset())

    @cached_property
    def _callees(self) -> dict[str, frozenset[str]]:
        found: dict[str, set[str]] = defaultdict(set)
        for caller, callee in self.calls:
            found[caller].add(callee)
        return {caller: frozenset(callees) for caller, callees in found.items()}

    def dependencies(self, component: str) -> frozenset[str]:
        """Return all that a component calls, directly or through others, without itself."""
        found: set[str] = set()
        frontier = {component}
        while frontier:
            frontier = {callee for each in frontier for callee in self.uses(each)} - found
            found |= frontier
        return frozenset(found - {component})

    def is_edge(self, component: str) -> bool:
        """Tell whether a component is called from outside and by no described component."""
        callers = {caller for caller, callee in self.calls if callee == component}
        return bool(self.calls) and component in self.kinds and not callers & self.components

    def subject(self, labels: str, owner: str = "") -> str:
        """Return the one component that a series with these labels is about, else its owner.

        Where a caller measures one that it calls, that is the one called, described or not.
        """
        pairs = _PAIR.findall(labels)
        called = self.components | {callee for _, callee in self.calls}
        far = (value for name, value in pairs if words_of(name) & _FAR_SIDE and value in called)
        named = (value for _, value in pairs if value in self.components)
        return next(far, "") or next(named, owner)

    def mentioned(self, texts: Iterable[str]) -> frozenset[str]:
        """Return the components that stand among texts, literally."""
        return frozenset(texts) & self.components


def read_topology(document: Spot) -> Topology:
    """Read a `topology_get` document."""
    kinds: dict[str, str] = {}
    logs: dict[str, list[str]] = {}
    for element in document.at("services").items():
        service = element.at("value")
        name = service.at("name").text
        if name:
            kinds[name] = service.at("kind").text
            logs[name] = [log.text for log in service.at("logs").items() if log.text]
    calls = [
        (call.at("value", "from").text, call.at("value", "to").text) for call in document.at("calls").items()
    ]
    return Topology(kinds, logs, frozenset((caller, callee) for caller, callee in calls if caller and callee))


def _alike(first: str, second: str) -> bool:
    shorter, longer = sorted((first, second), key=len)
    return first == second or (len(shorter) >= _MIN_ALIKE and longer.startswith(shorter))
