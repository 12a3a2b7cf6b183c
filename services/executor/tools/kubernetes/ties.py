"""Which objects an object matters to: a pod to its workload, a claim to its pods, a node to its pods."""

import re
from collections.abc import Iterator
from functools import cached_property
from typing import Final

from services.executor.sources.kubernetes.tree import KubeObject, Node
from services.executor.tools.kubernetes.cluster import WORKLOADS, Cluster, Subject

_MAX_NAMES: Final = 40
_OF_TEMPLATE: Final = ("spec", "template", "metadata", "labels")
# What controllers put behind a name: a hash of the template, letters of their alphabet, an ordinal, a time.
_GENERATED_END: Final = re.compile(r"-(?:[a-f0-9]{6,10}|[bcdfghjklmnpqrstvwxz2456789]{4,10}|\d{1,10})$")


class Ties:
    """Answers for whom an object matters, by what the objects state of each other and by their names."""

    def __init__(self, cluster: Cluster) -> None:
        self._cluster = cluster
        self._selected: dict[Subject, list[Subject] | None] = {}

    def about(self, subject: Subject) -> list[str]:
        """Return the names of an object and of those that depend on it, at most 40."""
        names = [subject.name, *stems(subject)]
        for pod in self._users(subject):
            names += [pod.name, *stems(pod), *self._owners(pod)]
        if subject.kind in (*WORKLOADS, "Pod"):
            names += self._owners(subject)
        if subject.kind == "Ingress":
            names += hosts_of(subject)
        if subject.kind in ("Service", "Endpoints"):
            for ingress in self._cluster.of_kind("Ingress"):
                names += [ingress.name, *hosts_of(ingress)] if _leads_to(ingress, subject) else []
        return list(dict.fromkeys(names))[:_MAX_NAMES]

    def maker(self, pod: Subject) -> Subject | None:
        """Return the deployment that a pod is named after, if it was recorded."""
        names = stems(pod)
        return next((one for one in self._cluster.of_kind("Deployment") if one.name in names), None)

    def selects(self, service: Subject) -> list[Subject] | None:
        """Return the recorded pods that a service selects; None where that cannot be told."""
        if service not in self._selected:
            self._selected[service] = self._matching(service)
        return self._selected[service]

    def is_made_for(self, service: Subject) -> bool:
        """Tell whether a workload would make the pods that a service selects, as one scaled to zero would."""
        wanted = labels_of(service, "Selector", ("spec", "selector"))
        return any(
            wanted.items() <= labels_of(one, "Pod Template", _OF_TEMPLATE).items()
            for one in self._cluster.of_kind(*WORKLOADS)
            if _same_namespace(one, service)
        )

    def is_answered(self, service: Subject) -> bool:
        """Tell whether a service is seen to have addresses: in its description, or among the endpoints."""
        described = service.said("endpoints", ("Endpoints",))
        listed = self._cluster.find("Endpoints", service.name)
        column = listed.said("endpoints", ("ENDPOINTS",)) if listed else None
        return described is not None or column is not None

    def _matching(self, service: Subject) -> list[Subject] | None:
        wanted = labels_of(service, "Selector", ("spec", "selector"))
        labelled = [(pod, self._labels[pod]) for pod in self._cluster.pods if self._labels[pod]]
        same = [(pod, has) for pod, has in labelled if _same_namespace(pod, service)]
        if not wanted or not same:
            return None
        return [pod for pod, has in same if wanted.items() <= has.items()]

    @cached_property
    def _labels(self) -> dict[Subject, dict[str, str]]:
        return {pod: labels_of(pod, "Labels", ("metadata", "labels")) for pod in self._cluster.pods}

    def _owners(self, subject: Subject) -> Iterator[str]:
        for view in subject.views:
            stated = view.root.at("Controlled By").text.partition("/")[2]
            listed = view.root.at("metadata", "ownerReferences").children
            yield from filter(None, [stated, *(owner.at("name").text for owner in listed)])
        yield from (name for name in self._cluster.workload_names if name in stems(subject))
        if subject.kind == "Pod":
            yield from (
                one.name for one in self._cluster.of_kind("Service") if subject in (self.selects(one) or [])
            )

    def _users(self, subject: Subject) -> list[Subject]:
        match subject.kind:
            case "PersistentVolumeClaim":
                said = users_of(subject)
                pods = self._cluster.pods
                return [pod for pod in pods if subject.name in claims_of(pod) or pod.name in said]
            case "Node":
                return [pod for pod in self._cluster.pods if node_of(pod) == subject.name]
            case "Service" | "PodDisruptionBudget":
                return self.selects(subject) or []
        return []


def stems(subject: Subject) -> list[str]:
    """Return what the name of a pod, a replica set or a job begins with, before what was generated for it."""
    if subject.kind not in (*WORKLOADS, "Pod"):
        return []
    name, found = subject.name, []
    for _ in range(2):
        shorter = _GENERATED_END.sub("", name)
        if shorter in (name, ""):
            break
        found.append(shorter)
        name = shorter
    return found


def claims_of(pod: Subject) -> list[str]:
    """Return the names of the volume claims of a pod."""
    return [name for view in pod.views for name in _claims(view)]


def users_of(claim: Subject) -> list[str]:
    """Return the names of the pods that the description of a volume claim names as its users."""
    stated = (view.root.at("Used By") for view in claim.views)
    return [text for node in stated for text in (node.text, *(each.text for each in node.children)) if text]


def _claims(view: KubeObject) -> Iterator[str]:
    yield from (volume.at("ClaimName").text for volume in view.root.at("Volumes").children)
    for volume in view.root.at("spec", "volumes").children:
        yield volume.at("persistentVolumeClaim", "claimName").text


def hosts_of(ingress: Subject) -> list[str]:
    """Return the names under which an ingress is reached."""
    return [name for view in ingress.views for name in _hosts(view) if name not in ("", "*")]


def _hosts(view: KubeObject) -> Iterator[str]:
    yield from (rule.at("Host").text for rule in view.root.at("Rules").children)
    yield from (rule.at("host").text for rule in view.root.at("spec", "rules").children)
    yield from view.root.at("HOSTS").text.split(",")


def node_of(pod: Subject) -> str:
    """Return the node that a pod is on; empty where none is stated."""
    found = pod.said("node", ("Node",), ("spec", "nodeName"), ("NODE",))
    return found.text.partition("/")[0] if found else ""


def _leads_to(ingress: Subject, service: Subject) -> bool:
    """Tell whether an ingress names a service as what is behind it: as `name:port`, or as an object."""
    if not _same_namespace(ingress, service):
        return False
    leaves = (leaf for view in ingress.whole[:1] for leaf in view.root.leaves())
    return any(
        leaf.text == service.name
        if path[-2:] == ("service", "name")
        else service.name in leaf.text
        and re.search(rf"(?:^|\s){re.escape(service.name)}:\S", leaf.text) is not None
        for path, leaf in leaves
    )


def labels_of(subject: Subject, described: str, path: tuple[str, ...]) -> dict[str, str]:
    """Return labels or a selector: of a description, of an object, or of a table with `--show-labels`."""
    for view in subject.views:
        found = _pairs(view.root.at(described)) or {
            each.key: each.text for each in view.root.at(*path).children
        }
        if not found:
            column = view.root.at(described.upper()).text
            found = dict(_pair(text) for text in column.split(",") if "=" in text)
        if found:
            return found
    return {}


def _pairs(node: Node) -> dict[str, str]:
    texts = [node.text, *(child.text for child in node.children)]
    return dict(_pair(part) for text in texts for part in text.split(",") if "=" in part)


def _pair(text: str) -> tuple[str, str]:
    name, _, value = text.strip().partition("=")
    return name, value


def _same_namespace(one: Subject, other: Subject) -> bool:
    return not one.namespace or not other.namespace or one.namespace == other.namespace
