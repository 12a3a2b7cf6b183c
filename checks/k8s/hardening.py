"""What each pod may do: the restricted profile, its identity, its rights, its images, its limits."""

import re
from collections.abc import Iterator
from typing import Final

from checks.k8s.manifests import NAME_PREFIX, Document, Rendering, Workload

READ_VERBS: Final = frozenset({"get", "list", "watch"})
READER: Final = "executor"
_VOLUMES: Final = frozenset(
    {"configMap", "downwardAPI", "emptyDir", "persistentVolumeClaim", "projected", "secret"}
)
_HOST: Final = ("hostNetwork", "hostPID", "hostIPC", "shareProcessNamespace")
_PINNED: Final = re.compile(r"[^:@\s]+/[^:@\s]+(:(?!latest$)[\w.-]+|@sha256:[0-9a-f]{64})")


def problems(rendering: Rendering) -> Iterator[str]:
    """Yield a line per right that is too wide and per bound that lacks."""
    yield from _namespaces(rendering)
    yield from _roles(rendering)
    for service, workload in rendering.workloads.items():
        found = [
            *_pod(workload),
            *_identity(rendering, workload),
            *(problem for container in workload.containers for problem in _container(container)),
        ]
        yield from (f"{service}: {problem}" for problem in found)


def _namespaces(rendering: Rendering) -> Iterator[str]:
    labels = {
        item["metadata"]["name"]: item["metadata"].get("labels", {})
        for item in rendering.of_kind("Namespace")
    }
    for workload in rendering.workloads.values():
        level = labels.get(workload.namespace, {}).get("pod-security.kubernetes.io/enforce")
        if level != "restricted":
            yield f"{workload.service}: its namespace {workload.namespace!r} enforces {level}, not restricted"


def _pod(workload: Workload) -> Iterator[str]:
    pod = workload.pod
    context = pod.get("securityContext", {})
    if context.get("runAsNonRoot") is not True or not context.get("runAsUser"):
        yield "may run as root"
    if context.get("seccompProfile", {}).get("type") != "RuntimeDefault":
        yield "has no seccomp profile RuntimeDefault"
    yield from (f"shares the node's {name}" for name in _HOST if pod.get(name))
    for volume in pod.get("volumes", []):
        kinds = volume.keys() - {"name"}
        if not kinds <= _VOLUMES:
            yield f"volume {volume['name']}: {sorted(kinds)} is not allowed"
    if pod.get("enableServiceLinks") is not False:
        yield "enableServiceLinks is not false: the links are variables that the process refuses"


def _container(container: Document) -> Iterator[str]:
    context = container.get("securityContext", {})
    if context.get("allowPrivilegeEscalation") is not False or context.get("privileged"):
        yield "may gain privileges"
    if context.get("readOnlyRootFilesystem") is not True:
        yield "may write to its root file system"
    capabilities = context.get("capabilities", {})
    if capabilities.get("drop") != ["ALL"] or capabilities.get("add"):
        yield "keeps capabilities"
    if context.get("runAsNonRoot") is False or context.get("runAsUser") == 0:
        yield "may run as root"
    for bound in ("requests", "limits"):
        lacking = {"cpu", "memory"} - container.get("resources", {}).get(bound, {}).keys()
        if lacking:
            yield f"its {bound} lack {sorted(lacking)}"
    if not _PINNED.fullmatch(container.get("image", "")):
        yield f"its image {container.get('image')} is not of a registry with a fixed tag or a digest"


def _identity(rendering: Rendering, workload: Workload) -> Iterator[str]:
    account = workload.pod.get("serviceAccountName")
    if account != NAME_PREFIX + workload.service or rendering.named("ServiceAccount", account) is None:
        yield f"runs as {account}, not under a ServiceAccount of its own"
    bound = account in {name for binding in rendering.of_kind("RoleBinding") for name in _subjects(binding)}
    if workload.pod.get("automountServiceAccountToken") is not bound:
        what = "gets no token for its role" if bound else "gets a token that it has no use for"
        yield f"{what}: automountServiceAccountToken is not {str(bound).lower()}"


def _roles(rendering: Rendering) -> Iterator[str]:
    for kind in ("ClusterRole", "ClusterRoleBinding"):
        yield from (
            f"{kind} {item['metadata']['name']}: reaches beyond the namespace"
            for item in rendering.of_kind(kind)
        )
    for role in rendering.of_kind("Role"):
        for rule in role.get("rules", []):
            yield from (f"Role {role['metadata']['name']}: {problem}" for problem in _rule(rule))
    for binding in rendering.of_kind("RoleBinding"):
        others = _subjects(binding) - {NAME_PREFIX + READER}
        if others or binding["roleRef"]["kind"] != "Role":
            name = binding["metadata"]["name"]
            yield f"RoleBinding {name}: only the {READER} has a role, one of its own"


def _rule(rule: Document) -> Iterator[str]:
    more = set(rule.get("verbs", [])) - READ_VERBS
    if more:
        yield f"allows {sorted(more)}; only {sorted(READ_VERBS)} change nothing"
    resources = {name.partition("/")[0] for name in rule.get("resources", [])}
    if resources & {"secrets", "*"} or "*" in rule.get("apiGroups", []):
        yield f"reaches secrets by {sorted(rule.get('resources', []))}"
    if rule.get("nonResourceURLs"):
        yield "reaches addresses that are no objects"


def _subjects(binding: Document) -> set[str]:
    return {subject["name"] for subject in binding.get("subjects", [])}
