"""How a fault of a cluster is put into words: what the object states of itself, and what that means."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import replace

from services.common.evidence.faults import FAULTS
from services.executor.analyst.reading.cluster import ClusterFinding
from services.executor.analyst.reading.spot import Spot
from services.executor.analyst.reading.words import clean_pieces
from services.executor.analyst.wording.findings import Part, counted, literal, none, number, quote

# What each excerpt is called in a sentence, in the order in which they are said.
_STATE = {
    "container": "container",
    "phase": "status",
    "pod_reason": "reason",
    "condition": "condition",
    "status": "status",
    "unschedulable": "state",
    "reason": "state",
    "exit_code": "exit code",
    "last_reason": "last state",
    "last_exit_code": "its exit code",
    "ready": "ready",
    "restarts": "restarts",
    "replicas": "replicas",
    "maximum": "at most",
    "targets": "targets",
    "desired": "desired",
    "available": "available",
    "unavailable": "unavailable",
    "pods": "pods",
    "failed": "failed",
    "completions": "completions",
    "backoff_limit": "backoff limit",
    "storage_class": "storage class",
    "suspended": "suspended",
    "endpoints": "endpoints",
    "resource": "resource",
    "used": "used",
    "hard": "of",
    "deletion": "to be deleted since",
    "allowed": "evictions allowed",
}
_MEANING = {
    "container": "container",
    "phase": "status",
    "unschedulable": "state",
    "port": "ports",
    "target": "target port",
    "finalizer": "finalizer",
    "deletion": "to be deleted since",
    "minimum": "at least",
    "allowed": "evictions allowed",
    "replicas": "replicas",
    "pod_reason": "reason",
    "reason": "state",
    "condition": "condition",
    "status": "status",
    "last_reason": "last state",
    "exit_code": "exit code",
    "last_exit_code": "exit code",
    "memory_limit": "memory limit",
    "image": "image",
    "policy": "policy",
    "policy_kind": "kind",
    "admits": "it admits",
    "destination": "destination",
    "service_ports": "whose ports are",
    "secret": "secret",
    "isolation": "its rule",
    "event": "reason",
    "message": "message",
    "detail": "further",
    "autoscaler": "the autoscaler says",
    "state_message": "message",
    "last_message": "message",
    "line": "its log",
    "peer": "shortly before it",
    "setting": "the setting",
    "similar": "a recorded service is called",
    "namespace": "in the namespace",
    "frame": "at",
    "shortest": "from",
    "longest": "to",
    "selector": "selector",
    "class": "class",
    "storage_class": "storage class",
    "backend": "backend",
    "not_ready": "address that is not ready",
    "targets": "targets",
    "maximum": "at most",
    "endpoints": "endpoints",
    "resource": "resource",
    "used": "used",
    "hard": "of",
    "suspended": "suspended",
}
# When it was so, in the words of what was recorded: for who asks of that.
_WHEN = {"last_finished": "last ended", "age": "seen"}
_STATED = ("event", "message", "class", "selector", "backend", "secret", "targets", "target", "finalizer")
# What a person calls an object of each kind, at the beginning of a sentence.
_KINDS = {
    "Pod": "Pod",
    "Job": "Job",
    "CronJob": "Cron job",
    "Deployment": "Deployment",
    "StatefulSet": "Stateful set",
    "DaemonSet": "Daemon set",
    "ReplicaSet": "Replica set",
    "Node": "Node",
    "PersistentVolumeClaim": "Persistent volume claim",
    "PersistentVolume": "Persistent volume",
    "Service": "Service",
    "Endpoints": "Endpoints",
    "Ingress": "Ingress",
    "HorizontalPodAutoscaler": "Autoscaler",
    "ResourceQuota": "Quota",
    "Namespace": "Namespace",
}
# Clauses for faults whose meaning on the list denies something that evidence of them need not deny.
_LEADS = {
    "dependency.unreachable": "reaching a dependency fails",
    "dependency.slow": "calls to a dependency are slow, which adds latency",
    "container.exited": "a failure is stated",
    "container.failure_logged": "a failure is stated",
}
_MAX_TEXT = 440
# A longer text begins with its first word: what stands before is a time or a sign.
_LONG = 75
_DATED = re.compile(r"\d{1,4}[-/:]\d")
_FIRST_WORD = re.compile(r"[A-Za-z/\[({\"'<*]|(?<!\d)\d++/\d+ ")


def name_of(finding: ClusterFinding) -> list[Part]:
    """Cite the name of the object behind its kind; `kind/name` is shown as the name."""
    named = finding.excerpt("name")
    kind = _KINDS.get(finding.kind)
    name = literal(named.at("text"), finding.name) if named else finding.name
    return [f"{kind} ", name] if kind else [name]


def state_of(finding: ClusterFinding) -> list[Part]:
    """Return what an object states of itself: a clause; empty where it states nothing."""
    return _listed(_STATE.items(), finding)


def stated_of(finding: ClusterFinding) -> list[Part]:
    """Return what else states a fault of an object that says nothing of its own state: a clause."""
    return _listed(((role, _MEANING[role]) for role in _STATED), finding)


def when_of(finding: ClusterFinding) -> list[Part]:
    """Return when it was so, as far as that is told: a clause to add; empty where nothing is."""
    said = _listed(_WHEN.items(), finding)
    return [", ", *said] if said else []


def meaning_of(finding: ClusterFinding) -> list[Part]:
    """Return what a fault means and what states it: a clause."""
    lead = _LEADS.get(finding.fault) or _clause(FAULTS.get(finding.fault, ""))
    said = _listed(_MEANING.items(), finding)
    parts: list[Part] = [lead, ": ", *said] if lead and said else [lead, *said]
    return [*parts, *_counts(finding)]


def log_clause(finding: ClusterFinding, line: str) -> list[Part]:
    """Say how many lines of a log are like one of them, and quote that one."""
    spot = finding.excerpt(line)
    if spot is None:
        return []
    counts: list[Part] = []
    if finding.count("matching").text:
        counts = [number(finding.count("matching")), " of ", number(finding.count("lines"))]
        counts += [" lines of ", spot.at("source").text, " are like "]
    else:
        counts = ["the last line of ", spot.at("source").text, " is "]
    return [*counts, _quoted(spot)]


def counted_clause(inventory: Spot) -> list[Part]:
    """Say that nothing goes by a name or is in a namespace, or how many pods are well; else nothing."""
    whole = counted(inventory.at("objects"), "recorded object", "recorded objects")
    nothing = none(inventory.at("count")) if inventory.at("count").text == "0" else []
    names, namespaces = (inventory.at(member).items() for member in ("names", "namespaces"))
    if names and nothing:
        return ["Of ", *whole, ", ", *nothing, " goes by the name ", literal(names[0])]
    if inventory.at("where").items():
        return _well_pods(inventory)
    if namespaces and nothing:
        return ["Of ", *whole, ", ", *nothing, " is in the namespace ", literal(namespaces[0])]
    return []


def _well_pods(inventory: Spot) -> list[Part]:
    fitting, of = inventory.at("count"), inventory.at("of_kind")
    if not of.count:
        return ["Looked at ", *counted(inventory.at("objects"), "recorded object", "recorded objects")]
    lead: list[Part] = ["Of ", *counted(of, "recorded pod", "recorded pods")]
    namespaces = inventory.at("namespaces").items()
    if len(namespaces) == 1:
        lead += [" of the namespace ", literal(namespaces[0])]
    lead += [", ", number(fitting)]
    if fitting.count == 1:
        return [*lead, " runs with all containers ready or has done its work"]
    return [*lead, " run with all containers ready or have done their work"]


def _listed(roles: Iterable[tuple[str, str]], finding: ClusterFinding) -> list[Part]:
    parts: list[Part] = []
    for role, word in roles:
        spot = finding.excerpt(role)
        if spot is not None and (quoted := _quoted(spot)):
            parts += [", " if parts else "", f"{word} ", quoted]
    return parts


def _counts(finding: ClusterFinding) -> Sequence[Part]:
    if finding.count("nodes").text:
        nodes = finding.count("nodes_selected"), finding.count("nodes")
        return ["; labels like that: on ", number(nodes[0]), " of ", number(nodes[1]), " recorded nodes"]
    for sort in ("classes", "services", "secrets"):
        if finding.count(sort).text:
            named, every = finding.count(f"{sort}_named"), finding.count(sort)
            return ["; named so: ", number(named), " of ", number(every), f" recorded {sort}"]
    if finding.count("addresses").text:
        # The clause says already that there is none.
        return [replace(number(finding.count("addresses")), words="")]
    return []


def _quoted(spot: Spot) -> Part:
    text = spot.at("text")
    return quote(text, telling(text.text))


def telling(text: str) -> str:
    """Return the telling part of a text, literally: from its first word, not too long, nothing hidden."""
    piece = max(clean_pieces(text), key=len, default="").strip()
    begin = None if _DATED.match(piece) else _FIRST_WORD.search(piece)
    shown = piece[begin.start() :] if begin and len(piece) > _LONG else piece
    if len(shown) > _MAX_TEXT:
        shown = shown[:_MAX_TEXT].rsplit(" ", 1)[0]
    return re.split("[“”]", shown)[0].strip()


def _clause(meaning: str) -> str:
    return meaning[:1].lower() + meaning[1:].rstrip(".")
