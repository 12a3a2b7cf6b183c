"""What is told of single objects of a cluster: use and limits, owners, jobs, warnings, and what is not there."""
# ruff: noqa: E501 - kubectl prints long lines, and a question stands beside its answer

from pathlib import Path

import pytest

from tests.fakes.bundles import Tree, write
from tests.fakes.clusters import described_pod, listed, text
from tests.lookups.asking import asked, unmet

FILES: dict[str, Tree] = {
    "top.txt": text(
        """
        NAMESPACE   NAME       CPU(cores)   MEMORY(bytes)
        data        search-0   120m         6021Mi
        data        search-1   310m         3Gi
        web         front-0    12m          9000Mi
        """
    ),
    "nodes.txt": text(
        """
        NAME     CPU(cores)   CPU%   MEMORY(bytes)   MEMORY%
        node-a   420m         10%    3100Mi          41%
        node-b   3720m        93%    6011Mi          80%
        """
    ),
    "pods.txt": text(
        """
        NAMESPACE   NAME      READY   STATUS             RESTARTS     AGE
        web         mesh-0    2/3     Running            0            3h
        web         front-0   0/1     CrashLoopBackOff   9 (1m ago)   3h
        """
    ),
    "pulls.txt": text(
        """
        NAMESPACE   NAME      READY   STATUS         RESTARTS   AGE
        web         fraud-0   0/1     ErrImagePull   0          3h
        """
    ),
    "deployments.txt": text(
        """
        NAMESPACE   NAME      READY   UP-TO-DATE   AVAILABLE   AGE
        shop        billing   1/2     2            1           20d
        """
    ),
    "billing.txt": described_pod(status="Running", state="Running", ready="True"),
    "jobs.txt": text(
        """
        NAMESPACE   NAME      STATUS     COMPLETIONS   DURATION   AGE
        data        cleanup   Complete   1/1           12s        2d
        """
    ),
    "jobs.json": listed(
        "Job",
        {
            "metadata": {"name": "report", "namespace": "data"},
            "status": {"failed": 3, "conditions": [{"type": "Failed", "status": "True"}]},
        },
        version="batch/v1",
    ),
    "events.txt": text(
        """
        NAMESPACE   LAST SEEN   TYPE      REASON             OBJECT        MESSAGE
        web         3m          Warning   BackOff            pod/front-0   Back-off restarting failed container
        web         8m          Normal    Pulled             pod/front-0   Container image is present
        data        5m          Warning   FailedScheduling   pod/search-2  0/3 nodes are available: 3 Insufficient memory.
        """
    ),
    "service.txt": text(
        """
        NAMESPACE   NAME      TYPE           CLUSTER-IP   EXTERNAL-IP   PORT(S)           AGE
        shop        gateway   LoadBalancer   10.96.1.2    34.1.2.3      80/TCP,9090/TCP   30d
        """
    ),
    "claim.txt": text(
        """
        NAMESPACE   NAME     STATUS    VOLUME   CAPACITY   ACCESS MODES   STORAGECLASS   AGE
        data        slow-0   Pending                                      slow           30m
        """
    ),
    "machines.txt": text(
        """
        NAME     STATUS   ROLES    AGE   VERSION   OS-IMAGE             KERNEL-VERSION   CONTAINER-RUNTIME
        node-a   Ready    <none>   90d   v1.30.4   Ubuntu 22.04.4 LTS   5.15.0-105       containerd://1.7.18
        """
    ),
    "placed.txt": text(
        """
        NAMESPACE   NAME       READY   STATUS    RESTARTS   AGE   NODE
        data        search-0   1/1     Running   0          9d    node-a
        """
    ),
    "cron.txt": text(
        """
        NAMESPACE   NAME     SCHEDULE    TIMEZONE   SUSPEND   ACTIVE   LAST SCHEDULE   AGE
        data        backup   0 3 * * *   <none>     False     0        5h              200d
        """
    ),
    "prepared.txt": described_pod(status="Running", state="Running", ready="True")
    .replace("billing", "prepared")
    .replace(
        "Containers:\n",
        "Init Containers:\n  warm:\n    Image:          x\n    State:          Terminated\n"
        "      Reason:       Completed\n      Exit Code:    0\n    Ready:          True\nContainers:\n",
    )
    .replace("    Limits:", "    Liveness:       http-get http://:8080/live delay=0s\n    Limits:"),
    "maps.txt": text(
        """
        NAMESPACE   NAME       DATA   AGE
        data        flags      3      40d
        web         settings   5      12d
        """
    ),
    "hpa.txt": text(
        """
        NAMESPACE   NAME      REFERENCE            TARGETS              MINPODS   MAXPODS   REPLICAS   AGE
        shop        billing   Deployment/billing   cpu: <unknown>/70%   2         10        2          4d
        web         front     StatefulSet/front    cpu: 20%/70%         2         10        2          4d
        """
    ),
}
ANSWERED = [
    ("which pod uses most memory?", ["Of 3 measured pods, the most memory in use: front-0 9000Mi"]),
    ("which pod in ns data uses the most memory", ["Of 2 measured pods of the namespace data, the most memory in use: search-0 6021Mi"]),
    ("which pod has the highest cpu usage?", ["the most CPU in use: search-1 310m"]),
    ("which node is using the most cpu", ["Of 2 measured nodes, the most CPU in use: node-b 3720m (93%)"]),
    ("how much memory does search-1 use?", ["search-1 has memory in use: 3Gi"]),
    ("what's the memory limit of billing?", ["has the memory limit 64Mi (container main)"]),
    ("what are the cpu limits of billing?", None),
    ("which deployment owns pod billing-7d9c8b6f5d-x2kqz?", ["has the owner ReplicaSet/billing-7d9c8b6f5d, by its name the deployment billing"]),
    ("Did job cleanup fail?", ["cleanup has the status Complete, completions 1/1"]),
    ("did the report job complete", ["report has the status Failed"]),
    ("list warning events in namespace web", ["1 recorded warning event of the namespace web: BackOff"]),
    ("any warning events for search-2?", ["1 recorded warning event of search-2: FailedScheduling"]),
    ("does a configmap called flags exist in ns data", ["1 config map of flags of the namespace data is recorded"]),
    ("does a configmap called flags exist in ns web", ["0 config maps of flags of the namespace web are recorded"]),
    ("does a configmap called colours exist?", ["Of 2 recorded config maps, none goes by the name colours"]),
    ("does a secret called colours exist?", None),
    ("how many containers are not ready in pod mesh-0", ["mesh-0 has containers ready: 2 of 3"]),
    ("how many replicas of billing are ready?", ["billing has replicas ready: 1 of 2"]),
    ("what port does svc gateway expose?", ["gateway has the ports 80/TCP,9090/TCP"]),
    ("what's the external ip of gateway", ["gateway has the external address 34.1.2.3"]),
    ("what's the state of front-0?", ["front-0 has the status CrashLoopBackOff"]),
    ("which node is search-0 running on?", ["search-0 has the node node-a"]),
    ("which pod restarted the most in ns web?", ["of the namespace web, the most restarts: front-0 9"]),
    ("show me recent events for search-2", ["1 recorded event of search-2: FailedScheduling"]),
    ("what are the resource limits of billing?", ["has the limits memory 64Mi (container main)"]),
    ("what are the limits of billing", ["has the limits memory 64Mi (container main)"]),
    ("which pods use the most memory right now?", ["the most memory in use: front-0 9000Mi"]),
    ("memory usage of search-1", ["search-1 has memory in use: 3Gi"]),
    ("how long has mesh-0 been running?", ["mesh-0 has the age 3h"]),
    ("what is the type of service gateway?", ["gateway has the type LoadBalancer"]),
    ("which pods in ns web cant pull their image?", ["1 has the status ErrImagePull: fraud-0"]),
    ("any pods in ImagePullBackOff in namespace web?", ["1 has the status ErrImagePull: fraud-0"]),
    ("whats the clusterip of svc gateway", ["gateway has the address 10.96.1.2"]),
    ("how big is pvc slow-0", None),
    ("what storage class does slow-0 use?", ["slow-0 has the storage class slow"]),
    ("what container runtime does node-a use?", ["has the container runtime containerd://1.7.18"]),
    ("what os does node-a run", ['node-a has the operating system "Ubuntu 22.04.4 LTS"']),
    ("what node does the search-0 pod run on", ["search-0 has the node node-a"]),
    ("list services in ns shop", ["1 service of the namespace shop is recorded: gateway"]),
    ("is the backup cronjob working?", ['backup has the schedule "0 3 * * *", suspended False, the last schedule 5h, active 0']),
    ("what is the liveness probe of prepared?", ['"http-get http://:8080/live delay=0s" (container main)']),
    ("how much memory is prepared allowed to use?", ["the memory limit 64Mi"]),
    ("what's the status of prepared?", ["has the status Running"]),
    ("status of pod front-0", ["front-0 has the status CrashLoopBackOff"]),
    ("is front-0 working?", ["Of 1 recorded pod of front-0, none are well"]),
    ("is the autoscaler front ok", ["1 is well by its own conditions and targets: front"]),
    ("is the autoscaler billing ok?", ["none are well by their own conditions and targets"]),
]  # fmt: skip


@pytest.fixture(scope="module")
def bundle(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write(tmp_path_factory.mktemp("facts") / "bundle", FILES)


@pytest.mark.parametrize(("question", "said"), ANSWERED)
def test_one_fact_of_an_object_is_told_or_refused(
    bundle: Path, question: str, said: list[str] | None
) -> None:
    assert unmet(asked(bundle, question), said) == []


def test_what_only_some_pods_are_described_to_state_is_said_to_be_so(tmp_path: Path) -> None:
    files: dict[str, Tree] = {
        "pod.txt": FILES["billing.txt"],
        "pods.txt": "NAME                       READY   STATUS    RESTARTS   AGE\n"
        "billing-7d9c8b6f5d-t4wzv   1/1     Running   0          3h\n",
    }
    (said,) = asked(write(tmp_path / "bundle", files), "what's the memory limit of billing?").statements
    assert said.startswith("2 recorded pods of billing, as far as stated: billing-7d9c8b6f5d-x2kqz has")


def test_who_asks_of_the_trouble_of_an_object_in_vain_is_told_of_it_beside(bundle: Path) -> None:
    answer = asked(bundle, "since when is front-0 crashing?")
    assert answer.statements == []
    assert any('status "CrashLoopBackOff"' in each for each in answer.beside)
    # The control: who asks of another one is not.
    assert not any(
        "CrashLoopBackOff" in each for each in asked(bundle, "since when is mesh-0 crashing?").beside
    )
