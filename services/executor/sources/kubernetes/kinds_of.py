"""Which kind an object is of, where the text itself does not say: by the fields or columns that it has."""

from collections.abc import Collection
from typing import Final

# The first row all of whose words an object has. Words are keys of `kubectl describe`.
_BY_KEYS: Final = (
    ("Pod", ("QoS Class", "Containers")),
    ("Pod", ("Node", "Containers", "Status")),
    ("CronJob", ("Schedule", "Concurrency Policy")),
    ("Job", ("Pods Statuses",)),
    ("Job", ("Completions", "Parallelism")),
    ("Deployment", ("StrategyType", "Replicas")),
    ("DaemonSet", ("Desired Number of Nodes Scheduled",)),
    ("StatefulSet", ("Update Strategy", "Pods Status")),
    ("ReplicaSet", ("Replicas", "Pods Status")),
    ("PersistentVolumeClaim", ("StorageClass", "Used By")),
    ("PersistentVolumeClaim", ("StorageClass", "Access Modes", "Volume")),
    ("PersistentVolume", ("Reclaim Policy", "Claim")),
    ("Node", ("Unschedulable", "Conditions")),
    ("Node", ("Allocatable",)),
    ("Ingress", ("Rules", "Default backend")),
    ("Ingress", ("Rules", "Ingress Class")),
    ("Service", ("Type", "IP", "Selector")),
    ("Service", ("Session Affinity", "Selector")),
    ("Endpoints", ("Subsets",)),
    ("HorizontalPodAutoscaler", ("Reference", "Min replicas")),
    ("NetworkPolicy", ("Spec",)),
    ("ServiceAccount", ("Mountable secrets",)),
    ("StorageClass", ("Provisioner",)),
    ("PodDisruptionBudget", ("Selector", "Min available")),
    ("PodDisruptionBudget", ("Selector", "Max unavailable")),
    # Such a description is a table under a name.
    ("ResourceQuota", ("Resource", "Used", "Hard")),
)
# The same of the columns of `kubectl get`.
_BY_COLUMNS: Final = (
    ("Event", ("REASON", "OBJECT")),
    ("Pod", ("READY", "STATUS", "RESTARTS")),
    ("DaemonSet", ("NODE SELECTOR", "DESIRED")),
    ("Node", ("CPU(cores)", "MEMORY(bytes)", "CPU%")),
    ("Node", ("CPU(cores)", "MEMORY(bytes)", "CPU(%)")),
    ("Pod", ("CPU(cores)", "MEMORY(bytes)")),
    ("Deployment", ("UP-TO-DATE", "AVAILABLE", "READY", "NAME")),
    ("ReplicaSet", ("DESIRED", "CURRENT")),
    ("CronJob", ("SCHEDULE",)),
    ("Job", ("COMPLETIONS",)),
    ("PersistentVolumeClaim", ("STATUS", "VOLUME", "CAPACITY")),
    ("PersistentVolume", ("RECLAIM POLICY",)),
    ("StorageClass", ("PROVISIONER",)),
    ("Node", ("ROLES", "VERSION")),
    ("Service", ("CLUSTER-IP", "PORT(S)")),
    ("Endpoints", ("ENDPOINTS",)),
    ("Ingress", ("HOSTS",)),
    ("IngressClass", ("CONTROLLER", "PARAMETERS")),
    ("HorizontalPodAutoscaler", ("REFERENCE", "TARGETS")),
    ("NetworkPolicy", ("POD-SELECTOR",)),
    ("PodDisruptionBudget", ("ALLOWED DISRUPTIONS",)),
    ("ResourceQuota", ("REQUEST", "AGE")),
    ("ServiceAccount", ("SECRETS",)),
    ("Secret", ("TYPE", "DATA")),
    ("ConfigMap", ("NAME", "DATA", "AGE")),
    # Only stateful sets show so little; what shows more is told above.
    ("StatefulSet", ("NAME", "READY", "AGE")),
)
# What `kind/name` and folders of support bundles call kinds.
_SINGULAR: Final = {
    "pod": "Pod",
    "deployment": "Deployment",
    "replicaset": "ReplicaSet",
    "statefulset": "StatefulSet",
    "daemonset": "DaemonSet",
    "job": "Job",
    "cronjob": "CronJob",
    "service": "Service",
    "endpoint": "Endpoints",
    "endpoints": "Endpoints",
    "ingress": "Ingress",
    "ingresses": "Ingress",
    "ingressclass": "IngressClass",
    "ingressclasses": "IngressClass",
    "node": "Node",
    "event": "Event",
    "pvc": "PersistentVolumeClaim",
    "persistentvolumeclaim": "PersistentVolumeClaim",
    "pv": "PersistentVolume",
    "persistentvolume": "PersistentVolume",
    "storageclass": "StorageClass",
    "storageclasses": "StorageClass",
    "storage-classes": "StorageClass",
    "configmap": "ConfigMap",
    "secret": "Secret",
    "serviceaccount": "ServiceAccount",
    "networkpolicy": "NetworkPolicy",
    "network-policy": "NetworkPolicy",
    "networkpolicies": "NetworkPolicy",
    "horizontalpodautoscaler": "HorizontalPodAutoscaler",
    "resourcequota": "ResourceQuota",
    "resource-quota": "ResourceQuota",
    "replication-controller": "ReplicationController",
    "namespace": "Namespace",
    "poddisruptionbudget": "PodDisruptionBudget",
    "pdb": "PodDisruptionBudget",
}
# The kinds whose fields are known here.
KINDS: Final = frozenset(_SINGULAR.values())


def kind_of_keys(keys: Collection[str]) -> str:
    """Return the kind of a described object by the keys that it has; empty when they do not tell."""
    return next((kind for kind, words in _BY_KEYS if all(word in keys for word in words)), "")


def kind_of_columns(names: Collection[str]) -> str:
    """Return the kind of the rows of a table; empty when its columns do not tell."""
    return next((kind for kind, words in _BY_COLUMNS if all(word in names for word in words)), "")


def kind_of_word(word: str) -> str:
    """Return the kind that a word of `kind/name`, or a folder, stands for; empty for any other word."""
    lowered = word.lower().partition(".")[0]
    return _SINGULAR.get(lowered) or _SINGULAR.get(lowered.removesuffix("s"), "")


def kind_of_list(kind: str) -> str:
    """Return the kind of the items of a typed list: of a `PodList` a `Pod`."""
    return kind.removesuffix("List") if kind != "List" else ""
