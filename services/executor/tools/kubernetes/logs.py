"""What the logs of containers tell of their pods."""

import re
from collections.abc import Iterator
from typing import Final

from services.executor.sources import kinds
from services.executor.sources.bundle import Bundle
from services.executor.sources.kinds import Form
from services.executor.sources.kubernetes.container_logs import (
    is_previous,
    is_refusal,
    names_nobody,
    owner_of_log,
    pod_of_log,
)
from services.executor.sources.sniff import Source
from services.executor.sources.stop import Stop, StoppedError
from services.executor.tools.kubernetes.cluster import WORKLOADS, Cluster, Said, Subject
from services.executor.tools.kubernetes.container_log import Line, Summary, is_on_dependency, summarize
from services.executor.tools.kubernetes.found import Found, told
from services.executor.tools.kubernetes.pods import container_name, containers
from services.executor.tools.kubernetes.ties import stems

_NAME: Final = re.compile(r"[A-Za-z0-9](?:[\w-]*[A-Za-z0-9])?")
# A log that cannot be given to a pod is told of under this kind.
UNPLACED: Final = "Log"
MAX_LOGS: Final = 200
# The log of a run that ended, and of one that may go on; how long something took.
LOG_RULES: Final = ("previous", "log", "slow")


class Logs:
    """The summaries of the logs of a bundle, as far as they are a pod's or nobody else's."""

    def __init__(self, bundle: Bundle, cluster: Cluster, stop: Stop) -> None:
        self.cut = False
        self.read: list[tuple[str, Subject | None, Summary]] = []
        self._owners = _owners(cluster)
        self._services = [one.name for one in cluster.of_kind("Service")] + cluster.workload_names
        self._pods = {pod.name: pod for pod in cluster.pods}
        sources = [one for one in bundle.of_kind(kinds.LOG) if one.form is Form.TEXT]
        self.cut = len(sources) > MAX_LOGS
        within = stop.sooner()
        for source in sources[:MAX_LOGS]:
            try:
                self._read(bundle, source, within)
            except StoppedError:
                stop.check()
                self.cut = True
                return

    def of(self, subject: Subject) -> Iterator[tuple[str, Summary]]:
        """Yield the logs of a pod, or of a workload where it is not known which of its pods wrote them."""
        yield from ((source, made) for source, owner, made in self.read if owner is subject)

    def calls(self, what: str, caller: Subject) -> bool:
        """Tell whether an operation names a recorded service or workload, other than its own."""
        own = {caller.name, *stems(caller)}
        words = set(_NAME.findall(what))
        return any(name in words for name in {*self._services, *self._owners} - own)

    def of_unseen(self) -> list[Subject]:
        """Return the owners that are no recorded objects: the names that recorded pods begin with."""
        owners = [owner for _, owner, _ in self.read if owner is not None and not owner.kind]
        return list(dict.fromkeys(owners))

    def unplaced(self) -> Iterator[tuple[str, Summary]]:
        """Yield the logs whose names say only how they were fetched."""
        yield from ((source, made) for source, owner, made in self.read if owner is None)

    def _read(self, bundle: Bundle, source: Source, stop: Stop) -> None:
        log = bundle.log(source)
        first = next((line.text for line in log.read(stop) if line.text.strip()), "")
        owner = self._owner(source.name, first)
        if is_refusal(first) or not (owner or names_nobody(source.name)):
            return
        reading = log.read(stop)
        made = summarize((line.n, line.text) for line in reading)
        self.cut = self.cut or reading.extent.cut
        self.read.append((source.name, owner, made))

    def _owner(self, source: str, first: str) -> Subject | None:
        name = pod_of_log(source, first, self._pods)
        if name in self._pods:
            return self._pods[name]
        if len(self._pods) == 1 and names_nobody(source):
            return next(iter(self._pods.values()))
        owner = self._owners.get(owner_of_log(name or source, self._owners))
        return owner or self._of_container(source)

    def _of_container(self, source: str) -> Subject | None:
        """Return the only pod that has a container which a log is named after."""
        stem = source.rpartition("/")[2].partition(".")[0]
        found = [
            pod
            for pod in self._pods.values()
            if any(stem == container_name(one) for view in pod.whole for one in containers(view))
        ]
        return found[0] if len(found) == 1 else None


def _owners(cluster: Cluster) -> dict[str, Subject]:
    """Return what logs may be named after: workloads, and what the names of pods begin with.

    Of a beginning that only one pod has, that pod is meant.
    """
    beginnings: dict[str, list[Subject]] = {}
    for pod in cluster.pods:
        for stem in stems(pod):
            beginnings.setdefault(stem, []).append(pod)
    found = {
        stem: pods[0] if len(pods) == 1 else Subject("", pods[0].namespace, stem, pods[0].views[:1])
        for stem, pods in beginnings.items()
    }
    return {**{one.name: one for one in cluster.of_kind(*WORKLOADS)}, **found}


def log_findings(pod: Subject, logs: Logs, crashed: bool) -> Iterator[Found]:
    """Yield what the logs of a pod tell; of one that ended at least the last line."""
    seen: set[str] = set()
    for source, made in logs.of(pod):
        for found in _of_log(pod, source, made, told(pod.named), crashed, logs):
            line = next(each.text for each in found.said if each.role in ("line", "longest"))
            if line not in seen:
                seen.add(line)
                yield found


def unplaced_findings(logs: Logs) -> Iterator[Found]:
    """Yield what logs tell of which no name says whose they are."""
    for source, made in logs.unplaced():
        yield from _of_log(Subject(UNPLACED, "", source), source, made, [], True, logs)


def _of_log(
    subject: Subject, source: str, made: Summary, first: list[Said], crashed: bool, logs: Logs
) -> Iterator[Found]:
    rule = LOG_RULES[0] if is_previous(source) else LOG_RULES[1]
    shape = made.decisive()
    slowest = made.slowest()
    if shape is None and slowest is None and not crashed:
        shape = made.warning()
    if shape is not None:
        counts = {"lines": made.lines, "matching": shape.count, "after": made.lines - shape.position}
        around = (("line", shape.last), ("peer", shape.peer), ("frame", shape.frame))
        said = [_line(role, source, line) for role, line in around if line.n]
        yield Found(rule, shape.fault, subject, [*first, *said], counts)
    elif slowest is not None:
        what, slow = slowest
        counts = {"lines": made.lines, "matching": slow.count, "slow": slow.slow}
        fault = "dependency.slow" if is_on_dependency(what) or logs.calls(what, subject) else ""
        ends = [_line("shortest", source, slow.shortest[1]), _line("longest", source, slow.longest[1])]
        yield Found("slow", fault, subject, told(*first, *ends), counts)
    elif crashed and made.last.n:
        yield Found(rule, "", subject, [*first, _line("line", source, made.last)], {"lines": made.lines})


def _line(role: str, source: str, line: Line) -> Said:
    return Said(role, line.text, source, line.n)
