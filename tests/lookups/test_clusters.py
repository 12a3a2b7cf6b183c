"""Questions that somebody on call types about a cluster, on files as `kubectl` printed them."""
# ruff: noqa: E501 - kubectl prints long lines, and a question stands beside its answer

from pathlib import Path

import pytest

from tests.fakes.bundles import Tree, write
from tests.fakes.clusters import text
from tests.lookups.asking import asked, unmet

PODS = text(
    """
    NAMESPACE   NAME                    READY   STATUS              RESTARTS     AGE   NODE     LABELS
    shop        cart-6f7d8c9b5-bcd2f    1/1     Running             0            20m   node-b   app=cart,tier=front
    shop        web-5d6f7c8b9-zzzzz     0/1     ContainerCreating   0            3m    node-b   app=web,tier=front
    shop        web-5d6f7c8b9-xxxxx     0/1     Pending             0            3m    <none>   app=web,tier=front
    data        pg-0                    1/1     Running             3 (2d ago)   20d   node-a   app=pg,tier=back
    data        pg-backup-29001-qqqqq   0/1     Completed           0            6h    node-a   app=backup
    data        pg-backup-29002-wwwww   0/1     Error               0            30m   node-a   app=backup
    data        cache-0                 0/1     ImagePullBackOff    0            30m   node-a   app=cache,tier=back
    """
)
OTHERS = {
    "deployments.txt": text(
        """
        NAMESPACE   NAME      READY   UP-TO-DATE   AVAILABLE   AGE
        shop        cart      1/1     1            1           20d
        shop        web       0/2     2            0           20d
        """
    ),
    "services.txt": text(
        """
        NAMESPACE   NAME    TYPE           CLUSTER-IP   EXTERNAL-IP   PORT(S)         AGE
        shop        front   LoadBalancer   10.96.3.4    34.1.2.3      443:30443/TCP   20m
        shop        back    ClusterIP      10.96.3.5    <none>        80/TCP          20m
        """
    ),
    "nodes.txt": text(
        """
        NAME     STATUS     ROLES    AGE   VERSION
        node-a   Ready      <none>   90d   v1.30.4
        node-b   NotReady   <none>   90d   v1.29.1
        """
    ),
    "mail.txt": text(
        """
        Name:             mail-7d9c8b6f5d-h4kqz
        Namespace:        crm
        Node:             node-a/10.0.0.7
        Start Time:       Wed, 14 Oct 2026 07:12:03 +0000
        Labels:           app=mail
        Annotations:      <none>
        Status:           Running
        Containers:
          mail:
            Image:          registry.example.org/mail:2.8.1
            State:          Running
            Ready:          True
            Restart Count:  0
        QoS Class:                   Burstable
        Events:                      <none>
        """
    ),
    "logs/cart-6f7d8c9b5-bcd2f.log": "2026-10-14T07:10:00Z INFO up\n2026-10-14T07:12:50Z ERROR deadlock detected\n",
    "logs/pg-0.log": "2026-10-13T07:00:00Z ERROR old\n" + "2026-10-15T07:12:55Z ERROR out of slots\n" * 9,
    "logs/cache-0.log": "2026-10-14T07:12:59Z INFO calm\n",
}
ANSWERED = [
    ("pods pending?", ["Of 8 recorded pods, 1 has the status Pending: web-5d6f7c8b9-xxxxx",
                       "Waiting under another status: web-5d6f7c8b9-zzzzz (ContainerCreating); cache-0"]),
    ("How many pods are pending in the namespace data?", ["Of 4 recorded pods of the namespace data, none have"]),
    ("which pods are unhealthy?", ["Of 8 recorded pods, 4 are not well", "pg-backup-29002-wwwww", "cache-0"]),
    ("is cart up?", ["Of 1 recorded pod of cart, 1 is well"]),
    ("Is web healthy?", ["Of 2 recorded pods of web, none are well", "The rest: web-5d6f7c8b9-zzzzz (Cont"]),
    ("are all deployments ok?", ["Of 2 recorded deployments, 1 has all", "The rest: web (0 of 2 ready)"]),
    ("which deployments are not available?", ["1 has not all of its wanted pods ready: web (0 of 2 ready)"]),
    ("how many nodes are down?", ["Of 2 recorded nodes, 1 is not ready: node-b"]),
    ("how many pods per status?", ["8 recorded pods by status: 3 Running; 1 ContainerCreating"]),
    ("count pods by namespace", ["8 recorded pods by namespace: 4 data; 3 shop; 1 crm"]),
    ("what namespaces are there?", ["by namespace, as far as stated: 7 shop; 4 data; 1 crm"]),
    ("How many pods are in namespace warehouse?", ["0 pods of the namespace warehouse are recorded"]),
    ("How many pods have the label tier=front?", ["Of 8 recorded pods, 3 have the label tier=front"]),
    ("Which pods are labelled tier=back,app=pg?", ["1 has the label tier=back and has the label app=pg: pg-0"]),
    ("Which pod has the most restarts?", ["Of 8 recorded pods, the most restarts: pg-0 3"]),
    ("What services are exposed via LoadBalancer?", ["Of 2 recorded services, 1 has the type LoadBalancer: front"]),
    ("which kubelet version does node-b run?", ["node-b has the version v1.29.1"]),
    ("what version of mail is deployed?", ["has the image registry.example.org/mail:2.8.1"]),
    ("When did mail-7d9c8b6f5d-h4kqz start?", ['has the start "Wed, 14 Oct 2026 07:12:03 +0000"']),
    ("When did mail start failing?", None),
    ("how old is pg-0?", ["pg-0 has the age 20d"]),
    ("which labels does mail have?", ["has the labels app=mail"]),
    ("Which component logged most errors?", ["11 records of 3 logs", ": 10 in logs/pg-0.log, 1 in logs/cart"]),
    ("which pods have errors in their logs?", [": 10 in logs/pg-0.log, 1 in logs/cart-6f7d8c9b5-bcd2f.log"]),
    ("How many errors did pg log?", ["10 records of logs/pg-0.log"]),
    ("any errors in the logs of cart?", ["1 record of logs/cart", "deadlock detected"]),
    ("errors in cart?", ["1 record of logs/cart", "deadlock detected"]),
    ("any errors in the logs of cache?", ["No record of logs/cache-0.log"]),
    ("any errors in the logs of pg since Wednesday?", ["9 records of logs/pg-0.log (from 2026-10-14T00:00:00Z)"]),
    ("How many errors did pg log on Tuesday?", ["1 record of logs/pg-0.log (from 2026-10-13T00:00:00Z until"]),
    ("any errors in the logs of web?", None),
    ("is the moon up?", None),
]  # fmt: skip


TWINS = text(
    """
    NAMESPACE   NAME    READY   STATUS    RESTARTS   AGE
    shop        sync    0/1     Pending   2          3m
    data        sync    0/1     Pending   0          3m
    """
)
ACCOUNT = text(
    """
    Name:                shop
    Namespace:           shop
    Labels:              <none>
    Image pull secrets:  <none>
    Mountable secrets:   <none>
    Tokens:              <none>
    Events:              <none>
    """
)


def test_two_objects_of_one_name_are_told_with_their_namespaces(tmp_path: Path) -> None:
    (answer,) = asked(write(tmp_path / "bundle", {"pods.txt": TWINS}), "which pods are pending?").statements
    assert "sync (Pending) in the namespace shop; sync (Pending) in the namespace data" in answer


def test_a_namespace_may_have_the_name_of_an_object(tmp_path: Path) -> None:
    bundle = write(tmp_path / "bundle", {"pods.txt": TWINS, "account.txt": ACCOUNT})
    (answer,) = asked(bundle, "how many pods are in shop").statements
    assert answer.startswith("1 pod of the namespace shop is recorded: sync")


def test_restarts_are_told_of_all_where_no_name_is_said(tmp_path: Path) -> None:
    answer = asked(write(tmp_path / "bundle", {"pods.txt": TWINS}), "how many restarts were there?")
    assert answer.wrong == []
    assert answer.statements[0].startswith("Recorded restarts: 2 in all, of 2 recorded pods")


@pytest.fixture(scope="module")
def bundle(tmp_path_factory: pytest.TempPathFactory) -> Path:
    files: dict[str, Tree] = {"pods.txt": PODS, **OTHERS}
    return write(tmp_path_factory.mktemp("cluster") / "bundle", files)


@pytest.mark.parametrize(("question", "said"), ANSWERED)
def test_what_is_asked_on_call_is_answered_or_refused(
    bundle: Path, question: str, said: list[str] | None
) -> None:
    assert unmet(asked(bundle, question), said) == []


def test_beside_what_does_not_work_stands_why(bundle: Path) -> None:
    told = asked(bundle, "is cache up?").beside
    assert any("pulling an image fails" in statement for statement in told)
    # What works has nothing beside it, and other questions do not ask for it.
    assert asked(bundle, "is mail up?").beside == []
    assert asked(bundle, "which node is cache-0 on?").beside == []
