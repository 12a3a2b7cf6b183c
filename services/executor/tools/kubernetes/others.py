"""What is wrong with objects other than pods: workloads, claims, nodes, services, autoscalers, quotas."""

import re
from collections.abc import Callable, Iterator, Mapping
from typing import Final

from services.executor.sources.kubernetes.kinds_of import KINDS
from services.executor.sources.kubernetes.tree import NOTHING, KubeObject, Node
from services.executor.tools.kubernetes.ages import is_young
from services.executor.tools.kubernetes.budgets import budget_findings
from services.executor.tools.kubernetes.cluster import Said, Subject, said_at
from services.executor.tools.kubernetes.custom import custom_findings
from services.executor.tools.kubernetes.events import event_findings
from services.executor.tools.kubernetes.found import Found, told
from services.executor.tools.kubernetes.ports import port_findings
from services.executor.tools.kubernetes.readiness import is_node_ready
from services.executor.tools.kubernetes.signs import fault_of
from services.executor.tools.kubernetes.ties import Ties

_COUNT: Final = re.compile(r"(?<!\d)(\d{1,9}) (\w+)")
# What somebody wanted to be so.
INTENDED: Final = "intended"
_PAUSED: Final = "workload.paused"
# A backend of an ingress, with the addresses behind it in brackets.
_WITHOUT_ENDPOINTS: Final = re.compile(r"(?<!\S)\S[^\s:]*+:\S++ \(\)$")
_PERCENT: Final = re.compile(r"\b(\d{1,9})%/(\d{1,9})%")
_PRESSURES: Final = {
    "MemoryPressure": "node.memory_pressure",
    "DiskPressure": "node.disk_pressure",
    "PIDPressure": "node.pid_pressure",
    "NetworkUnavailable": "node.network_unavailable",
}


def object_findings(subject: Subject, ties: Ties) -> Iterator[Found]:
    """Yield what is wrong with an object by its own fields, its conditions and its events."""
    rule = _RULES.get(subject.kind)
    found = list(rule(subject)) if rule else []
    yield from found
    if subject.kind == "Service":
        yield from _service(subject, ties)
        yield from port_findings(subject, ties)
    if subject.kind not in KINDS:
        yield from custom_findings(subject)
    yield from _conditions(subject)
    if found or not _is_served(subject):
        events = event_findings(subject, _claim_phase(subject))
        yield from (each for each in events if not _is_over(subject, each))
    if subject.kind == "Ingress":
        yield from _errors_in_text(subject)


def _replicas(subject: Subject) -> Iterator[Found]:
    """Yield a workload that has fewer ready pods than it should."""
    described = subject.said("replicas", ("Replicas",))
    ready, wanted, shown = "", "", described
    if described and "desired" in described.text:
        counts = {word: number for number, word in _COUNT.findall(described.text)}
        wanted, ready = counts.get("desired", ""), counts.get("available") or counts.get("current", "")
    elif row := subject.said("ready", ("READY",)):
        shown = row
        ready, _, wanted = row.text.partition("/")
    else:
        wanted_said = subject.said("desired", ("spec", "replicas"), ("status", "desiredNumberScheduled"))
        ready_said = subject.said("available", ("status", "readyReplicas"), ("status", "numberReady"))
        if wanted_said is not None and (ready_said.text if ready_said else "0") != wanted_said.text:
            unavailable = subject.said(
                "unavailable", ("status", "unavailableReplicas"), ("status", "numberUnavailable")
            )
            yield from _short(subject, wanted_said, ready_said or unavailable)
        return
    if wanted.isdigit() and ready.isdigit() and int(ready) < int(wanted):
        yield from _short(subject, shown)
    elif wanted == "0" and subject.kind in ("Deployment", "StatefulSet"):
        yield Found(INTENDED, "workload.scaled_to_zero", subject, told(subject.named, _as_replicas(shown)))


def _as_replicas(shown: Said | None) -> Said | None:
    return shown._replace(role="replicas") if shown else None


def _short(subject: Subject, *said: Said | None) -> Iterator[Found]:
    if not is_young(subject.whole[0].root.at("AGE").text):
        yield Found("replicas", "workload.replicas_missing", subject, told(subject.named, *said))


def _daemons(subject: Subject) -> Iterator[Found]:
    """Yield what shows in two fields how many pods it should have, and has, and has fewer."""
    wanted = subject.said("desired", ("Desired Number of Nodes Scheduled",), ("DESIRED",))
    ready = subject.said("available", ("Number of Nodes Scheduled with Available Pods",), ("READY",))
    if wanted is None or ready is None:
        yield from _replicas(subject)
    elif wanted.text != ready.text:
        yield from _short(subject, wanted, ready)


def _job(subject: Subject) -> Iterator[Found]:
    pods = subject.said("pods", ("Pods Statuses",))
    failed = subject.said("failed", ("status", "failed"))
    status = subject.said("phase", ("STATUS",))
    done = subject.said("completions", ("COMPLETIONS",))
    counts = {word: number for number, word in _COUNT.findall(pods.text)} if pods else {}
    if (
        counts.get("Failed", "0") != "0"
        or (failed and failed.text != "0")
        or (status and status.text == "Failed")
    ):
        limit = subject.said("backoff_limit", ("Backoff Limit",), ("spec", "backoffLimit"))
        yield Found("job", "job.failed", subject, told(subject.named, pods or failed or status, done, limit))


def _cron_job(subject: Subject) -> Iterator[Found]:
    suspended = subject.said("suspended", ("Suspend",), ("SUSPEND",), ("spec", "suspend"))
    if suspended is not None and suspended.text.lower() == "true":
        yield Found("state", "cronjob.suspended", subject, told(subject.named, suspended))


def _claim_phase(subject: Subject) -> Said | None:
    if subject.kind != "PersistentVolumeClaim":
        return None
    return subject.said("phase", ("Status",), ("status", "phase"), ("STATUS",))


def _claim(subject: Subject) -> Iterator[Found]:
    phase = _claim_phase(subject)
    if phase is not None and phase.text in ("Pending", "Lost"):
        wanted = subject.said(
            "storage_class", ("StorageClass",), ("spec", "storageClassName"), ("STORAGECLASS",)
        )
        fault = "pvc.lost" if phase.text == "Lost" else "pvc.pending"
        yield Found("state", fault, subject, told(subject.named, phase, wanted))


def _node(subject: Subject) -> Iterator[Found]:
    for view in subject.whole[:1]:
        status = said_at(view.source, view.root, "phase", ("STATUS",))
        if status is not None and "NotReady" in status.text:
            yield Found("state", "node.not_ready", subject, told(subject.named, status))
        if (status is not None and "SchedulingDisabled" in status.text) or view.root.at(
            "Unschedulable"
        ).text == "true":
            closed = said_at(view.source, view.root, "unschedulable", ("STATUS",), ("Unschedulable",))
            yield Found("state", "node.cordoned", subject, told(subject.named, closed))
        for each in (*view.root.at("Conditions").children, *view.root.at("status", "conditions").children):
            yield from _node_condition(subject, view.source, each)


def _node_condition(subject: Subject, source: str, each: Node) -> Iterator[Found]:
    kind = said_at(source, each, "condition", ("Type",), ("type",))
    status = said_at(source, each, "status", ("Status",), ("status",))
    if kind is None or status is None:
        return
    fault = _PRESSURES.get(kind.text, "") if status.text == "True" else ""
    if kind.text == "Ready" and status.text != "True":
        fault = "node.not_ready"
    if fault:
        message = said_at(source, each, "message", ("Message",), ("message",))
        yield Found("condition", fault, subject, told(subject.named, kind, status, message))


def _service(subject: Subject, ties: Ties) -> Iterator[Found]:
    selector = subject.said("selector", ("Selector",), ("SELECTOR",))
    if selector is None:
        children = subject.whole[0].root.at("spec", "selector").children
        selector = next(
            (Said("selector", one.text, subject.whole[0].source, one.line) for one in children), None
        )
    # Where it has addresses, the pods that it selects were not recorded; where a workload would make them,
    # nothing is wrong with the selector.
    misses = ties.selects(subject) == [] and not ties.is_answered(subject)
    if misses and selector is not None and not ties.is_made_for(subject):
        # A list of all services stands beside few pods: then it is where a person would look first.
        rule = "count" if subject.said("selector", ("Selector",)) else "absent"
        yield Found(
            rule, "service.selector_unmatched", subject, told(subject.named, selector), {"selected": 0}
        )
    endpoints = next((view for view in subject.views if view.root.at("Endpoints").text == "<none>"), None)
    if endpoints is not None:
        none = Said("endpoints", "<none>", endpoints.source, endpoints.root.at("Endpoints").line)
        yield Found("state", "service.no_endpoints", subject, told(subject.named, none, selector))


def _endpoints(subject: Subject) -> Iterator[Found]:
    for view in subject.views:
        cell = view.root.at("ENDPOINTS")
        if cell.text == "<none>":
            none = Said("endpoints", cell.text, view.source, cell.line)
            yield Found("state", "service.no_endpoints", subject, told(subject.named, none))
        elif not view.is_row and view.root.at("metadata") is not NOTHING:
            yield from _addresses(subject, view)


def _addresses(subject: Subject, view: KubeObject) -> Iterator[Found]:
    """Yield endpoints as an object, where they hold no address that is ready."""
    leaves = [(path, leaf) for path, leaf in view.root.leaves() if path[-1] == "ip"]
    if any("addresses" in path for path, _ in leaves):
        return
    waiting = next((Said("not_ready", leaf.text, view.source, leaf.line) for _, leaf in leaves), None)
    counts = {"addresses": 0}
    yield Found("count", "service.no_endpoints", subject, told(subject.named, waiting), counts)


def _autoscaler(subject: Subject) -> Iterator[Found]:
    targets = subject.said("targets", ("TARGETS",))
    if targets is not None and "<unknown>" in targets.text:
        yield Found("row", "hpa.metrics_missing", subject, told(subject.named, targets))
    maximum = subject.said("maximum", ("MAXPODS",))
    replicas = subject.said("replicas", ("REPLICAS",))
    if targets is None or maximum is None or replicas is None or replicas.text != maximum.text:
        return
    # Each target stands as current/wanted, in percent of what is requested.
    if any(int(current) > int(wanted) for current, wanted in _PERCENT.findall(targets.text)):
        yield Found("row", "hpa.at_maximum", subject, told(subject.named, replicas, maximum, targets))


def _quota(subject: Subject) -> Iterator[Found]:
    """Yield each resource of a quota of which all is used."""
    for view in subject.whole[:1]:
        for row in view.root.children:
            used, hard = row.at("Used"), row.at("Hard")
            if used.text and used.text == hard.text and used.text != "0":
                said = [
                    Said(role, node.text, view.source, node.line)
                    for role, node in (("resource", row.at("Resource")), ("used", used), ("hard", hard))
                ]
                yield Found("state", "quota.exceeded", subject, told(subject.named, *said))


def _budget(subject: Subject) -> Iterator[Found]:
    yield from budget_findings(subject, INTENDED)


def _namespace(subject: Subject) -> Iterator[Found]:
    phase = subject.said("phase", ("Status",), ("status", "phase"), ("STATUS",))
    if phase is not None and phase.text == "Terminating":
        yield Found("state", "pod.terminating", subject, told(subject.named, phase))


def _conditions(subject: Subject) -> Iterator[Found]:
    """Yield what conditions state by their reason or message, as far as it is a fault that is known."""
    for view in subject.whole[:1]:
        for each in (*view.root.at("Conditions").children, *view.root.at("status", "conditions").children):
            reason = said_at(view.source, each, "event", ("Reason",), ("reason",))
            message = said_at(view.source, each, "message", ("Message",), ("message",))
            fault = fault_of(subject.kind, reason.text if reason else "", message.text if message else "")
            if fault and subject.kind not in ("Pod", "Node"):
                rule = INTENDED if fault == _PAUSED else "condition"
                yield Found(rule, fault, subject, told(subject.named, reason, message))


def _errors_in_text(subject: Subject) -> Iterator[Found]:
    """Yield what kubectl writes between marks where it describes an ingress, and where it writes nothing."""
    for view in subject.whole[:1]:
        for _, leaf in view.root.leaves():
            message = Said("message", leaf.text, view.source, leaf.line)
            if "<error:" in leaf.text and (fault := fault_of("Ingress", "", leaf.text)):
                yield Found("text", fault, subject, told(subject.named, message))
            elif _WITHOUT_ENDPOINTS.search(leaf.text):
                said = told(subject.named, message)
                yield Found("text", "ingress.backend_empty", subject, said, {"addresses": 0})


def _is_over(subject: Subject, found: Found) -> bool:
    """Tell whether what a warning says is over: a claim is bound, a node ready, metrics are there again."""
    phase = _claim_phase(subject)
    if phase is not None and phase.text == "Bound":
        return found.fault.startswith("pvc.")
    if found.fault == "node.not_ready":
        return is_node_ready(subject)
    if found.fault != "hpa.metrics_missing":
        return False
    for each in (
        *subject.whole[0].root.at("Conditions").children,
        *subject.whole[0].root.at("status", "conditions").children,
    ):
        if "ScalingActive" in (each.at("Type").text, each.at("type").text):
            return "True" in (each.at("Status").text, each.at("status").text)
    targets = subject.said("targets", ("TARGETS",))
    return targets is not None and "<unknown>" not in targets.text


def _is_served(subject: Subject) -> bool:
    """Tell whether a workload has all that it should: what its events warned of is over."""
    return (
        subject.kind in ("Deployment", "StatefulSet", "DaemonSet", "ReplicaSet")
        and not subject.whole[0].is_row
    )


_RULES: Final[Mapping[str, Callable[[Subject], Iterator[Found]]]] = {
    "Deployment": _replicas,
    "StatefulSet": _replicas,
    "ReplicaSet": _daemons,
    "DaemonSet": _daemons,
    "Job": _job,
    "CronJob": _cron_job,
    "PersistentVolumeClaim": _claim,
    "Node": _node,
    "Endpoints": _endpoints,
    "HorizontalPodAutoscaler": _autoscaler,
    "ResourceQuota": _quota,
    "Namespace": _namespace,
    "PodDisruptionBudget": _budget,
}
