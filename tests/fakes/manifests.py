"""The base of `k8s/` as an overlay completes it, and ways to break it."""

from collections.abc import Callable
from pathlib import Path
from typing import Final, TypeAlias

import yaml

from checks.k8s.__main__ import compared
from checks.k8s.code import processes
from checks.k8s.manifests import Document, Rendering
from services.common.processes import SERVICES

KNOWN: Final = processes()
NAMESPACE: Final = "assay"


class Manifests:
    """The objects, to be broken by one test."""

    def __init__(self, folder: Path) -> None:
        files = sorted(path for path in folder.rglob("*.yaml") if path.name != "kustomization.yaml")
        self.documents: list[Document] = [
            document for path in files for document in yaml.safe_load_all(path.read_text(encoding="utf-8"))
        ]
        for document in self.documents:
            if document["kind"] != "Namespace":
                document["metadata"]["namespace"] = NAMESPACE
        for service in SERVICES:
            container = self.container(service)
            container["image"] = f"registry.example.com/{container['image']}:0.1.0"
            self.variable(service, f"ASSAY_{service.upper()}_PLAINTEXT", "true")

    def get(self, kind: str, name: str) -> Document:
        return next(
            item for item in self.documents if item["kind"] == kind and item["metadata"]["name"] == name
        )

    def remove(self, kind: str, name: str) -> None:
        self.documents.remove(self.get(kind, name))

    def add(self, text: str) -> None:
        added = yaml.safe_load(text)
        added["metadata"].setdefault("namespace", NAMESPACE)
        self.documents.append(added)

    def deployment(self, service: str) -> Document:
        return _object(self.get("Deployment", f"assay-{service}")["spec"])

    def pod(self, service: str) -> Document:
        return _object(self.deployment(service)["template"]["spec"])

    def container(self, service: str) -> Document:
        return _object(self.pod(service)["containers"][0])

    def policy(self, service: str) -> Document:
        return _object(self.get("NetworkPolicy", f"assay-{service}")["spec"])

    def variable(self, service: str, name: str, value: str) -> None:
        """Set a variable, as the last one when it is new."""
        items = self.container(service)["env"]
        found = next((item for item in items if item["name"] == name), None)
        if found is None:
            items.append({"name": name, "value": value})
        else:
            found["value"] = value

    def problems(self) -> list[str]:
        return list(compared(Rendering(self.documents), KNOWN))


def _object(value: Document) -> Document:
    return value


Break: TypeAlias = Callable[[Manifests], None]


def in_deployment(*path: str | int, to: object, of: str = "planner") -> Break:
    """Return the change that sets one place of a Deployment's specification; None removes it."""

    def change(manifests: Manifests) -> None:
        place = manifests.deployment(of)
        for step in path[:-1]:
            place = place[step]  # type: ignore[index] # a list takes numbers, an object names
        if to is None:
            del place[path[-1]]  # type: ignore[arg-type]
        else:
            place[path[-1]] = to  # type: ignore[index]

    return change


def in_pod(*path: str | int, to: object, of: str = "planner") -> Break:
    return in_deployment("template", "spec", *path, to=to, of=of)


def in_container(*path: str | int, to: object, of: str = "planner") -> Break:
    return in_pod("containers", 0, *path, to=to, of=of)


def variable(service: str, name: str, value: str) -> Break:
    return lambda manifests: manifests.variable(service, f"ASSAY_{name}", value)


def removed(kind: str, name: str) -> Break:
    return lambda manifests: manifests.remove(kind, name)
