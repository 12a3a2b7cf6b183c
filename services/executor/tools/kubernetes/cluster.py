"""All objects of a bundle, each with everything that any file shows of it, and which belongs to which."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Final, NamedTuple

from services.executor.sources.kubernetes.describe import FURTHER
from services.executor.sources.kubernetes.kinds_of import kind_of_word
from services.executor.sources.kubernetes.reader import RECORD
from services.executor.sources.kubernetes.tree import NOTHING, KubeObject, Node

WORKLOADS: Final = (
    "Deployment",
    "StatefulSet",
    "DaemonSet",
    "ReplicaSet",
    "Job",
    "CronJob",
    "ReplicationController",
)
_EMPTY: Final = frozenset({"<none>", "<unset>", "<nil>", "<unknown>"})


class Said(NamedTuple):
    """An excerpt: what a text says, in which role it is told, and where it stands."""

    role: str
    text: str
    source: str
    line: int


@dataclass(frozen=True, slots=True)
class Event:
    """An event about an object. `type` is empty where the text does not show it."""

    type: str
    reason: Said
    message: Said
    kind: str
    name: str
    about: Said
    """Where the object is named."""
    namespace: str = ""
    age: Said | None = None
    """When it came, as the text tells it: how long ago, and how often since."""
    detail: Said | None = None
    """The last of further lines of the message: what a command that failed has put out."""

    @property
    def is_warning(self) -> bool:
        """Tell whether the cluster itself calls it a warning; of what says neither, the message tells."""
        return self.type != "Normal"


@dataclass(eq=False)
class Subject:
    """One object: its views, whole ones before rows of tables, and the events about it."""

    kind: str
    namespace: str
    name: str
    views: list[KubeObject] = field(default_factory=list)
    events: list[Event] = field(default_factory=list)

    @property
    def whole(self) -> list[KubeObject]:
        """Return the views that show more than a row does; the rows where there are no others."""
        return [view for view in self.views if not view.is_row] or self.views

    @property
    def named(self) -> Said:
        """Where the object is named."""
        view = self.whole[0]
        return Said("name", view.named.text, view.source, view.named.line)

    def said(self, role: str, *paths: Sequence[str]) -> Said | None:
        """Return what stands at the first of some paths that holds anything, in the first view that does."""
        for view in self.whole:
            if found := said_at(view.source, view.root, role, *paths):
                return found
        return None


def said_at(source: str, node: Node, role: str, *paths: Sequence[str]) -> Said | None:
    """Return what stands at the first of some paths below a node; what says "none" counts as nothing."""
    for path in paths:
        found = node.at(*path)
        if found.text and found.text not in _EMPTY:
            return Said(role, found.text, source, found.line)
    return None


class Cluster:
    """The objects of a bundle. A name without a namespace is the object of that name in any."""

    def __init__(self, objects: Iterable[KubeObject]) -> None:
        self.subjects: list[Subject] = []
        self.records: list[KubeObject] = []
        self.policies_over: dict[str, list[KubeObject]] = {}
        self._by_key: dict[tuple[str, str], list[Subject]] = {}
        events: list[KubeObject] = []
        for each in objects:
            if each.kind == RECORD:
                self.records.append(each)
            elif each.kind == "Event":
                events.append(each)
            elif each.name:
                self._add(each)
        for subject in self.subjects:
            subject.events = [*_described_events(subject)]
        for each in events:
            self._tell(each)

    def of_kind(self, *kinds: str) -> list[Subject]:
        """Return the objects of some kinds."""
        return [subject for subject in self.subjects if subject.kind in kinds]

    @cached_property
    def pods(self) -> list[Subject]:
        """Return the pods."""
        return self.of_kind("Pod")

    @cached_property
    def workload_names(self) -> list[str]:
        """Return the names of what makes pods."""
        return [subject.name for subject in self.of_kind(*WORKLOADS)]

    def find(self, kind: str, name: str) -> Subject | None:
        """Return an object by kind and name; the first where several namespaces have one."""
        return next(iter(self._by_key.get((kind, name), [])), None)

    def _add(self, each: KubeObject) -> Subject:
        known = self._by_key.setdefault((each.kind, each.name), [])
        subject = next((one for one in known if _may_share(one.namespace, each.namespace)), None)
        if subject is None:
            subject = Subject(each.kind, each.namespace, each.name)
            known.append(subject)
            self.subjects.append(subject)
        subject.namespace = subject.namespace or each.namespace
        subject.views.append(each)
        word, _, name = each.parent.partition("/")
        if each.kind == "NetworkPolicy" and word == "Pod":
            self.policies_over.setdefault(name, []).append(each)
        return subject

    def _tell(self, each: KubeObject) -> None:
        event = _event(each)
        if event is None:
            return
        named = [one for one in self.subjects if one.name == event.name and event.kind in ("", one.kind)]
        inside = [one for one in named if _may_share(one.namespace, event.namespace)]
        for subject in inside or [self._new(event)]:
            subject.events.append(event)

    def _new(self, event: Event) -> Subject:
        """Return an object that only an event tells of."""
        view = KubeObject(
            event.kind, event.namespace, event.name,
            Node("", event.about.text, event.about.line, event.about.line),
            event.about.source, NOTHING, is_row=True,
        )  # fmt: skip
        return self._add(view)


def _described_events(subject: Subject) -> Iterator[Event]:
    for view in subject.whole[:1]:
        for row in view.root.at("Events").children:
            reason = said_at(view.source, row, "event", ("Reason",))
            message = said_at(view.source, row, "message", ("Message",))
            if reason and message:
                further = [child for child in row.children if child.key == FURTHER]
                detail = Said("detail", further[-1].text, view.source, further[-1].line) if further else None
                yield Event(
                    row.at("Type").text, reason, message, subject.kind, subject.name, subject.named,
                    subject.namespace, said_at(view.source, row, "age", ("Age",)), detail,
                )  # fmt: skip


def _event(each: KubeObject) -> Event | None:
    """Return an event from an object, a row of `kubectl events`, or a row of a tree of owners."""
    root, source = each.root, each.source
    if root.at("STATUS") is not NOTHING and each.parent:
        status = root.at("STATUS")
        word, colon, rest = status.text.partition(": ")
        kind, _, name = each.parent.partition("/")
        reason = Said("event", word, source, status.line)
        message = Said("message", rest, source, status.line)
        return (
            Event("", reason, message, kind, name, Said("name", name, source, status.line)) if colon else None
        )
    reason_said = said_at(source, root, "event", ("reason",), ("REASON",))
    message_said = said_at(source, root, "message", ("message",), ("note",), ("MESSAGE",))
    if reason_said is None or message_said is None:
        return None
    about = root.at("involvedObject") if root.at("involvedObject").children else root.at("regarding")
    if about.children:
        named = about.at("name")
        kind, name = about.at("kind").text, named.text
    else:
        named = root.at("OBJECT")
        word, _, name = named.text.partition("/")
        kind = kind_of_word(word) or word
    where = Said("name", name, source, named.line)
    kind_said = root.at("type").text or root.at("TYPE").text
    namespace = about.at("namespace").text or each.namespace
    age = said_at(source, root, "age", ("LAST SEEN",), ("lastTimestamp",))
    return Event(kind_said, reason_said, message_said, kind, name, where, namespace, age)


def _may_share(one: str, other: str) -> bool:
    """Tell whether two namespaces may be the same: an object can be shown without its own."""
    return not one or not other or one == other
