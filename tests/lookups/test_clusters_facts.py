"""What is told of single objects of a cluster: use and limits, owners, jobs, warnings, and what is not there."""
# ruff: noqa: E501 - kubectl prints long lines, and a question stands beside its answer

from pathlib import Path

import pytest

from tests.fakes.bundles import Tree, write
from tests.fakes.clusters import described_pod, listed, text
from tests.lookups.asking import asked

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
    answer = asked(bundle, question)
    whole = "\n".join(answer.statements)
    assert answer.wrong == []
    assert bool(answer.statements) is (said is not None)
    assert [each for each in said or () if each not in whole] == []


def test_who_asks_of_the_trouble_of_an_object_in_vain_is_told_of_it_beside(bundle: Path) -> None:
    answer = asked(bundle, "since when is front-0 crashing?")
    assert answer.statements == []
    assert any('status "CrashLoopBackOff"' in each for each in answer.beside)
    # The control: who asks of another one is not.
    assert not any(
        "CrashLoopBackOff" in each for each in asked(bundle, "since when is mesh-0 crashing?").beside
    )
