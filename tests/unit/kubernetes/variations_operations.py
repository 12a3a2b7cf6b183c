"""Troubles of running a cluster: drains, deletions, ports, and what a program says of what it calls."""
# ruff: noqa: E501 - kubectl prints long lines, and they stand here as it prints them

from tests.fakes.clusters import (
    RUNS,
    WAITS,
    described_pod,
    events_table,
    named,
    pod_object,
    pod_status,
    text,
)
from tests.unit.kubernetes.variations import POD, Variation
from tests.unit.kubernetes.variations_further import crashed, row, runs

_RUNS = described_pod(status="Running", state="Running", ready="True")
_DRAIN = text(
    """
    node/worker-1 cordoned
    Warning: ignoring DaemonSet-managed Pods: kube-system/proxy-x7kq2
    evicting pod shop/billing-0
    error when evicting pods/"billing-0" -n "shop" (will retry after 5s): Cannot evict pod as it would violate the pod's disruption budget.
    evicting pod shop/billing-0
    error when evicting pods/"billing-0" -n "shop" (will retry after 5s): Cannot evict pod as it would violate the pod's disruption budget.
    """
)
_LOCAL = 'error: unable to drain node "worker-1" due to error:[cannot delete Pods with local storage (use --delete-emptydir-data to override): shop/billing-0], continuing command...\n'
_CLOSED = text(
    """
    NAME       STATUS                     ROLES    AGE   VERSION
    worker-1   Ready,SchedulingDisabled   <none>   90d   v1.30.4
    """
)
_BUDGET = text(
    """
    NAMESPACE   NAME      MIN AVAILABLE   MAX UNAVAILABLE   ALLOWED DISRUPTIONS   AGE
    shop        billing   2               N/A               0                     90d
    """
)
_ENDING = named(
    "v1", "Namespace", "billing", namespace="", spec={"finalizers": ["kubernetes"]}, status={
        "phase": "Terminating", "conditions": [
            {"type": "NamespaceDeletionDiscoveryFailure", "status": "False", "reason": "ResourcesDiscovered", "message": "All resources successfully discovered"},
            {"type": "NamespaceFinalizersRemaining", "status": "True", "reason": "SomeFinalizersRemain", "message": "Some content in the namespace has finalizers remaining: example.org/cleanup in 2 resource instances"},
        ]},
)  # fmt: skip
_UNDISCOVERED = text(
    """
    Name:         billing
    Labels:       kubernetes.io/metadata.name=billing
    Annotations:  <none>
    Status:       Terminating
    Conditions:
      Type                               Status  LastTransitionTime               Reason           Message
      ----                               ------  ------------------               ------           -------
      NamespaceDeletionDiscoveryFailure  True    Mon, 30 Nov 2026 09:00:00 +0000  DiscoveryFailed  Discovery failed for some groups, 1 failing: unable to retrieve the complete list of server APIs: metrics.k8s.io/v1beta1: stale GroupVersion discovery
      NamespaceContentRemaining          False   Mon, 30 Nov 2026 09:00:00 +0000  ContentRemoved   All content successfully removed

    No resource quota.

    No LimitRange resource.
    """
)
_KEPT = named(
    "v1", "PersistentVolumeClaim", "billing", status={"phase": "Bound"}, spec={"storageClassName": "fast"}
).replace(
    '"name": "billing",',
    '"name": "billing", "deletionTimestamp": "2026-11-30T09:00:00Z", "finalizers": ["kubernetes.io/pvc-protection"],',
)
_SERVICE = text(
    """
    Name:              billing
    Namespace:         shop
    Labels:            <none>
    Selector:          app=billing
    Type:              ClusterIP
    IP:                10.96.8.8
    Port:              http  80/TCP
    TargetPort:        9090/TCP
    Endpoints:         10.2.3.9:9090
    Session Affinity:  None
    """
)
_NAMED_PORT = named(
    "v1", "Service", "billing", spec={"selector": {"app": "billing"}, "ports": [{"port": 80, "targetPort": "web"}]}
)  # fmt: skip
_NAMING_POD = pod_object(
    {"phase": "Running", "containerStatuses": [{"name": "main", "ready": True, "restartCount": 0, "state": RUNS}]},
    containers=[{"name": "main", "image": "x", "ports": [{"name": "http", "containerPort": 8080}]}],
)  # fmt: skip
_INGRESS = text(
    """
    Name:             billing
    Labels:           <none>
    Namespace:        shop
    Address:          10.0.0.40
    Ingress Class:    nginx
    Default backend:  <default>
    Rules:
      Host                 Path  Backends
      ----                 ----  --------
      billing.example.org
                           /      biller:80 ()
    Annotations:           <none>
    """
)
_CRON = text(
    """
    Name:                          report
    Namespace:                     shop
    Labels:                        <none>
    Schedule:                      */30 * * * *
    Concurrency Policy:            Forbid
    Suspend:                       False
    Active Jobs:                   report-29410170
    Events:
      Type    Reason            Age  From                Message
      ----    ------            ---- ----                -------
      Normal  SuccessfulCreate  52m  cronjob-controller  Created job report-29410170
      Normal  JobAlreadyActive  22m  cronjob-controller  Not starting job because prior execution is running and concurrency policy is Forbid
    """
)
_UNRESOLVED = pod_object(
    pod_status("Running", WAITS, lastState={"terminated": {"reason": "Error", "exitCode": 1}}),
    containers=[{"name": "main", "image": "x", "env": [{"name": "BILL_HOST", "value": "db-billing"}]}],
)
_SERVICES = text(
    """
    NAMESPACE   NAME         TYPE        CLUSTER-IP   EXTERNAL-IP   PORT(S)    AGE
    shop        billing-db   ClusterIP   10.96.8.9    <none>        5432/TCP   30d
    shop        mail         ClusterIP   10.96.8.7    <none>        25/TCP     30d
    """
)
_TRACEBACK = """\
starting
Traceback (most recent call last):
  File "/srv/bill.py", line 20, in <module>
    migrate()
  File "/srv/bill.py", line 11, in migrate
    cursor.execute(step)
ledger.errors.DuplicateColumn: column "tariff" of relation "bills" already exists
"""
_PAUSED = text(
    """
    Name:                   billing
    Namespace:              shop
    Labels:                 <none>
    Replicas:               2 desired | 0 updated | 2 total | 2 available | 0 unavailable
    StrategyType:           RollingUpdate
    Conditions:
      Type           Status   Reason
      ----           ------   ------
      Available      True     MinimumReplicasAvailable
      Progressing    Unknown  DeploymentPaused
    Events:          <none>
    """
)
_OF_OTHERS = _SERVICES.replace("shop        billing-db", "data        db-billing")
_APPLICATION = named(
    "argoproj.io/v1alpha1", "Application", "billing", namespace="argo", status={
        "conditions": [{"type": "ComparisonError", "message": "Failed to load target state: unable to resolve 'v9' to a commit"}],
        "health": {"status": "Degraded"},
    },
)  # fmt: skip
_UNWELL = named(
    "example.org/v1", "Broker", "billing", status={"health": {"status": "Degraded", "message": "two of three members answer"}}
)  # fmt: skip
UNKNOWN_WARNING = text(
    """
    Name:          billing
    Namespace:     shop
    StorageClass:  fast
    Status:        Bound
    Volume:        pvc-1
    Access Modes:  RWO
    Events:
      Type     Reason              Age  From             Message
      ----     ------              ---- ----             -------
      Warning  VolumeResizeFailed  22m  csi.example.org  resize volume failed: quota of the project is used up
    """
)
_QUOTA = text(
    """
    Name:       team
    Namespace:  shop
    Resource    Used  Hard
    --------    ----  ----
    pods        3     3
    """
)
_SHORT = text(
    """
    NAMESPACE   NAME      READY   UP-TO-DATE   AVAILABLE   AGE
    shop        billing   3/6     3            3           9d
    mall        billing   3/3     3            3           9d
    """
)
_EVICTION = "error when evicting pods"
OPERATIONS = {
    "a drain that a budget refuses": Variation("disruption_budget.exhausted", {"drain.txt": _DRAIN, "nodes.txt": _CLOSED}, component="worker-1", question="the drain of node worker-1 hangs, why?", quoted=(_EVICTION, "violate the pod's disruption budget")),
    "a drain in a log": Variation("disruption_budget.exhausted", {"logs/drain.log": _DRAIN}, component="worker-1", question="Why does the drain of worker-1 hang?"),
    "a drain without its node": Variation("disruption_budget.exhausted", {"drain.log": _DRAIN.partition("\n")[2].partition("\n")[2].replace("evicting pod shop/billing-0\n", "")}, component="billing-0", question="Why is billing-0 not evicted?"),
    "a drain over local data": Variation("node.drain_refused", {"drain.log": _LOCAL}, component="worker-1", question="Why can worker-1 not be drained?", quoted=("--delete-emptydir-data",)),
    "a budget that is spent": Variation("disruption_budget.exhausted", {"pdb.txt": _BUDGET}, component="billing", question="Why is the pod of billing not evicted?", quoted=('at least "2"', 'evictions allowed "0"')),
    "a namespace with finalizers": Variation("object.finalizers_remain", {"ns.json": _ENDING}, component="billing", question="namespace billing is stuck terminating", quoted=("example.org/cleanup in 2 resource instances",)),
    "a namespace whose content is unknown": Variation("namespace.deletion_failed", {"ns.txt": _UNDISCOVERED}, component="billing", question="why does namespace billing not go away", quoted=("metrics.k8s.io/v1beta1",)),
    "a claim that is kept": Variation("object.finalizers_remain", {"pvc.json": _KEPT}, component="billing", question="pvc billing can't be deleted", quoted=("kubernetes.io/pvc-protection",)),
    "a service on another port": Variation("service.port_unmatched", {"svc.txt": _SERVICE, "pod.txt": _RUNS}, component="billing", question="connection refused from service billing", quoted=('ports "8080/TCP"', 'target port "9090/TCP"')),
    "a service on a named port": Variation("service.port_unmatched", {"svc.json": _NAMED_PORT, "pod.json": _NAMING_POD}, component="billing", question="connection refused from service billing", quoted=('target port "web"',)),
    "a backend without addresses": Variation("ingress.backend_empty", {"ingress.txt": _INGRESS}, component="billing", question="503 on billing.example.org", quoted=("biller:80 ()",)),
    "a run that goes on": Variation("cronjob.still_running", {"cron.txt": _CRON}, component="report", question="why did cronjob report not start at 10:00?", quoted=("concurrency policy is Forbid",)),
    "a host that is called otherwise": Variation("dns.unresolved", {"pod.json": _UNRESOLVED, "svc.txt": _SERVICES, f"logs/{POD}.log": 'could not translate host name "db-billing" to address: Name or service not known\n'}, quoted=('the setting "BILL_HOST"', 'a recorded service is called "billing-db"')),
    "a service on another of its ports": Variation("dependency.unreachable", {"pod.json": _UNRESOLVED, "svc.txt": _SERVICES, f"logs/{POD}.log": "dial tcp: connect billing-db:5433: connection refused\n"}, quoted=('destination "billing-db", whose ports are "5432/TCP"',)),
    "a service of another namespace": Variation("dns.unresolved", {"pod.json": _UNRESOLVED, "svc.txt": _OF_OTHERS, f"logs/{POD}.log": "lookup db-billing.shop.svc.cluster.local on 10.96.0.10:53: no such host\n"}, quoted=('a recorded service is called "db-billing", in the namespace "data"',)),
    "a rollout that is paused": Variation("workload.paused", {"deployment.txt": _PAUSED}, component="billing", question="the new image of billing is not rolled out"),
    "a cron job that missed many runs": Variation(
        "cronjob.missed",
        {"cron.txt": _CRON.partition("Events:")[0], "events.txt": events_table(("TooManyMissedTimes", "cronjob/report", "too many missed start times: 101."))},
        component="report", question="why did cronjob report not start?", quoted=("too many missed start times",),
    ),
    "an error that is a condition": Variation("resource.not_ready", {"app.json": _APPLICATION}, component="billing", question="application billing is degraded", quoted=("unable to resolve 'v9' to a commit",)),
    "a resource that calls itself degraded": Variation("resource.not_ready", {"broker.json": _UNWELL}, component="billing", question="what is wrong with billing?", quoted=("two of three members answer",)),
    "a certificate without addresses": runs("ERROR x509: cannot validate certificate for 10.0.0.2 because it doesn't contain any IP SANs\n" * 3, "why does billing fail?", "certificate.name_mismatch"),
    "a hook that fails": Variation("container.start_failed", {"pod.txt": described_pod(more={"Reason": "PostStartHookError", "Message": "command '/bin/sh -c /seed.sh' exited with 126"}, status="Running")}, quoted=("exited with 126",)),
    "an error by its letter": crashed('E1201 09:00:02.100000       1 kind.go:63] "if it is a kind, install it before" cause="no matches for kind \\"Bill\\""\nI1201 09:00:02.100000       1 main.go:9] bye\n', ("no matches for kind",)),
    "the previous log of an ordinal": Variation("memory.exhausted", {"pods.txt": row("Running", "1/1", "6 (2m ago)", name="billing-0"), "logs/billing-0-previous.log": "ok\nOutOfMemoryError: Java heap space\n", "logs/ledger-0.log": "ok\n"}, component="billing-0", question="billing crashes every hour"),
    "an ingress of no class": Variation("ingress.class_missing", {"ingress.txt": _INGRESS.replace("nginx", "<none>").replace("10.0.0.40", "").replace("biller:80 ()", "biller:80 (10.2.3.9:80)")}, component="billing", question="ingress billing has no address", quoted=('class "<none>"',)),
    "a probe of one container": Variation("probe.readiness_failed", {"pod.txt": described_pod(("Unhealthy", "Readiness probe failed: HTTP probe failed with statuscode: 503"), status="Running", state="Running")}, quoted=('container "main"', 'ready "False"')),
    "an autoscaler that adds no node": Variation("pod.unschedulable_resources", {"pod.txt": described_pod(("FailedScheduling", "0/5 nodes are available: 5 Insufficient cpu."), ("NotTriggerScaleUp", "pod didn't trigger scale-up: 1 max node group size reached"), node="<none>", state="")}, quoted=('the autoscaler says "pod didn\'t trigger scale-up',)),
    "a service that is named before the failure": Variation("dependency.unreachable", {"pod.json": _UNRESOLVED, "svc.txt": _SERVICES, f"logs/{POD}.log": "dialing amqp://billing-db:5672\nFATAL dial tcp 10.96.8.9:5672: connect: connection refused\n"}, quoted=('destination "billing-db", whose ports are "5432/TCP"',)),
    "calls to a service that is slow": Variation("dependency.slow", {"pods.txt": row("Running", "1/1", "0"), "svc.txt": _SERVICES, f"logs/{POD}.log": "POST mail/send took 3050ms\n" * 5}, question="Why is billing slow?", quoted=("mail/send took 3050ms",)),
    "a quota over what is short": Variation("quota.exceeded", {"quota.txt": _QUOTA, "deployments.txt": _SHORT}, component="team", question="why does deployment billing stay at 3 pods?", quoted=('used "3", of "3"',)),
    "an error without its usual end": crashed(_TRACEBACK, ("DuplicateColumn", 'column "tariff"', "/srv/bill.py"), "code.exception"),
    "a setting before its summary": crashed("[error] [config] section 'output' is missing the 'name' property\n[error] configuration file contains errors, aborting.\n", ("is missing the 'name' property",), "config.invalid"),
    "a file system to read": crashed("OSError: [Errno 30] Read-only file system: '/srv/bills'\n", ("/srv/bills",), "container.read_only"),
    "a clock that differs": runs("WARN token rejected: token used before issued (iat=1796112315 now=1796108714)\n" * 3, "why does billing reject tokens?", "clock.skewed", ("used before issued",)),
    "an authority that is unknown": runs("ERROR x509: certificate signed by unknown authority\n" * 3, "why does billing fail?", "certificate.untrusted"),
    "a certificate of another name": runs("ERROR x509: certificate is valid for a.example.org, not b.example.org\n" * 3, "why does billing fail?", "certificate.name_mismatch"),
    "a dependency that is asked too often": runs("ERROR 429 Too Many Requests from tariffs.example.org\n" * 3, "why does billing fail?", "dependency.rate_limited"),
    "a store that takes no writes": runs("ERROR ReplyError: READONLY You can't write against a read only replica.\n" * 3, "why does billing fail?", "dependency.read_only"),
    "a store that has no room": runs("ERROR OOM command not allowed when used memory > 'maxmemory'.\n" * 3, "why does billing fail?", "dependency.read_only"),
    "a store that asks for a password": runs("ERROR NOAUTH Authentication required.\n" * 3, "why does billing fail?", "dependency.auth_failed"),
    "one container of several": Variation("pod.oom_killed", {"pod.txt": described_pod(more={"Reason": "OOMKilled"}, status="Running", state="Terminated", restarts="8")}, quoted=('container "main"', 'memory limit "64Mi"')),
}  # fmt: skip
