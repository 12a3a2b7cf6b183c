"""Which objects of a cluster a question is about: by name, by its beginning, by kind, by namespace."""

import re
from dataclasses import dataclass
from functools import cached_property

from services.common.evidence.instants import instants_in
from services.executor.analyst.reading.cluster import ClusterFinding, ClusterReport
from services.executor.analyst.reading.ids import ids_of
from services.executor.analyst.reading.words import seconds_of, vocabulary

_WORD = re.compile(r"[A-Za-z0-9](?:[\w.-]*[A-Za-z0-9])?")
_CAMEL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")
# Words of questions and of kinds: as the beginning of a name they would select anything.
_COMMON = vocabulary(
    "a all an and app application are at be been by cause cluster container containers crash crashing"
    " default deployment deployments down error failed failing failure for from has have high how i in is"
    " issue it its job jobs kube kubernetes latency low my namespace no node nodes not of on or out pod pods"
    " problem service services slow state system test that the there this to unhealthy was we what when"
    " where which why with working workload wrong"
)
_KINDS = {
    "job": "Job",
    "jobs": "Job",
    "cronjob": "CronJob",
    "deployment": "Deployment",
    "statefulset": "StatefulSet",
    "daemonset": "DaemonSet",
    "node": "Node",
    "nodes": "Node",
    "pvc": "PersistentVolumeClaim",
    "persistentvolumeclaim": "PersistentVolumeClaim",
    "ingress": "Ingress",
    "service": "Service",
    "hpa": "HorizontalPodAutoscaler",
    "autoscaler": "HorizontalPodAutoscaler",
    "quota": "ResourceQuota",
    "pdb": "PodDisruptionBudget",
}
_MIN_BEGINNING = 3
_ANY_KIND = (
    r"(?:pod|deployment|statefulset|daemonset|replicaset|service|job|cronjob|workload|container|ingress|pvc"
    r"|persistentvolumeclaim|hpa)s?"
)
_NAME = r"(?P<name>[A-Za-z0-9][\w./-]{1,252})"
_THE_NAME = rf"(?:(?:the|my|our|your|this|that|these|those|all) )?(?:{_ANY_KIND} )?{_NAME}"
_TROUBLE = r"(?:wrong|issues?|problems?|trouble|matter|happen\w*|going on|up)"
_VERB = r"(?:is|are|was|were|does|do|did|has|have|can(?:'?t|not)?)"
# Where a question names what it is about. Behind a kind, and before it, names are told by their hyphens.
_NAMING = tuple(
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        rf"\b{_TROUBLE} (?:with|to|in) {_THE_NAME}",
        rf"\bwhy {_VERB} {_THE_NAME}",
        rf"\b{_ANY_KIND} (?=\S*[-/]){_NAME}",
        rf"(?<!\S)(?=\S*-){_NAME} {_ANY_KIND}\b",
    )
)
# What a question can be about that is no object of a cluster, in words that stand where a name could.
_TOPICS = vocabulary(
    """last it its they there some something anything everything nothing one many multiple several any
    new old recent latest other
    website site webpage page pages homepage ui users user customers customer clients client people
    dns image images network networking storage volume volumes memory cpu disk scheduling login traffic
    requests request deployment rollout release pulling scaling starting connectivity performance
    kubectl helm argo argocd"""
)
_NAMESPACE = tuple(
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        r"\bnamespace[:=]? +[\"'`]?([a-z0-9][a-z0-9-]{0,62})\b",
        r"\b([a-z0-9][a-z0-9-]{0,62})[\"'`]? +namespace\b",
    )
)
# What stands beside the word and is no name of one.
_ANY_NAMESPACE = vocabulary("our same whole entire every each any other this these with has had whose")
_ABOUT_RESTARTS = vocabulary(
    """restart restarts restarted restarting crash crashes crashed crashing loop looping die dies died dying
    kill kills killed exit exits exited exiting oom oomkilled terminated terminating flapping reboot rebooted
    reboots"""
)
_ABOUT_EVICTIONS = vocabulary(
    "drain drains drained draining evict evicts evicted evicting eviction evictions pdb budget disruption"
)
_ABOUT_ROLLOUTS = vocabulary(
    """rollout rollouts rolling rolled roll deploy deploys deployed deploying release released update updates
    updated updating upgrade upgraded version image paused progress progressing"""
)
# How kubectl writes ages of two days and more: 16d, 2d3h, 1y20d.
_DAYS = re.compile(r"\d+[dy]")
_PAST_SECONDS = 86_400.0
_ABOUT_PODS = vocabulary(
    """app application applications apps container containers image images pod pods pull schedule scheduled
    scheduling start starting workload workloads"""
)
_ABOUT_SPEED = vocabulary("latency slow slowness slower sluggish performance throughput")
_ABOUT_USE = vocabulary("cpu memory disk usage utilization utilisation load overloaded")
_ABOUT_TIME = vocabulary("latency slow slowness slower performance timeouts timeout delay delays")


@dataclass(frozen=True)
class ClusterQuestion:
    """A question, held against the names of a cluster."""

    question: str
    report: ClusterReport

    @cached_property
    def names(self) -> frozenset[str]:
        """The known names that the question uses; else those that begin with a word of it."""
        if self._exact:
            return self._exact
        words = [word for word in self._words if len(word) >= _MIN_BEGINNING and word not in _COMMON]
        return frozenset(
            name for name in self.report.names if any(name.lower().startswith(f"{word}-") for word in words)
        )

    @cached_property
    def namespaces(self) -> frozenset[str]:
        """The known namespaces that the question uses."""
        return self.report.namespaces & self._words

    @cached_property
    def strange_namespaces(self) -> tuple[str, ...]:
        """The namespaces that the question names and nothing found is in, where any are stated."""
        if self.namespaces or not self.report.namespaces:
            return ()
        said = (match[1] for pattern in _NAMESPACE for match in pattern.finditer(self.question))
        return tuple(dict.fromkeys(name for name in said if name.lower() not in _COMMON | _ANY_NAMESPACE))

    @cached_property
    def strangers(self) -> tuple[str, ...]:
        """The names that the question uses and nothing found goes by: what is found is of others, then."""
        if self.names:
            return ()
        said = (
            match["name"].rpartition("/")[2] for naming in _NAMING for match in naming.finditer(self.question)
        )
        known = _COMMON | _TOPICS | _KINDS.keys() | {each.lower() for each in self.report.namespaces}
        known |= {each.lower() for each in self.strange_namespaces}
        names = (each.strip("./-") for each in said)
        return tuple(
            dict.fromkeys(name for name in names if name.lower() not in known and not self._is_numbered(name))
        )

    def _is_numbered(self, name: str) -> bool:
        """Tell whether a number follows a word: an order or a request, and no object of a cluster."""
        return re.search(rf"\b{re.escape(name)} #?\d", self.question) is not None

    @cached_property
    def ids(self) -> tuple[str, ...]:
        """The ids that it names, which lines of logs may hold."""
        return ids_of(self.question, self.report.names)

    @cached_property
    def asks_of_time(self) -> bool:
        """Tell whether the question is about how long something takes."""
        return bool(self._plain & _ABOUT_TIME)

    @cached_property
    def asks_of_speed(self) -> bool:
        """Tell whether the question is about how fast something works, and not how soon it is there."""
        return bool(self._plain & _ABOUT_SPEED) and not self.asks_of_rollouts

    @property
    def asks_of_performance(self) -> bool:
        """Tell whether the question is about how well something works that does work."""
        return self.asks_of_speed or bool(self._plain & _ABOUT_USE)

    @cached_property
    def asks_of_evictions(self) -> bool:
        """Tell whether the question is about pods that are to leave their node."""
        return bool(self._plain & _ABOUT_EVICTIONS)

    @cached_property
    def asks_of_rollouts(self) -> bool:
        """Tell whether the question is about a new version that is to come."""
        return bool(self._plain & _ABOUT_ROLLOUTS)

    @cached_property
    def asks_when(self) -> bool:
        """Tell whether the question is about when something was so."""
        return bool(self._words & {"when", "since", "long"})

    @cached_property
    def asks_of_scaling(self) -> bool:
        """Tell whether the question is about how many replicas are made."""
        return any(word.startswith(("scal", "autoscal")) or word == "hpa" for word in self._plain)

    @cached_property
    def asks_of_restarts(self) -> bool:
        """Tell whether the question is about what ended and began again."""
        return bool(self._plain & _ABOUT_RESTARTS)

    def is_long_past(self, finding: ClusterFinding) -> bool:
        """Tell whether an event is of days before, and nothing else shows its object in trouble now."""
        if not finding.is_of_event or any(map(finding.is_borne_out_by, self.report.findings)):
            return False
        seen = seconds_of(finding.seen)
        return bool(_DAYS.match(finding.seen)) or (seen is not None and seen < self._newest - _PAST_SECONDS)

    @cached_property
    def _newest(self) -> float:
        """The last time that the question or an event states, in seconds since the epoch."""
        asked = [each.start / 1e6 for _, _, each in instants_in(self.question) if each.dated]
        seen = [seconds for each in self.report.findings if (seconds := seconds_of(each.seen)) is not None]
        return max([*asked, *seen], default=0.0)

    @property
    def is_elsewhere(self) -> bool:
        """Tell whether the very name is recorded that is asked about, and nothing of the namespace."""
        return bool(self._exact and self.strange_namespaces)

    def concerns(self, finding: ClusterFinding) -> bool:
        """Tell whether a finding is about what is asked; about anything wrong where nothing is named."""
        asked = self.namespaces - {"default"} or frozenset(self.strange_namespaces)
        if asked and not self.is_elsewhere and finding.namespace not in ("", *asked):
            return False
        if self.names:
            bounds = finding.is_of_budget and self.asks_of_evictions
            return bool(finding.about & self.names) or bounds or finding in self._quotas
        if self._of_kind:
            return finding.kind in self._kinds or bool(finding.about & self._of_kind)
        return not self.kin or finding.kind in self._kinds or self._is_tied(finding)

    @cached_property
    def kin(self) -> list[ClusterFinding]:
        """The objects of the kinds that the question speaks of, where nothing is wrong with any of them."""
        if self.names or self._of_kind:
            return []
        return [each for each in self.report.well if each.kind in self._kinds]

    @property
    def asks_of_well_nodes(self) -> bool:
        """Tell whether the question is about nodes, which are well, and not about what runs on them."""
        return bool(self.kin) and self._kinds == {"Node"} and not self._plain & _ABOUT_PODS

    def _is_tied(self, finding: ClusterFinding) -> bool:
        """Tell whether a finding matters to one of them, or is of a pod of theirs: one on a node."""
        is_pod = finding.kind == "Pod"
        return any(each.name in finding.about or (is_pod and finding.name in each.about) for each in self.kin)

    def is_named(self, finding: ClusterFinding) -> bool:
        """Tell whether the question names the object itself."""
        return finding.name in self.names

    @cached_property
    def _exact(self) -> frozenset[str]:
        return frozenset(name for name in self.report.names if name.lower() in self._words) - _COMMON

    @cached_property
    def _kinds(self) -> frozenset[str]:
        return frozenset(_KINDS[word] for word in self._plain if word in _KINDS)

    @cached_property
    def _of_kind(self) -> frozenset[str]:
        """The names of the troubled objects of the kinds that the question speaks of."""
        return frozenset(each.name for each in self.report.findings if each.kind in self._kinds)

    @cached_property
    def _quotas(self) -> list[ClusterFinding]:
        """The spent quotas of the namespaces in which what is named has fewer pods than it should."""
        short = {
            each.namespace
            for each in self.report.findings
            if each.fault == "workload.replicas_missing" and each.about & self.names
        }
        spent = (each for each in self.report.findings if each.kind == "ResourceQuota")
        return [each for each in spent if each.namespace and each.namespace in short]

    @cached_property
    def _words(self) -> frozenset[str]:
        return frozenset(word.lower() for word in _WORD.findall(self.question))

    @cached_property
    def _plain(self) -> frozenset[str]:
        split = _CAMEL.sub(" ", self.question)
        return self._words | frozenset(word.lower() for word in _WORD.findall(split))
