"""How many pods: one orchestrator with its file; agents as an autoscaler and a budget allow."""

from collections.abc import Iterator
from typing import Final

from checks.k8s.manifests import Document, Rendering, Workload, selects
from orchestrator.settings import OrchestratorSettings
from services.common.processes import ORCHESTRATOR
from services.common.settings import prefix_of

# Modes that let one node or one pod write.
_ONE_POD: Final = (["ReadWriteOncePod"], ["ReadWriteOnce"])
_DATABASE: Final = f"{prefix_of(OrchestratorSettings)}DATABASE"


def problems(rendering: Rendering) -> Iterator[str]:
    """Yield a line per service with too many pods, or with several that nothing looks after."""
    for service, workload in rendering.workloads.items():
        scaler = _scaler(rendering, workload)
        budget = any(
            selects(item["spec"].get("selector"), workload.labels)
            for item in rendering.of_kind("PodDisruptionBudget")
        )
        if service == ORCHESTRATOR:
            found = [*_alone(rendering, workload, scaler, budget)]
        else:
            found = [*_several(workload, scaler, budget)]
        yield from (f"{service}: {problem}" for problem in found)


def _scaler(rendering: Rendering, workload: Workload) -> Document | None:
    name = workload.deployment["metadata"]["name"]
    scalers = rendering.of_kind("HorizontalPodAutoscaler")
    return next((item for item in scalers if item["spec"]["scaleTargetRef"]["name"] == name), None)


def _alone(rendering: Rendering, workload: Workload, scaler: Document | None, budget: bool) -> Iterator[str]:
    spec = workload.deployment["spec"]
    if spec.get("replicas") != 1 or scaler:
        yield "a SQLite file has one process: replicas must be 1, without an autoscaler"
    if spec.get("strategy", {}).get("type") != "Recreate":
        yield "its strategy must be Recreate: two pods would own one file"
    if budget:
        yield "a budget for its one pod would keep nodes from being emptied"
    if _claim_of_database(rendering, workload) not in _ONE_POD:
        yield "its database lies on no volume claim of its own"


def _claim_of_database(rendering: Rendering, workload: Workload) -> list[str]:
    """Return the access modes of the claim that the database's folder is; empty when it is none."""
    folder = workload.variables.get(_DATABASE, "").rpartition("/")[0]
    mounts = {mount["mountPath"]: mount for mount in workload.container.get("volumeMounts", [])}
    volumes = {volume["name"]: volume for volume in workload.pod.get("volumes", [])}
    if folder not in mounts or mounts[folder].get("readOnly"):
        return []
    source = volumes.get(mounts[folder]["name"], {}).get("persistentVolumeClaim", {})
    claim = rendering.named("PersistentVolumeClaim", source.get("claimName", ""))
    return list(claim["spec"]["accessModes"]) if claim else []


def _several(workload: Workload, scaler: Document | None, budget: bool) -> Iterator[str]:
    replicas = workload.deployment["spec"].get("replicas")
    least = scaler["spec"].get("minReplicas", 1) if scaler else replicas or 1
    if scaler and replicas is not None:
        yield "replicas is set beside an autoscaler: every apply would undo its work"
    if least > 1 and not (scaler and budget):
        yield f"has {least} pods without an autoscaler and a disruption budget"
    if least == 1 and (scaler or budget):
        yield "one pod has no use for an autoscaler or a disruption budget"
