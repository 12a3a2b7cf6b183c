"""The words of lookups: what they ask for, what they are about, and those that say nothing."""

import re
from decimal import Decimal
from typing import Final

from services.executor.analyst.lookup.asked import Ask
from services.executor.analyst.reading.words import vocabulary

# Words that carry no condition. A word that is neither here nor understood otherwise makes it a refusal.
SILENT: Final = vocabulary(
    """a about all an and any are as at be been being bundle by can cluster could did displayed do
    does during each either ever every exactly exist exists for from get gets give given got had has
    have hold holds i in incident inside into is it its many me much my name named number occur
    occurred occurs of often on one or our over overall please precisely present recorded saw
    say says see seen show shown return returned returns returning serve served serving receive
    received gave going went whats grep search since so tell than that the their them there these they
    this those time times to total us value values was we were what which while whole whose will
    window with within would you anything called come contain contained contains containing
    current currently now right exact happen happened happens how mention mentioned mentions read reading
    reported state stated step when where appear appears appeared find look looks report reports written
    write wrote writes display print counted"""
)
_ASKS: Final = (
    (Ask.MEAN, r"\b(mean|average|averaged|avg)\b"),
    (Ask.MAX, r"\b(max|maximum|maximal|peak(s|ed)?|highest|largest|greatest|biggest)\b|\bhow high\b"),
    (Ask.MIN, r"\b(min|minimum|minimal|lowest|smallest)\b|\bhow low\b"),
    (
        Ask.COUNT,
        (
            r"\bhow (many|often)\b|^\W*h\w{1,2} many\b|\b(count|number of|total of)\b"
            r"|\b(percent(age)?|share|fraction|proportion) of\b"
        ),
    ),
    (
        Ask.FIRST,
        r"\bwhen (did|do|does)\b.{0,200}\b(start|begin)\b|\bsince when\b|\b(first|earliest)\b|\bfrom when\b",
    ),
    (Ask.LAST, r"\b(last|latest|newest|(?<!most )recent(ly)?|most recent(ly)?)\b"),
    (Ask.WHEN, r"^\W*(at what time|when)\b|\bwhat time\b|[.,;:!?]\s*when\b"),
    (Ask.LIST, r"\b(list|show|print|display|grep|search|find|which|who)\b|^\W*whats?\b"),
    (Ask.ANY, r"^\W*(is|are|was|were|do|does|did|has|have|had|any)\b|\b(is|are|was|were) there\b"),
    (Ask.VALUE, r"\b(whats?|value|how much)\b"),
)
ASKS: Final = tuple((ask, re.compile(pattern, re.IGNORECASE)) for ask, pattern in _ASKS)
# The words of the patterns above that stand in questions beside what they ask for.
ASKING: Final = vocabulary(
    """mean average averaged avg hw hwo count first earliest last latest newest recent recently
    max maximum maximal peak peaks peaked highest largest greatest biggest min minimum minimal lowest
    smallest high low list start begin"""
)

LINES: Final = vocabulary(
    "line lines log logs logged logging logline loglines message messages entry entries"
)
ONE_LINE: Final = vocabulary("line logline message entry error failure warning request response")
NOUNS_OF_LINES: Final = vocabulary(
    "line lines log logs loglines message messages entries error errors failures warning warnings"
)
# What says how lines are, not what they hold.
ADJECTIVES: Final = vocabulary(
    """additional bad big brand consecutive critical different distinct duplicate few important long more
    most new old other real recent same serious severe short similar single slow such unexpected unique
    unusual various"""
)
# Where a text that stands without marks can end.
BOUNDARIES: Final = vocabulary(
    "in of from for by at on there were are was is did does do has have since between before after during"
)
VERBS_OF_LINES: Final = vocabulary(
    "say says said hold holds contain contains containing mention mentions log logs logged"
)
FAILURES: Final = vocabulary("error errors err errs failure failures fail fails failed failing")
WARNINGS: Final = vocabulary("warning warnings")
NOUNS_OF_FAILURES: Final = vocabulary("error errors err errs warning warnings")
LEVELS: Final = vocabulary(
    "FATAL CRITICAL PANIC EMERG EMERGENCY SEVERE ERROR WARN WARNING INFO DEBUG TRACE NOTICE"
)
LEVELS_IN_ANY_CASE: Final = frozenset(word.lower() for level in LEVELS for word in (level, f"{level}S"))
# Levels that are levels in small letters, too.
SMALL_LEVELS: Final = {
    **{word: word.upper() for word in ("fatal", "critical", "panic", "debug", "trace", "info")},
    **{f"{word}s": word.upper() for word in ("fatal", "panic")},
}
REQUESTS: Final = vocabulary(
    "request requests req reqs response responses answer answers answered http status statuses code codes"
)
REQUEST_NOUNS: Final = vocabulary("request requests req reqs")
SHARES: Final = vocabulary("percent percentage share fraction proportion")
# How values come to be beyond a bound.
REACHING: Final = vocabulary(
    "go goes rise rises rose climb climbs climbed drop drops dropped fall falls fell stay stays"
)
# What only requests have, and by which they are told apart.
REQUEST_KEYS: Final = vocabulary(
    "client clients ips endpoint endpoints path paths route routes url urls uri uris methods"
)
_TIMES: Final = {"s": "s sec secs second seconds", "ms": "ms msec milliseconds millisecond millis"}
UNITS: Final = {
    **dict.fromkeys(_TIMES["ms"].split(), Decimal("0.001")),
    **dict.fromkeys(_TIMES["s"].split(), Decimal(1)),
    **dict.fromkeys(("m", "min", "mins", "minute", "minutes"), Decimal(60)),
}
METHODS: Final = frozenset({"GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS"})
ALERTS: Final = vocabulary("alert alerts alarm alarms")
FIRING: Final = vocabulary("fire fires fired firing active trigger triggers triggered")
CHANGES: Final = vocabulary("change changes changed")
# What a kind of change is called, by a part of what sources call it.
CHANGE_TYPES: Final = {
    **dict.fromkeys(
        vocabulary("deploy deploys deployed release releases released rollout rollouts"), "deploy"
    ),
    **dict.fromkeys(("deployment", "deployments"), "deploy"),
    **dict.fromkeys(vocabulary("config configs configuration configurations reconfigured"), "config"),
    **dict.fromkeys(vocabulary("rollback rollbacks reverted"), "rollback"),
    **dict.fromkeys(vocabulary("scaling scaled"), "scal"),
    **dict.fromkeys(vocabulary("migration migrations migrated"), "migrat"),
}
TYPE_PARTS: Final = {"deploy": ("deploy", "release", "rollout")}
COMPONENTS: Final = vocabulary("service services component components")
CALLS: Final = vocabulary(
    "call calls calling caller callers callee callees depend depends dependency dependencies use uses using"
)
CALLERS: Final = re.compile(
    r"\b(who|which|what|how many)( \w+){0,2} (calls?|uses?|depends?)\b(?! on\b.*\bdoes\b)"
    r"|\bcallers?\b|\bcalled by\b",
    re.IGNORECASE,
)
CALLEES: Final = re.compile(
    r"\b(does|do|did|can)\b.*\b(call|use|depend)\b|\bcallees?\b|\bdependenc", re.IGNORECASE
)
KINDS: Final = {
    "pod": "Pod", "deployment": "Deployment", "statefulset": "StatefulSet", "daemonset": "DaemonSet",
    "replicaset": "ReplicaSet", "job": "Job", "cronjob": "CronJob", "node": "Node",
    "pvc": "PersistentVolumeClaim",
    "persistentvolumeclaim": "PersistentVolumeClaim", "ingress": "Ingress", "configmap": "ConfigMap",
    "secret": "Secret", "namespace": "Namespace", "hpa": "HorizontalPodAutoscaler", "object": "",
    "ns": "Namespace", "sts": "StatefulSet", "autoscaler": "HorizontalPodAutoscaler", "cm": "ConfigMap",
    "storageclass": "StorageClass", "serviceaccount": "ServiceAccount", "networkpolicy": "NetworkPolicy",
    "pdb": "PodDisruptionBudget", "pv": "PersistentVolume", "svc": "Service",
}  # fmt: skip
KINDS_BY_WORD: Final = {
    **KINDS, **{f"{word}s": kind for word, kind in KINDS.items() if word[-1] not in "sy"},
    "ingresses": "Ingress", "networkpolicies": "NetworkPolicy", "storageclasses": "StorageClass",
}  # fmt: skip
PROBES: Final = frozenset({"liveness_probe", "readiness_probe", "startup_probe"})
EXPOSING: Final = vocabulary("expose exposes exposed listen listens listening")
# What is asked of a cron job.
RUNS: Final = vocabulary("run runs ran schedule scheduled suspended active")
# What is told of an object, said in two words.
PAIRS: Final = {
    ("storage", "class"): "storage_class", ("container", "runtime"): "runtime",
    ("operating", "system"): "os", ("kernel", "version"): "kernel",
    ("state", "of"): "status", ("clusterip", "of"): "ip", ("cluster", "ip"): "ip", ("how", "big"): "capacity",
    ("external", "ip"): "external_ip", ("external", "address"): "external_ip",
    **{(name.partition("_")[0], "probe"): name for name in PROBES},
}  # fmt: skip
NAMESPACES: Final = ("namespace", "ns")
# What is measured of containers, what they may or ask to use, and the words for what they do use.
RESOURCES: Final = {
    **dict.fromkeys(vocabulary("memory mem ram"), "memory"),
    **dict.fromkeys(vocabulary("cpu cpus cores"), "cpu"),
}  # fmt: skip
BOUNDS_OF_RESOURCES: Final = {
    **dict.fromkeys(("limit", "limits", "allowed"), "limit"),
    **dict.fromkeys(("request", "requests"), "request"),
}  # fmt: skip
USE_OF_RESOURCES: Final = vocabulary(
    """use uses used using usage consume consumes consumed consuming consumption take takes taking eat eats
    eating"""
)
OWNING: Final = vocabulary(
    """owner owners own owns owned control controls controlled controller manage manages managed parent
    belong belongs"""
)
ENDING_OF_JOBS: Final = vocabulary(
    """fail fails failed succeed succeeds succeeded complete completes completed finish finishes finished
    end ended"""
)
# What objects are made of, and the words for how many of that are ready.
MADE_OF: Final = ("container", "replica")
READINESS: Final = vocabulary("ready unready available unavailable")
EVENTS: Final = vocabulary("event events")
FACTS: Final = {
    **dict.fromkeys(("image", "images"), "image"),
    **dict.fromkeys(vocabulary("restart restarts restarted restarting"), "restarts"),
    **dict.fromkeys(("replica", "replicas"), "replicas"),
    **dict.fromkeys(("phase",), "status"),
    **dict.fromkeys(vocabulary("version versions tag tags"), "version"),
    **dict.fromkeys(vocabulary("old age"), "age"),
    **dict.fromkeys(vocabulary("label labels"), "labels"),
    **dict.fromkeys(vocabulary("port ports"), "ports"),
    **{fact: fact for fact in ("runtime", "os", "kernel")},
    "ip": "ip",
    "type": "type",
    "capacity": "capacity",
    "size": "capacity",
}
STATES: Final = {
    **dict.fromkeys(vocabulary("run runs running"), "running"),
    **dict.fromkeys(("ready",), "ready"),
    **dict.fromkeys(("unready", "notready"), "not ready"),
    **dict.fromkeys(("restarted", "restarting"), "restarted"),
    **dict.fromkeys(vocabulary("crashing crashlooping crashloopbackoff"), "CrashLoopBackOff"),
    **dict.fromkeys(vocabulary("pending"), "Pending"),
    **dict.fromkeys(vocabulary("imagepullbackoff errimagepull"), "ImagePullBackOff"),
    **dict.fromkeys(vocabulary("completed succeeded"), "Completed"),
    **dict.fromkeys(vocabulary("terminating"), "Terminating"),
    **dict.fromkeys(vocabulary("evicted"), "Evicted"),
    "failed": "Failed",
    **dict.fromkeys(
        vocabulary("up healthy ok okay fine well alive online operational available working"), "well"
    ),
    **dict.fromkeys(vocabulary("down unhealthy broken failing dead offline unavailable"), "not well"),
}
# Words of a question whether something works.
WELLNESS: Final = frozenset(word for word, state in STATES.items() if state.endswith("well"))
# Words of a question about the trouble of something.
AILMENTS: Final = vocabulary(
    """fail fails failed failing crash crashes crashed crashing crashlooping restart restarts restarted
    restarting pending stuck evicted error errors killed terminating oomkilled"""
)
# By what objects are counted apart, and the fact that tells it.
GROUPS: Final = re.compile(
    r"\b(?:per|by|in each|for each|each) (?P<by>status|state|phase|namespace|node)(?:e?s)?\b", re.IGNORECASE
)
GROUPED: Final = {
    "status": "status",
    "state": "status",
    "phase": "status",
    "namespace": "namespace",
    "node": "node",
}
STARTED: Final = re.compile(
    r"\bwhen (?:did|was|were)\b.*\b(?P<how>start(?:ed)?|created|launched)\b", re.IGNORECASE
)
SERVICE_TYPES: Final = {
    each.lower(): each for each in ("LoadBalancer", "NodePort", "ClusterIP", "ExternalName")
}
MOST: Final = vocabulary("most highest greatest maximum max largest")
# Words of one state, as different sources write it.
STATE_TEXTS: Final = {
    "running": ("Running",),
    "Failed": ("Failed", "Error"),
    "Completed": ("Completed", "Succeeded"),
    "CrashLoopBackOff": ("CrashLoopBackOff", "Init:CrashLoopBackOff"),
    "ImagePullBackOff": ("ImagePullBackOff", "ErrImagePull", "Init:ImagePullBackOff", "Init:ErrImagePull"),
}
# As long as no container has run a pod is in the phase Pending, and kubectl shows what it waits for.
WAITING: Final = vocabulary(
    """ContainerCreating PodInitializing ImagePullBackOff ErrImagePull InvalidImageName ErrImageNeverPull
    CreateContainerConfigError"""
)
NEGATIONS: Final = vocabulary("not isn't aren't wasn't weren't don't doesn't didn't")
METRIC: Final = vocabulary("metric metrics series gauge counter sample samples")
# In words what a status says in one.
PULLING: Final = re.compile(
    r"\b(?:can\W?t|cannot|could not|couldn't|fail(?:s|ed|ing)? to|unable to) pull"
    r"(?: (?:their|its|the|an))? images?\b",
    re.IGNORECASE,
)
PULL_STATE: Final = "imagepullbackoff"
OOM: Final = re.compile(
    r"\boom(?:[- ]?kill(?:s|ed|ing|er)?)?s?\b|\bout[- ]of[- ]memory(?: kill(?:s|ed)?)?\b", re.IGNORECASE
)
# What kernels, runtimes and clusters write of a process that was killed for want of memory.
OOM_SIGNS: Final = (
    "oom-kill",
    "oom_kill",
    "oomkilled",
    "oom killer",
    "out of memory: kill",
    "killed process",
)
OOM_STATE: Final = "OOMKilled"
