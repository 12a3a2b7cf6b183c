"""What the warnings about an object state, as far as nothing later says that it is over."""

from collections.abc import Iterator, Sequence
from typing import Final

from services.executor.tools.kubernetes.cluster import Event, Said, Subject
from services.executor.tools.kubernetes.found import Found, told
from services.executor.tools.kubernetes.signs import fault_of

# The event after which those before it say nothing of now.
_ENDED_BY: Final = {
    "FailedScheduling": ("Scheduled",),
    "NodeNotReady": ("NodeReady",),
    "FailedCreate": ("SuccessfulCreate",),
    "FailedMount": ("Started",),
    "FailedAttachVolume": ("SuccessfulAttachVolume",),
    "FailedCreatePodSandBox": ("Started", "Created"),
    "ProvisioningFailed": ("ProvisioningSucceeded",),
    "FailedBinding": ("ProvisioningSucceeded",),
    "ExternalProvisioning": ("ProvisioningSucceeded",),
    "WaitForFirstConsumer": ("ProvisioningSucceeded",),
    "WaitForPodScheduled": ("ProvisioningSucceeded",),
    "JobAlreadyActive": ("SuccessfulCreate",),
    "FailedNeedsStart": ("SuccessfulCreate",),
    "MissSchedule": ("SuccessfulCreate",),
    "TooManyMissedTimes": ("SuccessfulCreate",),
    "SyncLoadBalancerFailed": ("EnsuredLoadBalancer",),
    "CreatingLoadBalancerFailed": ("EnsuredLoadBalancer",),
    "VolumeResizeFailed": ("VolumeResizeSuccessful", "FileSystemResizeSuccessful"),
}
# Warnings that say again what the state of a container says.
_REPEATED: Final = frozenset({"BackOff", "Failed", "Unhealthy", "FailedSync"})
# What Kubernetes writes as normal although a claim, or the next run, waits because of it.
_NORMAL: Final = frozenset(
    {"FailedBinding", "ExternalProvisioning", "WaitForFirstConsumer", "WaitForPodScheduled"}
    | {"JobAlreadyActive"}
)


def event_findings(subject: Subject, *more: Said | None) -> Iterator[Found]:
    """Yield one finding per fault that warnings about an object state, with the last message of each.

    That an object waits says little where a warning says why.
    """
    last: dict[str, Event] = {}
    unknown: dict[str, Event] = {}
    for position, event in enumerate(subject.events):
        told_of = event.is_warning or event.reason.text in _NORMAL
        if not told_of or _is_over(event, subject.events[position + 1 :]):
            continue
        if fault := fault_of(subject.kind, event.reason.text, event.message.text):
            last[fault] = event
        elif event.type == "Warning" and event.reason.text not in _REPEATED and subject.kind != "Node":
            unknown[event.reason.text] = event
    warned = any(event.is_warning for event in last.values())
    for fault, event in last.items():
        if event.is_warning or not warned:
            said = told(subject.named, *more, event.reason, event.message, event.detail, event.age)
            yield Found("event", fault, subject, said)
    # Of what no rule knows it is told what it says, where nothing else is known.
    for event in unknown.values() if not last else ():
        said = told(subject.named, *more, event.reason, event.message, event.detail, event.age)
        yield Found("event", "", subject, said)


def _is_over(event: Event, later: Sequence[Event]) -> bool:
    ended = _ENDED_BY.get(event.reason.text, ())
    return any(one.reason.text in ended for one in later)
