"""What a pod may do, whom it is, how many there are: bounded, and told when it is not."""

from pathlib import Path
from typing import Final

import pytest

from checks.k8s.manifests import Document
from tests.fakes.manifests import NAMESPACE, Break, Manifests, in_container, in_deployment, in_pod

READ: Final[Document] = {"apiGroups": [""], "resources": ["pods"], "verbs": ["get", "list", "watch"]}


@pytest.fixture
def manifests(project: Path) -> Manifests:
    return Manifests(project / "k8s" / "base")


def role(rule: Document, account: str = "assay-executor") -> Break:
    def change(manifests: Manifests) -> None:
        place = {"name": "some", "namespace": NAMESPACE}
        manifests.documents.append({"kind": "Role", "metadata": place, "rules": [rule]})
        subjects = [{"kind": "ServiceAccount", "name": account}]
        reference = {"kind": "Role", "name": "some"}
        manifests.documents.append(
            {"kind": "RoleBinding", "metadata": place, "roleRef": reference, "subjects": subjects}
        )
        manifests.pod(account.removeprefix("assay-"))["automountServiceAccountToken"] = True

    return change


def cluster_role(manifests: Manifests) -> None:
    manifests.documents.append({"kind": "ClusterRole", "metadata": {"name": "some"}, "rules": [READ]})


def unlabelled(manifests: Manifests) -> None:
    del manifests.get("Namespace", NAMESPACE)["metadata"]["labels"]


def scaler(service: str) -> Break:
    def change(manifests: Manifests) -> None:
        target = f"{{kind: Deployment, name: assay-{service}}}"
        manifests.add(
            f"""
            kind: HorizontalPodAutoscaler
            metadata: {{name: assay-{service}}}
            spec: {{scaleTargetRef: {target}, minReplicas: 2, maxReplicas: 3}}
            """
        )

    return change


def budget(service: str) -> Break:
    def change(manifests: Manifests) -> None:
        manifests.add(
            f"""
            kind: PodDisruptionBudget
            metadata: {{name: assay-{service}}}
            spec: {{selector: {{matchLabels: {{app.kubernetes.io/name: assay-{service}}}}}}}
            """
        )

    return change


# What is broken, how, and what is then said.
BREAKS: Final[dict[str, tuple[Break, str]]] = {
    "root": (in_pod("securityContext", "runAsNonRoot", to=None), "may run as root"),
    "root in the container": (in_container("securityContext", "runAsUser", to=0), "may run as root"),
    "no seccomp": (in_pod("securityContext", "seccompProfile", to=None), "no seccomp profile"),
    "privileges": (
        in_container("securityContext", "allowPrivilegeEscalation", to=True),
        "may gain privileges",
    ),
    "a root that can be written": (
        in_container("securityContext", "readOnlyRootFilesystem", to=None),
        "may write to its root file system",
    ),
    "a capability": (
        in_container("securityContext", "capabilities", "add", to=["NET_RAW"]),
        "keeps capabilities",
    ),
    "another container": (in_pod("initContainers", to=[{"name": "some"}]), "may gain privileges"),
    "the node's network": (in_pod("hostNetwork", to=True), "shares the node's hostNetwork"),
    "the node's files": (
        in_pod("volumes", to=[{"name": "node", "hostPath": {"path": "/"}}]),
        "volume node: ['hostPath'] is not allowed",
    ),
    "links of services": (in_pod("enableServiceLinks", to=None), "enableServiceLinks is not false"),
    "no limit": (in_container("resources", "limits", "memory", to=None), "its limits lack ['memory']"),
    "an image of the day": (in_container("image", to="registry.example.com/a:latest"), "with a fixed tag"),
    "no tag": (in_container("image", to="registry.example.com:5000/a"), "with a fixed tag"),
    "an account of others": (in_pod("serviceAccountName", to="assay-verifier"), "runs as assay-verifier"),
    "a token without a use": (
        in_pod("automountServiceAccountToken", to=True),
        "gets a token that it has no use for",
    ),
    "a role that writes": (role({**READ, "verbs": ["get", "delete"]}), "allows ['delete']"),
    "a role that reads secrets": (role({**READ, "resources": ["secrets"]}), "reaches secrets"),
    "a role that reads everything": (role({**READ, "resources": ["*"]}), "reaches secrets"),
    "a role for who reads nothing": (role(READ, "assay-composer"), "only the executor has a role"),
    "a role for all namespaces": (cluster_role, "ClusterRole some: reaches beyond the namespace"),
    "no profile": (unlabelled, "its namespace 'assay' enforces None, not restricted"),
    "two owners of one file": (in_deployment("replicas", to=2, of="orchestrator"), "replicas must be 1"),
    "as many owners as there is load": (scaler("orchestrator"), "replicas must be 1"),
    "two owners for a while": (
        in_deployment("strategy", to=None, of="orchestrator"),
        "its strategy must be Recreate",
    ),
    "a node that nobody can empty": (budget("orchestrator"), "would keep nodes from being emptied"),
    "a file that goes with its pod": (
        in_pod("volumes", to=[{"name": "runs", "emptyDir": {}}], of="orchestrator"),
        "its database lies on no volume claim of its own",
    ),
    "a file beside the volume": (
        in_container("volumeMounts", 0, "mountPath", to="/var/lib", of="orchestrator"),
        "its database lies on no volume claim of its own",
    ),
    "many pods": (in_deployment("replicas", to=2), "has 2 pods without an autoscaler"),
    "no budget": (scaler("planner"), "has 2 pods without an autoscaler and a disruption budget"),
    "a budget for one pod": (budget("planner"), "one pod has no use for an autoscaler"),
    "two that decide how many": (scaler("planner"), "replicas is set beside an autoscaler"),
}


@pytest.mark.parametrize("what", BREAKS)
def test_what_is_broken_is_told(manifests: Manifests, what: str) -> None:
    change, said = BREAKS[what]
    change(manifests)
    told = manifests.problems()
    assert any(said in problem for problem in told), told


def test_the_executor_may_read_objects(manifests: Manifests) -> None:
    role(READ)(manifests)
    assert manifests.problems() == []


def test_several_pods_are_looked_after(manifests: Manifests) -> None:
    scaler("planner")(manifests)
    budget("planner")(manifests)
    in_deployment("replicas", to=None)(manifests)
    assert manifests.problems() == []
