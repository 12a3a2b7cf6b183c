"""Troubles whose cause stands beside what is loudest: in further lines, in logs of others, in policies."""
# ruff: noqa: E501 - kubectl prints long lines, and they stand here as it prints them

from tests.fakes.clusters import (
    RUNS,
    WAITS,
    described_pod,
    event_objects,
    named,
    pod_object,
    pod_status,
    text,
)
from tests.unit.kubernetes.variations import POD, Variation

_LOG = f"logs/{POD}.log"
_PREVIOUS = f"logs/{POD}-previous.log"


def row(
    status: str, ready: str = "0/1", restarts: str = "7 (2m ago)", name: str = POD, more: str = ""
) -> str:
    head = "NAME                      READY   STATUS   RESTARTS   AGE" + ("   LABELS" if more else "")
    return f"{head}\n{name}   {ready}   {status}   {restarts}   41m{'   ' + more if more else ''}\n"


def crashed(log: str, quoted: tuple[str, ...] = (), fault: str = "container.failure_logged") -> Variation:
    return Variation(fault, {"pods.txt": row("CrashLoopBackOff"), _LOG: log}, quoted=quoted)


def runs(log: str, question: str, fault: str, quoted: tuple[str, ...] = ()) -> Variation:
    files = {"pods.txt": row("Running", "1/1", "0"), _LOG: log}
    return Variation(fault, files, question=question, quoted=quoted)


_CLAIM = text(
    """
    Name:          bill-data
    Namespace:     shop
    StorageClass:  fast
    Status:        Pending
    Events:
      Type     Reason                Age                From                         Message
      ----     ------                ----               ----                         -------
      Warning  ProvisioningFailed    2m (x9 over 12m)   csi.example.org_controller   failed to provision volume with StorageClass "fast": rpc error: code = Internal desc = not authorized to create volumes
      Normal   ExternalProvisioning  12s (x50 over 12m) persistentvolume-controller  Waiting for a volume to be created either by the external provisioner 'csi.example.org' or manually
    """
)
_FIRST_CONSUMER = text(
    """
    Name:          bill-data
    Namespace:     shop
    StorageClass:  fast
    Status:        Pending
    Used By:       <none>
    Events:
      Type    Reason                Age               From                         Message
      ----    ------                ----              ----                         -------
      Normal  WaitForFirstConsumer  7s (x8 over 99s)  persistentvolume-controller  waiting for first consumer to be created before binding
    """
)
_MOUNT = described_pod(
    ("FailedMount", 'MountVolume.SetUp failed for volume "bills" : mount failed: exit status 32'),
    more={"Reason": "ContainerCreating"},
).rstrip("\n") + (
    "\nMounting command: mount\nMounting arguments: -t nfs 10.2.0.5:/exports/bills /var/lib/kubelet/pods/1f/bills"
    "\nOutput: mount.nfs: access denied by server while mounting 10.2.0.5:/exports/bills\n"
)
_RESTARTS = described_pod(
    ("Unhealthy", 'Liveness probe failed: Get "http://10.2.0.9:8081/healthz": connect: connection refused'),
    status="Running",
    state="Running",
    ready="True",
    restarts="23",
)
_JOB = named(
    "batch/v1", "Job", "billing", spec={"backoffLimit": 4}, status={"failed": 5, "conditions": [
        {"type": "Failed", "status": "True", "reason": "BackoffLimitExceeded",
         "message": "Job has reached the specified backoff limit"}]},
)  # fmt: skip
_SERVICE = text(
    """
    Name:              ledger-db
    Namespace:         shop
    Labels:            <none>
    Selector:          app=ledger-db
    Type:              ClusterIP
    IP:                10.96.8.8
    Endpoints:         10.2.3.9:5432
    Session Affinity:  None
    """
)
_POLICY = text(
    """
    Name:         closed-ledger
    Namespace:    shop
    Labels:       <none>
    Spec:
      PodSelector:     app=ledger-db
      Allowing ingress traffic:
        To Port: 5432/TCP
        From:
          PodSelector: app=reports
      Not affecting egress traffic
      Policy Types: Ingress
    """
)
_INGRESS = text(
    """
    Name:             billing
    Labels:           <none>
    Namespace:        shop
    Address:          10.0.0.40
    Ingress Class:    nginx
    Default backend:  <default>
    TLS:
      billing-tls terminates billing.example.org
    Rules:
      Host                 Path  Backends
      ----                 ----  --------
      billing.example.org
                           /   billing:80 (10.2.1.8:8080)
    Annotations:       <none>
    Events:            <none>
    """
)
_CERTIFICATE = text(
    """
    Name:         billing-cert
    Namespace:    shop
    Labels:       <none>
    Annotations:  <none>
    API Version:  cert-manager.io/v1
    Kind:         Certificate
    Spec:
      Secret Name:  billing-tls
    Status:
      Conditions:
        Last Transition Time:  2026-10-14T06:00:00Z
        Message:               Issuing certificate as Secret does not exist
        Reason:                DoesNotExist
        Status:                False
        Type:                  Ready
    Events:
      Type     Reason  Age  From                               Message
      ----     ------  ---- ----                               -------
      Warning  Failed  2m   cert-manager-certificates-issuing  The order is in the state invalid
    """
)
_PYTHON = (
    'Traceback (most recent call last):\n  File "/app/main.py", line 12, in <module>\n'
    '    url = os.environ["BILLING_DB_URL"]\n  File "<frozen os>", line 685, in __getitem__\n'
    "KeyError: 'BILLING_DB_URL'\n"
)
_GO = (
    "loaded 211 routes\npanic: runtime error: invalid memory address or nil pointer dereference\n\n"
    "goroutine 1 [running]:\nmain.match(0x0)\n\t/src/router.go:211 +0x1a\nexit status 2\n"
)
_SLOW = "".join(
    f"2026-10-14T07:12:{n:02}Z INFO served path=/bills status=200\n"
    f"2026-10-14T07:12:{n:02}Z INFO redis_get key=bills:{n} duration_ms={2400 + n}\n"
    for n in range(30)
)
_QUEUE = "".join(
    f"2026-10-14T07:12:{n:02}Z INFO connecting to amqp://rabbit-mq.messaging:5672\n"
    f"2026-10-14T07:12:{n:02}Z ERROR connection failed: gaierror(-2, 'Name or service not known')\n"
    for n in range(20)
)

FURTHER = {
    "a claim whose provisioner fails and waits": Variation(
        "pvc.provisioning_failed", {"pvc.txt": _CLAIM}, "bill-data", "Why is bill-data pending?",
        ("not authorized to create volumes",),
    ),
    "a claim that nobody uses yet": Variation(
        "pvc.waits_for_pod", {"pvc.txt": _FIRST_CONSUMER}, "bill-data", "Why is bill-data pending?",
        ("waiting for first consumer",),
    ),
    "a claim whose volume is gone": Variation(
        "pvc.lost",
        {"pvc.txt": "NAME        STATUS   VOLUME   CAPACITY   ACCESS MODES   STORAGECLASS   AGE\nbill-data   Lost     pvc-4f   0                         fast           90d\n"},
        "bill-data", "Why is bill-data unusable?",
    ),
    "what a command says in a further line": Variation(
        "volume.mount_failed", {"pod.txt": _MOUNT}, quoted=("mount.nfs: access denied by server",)
    ),
    "a pod that is well between its restarts": Variation(
        "probe.liveness_failed", {"pod.txt": _RESTARTS}, question="billing restarts every minute",
        quoted=('restarts "23"', ":8081/healthz"),
    ),
    "memory of a run that is over": Variation(
        "pod.oom_killed",
        {"pod.json": pod_object(pod_status("Running", RUNS, ready=True, lastState={
            "terminated": {"reason": "OOMKilled", "exitCode": 137}}))},
        question="Why did billing restart last night?",
    ),
    "the log of a run that is over": Variation(
        "memory.exhausted",
        {"pods.txt": row("Running", "1/1"), _LOG: "started\n",
         _PREVIOUS: "started\njava.lang.OutOfMemoryError: Java heap space\n"},
        question="billing crashes every hour",
        quoted=("Java heap space",),
    ),
    "a program that ends by itself": Variation(
        "container.completed",
        {"pod.json": pod_object(pod_status("Running", WAITS, lastState={
            "terminated": {"reason": "Completed", "exitCode": 0}})), _LOG: "hello\n"},
    ),
    "a log whose pod is gone": Variation(
        "dependency.auth_failed",
        {"job.json": _JOB, "logs/billing-7xk4q.log": 'FATAL:  password authentication failed for user "bill"\n'},
        "billing", "Why did billing fail?", ("password authentication failed",),
    ),
    "a log that is named after a workload of several pods": Variation(
        "dependency.auth_failed",
        {"pods.txt": row("CrashLoopBackOff") + row("CrashLoopBackOff", name="billing-7d9c8b6f5d-k4wzl").partition("\n")[2],
         "billing.log": "ERROR (1045, \"Access denied for user 'bill'@'10.2.1.7'\")\n"},
        "billing", "Why are billing pods restarting?", ("Access denied for user",),
    ),
    "a program that the cluster refuses": Variation(
        "rbac.forbidden",
        {"pods.txt": row("Error"), _LOG: 'Error from server (Forbidden): pods is forbidden: User "system:serviceaccount:shop:default" cannot list resource "pods" in API group ""\n'},
    ),
    "a configuration that is refused": crashed(
        "FATAL [main] cannot parse configuration /etc/bill.yaml: line 41: mapping values are not allowed here\nINFO bye\n",
        ("line 41",), "config.invalid",
    ),
    "a setting in capitals": crashed(
        'Error: Config validation error: "SIGNING_KEY" is required\n', ("SIGNING_KEY",), "config.env_missing"
    ),
    "a setting that Python misses": crashed(_PYTHON, ("/app/main.py", "line 12"), "config.env_missing"),
    "where a program panicked": crashed(_GO, ("/src/router.go:211",), "code.exception"),
    "a fatal line that names no fault": crashed(
        "reading\n[FATAL] plugin/loop: Loop (127.0.0.1:41797 -> :53) detected\n", ("Loop (127.0.0.1:41797",)
    ),
    "the first failure of the last moment": crashed(
        "ok\n[error] section outputs lacks its name\n[error] aborting after errors\n", ("section outputs",)
    ),
    "a directory that may not be made": crashed(
        '[emerg] 1#1: mkdir() "/var/cache/bill" failed (13: Permission denied)\n', fault="container.file_missing"
    ),
    "connections that are used up": runs(
        "ERROR POST /bill 500: SQLNonTransientConnectionException: Too many connections\n" * 9,
        "billing answers with 500", "connections.exhausted",
    ),
    "members that lost each other": runs(
        "[error] mnesia_event got {inconsistent_database, running_partitioned_network, 'bill@1'}\n",
        "What is wrong with billing?", "cluster.partitioned",
    ),
    "whom a program talks with": runs(
        _QUEUE, "billing does not process anything", "dns.unresolved", ("amqp://rabbit-mq.messaging:5672",)
    ),
    "a duration in a field": runs(_SLOW, "Why is billing slow?", "dependency.slow", ("redis_get",)),
    "the only slow one, by another name": runs(_SLOW, "Why is the website slow?", "dependency.slow"),
    "an autoscaler at its end": Variation(
        "hpa.at_maximum",
        {"hpa.txt": "NAME      REFERENCE            TARGETS         MINPODS   MAXPODS   REPLICAS   AGE\nbilling   Deployment/billing   cpu: 240%/70%   2         5         5          18d\n"},
        "billing", "Why does billing not scale further?", ('at most "5"',),
    ),
    "a workload that is scaled down": Variation(
        "workload.scaled_to_zero",
        {"d.txt": "NAME      READY   UP-TO-DATE   AVAILABLE   AGE\nbilling   0/0     0            0           20d\n"},
        "billing", "Why is billing not running?", ('replicas "0/0"',),
    ),
    "the end of a long message": Variation(
        "image.registry_unreachable",
        {"pod.txt": described_pod(
            ("Failed", 'Failed to pull image "registry.example.org:5000/billing:1.4": failed to pull and unpack image "registry.example.org:5000/billing:1.4": failed to resolve reference "registry.example.org:5000/billing:1.4": failed to do request: Head "https://registry.example.org:5000/v2/billing/manifests/1.4": dial tcp 10.1.4.9:5000: connect: connection refused'),
            more={"Reason": "ImagePullBackOff"},
        )},
        quoted=("connect: connection refused",),
    ),
    "a run that was missed": Variation(
        "cronjob.missed",
        {"ev.json": event_objects(("CronJob", "billing", "FailedNeedsStart", "Cannot determine if job needs to be started: too many missed start time (> 100)."))},
        "billing", "Why did the billing cronjob not run?", ("too many missed start time",),
    ),
    "a load balancer that cannot be made": Variation(
        "service.load_balancer_failed",
        {"svc.txt": _SERVICE.replace("ledger-db", "billing"),
         "ev.json": event_objects(("Service", "billing", "SyncLoadBalancerFailed", "Error syncing load balancer: could not find any suitable subnets"))},
        "billing", "Why has the service billing no external address?", ("suitable subnets",),
    ),
    "a log that is named after a container": Variation(
        "container.port_taken",
        {"pod.txt": described_pod(more={"Reason": "CrashLoopBackOff"}, status="Running", restarts="4"),
         "logs/main.log": "listen tcp :80: bind: address already in use\n"},
        quoted=("address already in use",),
    ),
    "a daemon set in a table": Variation(
        "image.tag_missing",
        {"ds.txt": "NAME      DESIRED   CURRENT   READY   UP-TO-DATE   AVAILABLE   NODE SELECTOR   AGE\nbilling   5         5         3       5            3           <none>          80d\n",
         "events.json": event_objects(("Pod", "billing-x2kqz", "Failed", 'Failed to pull image "images.test/a:9": images.test/a:9: manifest unknown'))},
        "billing-x2kqz", "Why is the billing daemonset not ready?", ('desired "5", available "3"',),
    ),
    "a policy over the destination": Variation(
        "network_policy.admits_others",
        {"pods.txt": row("Running", "1/1", "0", more="app=billing") + "ledger-db-0   1/1   Running   0   41m   app=ledger-db\n",
         "svc.txt": _SERVICE.replace("Namespace:         shop", "Namespace:         shop"), "policy.txt": _POLICY,
         _LOG: 'ERROR could not connect: Connection timed out: is the server running on host "ledger-db"?\n'},
        question="Why can billing not reach its database?", quoted=("closed-ledger", "app=reports", "ledger-db"),
    ),
    "a TLS secret that is not among those recorded": Variation(
        "tls.secret_missing",
        {"ing.txt": _INGRESS, "secrets.txt": "NAME      TYPE     DATA   AGE\nother     Opaque   2      30d\n"},
        "billing", "Why does billing.example.org show another certificate?", ("billing-tls",),
    ),
    "a resource that Kubernetes does not know": Variation(
        "resource.not_ready", {"cert.txt": _CERTIFICATE}, "billing-cert", "Why is billing-cert not ready?",
        ("Issuing certificate as Secret does not exist", "The order is in the state invalid"),
    ),
}  # fmt: skip
