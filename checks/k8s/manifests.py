"""What a rendering says: its objects, and each Deployment as the process that it runs."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Final, TypeAlias

import yaml

from services.common.processes import SERVICES

Document: TypeAlias = dict[str, Any]

_OF_NO_NAMESPACE: Final = ("Namespace", "ClusterRole", "ClusterRoleBinding")
NAME_PREFIX: Final = "assay-"
# What a value that a Secret holds is stood for by.
STAND_IN: Final = "from-a-secret"


@dataclass(frozen=True)
class Workload:
    """One Deployment that runs a service."""

    service: str
    deployment: Document

    @property
    def namespace(self) -> str:
        """The namespace of its pods; empty for one that was rendered without."""
        return str(self.deployment["metadata"].get("namespace", ""))

    @property
    def labels(self) -> Mapping[str, str]:
        """The labels of its pods."""
        labels: Mapping[str, str] = self.deployment["spec"]["template"]["metadata"].get("labels", {})
        return labels

    @property
    def pod(self) -> Document:
        """What its pods are made from."""
        pod: Document = self.deployment["spec"]["template"]["spec"]
        return pod

    @property
    def containers(self) -> Sequence[Document]:
        """All its containers, those that run before the others too."""
        return [*self.pod.get("initContainers", []), *self.pod["containers"]]

    @property
    def container(self) -> Document:
        """The container of the service."""
        container: Document = self.pod["containers"][0]
        return container

    @cached_property
    def variables(self) -> dict[str, str]:
        """The environment of the container, as the kubelet makes it: `$(NAME)` means what stands above."""
        made: dict[str, str] = {}
        for item in self.container.get("env", []):
            value = self._value(item)
            for name, known in made.items():
                value = value.replace(f"$({name})", known)
            made.pop(item["name"], None)
            made[item["name"]] = value
        return made

    def port(self, name: str) -> int | None:
        """Return the number of a named port of the container."""
        ports = {port.get("name"): port["containerPort"] for port in self.container.get("ports", [])}
        return ports.get(name)

    def _value(self, item: Document) -> str:
        source = item.get("valueFrom", {})
        if source.get("fieldRef", {}).get("fieldPath") == "metadata.namespace":
            return self.namespace
        return STAND_IN if "secretKeyRef" in source else str(item.get("value", ""))


@dataclass(frozen=True)
class Rendering:
    """The objects of one overlay or scenario."""

    documents: Sequence[Document]

    def of_kind(self, kind: str) -> list[Document]:
        """Return all objects of a kind."""
        return [document for document in self.documents if document["kind"] == kind]

    def named(self, kind: str, name: str) -> Document | None:
        """Return one object."""
        return next((item for item in self.of_kind(kind) if item["metadata"]["name"] == name), None)

    @cached_property
    def workloads(self) -> dict[str, Workload]:
        """The Deployments of services, by the service."""
        found = {
            item["metadata"]["name"].removeprefix(NAME_PREFIX): item for item in self.of_kind("Deployment")
        }
        return {service: Workload(service, found[service]) for service in SERVICES if service in found}


def parsed(text: str) -> Rendering:
    """Read what `kubectl kustomize` printed."""
    return Rendering([document for document in yaml.safe_load_all(text) if document])


def selects(selector: Document | None, labels: Mapping[str, str]) -> bool:
    """Tell whether a label selector means something with these labels; an empty one means everything."""
    if selector is None:
        return False
    wanted = selector.get("matchLabels", {})
    return all(labels.get(key) == value for key, value in wanted.items()) and all(
        _holds(expression, labels) for expression in selector.get("matchExpressions", [])
    )


def _holds(expression: Document, labels: Mapping[str, str]) -> bool:
    key, values = expression["key"], expression.get("values", [])
    match expression["operator"]:
        case "In":
            return labels.get(key) in values
        case "NotIn":
            return labels.get(key) not in values
        case "Exists":
            return key in labels
        case "DoesNotExist":
            return key not in labels
        case operator:
            raise ValueError(f"no such operator of a selector: {operator}")


def port_of(address: str) -> int:
    """Return the port of host:port."""
    return int(address.rpartition(":")[2])


def missing(rendering: Rendering) -> Iterator[str]:
    """Yield a line per service that nothing runs, and per Deployment that runs none."""
    for service in SERVICES:
        if service not in rendering.workloads:
            yield f"no Deployment {NAME_PREFIX}{service}"
    for item in rendering.of_kind("Deployment"):
        name = item["metadata"]["name"]
        if name.removeprefix(NAME_PREFIX) not in SERVICES:
            yield f"Deployment {name}: runs no service that the code knows"
    for kind in ("StatefulSet", "DaemonSet", "Job", "CronJob", "Pod"):
        for item in rendering.of_kind(kind):
            yield f"{kind} {item['metadata']['name']}: only Deployments are compared with the code"
    yield from _elsewhere(rendering)


def _elsewhere(rendering: Rendering) -> Iterator[str]:
    """Yield a line per object outside the namespace of the rendering: it would not concern the pods."""
    namespaces = {item["metadata"]["name"] for item in rendering.of_kind("Namespace")}
    for item in rendering.documents:
        lies = item["metadata"].get("namespace")
        if item["kind"] not in _OF_NO_NAMESPACE and {lies} != namespaces:
            what = f"{item['kind']} {item['metadata']['name']}"
            yield f"{what}: lies in namespace {lies!r}, not in {sorted(namespaces)}"
