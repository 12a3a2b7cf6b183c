"""Typed views of what was found in a cluster."""

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property

from services.executor.analyst.reading.spot import Spot

# A log that no name gives to a pod is told of as an object of this kind.
_UNPLACED = "Log"
_TELLS_OF_TIME = "slow"
# Of a log that goes on, and of one of a run that ended.
_OF_LOGS = ("log", "previous", _TELLS_OF_TIME)
_RESTARTED = "restarted"
_INTENDED = "intended"
_EVENT = "event"
_BUDGET = "PodDisruptionBudget"
_LINES = ("line", "shortest", "longest")
# What stands around a line of a log.
_AROUND = ("peer", "frame")


@dataclass(frozen=True)
class ClusterFinding:
    """A fault of an object, or an object that is well: what states it, and whom it concerns."""

    spot: Spot

    @cached_property
    def rule(self) -> str:
        """How it was found; empty for what is well."""
        return self.spot.at("rule").text

    @cached_property
    def fault(self) -> str:
        """The fault that is stated; may be empty."""
        return self.spot.at("fault").text

    @cached_property
    def kind(self) -> str:
        """The kind of the object."""
        return self.spot.at("kind").text

    @cached_property
    def namespace(self) -> str:
        """The object's namespace; empty where none is stated."""
        return self.spot.at("namespace").text

    @cached_property
    def name(self) -> str:
        """The object's name."""
        return self.spot.at("name").text

    @cached_property
    def about(self) -> frozenset[str]:
        """The names of the objects that it matters to, its own included, and what their names begin with."""
        return frozenset([self.name, *(each.text for each in self.spot.at("about").items())])

    @property
    def is_unplaced(self) -> bool:
        """Tell whether it is of a log that cannot be given to a pod."""
        return self.kind == _UNPLACED

    @property
    def tells_of_time(self) -> bool:
        """Tell whether it is of how long something took."""
        return self.rule == _TELLS_OF_TIME

    @property
    def is_of_log(self) -> bool:
        """Tell whether lines of a log state it."""
        return self.rule in _OF_LOGS

    @property
    def is_of_ended_run(self) -> bool:
        """Tell whether it is of the log of a run that ended."""
        return self.rule == "previous"

    @property
    def is_intended(self) -> bool:
        """Tell whether somebody wanted it so: it matters to nobody but who asks of the object."""
        return self.rule == _INTENDED

    @property
    def is_of_event(self) -> bool:
        """Tell whether an event states it."""
        return self.rule == _EVENT

    @property
    def is_unknown(self) -> bool:
        """Tell whether it is a warning that no rule knows: it matters to who asks of its object by name."""
        return self.is_of_event and not self.fault

    @property
    def is_of_budget(self) -> bool:
        """Tell whether it is of a budget of evictions: it matters to nobody but who asks of those."""
        return self.kind == _BUDGET

    @property
    def is_over(self) -> bool:
        """Tell whether it is of what came before the object was well again."""
        return self.rule == _RESTARTED

    @property
    def seen(self) -> str:
        """When it was seen last, as it was recorded: an instant, or how long before; may be empty."""
        age = self.excerpt("age")
        return age.at("text").text if age else ""

    def is_borne_out_by(self, other: "ClusterFinding") -> bool:
        """Tell whether the state of the same object shows trouble, too."""
        is_state = not (other.is_of_event or other.is_of_log or other.is_over or other.is_intended)
        return is_state and (other.kind, other.namespace, other.name) == (
            self.kind,
            self.namespace,
            self.name,
        )

    def excerpt(self, role: str) -> Spot | None:
        """Return the excerpt in a role; it holds `source`, `n` and `text`."""
        return self.excerpts.get(role)

    @cached_property
    def excerpts(self) -> dict[str, Spot]:
        """Return all excerpts by their roles."""
        return self.spot.at("excerpts").members()

    @property
    def lines(self) -> list[Spot]:
        """Return the excerpts that are lines of a log."""
        return [each for role, each in self.excerpts.items() if role in _LINES]

    @property
    def fields(self) -> list[Spot]:
        """Return the excerpts that are values of an object."""
        return [each for role, each in self.excerpts.items() if role not in (*_LINES, *_AROUND)]

    def count(self, name: str) -> Spot:
        """Return what the tool counted."""
        return self.spot.at("counts", name)


@dataclass(frozen=True)
class ClusterReport:
    """Everything that was found in the recorded cluster."""

    findings: list[ClusterFinding]
    well: list[ClusterFinding]
    objects: int = 0
    """How many objects were recorded."""

    @cached_property
    def names(self) -> frozenset[str]:
        """Return every name that a question may use."""
        return frozenset(name for each in self._all for name in each.about if not each.is_unplaced)

    @cached_property
    def namespaces(self) -> frozenset[str]:
        """Return the namespaces that are stated."""
        return frozenset(each.namespace for each in self._all if each.namespace)

    @property
    def _all(self) -> list[ClusterFinding]:
        return [*self.findings, *self.well]


def cluster_report(documents: Iterable[Spot]) -> ClusterReport:
    """Read the recorded documents."""
    found = list(documents)
    return ClusterReport(
        [ClusterFinding(spot) for document in found for spot in document.at("findings").items()],
        [ClusterFinding(spot) for document in found for spot in document.at("well").items()],
        max((document.at("objects").count for document in found), default=0),
    )
