"""The objects of a cluster with the facts that a person asks for, listed and counted: a derived tool.

Of an object that several files show, a fact is that of the first view that has it, rows of tables first:
they show a pod's state as `kubectl get` does. Where two views state different states, the object counts as
one that is shown differently.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Final

from services.common.evidence import strict_json
from services.common.evidence.strict_json import Json
from services.executor.sources import kinds
from services.executor.sources.bundle import Bundle
from services.executor.sources.kubernetes.tree import NOTHING, KubeObject, Node
from services.executor.sources.stop import Stop
from services.executor.tools.kubernetes.arguments import Fact, Inventory
from services.executor.tools.kubernetes.cluster import WORKLOADS, Said, Subject, said_at
from services.executor.tools.kubernetes.others import object_findings
from services.executor.tools.kubernetes.pods import (
    STATED,
    Container,
    containers,
    is_well,
    phase_of,
)
from services.executor.tools.kubernetes.raw import excerpt, read_cluster
from services.executor.tools.kubernetes.readiness import node_ready, of_containers, of_row, of_workload
from services.executor.tools.kubernetes.ties import Ties, labels_of
from services.executor.tools.log_window import number
from services.executor.tools.tool import ToolOutput

MAX_LISTED: Final = 1000
MAX_GROUPS: Final = 40
# Behind this a fact is the value of a label, by its name.
LABEL: Final = "label:"
_SUMMED: Final = ("restarts", "events", "warnings")
_GROUPED: Final = ("status", "namespace", "node")
# A document over the tool's cap would be refused as a whole: it holds this much of the list.
MAX_LISTED_BYTES: Final = 400 << 10
_MAX_EXCERPT: Final = 1024
# Where each fact stands: in a row, in a description, in an object.
_FACTS: Final = {
    "node": (("NODE",), ("Node",), ("spec", "nodeName")),
    "ip": (("IP",), ("status", "podIP"), ("CLUSTER-IP",), ("spec", "clusterIP")),
    "ready": (("READY",),),
    "restarts": (("RESTARTS",),),
    "replicas": (("Replicas",), ("spec", "replicas"), ("DESIRED",)),
    "completions": (("COMPLETIONS",),),
    "pods": (("Pods Statuses",),),
    "schedule": (("SCHEDULE",), ("Schedule",), ("spec", "schedule")),
    "suspended": (("SUSPEND",), ("Suspend",), ("spec", "suspend")),
    "last_schedule": (("LAST SCHEDULE",), ("Last Schedule Time",), ("status", "lastScheduleTime")),
    "active": (("ACTIVE",), ("Active Jobs",)),
    "external_ip": (
        ("EXTERNAL-IP",),
        ("LoadBalancer Ingress",),
        ("status", "loadBalancer", "ingress", "0", "ip"),
        ("status", "loadBalancer", "ingress", "0", "hostname"),
    ),
    "runtime": (
        ("CONTAINER-RUNTIME",),
        ("System Info", "Container Runtime Version"),
        ("status", "nodeInfo", "containerRuntimeVersion"),
    ),
    "os": (("OS-IMAGE",), ("System Info", "OS Image"), ("status", "nodeInfo", "osImage")),
    "kernel": (
        ("KERNEL-VERSION",),
        ("System Info", "Kernel Version"),
        ("status", "nodeInfo", "kernelVersion"),
    ),
    "controller": (("Controlled By",), ("metadata", "ownerReferences", "0", "name")),
    "cpu_used": (("CPU(cores)",),),
    "cpu_share": (("CPU%",), ("CPU(%)",)),
    "memory_used": (("MEMORY(bytes)",),),
    "memory_share": (("MEMORY%",), ("MEMORY(%)",)),
    "type": (("TYPE",), ("Type",), ("spec", "type")),
    "version": (("VERSION",), ("status", "nodeInfo", "kubeletVersion")),
    "storage_class": (("STORAGECLASS",), ("StorageClass",), ("spec", "storageClassName")),
    "capacity": (("CAPACITY",), ("Capacity",), ("status", "capacity", "storage")),
    "service_account": (("Service Account",), ("spec", "serviceAccountName")),
    "images": (("IMAGES",),),
    "started": (("Start Time",), ("status", "startTime")),
    "created": (("CreationTimestamp",), ("metadata", "creationTimestamp")),
    "age": (("AGE",),),
}
# Of several reasons the first that a container ended for.
_TERMINATIONS: Final = ("OOMKilled", "ContainerCannotRun", "StartError", "Error", "Completed")
_NO_STATE: Final = frozenset({"Running", ""})


def kubernetes_inventory(bundle: Bundle, arguments: Inventory, stop: Stop) -> ToolOutput:
    """Return the objects that fit, and how many there are of what."""
    cluster = read_cluster(bundle, stop)
    ties = Ties(cluster)
    wanted = [_Row(one, ties) for one in cluster.subjects if _is_wanted(one, arguments, ties)]
    fitting = [row for row in wanted if all(row.fits(each) for each in arguments.where)]
    unread = sum(source.kind == kinds.KUBERNETES and not source.available for source in bundle.sources)
    by_kind = Counter(one.kind for one in cluster.subjects if one.kind)
    listed = [*_fitting(fitting, stop)]
    document: dict[str, Json] = {
        "kinds": [*arguments.kinds],
        "names": [*arguments.names],
        "namespaces": [*arguments.namespaces],
        "where": [
            {"fact": each.fact, "texts": [*each.texts], "other": each.other} for each in arguments.where
        ],
        "files": number(len(bundle.of_kind(kinds.KUBERNETES))),
        "files_not_read": number(unread),
        "objects": number(len(cluster.subjects)),
        "by_kind": [{"kind": kind, "count": number(count)} for kind, count in sorted(by_kind.items())],
        "of_kind": number(len(wanted)),
        "count": number(len(fitting)),
        "unstated": number(_unstated(wanted, [each.fact for each in arguments.where])),
        **{f"by_{name}": _counted(row.text(name) for row in fitting) for name in _GROUPED},
        "shown_differently": number(sum(row.differs for row in wanted)),
        **{name: number(sum(row.counts.get(name, 0) for row in fitting)) for name in _SUMMED},
        "events_unstated": number(sum("events" not in row.counts for row in fitting)),
        "listed": [*listed],
    }
    return ToolOutput(document, unread > 0 or len(listed) < len(fitting))


@dataclass(frozen=True)
class _Row:
    """One object and its facts."""

    subject: Subject
    ties: Ties

    def fits(self, wanted: Fact) -> bool:
        """Tell whether a fact is as it is wanted."""
        text = self.text(wanted.fact)
        return bool(text) and (text in wanted.texts) is not wanted.other

    def text(self, fact: str) -> str:
        """Return a fact as text; empty where none is stated."""
        if fact == "all_ready":
            return self._all_ready
        if fact == "well":
            return self._well
        if fact == "namespace":
            return self.subject.namespace
        if fact.startswith(LABEL):
            labels = labels_of(self.subject, "Labels", ("metadata", "labels"))
            return labels.get(fact.removeprefix(LABEL), "<none>") if labels else ""
        if fact == "termination" and self._containers and fact not in self.facts:
            return "none"
        if fact in self.counts:
            return str(self.counts[fact])
        found = self.facts.get(fact)
        return found.text if found else ""

    @cached_property
    def facts(self) -> Mapping[str, Said]:
        """The stated facts by their names."""
        found = {name: _said(self._views, name, paths) for name, paths in _FACTS.items()}
        stated = {name: said for name, said in found.items() if said is not None}
        if self.subject.kind == "Pod" and (maker := self.ties.maker(self.subject)) is not None:
            stated["maker"] = maker.named._replace(role="maker")
        if states := self._states:
            stated["status"] = states[0]
        if (ended := self._termination) is not None:
            stated["termination"] = ended._replace(role="termination")
        return stated

    @cached_property
    def differs(self) -> bool:
        """Tell whether its views state different states."""
        return len({said.text for said in self._states}) > 1

    @cached_property
    def counts(self) -> Mapping[str, int]:
        """What can be counted of it, by what is counted."""
        found = {}
        if self.subject.events or any(view.root.at("Events") is not NOTHING for view in self._views):
            found["events"] = len(self.subject.events)
            found["warnings"] = sum(event.type == "Warning" for event in self.subject.events)
        row = next((view for view in self._views if view.is_row and "/" in view.root.at("READY").text), None)
        if row is not None:
            found |= of_row(row)
        elif self.subject.kind in WORKLOADS:
            found |= of_workload(self.subject)
        elif self._containers:
            found |= of_containers(self._containers)
        return found

    @property
    def _termination(self) -> Said | None:
        """Why a container of it ended, now or before; that it was killed for want of memory before others."""
        reasons = [one.said(role) for one in self._containers for role in ("reason", "last_reason")]
        reasons += [said for said in self._states if said.text == _TERMINATIONS[0]]
        ended = [said for said in reasons if said is not None and said.text in _TERMINATIONS]
        return min(ended, key=lambda said: _TERMINATIONS.index(said.text), default=None)

    @property
    def images(self) -> list[Said]:
        """The images of its containers."""
        return [said for one in self._containers if (said := one.said("image")) is not None]

    @property
    def ports(self) -> list[Said]:
        """The ports of a service, or of the containers of a pod, in the first view that tells them."""
        return next((found for view in self._views if (found := [*_ports(view)])), [])

    @property
    def labels(self) -> list[Said]:
        """Its labels, as far as they are printed as text."""
        for view in self._views:
            node = view.root.at("LABELS") if view.is_row else view.root.at("Labels")
            found = [Said("label", each.text, view.source, each.line) for each in (node, *node.children)]
            if named := [said for said in found if "=" in said.text]:
                return named
        return []

    def document(self) -> dict[str, Json]:
        """Return it as documents show it."""
        return {
            "kind": self.subject.kind,
            "namespace": self.subject.namespace,
            "name": self.subject.name,
            "about": [*self.ties.about(self.subject)],
            "excerpts": {name: _shown(said) for name, said in self.facts.items()},
            "images": [_shown(said) for said in self.images],
            "ports": [_shown(said) for said in self.ports],
            "resources": [*self._resources()],
            "labels": [_shown(said) for said in self.labels],
            "counts": {name: number(count) for name, count in self.counts.items()},
            "differs": self.differs,
            "inputs": [{"source": source} for source in dict.fromkeys(v.source for v in self._views)],
        }

    def _resources(self) -> Iterator[Json]:
        """Yield what containers may use, ask for and are probed by, as far as they state it."""
        for one in self._containers:
            stated = {name: said for name in STATED if (said := one.said(name)) is not None}
            if stated:
                name = one.said("name") or Said("name", one.node.key, one.source, one.node.line)
                yield {each: _shown(said) for each, said in (("container", name), *stated.items())}

    @property
    def _all_ready(self) -> str:
        """Tell whether all that it is made of is ready; empty where that is not stated."""
        ready, of = self.counts.get("ready"), self.counts.get("of")
        return "" if ready is None or of is None else str(ready == of).lower()

    @property
    def _well(self) -> str:
        """Tell whether it runs as it should, or has done its work; empty where that is not stated."""
        if self.subject.kind == "Pod":
            return "" if phase_of(self.subject) is None else str(is_well(self.subject)).lower()
        if self.subject.kind == "Node":
            status = self.text("status").partition(",")[0] or node_ready(self.subject)
            return str(status in ("Ready", "True")).lower() if status else ""
        if self.subject.kind == "HorizontalPodAutoscaler":
            return str(not any(object_findings(self.subject, self.ties))).lower()
        return self._all_ready

    @cached_property
    def _views(self) -> Sequence[KubeObject]:
        return sorted(self.subject.views, key=lambda view: not view.is_row)

    @cached_property
    def _containers(self) -> list[Container]:
        return next((found for view in self._views if (found := _containers_of(view))), [])

    @cached_property
    def _states(self) -> list[Said]:
        return [said for view in self._views if (said := _state(view)) is not None]


def _ports(view: KubeObject) -> Iterator[Said]:
    described = [each for each in view.root.children if each.key in ("PORT(S)", "Port")]
    listed = [port.at("port") for port in view.root.at("spec", "ports").children]
    of_containers = [one.node.at(key) for one in _containers_of(view) for key in ("Port", "Ports")]
    for each in (*described, *listed, *of_containers):
        if each.text and each.text not in ("<none>", "<unset>"):
            yield Said("port", each.text, view.source, each.line)


def _containers_of(view: KubeObject) -> list[Container]:
    """Return the containers of a pod, or those that a workload makes."""
    if view.kind == "Pod":
        return containers(view)
    described = view.root.at("Pod Template", "Containers").children
    specs = [
        Node(
            one.at("name").text,
            None,
            one.line,
            one.last_line,
            (Node("spec", None, one.line, one.last_line, one.children),),
        )
        for one in view.root.at("spec", "template", "spec", "containers").children
    ]
    return [Container(view.source, node) for node in (*described, *specs) if node.children]


def _state(view: KubeObject) -> Said | None:
    """Return the state of an object as a view shows it; of a pod the reason why a container does not run."""
    if view.is_row:
        return said_at(view.source, view.root, "status", ("STATUS",))
    if view.kind == "Pod":
        reasons = (one.said("reason") for one in containers(view))
        phase = phase_of_view(view)
        # What prepared a pod that runs has done its work: the pod has not.
        calm = _NO_STATE | ({"Completed"} if phase and phase.text == "Running" else set())
        reason = next((said for said in reasons if said and said.text not in calm), None)
        if reason is not None:
            return reason
    for each in view.root.at("status", "conditions").children if view.kind == "Job" else ():
        if each.at("status").text == "True" and each.at("type").text in ("Complete", "Failed"):
            return said_at(view.source, each, "status", ("type",))
    return phase_of_view(view)


def phase_of_view(view: KubeObject) -> Said | None:
    """Return the phase that an object states of itself."""
    return said_at(view.source, view.root, "status", ("Status",), ("status", "phase"))


def _said(views: Iterable[KubeObject], name: str, paths: Sequence[Sequence[str]]) -> Said | None:
    found = (said_at(view.source, view.root, name, *paths) for view in views)
    return next((said for said in found if said is not None), None)


def _is_wanted(subject: Subject, arguments: Inventory, ties: Ties) -> bool:
    of_kind = not arguments.kinds or subject.kind in arguments.kinds
    inside = not arguments.namespaces or subject.namespace in arguments.namespaces
    return (
        of_kind
        and inside
        and (not arguments.names or not set(arguments.names).isdisjoint(ties.about(subject)))
    )


def _counted(texts: Iterable[str]) -> list[Json]:
    """Return how many have which text, the most frequent first; what states none is left out."""
    found = Counter(text for text in texts if text)
    return [{"text": text, "count": number(count)} for text, count in found.most_common(MAX_GROUPS)]


def _unstated(rows: Iterable[_Row], facts: Sequence[str]) -> int:
    return sum(any(not row.text(fact) for fact in facts) for row in rows)


def _fitting(rows: Sequence[_Row], stop: Stop) -> Iterator[Json]:
    """Yield as many as fit into the document."""
    size = 0
    for row in rows[:MAX_LISTED]:
        stop.check()
        document = row.document()
        size += len(strict_json.dumps(document))
        if size > MAX_LISTED_BYTES:
            return
        yield document


def _shown(said: Said) -> Json:
    return excerpt(said._replace(text=said.text[:_MAX_EXCERPT]))
