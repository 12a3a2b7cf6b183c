"""What is claimed of a cluster: what is wrong with what the question is about, why, or that it is well."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

from services.common.evidence.document import ComponentKind, EvidenceBinding
from services.common.evidence.kubernetes_faults import KUBERNETES_FAULTS
from services.common.evidence.strict_json import Json
from services.executor.analyst.account.cluster_question import ClusterQuestion
from services.executor.analyst.reading.cluster import ClusterFinding, ClusterReport
from services.executor.analyst.reading.spot import Spot
from services.executor.analyst.wording.cluster import (
    counted_clause,
    log_clause,
    meaning_of,
    name_of,
    state_of,
    stated_of,
    when_of,
)
from services.executor.analyst.wording.findings import Finding, Part, number, sentence

MAX_SYMPTOMS = 6
MAX_CAUSES = 3
MAX_WELL = 3
MAX_STRANGERS = 3
MAX_ALSO_SEEN = 2
_CRITICAL_SYMPTOMS = 2
# A finding of this rule quotes the line of the log that it explains.
_EXPLAINS_ITS_LOG = "policy"
# Nor may all that there is have been recorded.
_NOT_RECORDED = "absent"
_RANK = {fault: rank for rank, fault in enumerate(KUBERNETES_FAULTS)}
# Of these nothing can be made but a symptom: they say only that something is missing or not ready.
_BARE = frozenset(
    {"", "pod.pending", "container.not_ready", "pvc.pending", "workload.replicas_missing", "job.failed"}
    | {"pod.terminating"}
)
# Faults that say how an object is, not why: symptoms, and directions where nothing else is known.
_STATES = _BARE | {
    "workload.progress_deadline",
    "pod.crash_loop",
    "container.exited",
    "job.backoff_limit",
    "service.no_endpoints",
    "pod.unschedulable_volume",
    "image.pull_failed",
    "hpa.at_maximum",
    "pvc.waits_for_pod",
}
# A node that is being drained is closed for that.
_OF_DRAINS = frozenset({"disruption_budget.exhausted", "node.drain_refused"})
# A line that names no fault tells why a program ended only where it stands at the end of the log.
_GENERAL = "container.failure_logged"
_LAST_LINES = 10
_OFTEN = 3
_KINDS: dict[str, ComponentKind] = {
    "Pod": "pod",
    "Job": "job",
    "CronJob": "job",
    "Node": "node",
    "PersistentVolumeClaim": "volume",
    "Service": "network",
    "Ingress": "network",
    "PodDisruptionBudget": "workload",
    "Deployment": "workload",
    "StatefulSet": "workload",
    "DaemonSet": "workload",
    "ReplicaSet": "workload",
}


@dataclass(frozen=True)
class ClusterAccount:
    """The claims on a cluster; none where nothing of one was recorded."""

    report: ClusterReport
    question: ClusterQuestion

    @cached_property
    def selected(self) -> list[ClusterFinding]:
        """Return the findings that the question is about, the most telling first."""
        found = [
            each
            for each in self.report.findings
            if not each.is_unplaced
            and self.question.concerns(each)
            and (self.question.asks_of_time or not each.tells_of_time)
            and (self.question.asks_of_restarts or not each.is_over)
            and self._is_wanted(each)
        ]
        return sorted(found, key=lambda each: (each.rule == "row", _RANK.get(each.fault, len(_RANK))))

    def _is_wanted(self, each: ClusterFinding) -> bool:
        """Tell whether it answers the question: what somebody wanted to be so, or a warning of any kind."""
        if each.is_of_budget:
            return self.question.asks_of_evictions
        if each.fault == "workload.paused":
            return self.question.asks_of_rollouts
        if each.rule == _NOT_RECORDED and self.question.asks_of_performance:
            # What leads nowhere is not slow.
            return bool(self.question.names)
        if each.is_unknown or (each.is_of_log and not each.fault and each.count("matching").count):
            return bool(self.question.names)
        return self.question.is_named(each) or not each.is_intended

    @property
    def answers(self) -> bool:
        """Tell whether anything of what is asked about was recorded."""
        return bool(self.selected or self._unplaced or self.well())

    @cached_property
    def causes(self) -> list[Finding]:
        """Return what states why: mechanisms before what only says how something is."""
        stated = [each for each in self.selected if not self._is_state(each) and not each.is_of_log]
        sure = [each for each in stated if not any(_leads_to(one, each) for one in stated)]
        explained = {each.name for each in sure if each.rule == _EXPLAINS_ITS_LOG}
        logs = [
            each
            for each in self.selected
            if each.is_of_log and each.fault and each.name not in explained and self._matters(each)
        ]
        made = [self._cause(each) for each in (*sure, *logs)]
        if not logs:
            made += [self._direction(each) for each in self._unplaced if each.fault]
        if not made:
            told = (each for each in self.selected if not each.is_of_log or self._matters(each))
            made = [self._cause(each) for each in told if each.fault not in _BARE]
        return _distinct(made)[:MAX_CAUSES]

    def symptoms(self) -> list[Finding]:
        """Return how the objects in question are, those that the question names first."""
        found = sorted(
            self.selected,
            key=lambda each: (
                each.is_of_log,
                not self.question.is_named(each),
                not state_of(each),
                each.rule == "event",
            ),
        )
        made: dict[str, Finding] = {}
        for each in found:
            key = each.lines[-1].at("text").text if each.is_of_log else each.name
            parts = _lines(each) if each.is_of_log else _said_of(each)
            if parts and (self.question.asks_when or self.question.is_long_past(each)):
                parts = [*parts, *when_of(each)]
            if parts and key not in made:
                critical = len(made) < _CRITICAL_SYMPTOMS and not self.question.strangers
                made[key] = Finding("symptom", "confirmed", each.name, _about(each, parts), critical=critical)
        unplaced = [
            Finding("symptom", "confirmed", "", sentence(*_lines(each)), critical=True)
            for each in self._unplaced
        ]
        return [*list(made.values())[:MAX_SYMPTOMS], *unplaced, *self._also_seen()]

    def _also_seen(self) -> list[Finding]:
        """Return how objects are that nothing ties to those that the question speaks of and that are well."""
        others = (
            each
            for each in self.report.findings
            if self.question.kin and not self.question.concerns(each) and not each.is_of_log
        )
        told = [each for each in others if not (each.is_over or each.is_intended) and state_of(each)]
        made = (Finding("symptom", "confirmed", each.name, _about(each, state_of(each))) for each in told)
        return list({each.component: each for each in made}.values())[:MAX_ALSO_SEEN]

    def well(self) -> list[Finding]:
        """Return that what is asked about is well, where nothing that was recorded of it says otherwise."""
        troubled = any(not each.is_of_log for each in self.selected) or bool(self._unplaced)
        if troubled and not self.question.asks_of_well_nodes:
            return []
        if not (self.question.names or self.question.kin):
            return []
        failing = {each.name for each in self.selected if each.is_of_log and self._matters(each)}
        asked = [
            each
            for each in self.report.well
            if self.question.concerns(each)
            and each.name not in failing
            and state_of(each)
            # A node stands behind its pods, and these before it: it answers who asks of it.
            and (each in self.question.kin or self.question.is_named(each) or each.kind != "Node")
            and (each in self.question.kin or not self.question.kin)
        ]
        return [
            Finding("context", "confirmed", each.name, _about(each, _well(each)), critical=not self.selected)
            for each in asked[:MAX_WELL]
        ]

    def inventories(self) -> list[dict[str, Json]]:
        """Return what to count: objects of strange names and namespaces; the pods, where none is troubled."""
        if not self.report.objects:
            return []
        asked = self.question
        strange: list[dict[str, Json]] = [{"names": [name]} for name in asked.strangers[:MAX_STRANGERS]]
        strange += [{"namespaces": [name]} for name in asked.strange_namespaces[:MAX_STRANGERS]]
        if strange or self.answers:
            return strange
        pods: dict[str, Json] = {"kinds": ["Pod"], "where": [{"fact": "well", "texts": ["true"]}]}
        return [pods | ({"namespaces": [*sorted(asked.namespaces)]} if asked.namespaces else {})]

    def counted(self, inventories: Iterable[Spot]) -> list[Finding]:
        """Say what inventories counted: which names nothing goes by, and that all pods are well."""
        said = (counted_clause(each) for each in inventories)
        return [
            Finding("context", "confirmed", "", sentence(*parts), critical=False) for parts in said if parts
        ]

    def sources(self) -> dict[str, list[str]]:
        """Return the sources of what is claimed, each with the names of the objects to read there."""
        found: dict[str, set[str]] = {}
        for each in self._claimed:
            for excerpt in each.fields:
                found.setdefault(excerpt.at("source").text, set()).add(each.name)
        return {source: sorted(names) for source, names in found.items()}

    def lines(self) -> Iterator[tuple[str, str]]:
        """Yield the log lines that are claimed: source and text."""
        for each in [*self._claimed, *self._unplaced]:
            for line in each.lines:
                yield line.at("source").text, line.at("text").text

    @property
    def _claimed(self) -> list[ClusterFinding]:
        return self.selected[: MAX_SYMPTOMS + MAX_CAUSES]

    def _cause(self, each: ClusterFinding) -> Finding:
        """Return a cause; confirmed where the object itself, or the log of one that failed, states it."""
        stated = not self._is_state(each) and (not each.is_of_log or self._explains(each))
        others = bool(self.question.names) and each.about.isdisjoint(self.question.names)
        if each.rule == _NOT_RECORDED or others or self.question.strangers or self.question.is_elsewhere:
            stated = False
        if each.is_of_budget and not self.question.is_named(each):
            # Whether its pods are those that are to be evicted is not known.
            stated = False
        if each.rule == _EXPLAINS_ITS_LOG:
            stated = each.excerpt("isolation") is not None
        if self.question.asks_of_speed and not self.question.names and not each.tells_of_time:
            # That it makes anything slow is not stated.
            stated = False
        if self.question.asks_of_well_nodes and each.kind != "Node":
            # What is wrong with a pod is not why its node, which is well, would not be.
            stated = False
        past = self.question.is_long_past(each)
        stated = stated and not past
        return Finding(
            "cause",
            "confirmed" if stated else "possible",
            each.name,
            _about(each, [*meaning_of(each), *(when_of(each) if past else [])]),
            critical=stated,
            component_kind=_KINDS.get(each.kind, ""),
            fault=each.fault,
            support=_support(each),
        )

    def _is_state(self, each: ClusterFinding) -> bool:
        """Tell whether a fault only says how an object is; that it may not grow is why it does not."""
        limits = each.fault == "hpa.at_maximum" and self.question.asks_of_scaling
        return each.fault in _STATES and not limits

    def _explains(self, line: ClusterFinding) -> bool:
        """Tell whether a line of a log says why: its object is seen to have failed as well.

        What runs again failed before: then the log of its last run tells. What was slow is told by the
        line itself.
        """
        if line.tells_of_time:
            return self._is_only_slow(line)
        found = [
            one
            for one in self.selected
            if line.name in one.about and not one.is_of_log and one.rule != _EXPLAINS_ITS_LOG
        ]
        failed = any(line.is_of_ended_run or not one.is_over for one in found)
        if line.fault != _GENERAL:
            return failed
        known = any(one.fault not in _STATES for one in found)
        return failed and not known and line.count("after").count <= _LAST_LINES

    def _matters(self, line: ClusterFinding) -> bool:
        """Tell whether a line can be the trouble: one failure among many lines of what is well is none.

        One that holds an id of the question is what was asked about.
        """
        if any(each in spot.at("text").text for spot in line.lines for each in self.question.ids):
            return True
        if line.fault not in ("", _GENERAL) or line.name not in {each.name for each in self.report.well}:
            return True
        return line.count("after").count <= _LAST_LINES or line.count("matching").count >= _OFTEN

    def _is_only_slow(self, line: ClusterFinding) -> bool:
        """Tell whether most of its calls were slow, and nothing else slow or wrong was recorded."""
        others = any(one.name != line.name or not one.is_of_log for one in self.report.findings)
        mostly = 2 * line.count("slow").count > line.count("matching").count
        return bool(line.fault) and mostly and not others

    @cached_property
    def _unplaced(self) -> list[ClusterFinding]:
        """The logs of nobody known, where only one object can be meant by them."""
        if self._subject is None or any(each.is_of_log for each in self.selected):
            return []
        found = [each for each in self.report.findings if each.is_unplaced]
        return [each for each in found if self.question.asks_of_time or not each.tells_of_time]

    @cached_property
    def _subject(self) -> ClusterFinding | None:
        """The object that the question is about, where it is about one and its kin."""
        asked = [*self.selected, *(each for each in self.report.well if self.question.concerns(each))]
        named = [each for each in asked if self.question.is_named(each)]
        if named:
            return named[0]
        alone = len({each.name for each in asked}) == 1 or bool(self.question.names)
        return asked[0] if asked and alone else None

    def _direction(self, line: ClusterFinding) -> Finding:
        """Return what a log without an owner states, as a direction for the object in question."""
        subject = self._subject
        parts: list[Part] = [*name_of(subject), ": "] if subject else []
        return Finding(
            "cause",
            "possible",
            subject.name if subject else "",
            sentence(*parts, *meaning_of(line)),
            component_kind=_KINDS.get(subject.kind, "") if subject else "",
            fault=line.fault,
        )


def _leads_to(cause: ClusterFinding, other: ClusterFinding) -> bool:
    """Tell whether one finding says why another one is: pods that are refused, a node that is drained."""
    if other.fault == "workload.create_refused":
        return cause.rule == "event" and cause.fault != other.fault and other.name in cause.about
    return other.fault == "node.cordoned" and cause.name == other.name and cause.fault in _OF_DRAINS


def _support(each: ClusterFinding) -> list[EvidenceBinding]:
    """Return what bears out that a policy is one of the network: its own text may not say so."""
    binding = each.spot.at("fault").bind() if each.rule == _EXPLAINS_ITS_LOG else None
    return [binding] if binding is not None else []


def _about(each: ClusterFinding, parts: Sequence[Part]) -> list[Part]:
    return sentence(*name_of(each), ": ", *parts)


def _said_of(each: ClusterFinding) -> list[Part]:
    """Return how an object is; of a warning that no rule knows what it says."""
    return stated_of(each) if each.is_unknown else state_of(each) or stated_of(each)


def _lines(each: ClusterFinding) -> list[Part]:
    return log_clause(each, "line") or log_clause(each, "longest")


def _well(each: ClusterFinding) -> list[Part]:
    counts: list[Part] = [number(each.count("warnings")), " warnings among ", number(each.count("events"))]
    return ["looks healthy: ", *state_of(each), "; ", *counts, " recorded events"]


def _distinct(causes: Iterable[Finding]) -> list[Finding]:
    """Return one cause per fault and kind of component, the confirmed ones first."""
    first: dict[tuple[str, str], Finding] = {}
    for each in sorted(causes, key=lambda each: each.status != "confirmed"):
        first.setdefault((each.fault, each.component_kind), each)
    return list(first.values())
