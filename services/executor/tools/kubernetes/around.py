"""What the objects around a pod add: nodes that its selector misses, policies over it, records of it."""

import re
from collections.abc import Iterator
from typing import Final

from services.executor.sources.kubernetes.tree import NOTHING, KubeObject
from services.executor.tools.kubernetes.cluster import Cluster, Said, Subject, said_at
from services.executor.tools.kubernetes.found import Found, told
from services.executor.tools.kubernetes.pods import phase_of
from services.executor.tools.kubernetes.signs import fault_of
from services.executor.tools.kubernetes.ties import labels_of

# What the scheduler and the kubelet write, wherever it was copied to.
_COPIED: Final = re.compile(
    r'(?<!\d)\d++/\d+ nodes are available: [^"\\]{1,600}|Failed to pull image [^\n]{1,600}'
)
# What is of a class: its kind, that of the classes, the fault, what the class is called, where it is named.
_CLASSES: Final = (
    (
        "Ingress",
        "IngressClass",
        "ingress.class_missing",
        "class",
        (("Ingress Class",), ("spec", "ingressClassName"), ("CLASS",)),
    ),
    (
        "PersistentVolumeClaim",
        "StorageClass",
        "pvc.storage_class_missing",
        "storage_class",
        (("StorageClass",), ("spec", "storageClassName"), ("STORAGECLASS",)),
    ),
)
# How a table marks the class that is taken where none is named.
_DEFAULT_CLASS: Final = " (default)"
_BLOCKED: Final = frozenset({"dns.unresolved", "dependency.unreachable"})


def with_selector(found: Found, cluster: Cluster) -> Found:
    """Add to a pod that fits no node its selector, and how many of the recorded nodes have those labels."""
    if found.fault != "pod.unschedulable_selector":
        return found
    pod = found.subject
    wanted = labels_of(pod, "Node-Selectors", ("spec", "nodeSelector"))
    labelled = [
        labels
        for node in cluster.of_kind("Node")
        if (labels := labels_of(node, "Labels", ("metadata", "labels")))
    ]
    if not wanted:
        return found
    said = pod.said("selector", ("Node-Selectors",)) or _first_selector(pod)
    counts = {**found.counts}
    if labelled:
        counts |= {
            "nodes": len(labelled),
            "nodes_selected": sum(wanted.items() <= each.items() for each in labelled),
        }
    return Found(found.rule, found.fault, pod, told(*found.said, said), counts)


def policy_findings(found: Found, cluster: Cluster) -> Iterator[Found]:
    """Yield the network policies over a pod whose log tells of names or peers that it cannot reach."""
    if found.fault not in _BLOCKED or found.subject.kind != "Pod":
        return
    pod = found.subject
    listed = cluster.policies_over.get(pod.name, [])
    policies = [one for one in cluster.of_kind("NetworkPolicy") if not one.whole[0].is_row]
    # What a list only names is told of, unless its own description says that it is about something else.
    named = [each for each in listed if each.name not in {one.name for one in policies}]
    stated = [one.whole[0] for one in policies if _applies(one, pod) and is_of_side(one.whole[0], "Egress")]
    for view in {each.name: each for each in (*named, *stated)}.values():
        policy = Said("policy", view.named.text, view.source, view.named.line)
        line = next(each for each in found.said if each.role == "line")
        kind = said_at(view.source, view.root, "policy_kind", ("kind",))
        yield Found(
            "policy", "network_policy.blocks", pod, told(pod.named, policy, kind, _isolation(view), line)
        )


def class_findings(cluster: Cluster) -> Iterator[Found]:
    """Yield what is of a class that is none of the recorded ones, where any are recorded."""
    for kind, of_kind, fault, role, paths in _CLASSES:
        classes = [one.name.removesuffix(_DEFAULT_CLASS) for one in cluster.of_kind(of_kind)]
        for subject in cluster.of_kind(kind) if classes else []:
            named = subject.said(role, *paths)
            if named is not None and named.text not in classes and not _is_served(subject):
                counts = {"classes": len(classes), "classes_named": 0}
                yield Found("count", fault, subject, told(subject.named, named), counts)


def unclassed_findings(cluster: Cluster) -> Iterator[Found]:
    """Yield each ingress without a class and an address; a controller may be told to take it all the same."""
    for ingress in cluster.of_kind("Ingress"):
        for view in ingress.whole[:1]:
            cell = view.root.at("CLASS") if view.is_row else view.root.at("Ingress Class")
            if cell.text == "<none>" and not view.root.at("ADDRESS" if view.is_row else "Address").text:
                none = Said("class", cell.text, view.source, cell.line)
                yield Found("absent", "ingress.class_missing", ingress, told(ingress.named, none))


def backend_findings(cluster: Cluster) -> Iterator[Found]:
    """Yield each service that an ingress leads to and that is none of those recorded of its namespace.

    Not every service may have been recorded: it is where a person would look first.
    """
    for ingress in cluster.of_kind("Ingress"):
        services = [one for one in cluster.of_kind("Service") if one.namespace in ("", ingress.namespace)]
        known = {one.name for one in services}
        for backend in _backends(ingress) if known else ():
            if backend.text not in known:
                counts = {"services": len(known), "services_named": 0}
                yield Found(
                    "absent", "ingress.backend_missing", ingress, told(ingress.named, backend), counts
                )


def secret_findings(cluster: Cluster) -> Iterator[Found]:
    """Yield each TLS secret that an ingress names and that is none of those recorded of its namespace."""
    for ingress in cluster.of_kind("Ingress"):
        secrets = [one for one in cluster.of_kind("Secret") if one.namespace in ("", ingress.namespace)]
        known = {one.name for one in secrets}
        for secret in _tls_secrets(ingress) if known else ():
            if secret.text.partition(" ")[0] not in known:
                counts = {"secrets": len(known), "secrets_named": 0}
                yield Found("absent", "tls.secret_missing", ingress, told(ingress.named, secret), counts)


def _tls_secrets(ingress: Subject) -> Iterator[Said]:
    view = ingress.whole[0]
    for each in view.root.at("TLS").children:
        yield Said("secret", each.text, view.source, each.line)
    for each in view.root.at("spec", "tls").children:
        named = each.at("secretName")
        if named.text:
            yield Said("secret", named.text, view.source, named.line)


def _backends(ingress: Subject) -> Iterator[Said]:
    view = ingress.whole[0]
    for path, leaf in view.root.at("spec").leaves():
        if path[-2:] == ("service", "name"):
            yield Said("backend", leaf.text, view.source, leaf.line)


def _is_served(subject: Subject) -> bool:
    """Tell whether a claim is bound: the class was needed once, to make its volume."""
    phase = phase_of(subject)
    return phase is not None and phase.text == "Bound"


def record_findings(cluster: Cluster) -> Iterator[Found]:
    """Yield what alerts and other records quote of the scheduler and the kubelet, on the object they name."""
    names = sorted((one.name for one in cluster.subjects if len(one.name) > 3), key=len, reverse=True)
    for record in cluster.records:
        leaves = [leaf for _, leaf in record.root.leaves()]
        for leaf in leaves:
            match = _COPIED.search(leaf.text)
            fault = fault_of("Pod", "FailedScheduling", match.group()) if match else ""
            if match is None or not fault:
                continue
            place = next(((name, each) for name in names for each in leaves if name in each.text), None)
            if place is None:
                continue
            name, where = place
            subject = next(one for one in cluster.subjects if one.name == name)
            message = Said("message", match.group().strip(), record.source, leaf.line)
            named = Said("name", name, record.source, where.line)
            replicas = subject.said("replicas", ("Replicas",), ("READY",))
            yield Found(
                "record",
                fault,
                subject,
                told(named, phase_of(subject), replicas, message),
            )
            break


def _first_selector(pod: Subject) -> Said | None:
    view = pod.whole[0]
    children = view.root.at("spec", "nodeSelector").children
    return next((Said("selector", one.text, view.source, one.line) for one in children), None)


def _applies(policy: Subject, pod: Subject) -> bool:
    view = policy.whole[0]
    if not view.namespace or view.namespace != pod.namespace:
        return False
    wanted = selected_by(view)
    return wanted is not None and wanted.items() <= labels_of(pod, "Labels", ("metadata", "labels")).items()


def selected_by(policy: KubeObject) -> dict[str, str] | None:
    """Return the labels of the pods of a policy, none for all pods; None where it selects in another way."""
    described = policy.root.at("Spec", "PodSelector").text
    if described.startswith("<none>"):
        return {}
    if described:
        pairs = [part.strip().partition("=") for part in described.split(",")]
        return {key: value for key, _, value in pairs} if all(by for _, by, _ in pairs) else None
    selector = policy.root.at("spec", "podSelector")
    if selector is NOTHING or selector.at("matchExpressions").children:
        return None
    return {each.key: each.text for each in selector.at("matchLabels").children}


def is_of_side(policy: KubeObject, side: str) -> bool:
    """Tell whether a policy bounds the connections that its pods open (Egress) or take (Ingress)."""
    described = policy.root.at("Spec", "Policy Types").text
    types = [each.text for each in policy.root.at("spec", "policyTypes").children]
    return side in described or side in types or policy.root.at("spec", side.lower()) is not NOTHING


def _isolation(view: KubeObject) -> Said | None:
    """Return what says that a policy lets its pods open no connection at all."""
    for _, leaf in view.root.leaves():
        if "isolated for egress" in leaf.text:
            return Said("isolation", leaf.text, view.source, leaf.line)
    if view.root.at("spec", "egress").children:
        return None
    types = view.root.at("spec", "policyTypes").children
    return next(
        (Said("isolation", each.text, view.source, each.line) for each in types if each.text == "Egress"),
        None,
    )
