"""What is wrong with a pod: its state and reason, its containers, its events."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from services.executor.sources.kubernetes.tree import NOTHING, KubeObject, Node
from services.executor.tools.kubernetes.ages import is_young
from services.executor.tools.kubernetes.cluster import Said, Subject, said_at
from services.executor.tools.kubernetes.container_log import GENERAL, fault_of_line
from services.executor.tools.kubernetes.events import event_findings
from services.executor.tools.kubernetes.found import Found, told
from services.executor.tools.kubernetes.signs import fault_of

# Where each fact of a container stands: in a description, then in an object.
_PATHS: Final = {
    "state": (("State",),),
    "reason": (("State", "Reason"), ("state", "waiting", "reason"), ("state", "terminated", "reason")),
    "state_message": (
        ("State", "Message"),
        ("state", "waiting", "message"),
        ("state", "terminated", "message"),
    ),
    "exit_code": (("State", "Exit Code"), ("state", "terminated", "exitCode")),
    "last_reason": (("Last State", "Reason"), ("lastState", "terminated", "reason")),
    "last_exit_code": (("Last State", "Exit Code"), ("lastState", "terminated", "exitCode")),
    "last_finished": (("Last State", "Finished"), ("lastState", "terminated", "finishedAt")),
    "last_message": (("Last State", "Message"), ("lastState", "terminated", "message")),
    "restarts": (("Restart Count",), ("restartCount",)),
    "ready": (("Ready",), ("ready",)),
    "image": (("Image",), ("spec", "image")),
    "name": (("spec", "name"),),
    **{
        f"{what}_{bound}": ((f"{bound.capitalize()}s", what), ("spec", "resources", f"{bound}s", what))
        for what in ("cpu", "memory")
        for bound in ("limit", "request")
    },
    **{f"{probe.lower()}_probe": ((probe,),) for probe in ("Liveness", "Readiness", "Startup")},
}
# What a container may use, and asks for; how it is probed, as a description tells it.
STATED: Final = (
    *("cpu_limit", "cpu_request", "memory_limit", "memory_request"),
    *("liveness_probe", "readiness_probe", "startup_probe"),
)
_GROUPS: Final = (("initContainers", "initContainerStatuses"), ("containers", "containerStatuses"))
_PULL: Final = frozenset(
    {"ErrImagePull", "ImagePullBackOff", "InvalidImageName", "ErrImageNeverPull", "ImageInspectError"}
)
_UNSTARTED: Final = frozenset(
    {
        "CreateContainerConfigError",
        "CreateContainerError",
        "RunContainerError",
        "StartError",
        "ContainerCannotRun",
    }
)
_ENDED: Final = frozenset({"CrashLoopBackOff", "Error", "OOMKilled"})
_FINE: Final = frozenset({"Running", "Completed", "Succeeded"})
# States of a row that only say how the last start went on.
_STARTING: Final = frozenset({"ContainerCreating", "PodInitializing", "Pending"})
# What the autoscaler of the cluster writes where it adds no node.
_NO_SCALE_UP: Final = "NotTriggerScaleUp"
_NO: Final = frozenset({"false", "False"})
_DEFAULT: Final = "container.exited"
# What is well now and was not before: it answers nobody but who asks about restarts.
RESTARTED: Final = "restarted"
_RESTARTING: Final = frozenset({"probe.liveness_failed", "probe.startup_failed"})


@dataclass(frozen=True, slots=True)
class Container:
    """A container of one view of a pod."""

    source: str
    node: Node

    def said(self, role: str) -> Said | None:
        """Return a fact of it."""
        return said_at(self.source, self.node, role, *_PATHS[role])

    def text(self, role: str) -> str:
        """Return a fact's text; empty where there is none."""
        found = self.said(role)
        return found.text if found else ""


def containers(view: KubeObject) -> list[Container]:
    """Return the containers of a view, those that prepare the pod first."""
    root = view.root
    nodes = [*root.at("Init Containers").children, *root.at("Containers").children]
    for specs, statuses in _GROUPS:
        states = {each.at("name").text: each for each in root.at("status", statuses).children}
        nodes += [
            _joined(each, states.get(each.at("name").text, NOTHING))
            for each in root.at("spec", specs).children
        ]
    return [Container(view.source, node) for node in nodes if node.children]


def container_name(one: Container) -> str:
    """Return what a container is called."""
    return one.node.at("spec", "name").text or one.node.key


def pod_findings(pod: Subject) -> Iterator[Found]:
    """Yield what is wrong with a pod; nothing for one that runs and is ready, or has done its work."""
    if is_well(pod):
        yield from _restart_findings(pod)
        return
    view = pod.whole[0]
    if view.is_row:
        yield from _row_findings(pod)
    else:
        yield from _state_findings(pod, containers(view))
    yield from (_with_more(each, view) for each in event_findings(pod, phase_of(pod)))
    yield from _condition_findings(pod)


def _with_more(found: Found, view: KubeObject) -> Found:
    """Add to a probe that fails the container that is not ready, to a pod without a node why none is made."""
    more: Sequence[Said | None] = []
    if found.fault.startswith("probe."):
        unready = [one for one in containers(view) if one.text("ready") in _NO]
        more = [_named(unready[0]), unready[0].said("ready")] if len(unready) == 1 else []
    elif found.fault.startswith("pod.unschedulable"):
        more = [
            event.message._replace(role="autoscaler")
            for event in found.subject.events
            if event.reason.text == _NO_SCALE_UP
        ][-1:]
    return Found(found.rule, found.fault, found.subject, told(*found.said, *more), found.counts)


def phase_of(pod: Subject) -> Said | None:
    """Return what a pod says of its own state."""
    return pod.said("phase", ("Status",), ("status", "phase"), ("STATUS",))


def is_well(pod: Subject) -> bool:
    """Tell whether a pod runs with every container ready, or has ended well."""
    phase = phase_of(pod)
    if phase is None or phase.text not in _FINE:
        return False
    if phase.text != "Running":
        return True
    view = pod.whole[0]
    if view.is_row:
        said = pod.said("ready", ("READY",))
        ready, _, of = said.text.partition("/") if said else ("", "", "")
        return ready == of
    return not any(one.text("ready") in _NO and one.text("reason") != "Completed" for one in containers(view))


def _restart_findings(pod: Subject) -> Iterator[Found]:
    """Yield why containers were restarted that run and are ready again, as far as it is stated."""
    view = pod.whole[0]
    if view.is_row:
        restarts = pod.said("restarts", ("RESTARTS",))
        if restarts is not None and restarts.text.partition(" ")[0].strip("0"):
            yield Found(RESTARTED, "", pod, told(pod.named, phase_of(pod), restarts))
    restarted = [one for one in containers(view) if one.text("restarts").strip("0")]
    for one in restarted:
        fault = fault_of("Pod", one.text("last_reason"), one.text("last_message"))
        yield Found(RESTARTED, fault, pod, told(phase_of(pod), *_container_facts(pod, one)))
    for found in event_findings(pod, phase_of(pod)) if restarted else ():
        if found.fault in _RESTARTING:
            facts = _container_facts(pod, max(restarted, key=lambda one: len(one.text("restarts"))))
            yield Found(RESTARTED, found.fault, pod, told(*facts, *found.said))


def _joined(spec: Node, status: Node) -> Node:
    inner = Node("spec", None, spec.line, spec.last_line, spec.children)
    return Node(spec.at("name").text, None, spec.line, spec.last_line, (*status.children, inner))


def _row_findings(pod: Subject) -> Iterator[Found]:
    view = pod.whole[0]
    status, ready = phase_of(pod), pod.said("ready", ("READY",))
    if status is None or is_young(view.root.at("AGE").text):
        return
    word = status.text.removeprefix("Init:")
    fault = fault_of("Pod", word, "")
    if word in _ENDED:
        fault = fault or ("pod.crash_loop" if word == "CrashLoopBackOff" else _DEFAULT)
    elif word in _STARTING or word[:1].isdigit():
        fault = "pod.pending"
    elif word in ("Terminating", "Unknown"):
        fault = "pod.terminating"
    elif word == "Running":
        fault = "container.not_ready"
    if fault:
        yield Found("row", fault, pod, told(pod.named, status, ready, pod.said("restarts", ("RESTARTS",))))


def _state_findings(pod: Subject, found: Sequence[Container]) -> Iterator[Found]:
    reason = pod.said("pod_reason", ("Reason",), ("status", "reason"))
    if reason is not None and (fault := fault_of("Pod", reason.text, "")):
        message = pod.said("message", ("Message",), ("status", "message"))
        yield Found("state", fault, pod, told(pod.named, phase_of(pod), reason, message))
    for one in found:
        if fault := _container_fault(one):
            yield Found("container", fault, pod, _container_facts(pod, one))
    phase = phase_of(pod)
    if phase is not None and phase.text == "Pending" and not any(one.text("reason") for one in found):
        yield Found("state", "pod.pending", pod, told(pod.named, phase))


def _container_fault(one: Container) -> str:
    """Return what the state of a container says is wrong; the state before it where that says more."""
    reason, last = one.text("reason"), one.text("last_reason")
    if "OOMKilled" in (reason, last) and (reason in _ENDED or one.text("ready") in _NO):
        return "pod.oom_killed"
    if reason in _PULL | _UNSTARTED or last in _UNSTARTED:
        messages = f"{one.text('state_message')}\n{one.text('last_message')}"
        return fault_of("Pod", reason if reason in _PULL | _UNSTARTED else last, messages)
    ended = _ended_fault(one)
    if reason == "CrashLoopBackOff":
        return ended or ("container.completed" if last == "Completed" else "pod.crash_loop")
    if reason in _ENDED or one.text("exit_code") not in ("", "0"):
        return ended or _DEFAULT
    if reason and one.text("state_message") and reason not in _STARTING:
        # A reason that no list knows, with its message: the container waits because of it.
        return fault_of("Pod", reason, one.text("state_message")) or "container.start_failed"
    runs = one.text("state") == "Running" or one.node.at("state", "running") is not NOTHING
    return "container.not_ready" if runs and one.text("ready") in _NO else ""


def _ended_fault(one: Container) -> str:
    """Return what the last words of a container say, which the kubelet may copy from its log."""
    found = (fault_of_line(one.text(role)) for role in ("last_message", "state_message"))
    return next((fault for fault in found if fault and fault != GENERAL), "")


def _container_facts(pod: Subject, one: Container) -> list[Said]:
    roles = [
        "reason",
        "state_message",
        "exit_code",
        "last_reason",
        "last_exit_code",
        "last_finished",
        "last_message",
        "restarts",
    ]
    roles += ["ready"] if one.text("ready") in _NO else []
    if "OOMKilled" in (one.text("reason"), one.text("last_reason")):
        roles.append("memory_limit")
    if one.text("reason") in _PULL:
        roles.append("image")
    # How often it was begun again, and since when, stands beside the last back-off.
    age = next((event.age for event in reversed(pod.events) if event.reason.text == "BackOff"), None)
    return told(pod.named, _named(one), *map(one.said, roles), age)


def _named(one: Container) -> Said:
    described = Said("container", one.node.key, one.source, one.node.line)
    return said_at(one.source, one.node, "container", ("spec", "name")) or described


def _condition_findings(pod: Subject) -> Iterator[Found]:
    """Yield what the scheduler wrote into the pod itself, for want of its event."""
    for view in pod.whole[:1]:
        for each in view.root.at("status", "conditions").children:
            message = said_at(view.source, each, "message", ("message",))
            if each.at("status").text == "False" and message and each.at("type").text == "PodScheduled":
                fault = fault_of("Pod", "FailedScheduling", message.text)
                yield Found("event", fault, pod, told(pod.named, phase_of(pod), message))
