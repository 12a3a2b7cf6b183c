"""What is wrong with which object, as excerpts: the derived tool on clusters."""

from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from services.common.evidence.kubernetes_faults import KUBERNETES_FAULTS
from services.common.evidence.strict_json import Json
from services.executor.sources.bundle import Bundle
from services.executor.sources.stop import Stop
from services.executor.tools.kubernetes.addresses import with_address
from services.executor.tools.kubernetes.ages import is_young
from services.executor.tools.kubernetes.arguments import Findings
from services.executor.tools.kubernetes.around import (
    backend_findings,
    class_findings,
    policy_findings,
    record_findings,
    secret_findings,
    unclassed_findings,
    with_selector,
)
from services.executor.tools.kubernetes.cluster import WORKLOADS, Cluster, Said, Subject, said_at
from services.executor.tools.kubernetes.deletions import deletion_findings
from services.executor.tools.kubernetes.destinations import destination_findings
from services.executor.tools.kubernetes.found import Found, told
from services.executor.tools.kubernetes.logs import LOG_RULES, Logs, log_findings, unplaced_findings
from services.executor.tools.kubernetes.others import INTENDED, object_findings
from services.executor.tools.kubernetes.pods import (
    RESTARTED,
    Container,
    containers,
    is_well,
    phase_of,
    pod_findings,
)
from services.executor.tools.kubernetes.raw import excerpt, read_cluster
from services.executor.tools.kubernetes.readiness import node_ready
from services.executor.tools.kubernetes.ties import Ties
from services.executor.tools.log_window import number
from services.executor.tools.tool import ToolOutput

MAX_FINDINGS: Final = 200
MAX_WELL: Final = 40
_MAX_EXCERPT: Final = 4096
_RANK: Final = {fault: rank for rank, fault in enumerate(KUBERNETES_FAULTS)}
# States that only say that something is wrong, and what says why of the same object.
_VAGUE: Final = frozenset(
    {"pod.pending", "container.not_ready", "pvc.pending", "image.pull_failed", "pod.unschedulable"}
    | {"container.start_failed", "volume.mount_failed", "workload.create_refused"}
)
# What a workload lacks says not why.
_OF_SHORTAGE: Final = frozenset(
    {"workload.replicas_missing", "workload.progress_deadline", "pod.terminating"}
)
_ENDED: Final = frozenset({"pod.crash_loop", "container.exited", "container.completed", "pod.oom_killed"})


def kubernetes_findings(bundle: Bundle, arguments: Findings, stop: Stop) -> ToolOutput:
    """Return the faults that objects, events and logs state, the most telling first."""
    cluster = read_cluster(bundle, stop)
    ties = Ties(cluster)
    logs = Logs(bundle, cluster, stop)
    found = [
        each
        for each in _all(cluster, ties, logs, stop)
        if not arguments.names or _is_named(each, arguments.names)
    ]
    ordered = sorted(_telling(found), key=lambda each: _RANK.get(each.fault, len(_RANK)))
    wrong = {each.subject for each in ordered if each.rule not in (RESTARTED, INTENDED, *LOG_RULES)}
    well = sorted(
        (
            one
            for one in cluster.of_kind("Pod", "Node", *WORKLOADS)
            if one not in wrong and _is_seen_well(one)
        ),
        key=lambda one: (one.kind == "Node", not _is_looked_at(one)),
    )
    document: dict[str, Json] = {
        "objects": number(len(cluster.subjects)),
        "findings": [_shown(each, ties) for each in ordered[:MAX_FINDINGS]],
        "well": [_well(one, ties) for one in well[:MAX_WELL]],
    }
    return ToolOutput(document, logs.cut or len(ordered) > MAX_FINDINGS or len(well) > MAX_WELL)


def _all(cluster: Cluster, ties: Ties, logs: Logs, stop: Stop) -> Iterator[Found]:
    for subject in cluster.subjects:
        stop.check()
        if subject.kind == "Pod":
            yield from _of_pod(subject, cluster, ties, logs)
        else:
            yield from object_findings(subject, ties)
            yield from deletion_findings(subject)
            yield from log_findings(subject, logs, crashed=False)
    for subject in logs.of_unseen():
        yield from log_findings(subject, logs, crashed=False)
    yield from class_findings(cluster)
    yield from unclassed_findings(cluster)
    yield from backend_findings(cluster)
    yield from secret_findings(cluster)
    yield from record_findings(cluster)
    yield from unplaced_findings(logs)


def _of_pod(pod: Subject, cluster: Cluster, ties: Ties, logs: Logs) -> Iterator[Found]:
    found = [*(with_selector(each, cluster) for each in pod_findings(pod)), *deletion_findings(pod)]
    yield from found
    for each in log_findings(pod, logs, crashed=any(one.fault in _ENDED for one in found)):
        yield with_address(each, cluster)
        yield from policy_findings(each, cluster)
        yield from destination_findings(each, cluster, ties)


def _telling(found: Sequence[Found]) -> list[Found]:
    """Leave out what is said twice of an object, and vague words where more is known."""
    kept: dict[tuple[Subject, str, str], Found] = {}
    for each in found:
        alike = each.rule not in LOG_RULES and bool(each.fault)
        key = (each.subject, each.fault, "" if alike else each.said[-1].text)
        if key not in kept or (each.rule == "event" and kept[key].rule != "event"):
            kept[key] = each
    precise = {
        each.subject
        for each in kept.values()
        if each.fault and each.fault not in _VAGUE | _OF_SHORTAGE and each.rule not in LOG_RULES
    }
    return [each for each in kept.values() if each.fault not in _VAGUE or each.subject not in precise]


def _is_named(found: Found, names: Iterable[str]) -> bool:
    return any(found.subject.name == name or found.subject.name.startswith(f"{name}-") for name in names)


def _is_looked_at(subject: Subject) -> bool:
    """Tell whether somebody saved more of an object than its row in a list of all."""
    return bool(subject.events) or not subject.whole[0].is_row


def _is_seen_well(subject: Subject) -> bool:
    if subject.kind == "Pod":
        return is_well(subject)
    if subject.kind == "Node":
        return subject.said("phase", ("STATUS",)) is not None or node_ready(subject) == "True"
    # A row of a workload that was made just now tells little.
    return not subject.whole[0].is_row or not is_young(subject.whole[0].root.at("AGE").text)


def _shown(found: Found, ties: Ties) -> Json:
    return {
        "rule": found.rule,
        "fault": found.fault,
        **_identity(found.subject, ties),
        "excerpts": _excerpts(found),
        "counts": {name: number(count) for name, count in found.counts.items()},
        "inputs": [{"source": source} for source in dict.fromkeys(each.source for each in found.said)],
    }


def _well(subject: Subject, ties: Ties) -> Json:
    """Return what is said of an object that nothing is wrong with, and how many warnings its events hold."""
    warnings = sum(event.type == "Warning" for event in subject.events)
    return {
        **_identity(subject, ties),
        "excerpts": {each.role: excerpt(each) for each in _state(subject)},
        "counts": {"warnings": number(warnings), "events": number(len(subject.events))},
        "inputs": [{"source": view.source} for view in subject.whole[:1]],
    }


def _state(subject: Subject) -> list[Said]:
    if subject.kind == "Node":
        return told(subject.named, *_state_of_node(subject))
    if subject.kind != "Pod":
        replicas = subject.said("replicas", ("Replicas",), ("status", "readyReplicas"))
        return told(subject.named, replicas or subject.said("ready", ("READY",)))
    # The container that restarted most, and how it ended before, tells whether all is as well as it looks.
    restarted = sorted(containers(subject.whole[0]), key=_restarts, reverse=True)
    roles = ("ready", "restarts", "last_reason", "last_exit_code")
    facts = [one.said(role) for one in restarted[:1] for role in roles]
    row = subject.said("ready", ("READY",)), subject.said("restarts", ("RESTARTS",))
    return told(subject.named, phase_of(subject), *facts, *row)


def _state_of_node(node: Subject) -> list[Said | None]:
    """Return the status of a row, or the condition that tells whether a node is ready."""
    if (status := node.said("phase", ("STATUS",))) is not None:
        return [status]
    view = node.whole[0]
    conditions = (*view.root.at("Conditions").children, *view.root.at("status", "conditions").children)
    ready = next(each for each in conditions if "Ready" in (each.at("Type").text, each.at("type").text))
    roles = (("condition", "type"), ("status", "status"))
    return [said_at(view.source, ready, role, (key.capitalize(),), (key,)) for role, key in roles]


def _restarts(one: Container) -> int:
    restarts = one.text("restarts")
    return int(restarts) if restarts.isdecimal() else 0


def _identity(subject: Subject, ties: Ties) -> dict[str, Json]:
    return {
        "kind": subject.kind,
        "namespace": subject.namespace,
        "name": subject.name,
        "about": [*ties.about(subject)],
    }


def _excerpts(found: Found) -> dict[str, Json]:
    return {each.role: excerpt(each._replace(text=each.text[:_MAX_EXCERPT])) for each in found.said}
