"""What a lookup asks for, as data. Nothing here knows a system."""

from dataclasses import dataclass
from enum import StrEnum


class Ask(StrEnum):
    """What is wanted of what is found."""

    COUNT = "count"
    LIST = "list"
    FIRST = "first"
    LAST = "last"
    WHEN = "when"
    ANY = "any"
    VALUE = "value"
    MAX = "max"
    MIN = "min"
    MEAN = "mean"


class What(StrEnum):
    """What is looked for."""

    LINES = "lines"
    REQUESTS = "requests"
    ALERTS = "alerts"
    CHANGES = "changes"
    COMPONENTS = "components"
    CALLS = "calls"
    OBJECTS = "objects"
    EVENTS = "events"
    METRIC = "metric"


@dataclass(frozen=True)
class Span:
    """A half-open interval in RFC 3339; an open side is empty."""

    start: str = ""
    end: str = ""

    def arguments(self) -> dict[str, str]:
        """Return the sides that are bounded, as tools take them."""
        return {side: text for side, text in (("start", self.start), ("end", self.end)) if text}


@dataclass(frozen=True)
class Lookup:
    """One question, understood: every word of it is in one of these fields, or says nothing."""

    what: What
    ask: Ask
    span: Span = Span()
    at: str = ""
    """The instant at which a value is asked for, RFC 3339."""
    components: tuple[str, ...] = ()
    sources: tuple[str, ...] = ()
    literals: tuple[str, ...] = ()
    is_phrase: bool = False
    """Whether the literal stands in the question without marks, so that its case says nothing."""
    paths: tuple[str, ...] = ()
    """The paths of requests, each with what is below it."""
    severities: tuple[str, ...] = ()
    levels: tuple[str, ...] = ()
    outcomes: tuple[str, ...] = ()
    limit: int | None = None
    from_end: bool = False
    """Whether the last ones are asked for, not the first."""
    types: tuple[str, ...] = ()
    """Which changes: parts of what they call their type."""
    names: tuple[str, ...] = ()
    """Names of objects, alerts or metrics."""
    is_strange: bool = False
    """Whether nothing recorded goes by the name, so that it can only be said that nothing does."""
    kind: str = ""
    namespaces: tuple[str, ...] = ()
    node: str = ""
    states: tuple[str, ...] = ()
    fact: str = ""
    by_log: bool = False
    """Whether lines are counted to tell which log holds most."""
    group: str = ""
    """The fact by which objects, lines or requests are counted apart."""
    most: bool = False
    """Whether that of what is counted apart is asked for of which there are most."""
    methods: tuple[str, ...] = ()
    clients: tuple[str, ...] = ()
    """The addresses from which requests came."""
    slower: float | None = None
    """More than so many seconds the requests took."""
    slowest: bool = False
    """Whether those that took longest are asked for."""
    labels: tuple[tuple[str, str], ...] = ()
    above: float | None = None
    below: float | None = None
    callers: bool = False
    """Whether it is asked who calls, not who is called."""


class Refused(Exception):  # noqa: N818 - no failure: a question that is not answered
    """The question is not one that can be looked up here; the text says why, for a person."""
