"""What goes wrong in clusters, as kubectl shows it: the fault, the object it is about, and the saved files."""
# ruff: noqa: E501 - kubectl prints long lines, and they stand here as it prints them

from dataclasses import dataclass, field

from tests.fakes.clusters import described_pod, event_objects, pod_object, text

POD = "billing-7d9c8b6f5d-x2kqz"
PULL = 'Failed to pull image "registry.example.org/billing:1.4": '


@dataclass(frozen=True)
class Variation:
    """One trouble: `files` are a bundle, `component` is the object with the fault."""

    fault: str
    files: dict[str, str]
    component: str = POD
    question: str = "What is the issue with billing?"
    quoted: tuple[str, ...] = field(default=())


def _pulled(message: str, reason: str = "ErrImagePull") -> dict[str, str]:
    return {"pod.txt": described_pod(("Failed", PULL + message), more={"Reason": reason})}


def _unscheduled(message: str) -> dict[str, str]:
    return {"pod.txt": described_pod(("FailedScheduling", message), node="<none>", state="")}


def _waiting(reason: str, message: str) -> dict[str, str]:
    status = {
        "phase": "Pending",
        "containerStatuses": [
            {"name": "main", "ready": False, "restartCount": 0,
             "state": {"waiting": {"reason": reason, "message": message}}}
        ],
    }  # fmt: skip
    return {"pod.json": pod_object(status)}


def _crashed(log: str, exit_code: str = "1", file: str = f"logs/shop_{POD}.log") -> dict[str, str]:
    state = {"Reason": "CrashLoopBackOff"}
    pod = described_pod(more=state, status="Running", restarts="7").replace(
        "    Ready:          False\n",
        f"    Last State:     Terminated\n      Reason:       Error\n      Exit Code:    {exit_code}\n"
        "    Ready:          False\n",
        1,
    )
    return {"pod.txt": pod, file: log}


VARIATIONS = {
    "a tag that the registry lacks": Variation(
        "image.tag_missing",
        _pulled(
            'rpc error: code = NotFound desc = failed to pull and unpack image "registry.example.org/billing:1.4":'
            ' failed to resolve reference "registry.example.org/billing:1.4": registry.example.org/billing:1.4: not found'
        ),
    ),
    "a tag that Docker lacks": Variation(
        "image.tag_missing",
        _pulled(
            "Error response from daemon: manifest for registry.example.org/billing:1.4 not found: manifest unknown"
        ),
    ),
    "a malformed image": Variation(
        "image.name_invalid",
        _waiting(
            "InvalidImageName",
            'Failed to apply default image tag "Billing::x": couldn\'t parse image name "Billing::x": invalid reference format',
        ),
    ),
    "a repository that is unknown": Variation(
        "image.name_wrong", _pulled("name unknown: repository billing not found in registry")
    ),
    "a pull secret that is missing": Variation(
        "image.pull_secret_missing",
        {
            "pod.txt": described_pod(
                (
                    "FailedToRetrieveImagePullSecret",
                    "Unable to retrieve some image pull secrets (regcred); attempting to pull the image may not succeed.",
                ),
                ("Failed", PULL + "unexpected status code 401 Unauthorized"),
                more={"Reason": "ImagePullBackOff"},
            )
        },
    ),
    "a registry that asks who is there": Variation(
        "image.pull_secret_missing",
        _pulled("pulling from host registry.example.org failed: 401 Unauthorized"),
    ),
    "a registry that cannot be reached": Variation(
        "image.registry_unreachable",
        _pulled(
            'failed to do request: Head "https://registry.example.org/v2/billing/manifests/1.4":'
            " dial tcp: lookup registry.example.org on 10.96.0.10:53: no such host"
        ),
    ),
    "a config map that is missing": Variation(
        "config_map.missing", _waiting("CreateContainerConfigError", 'configmap "billing-settings" not found')
    ),
    "a config map that cannot be mounted": Variation(
        "config_map.missing",
        {
            "pod.txt": described_pod(
                (
                    "FailedMount",
                    'MountVolume.SetUp failed for volume "conf" : configmap "billing-conf" not found',
                ),
                more={"Reason": "ContainerCreating"},
            )
        },
    ),
    "a key that a config map lacks": Variation(
        "config_map.key_missing",
        _waiting("CreateContainerConfigError", "couldn't find key LEVEL in ConfigMap shop/billing-settings"),
    ),
    "a secret that is missing": Variation(
        "secret.missing", _waiting("CreateContainerConfigError", 'secret "billing-db" not found')
    ),
    "a program that the image lacks": Variation(
        "container.command_missing",
        _waiting(
            "RunContainerError",
            'failed to create containerd task: exec: "serve": executable file not found in $PATH: unknown',
        ),
    ),
    "root that is refused": Variation(
        "container.root_refused",
        _waiting("CreateContainerConfigError", "container has runAsNonRoot and image will run as root"),
    ),
    "too little memory on the nodes": Variation(
        "pod.unschedulable_resources",
        _unscheduled("0/3 nodes are available: 3 Insufficient memory. preemption: 0/3 nodes are available"),
    ),
    "no GPU on the nodes": Variation(
        "pod.unschedulable_gpu", _unscheduled("0/3 nodes are available: 3 Insufficient amd.com/gpu.")
    ),
    "a taint that is not tolerated": Variation(
        "pod.unschedulable_taint",
        _unscheduled("0/1 nodes are available: 1 node(s) had untolerated taint {dedicated: batch}."),
    ),
    "rules between pods": Variation(
        "pod.unschedulable_affinity",
        _unscheduled("0/2 nodes are available: 2 node(s) didn't match pod anti-affinity rules."),
    ),
    "a claim that is missing": Variation(
        "pvc.missing",
        _unscheduled('0/2 nodes are available: persistentvolumeclaim "billing-data" not found.'),
    ),
    "a liveness probe that fails": Variation(
        "probe.liveness_failed",
        {
            "pod.txt": described_pod(
                ("Unhealthy", "Liveness probe failed: HTTP probe failed with statuscode: 500"),
                ("Killing", "Container main failed liveness probe, will be restarted"),
                more={"Started": "Mon, 30 Nov 2026 09:00:00 +0000"},
                status="Running",
                state="Running",
                restarts="9",
            )
        },
    ),
    "a readiness probe that fails": Variation(
        "probe.readiness_failed",
        {
            "pod.txt": described_pod(
                (
                    "Unhealthy",
                    (
                        'Readiness probe failed: Get "http://10.0.0.9:8080/ready": dial tcp 10.0.0.9:8080:'
                        " connect: connection refused"
                    ),
                ),
                more={"Started": "Mon, 30 Nov 2026 09:00:00 +0000"},
                status="Running",
                state="Running",
            )
        },
    ),
    "memory in an object": Variation(
        "pod.oom_killed",
        {
            "pod.json": pod_object(
                {
                    "phase": "Running",
                    "containerStatuses": [
                        {
                            "name": "main",
                            "ready": False,
                            "restartCount": 4,
                            "state": {"waiting": {"reason": "CrashLoopBackOff", "message": "back-off 40s"}},
                            "lastState": {"terminated": {"reason": "OOMKilled", "exitCode": 137}},
                        }
                    ],
                }
            )
        },
    ),
    "an eviction": Variation(
        "pod.evicted",
        {
            "pod.json": pod_object(
                {
                    "phase": "Failed",
                    "reason": "Evicted",
                    "message": "The node was low on resource: ephemeral-storage. Threshold quantity: 1Gi, available: 90Mi.",
                }
            )
        },
    ),
    "an exception in a log": Variation(
        "code.exception",
        _crashed(
            'loading settings\nTraceback (most recent call last):\n  File "app.py", line 3, in <module>\n'
            "    run()\nKeyError: 'tariff'\n"
        ),
        quoted=("KeyError: 'tariff'",),
    ),
    "a refused connection in a previous log": Variation(
        "dependency.unreachable",
        _crashed(
            "start\n" * 3000 + "dial tcp 10.96.14.2:5432: connect: connection refused\n",
            file=f"logs/kubectl_previous_logs_{POD}_shop.log",
        ),
        quoted=("dial tcp 10.96.14.2:5432: connect: connection refused",),
    ),
    "a variable that is missing": Variation(
        "config.env_missing", _crashed("fatal: environment variable TARIFF_URL is not set\n", "2")
    ),
    "a job over its deadline": Variation(
        "job.deadline",
        {
            "job.txt": text(
                """
                Name:                     report
                Namespace:                shop
                Selector:                 controller-uid=1
                Labels:                   job-name=report
                Parallelism:              1
                Completions:              1
                Active Deadline Seconds:  60s
                Backoff Limit:            6
                Pods Statuses:            0 Active (0 Ready) / 0 Succeeded / 1 Failed
                Events:
                  Type     Reason            Age   From            Message
                  ----     ------            ----  ----            -------
                  Normal   SuccessfulCreate  3m    job-controller  Created pod: report-k7v2p
                  Warning  DeadlineExceeded  2m    job-controller  Job was active longer than specified deadline
                """
            )
        },
        "report",
        "Why did the report job fail?",
    ),
    "a service account that is missing": Variation(
        "service_account.missing",
        {
            "rs.txt": text(
                """
                Name:           billing-7d9c8b6f5d
                Namespace:      shop
                Selector:       app=billing
                Labels:         app=billing
                Controlled By:  Deployment/billing
                Replicas:       0 current / 2 desired
                Pods Status:    0 Running / 0 Waiting / 0 Succeeded / 0 Failed
                Events:
                  Type     Reason        Age               From                   Message
                  ----     ------        ----              ----                   -------
                  Warning  FailedCreate  8s (x14 over 5m)  replicaset-controller  Error creating: pods "billing-7d9c8b6f5d-" is forbidden: error looking up service account shop/biller: serviceaccount "biller" not found
                """
            )
        },
        "billing-7d9c8b6f5d",
    ),
    "a quota that is used up": Variation(
        "quota.exceeded",
        {
            "events.txt": text(
                """
                LAST SEEN   TYPE      REASON         OBJECT                          MESSAGE
                2m          Warning   FailedCreate   replicaset/billing-7d9c8b6f5d   Error creating: pods "billing-7d9c8b6f5d-x" is forbidden: exceeded quota: compute, requested: cpu=1, used: cpu=4, limited: cpu=4
                """
            )
        },
        "billing-7d9c8b6f5d",
    ),
    "a claim without a volume": Variation(
        "pvc.no_volume",
        {
            "pvc.txt": text(
                """
                Name:          billing-data
                Namespace:     shop
                StorageClass:
                Status:        Pending
                Volume:
                Access Modes:
                VolumeMode:    Filesystem
                Used By:       billing-7d9c8b6f5d-x2kqz
                Events:
                  Type    Reason         Age               From                         Message
                  ----    ------         ----              ----                         -------
                  Warning  FailedBinding  2s (x9 over 2m)  persistentvolume-controller  no persistent volumes available for this claim and no storage class is set
                """
            )
        },
        "billing-data",
    ),
    "a service that selects nobody": Variation(
        "service.selector_unmatched",
        {
            "pods.txt": text(
                """
                NAMESPACE   NAME                       READY   STATUS    RESTARTS   AGE   LABELS
                shop        billing-7d9c8b6f5d-x2kqz   1/1     Running   0          3d    app=billing,tier=web
                """
            ),
            "service.txt": text(
                """
                Name:              billing
                Namespace:         shop
                Labels:            <none>
                Selector:          app=biling
                Type:              ClusterIP
                IP:                10.96.4.4
                Endpoints:         <none>
                Session Affinity:  None
                Events:            <none>
                """
            ),
        },
        "billing",
        "Why does service billing get no traffic?",
    ),
    "an ingress that leads nowhere": Variation(
        "ingress.backend_missing",
        {
            "ingress.txt": text(
                """
                Name:             billing
                Namespace:        shop
                Address:
                Ingress Class:    nginx
                Default backend:  <default>
                Rules:
                  Host           Path  Backends
                  ----           ----  --------
                  shop.example
                                 /   bill:80 (<error: services "bill" not found>)
                Events:          <none>
                """
            )
        },
        "billing",
        "Why does ingress billing answer 503?",
    ),
    "an autoscaler without metrics": Variation(
        "hpa.metrics_missing",
        {
            "hpa.txt": text(
                """
                Name:                                                  billing
                Namespace:                                             shop
                Reference:                                             Deployment/billing
                Metrics:                                               ( current / target )
                  resource cpu on pods  (as a percentage of request):  <unknown> / 50%
                Min replicas:                                          1
                Max replicas:                                          5
                Deployment pods:                                       1 current / 0 desired
                Conditions:
                  Type           Status  Reason                   Message
                  ----           ------  ------                   -------
                  AbleToScale    True    SucceededGetScale        the HPA controller was able to get the target's current scale
                  ScalingActive  False   FailedGetResourceMetric  the HPA was unable to compute the replica count: failed to get cpu utilization: unable to get metrics for resource cpu: no metrics returned from resource metrics API
                Events:          <none>
                """
            )
        },
        "billing",
        "Why does billing not scale?",
    ),
    "a node under pressure": Variation(
        "node.disk_pressure",
        {
            "node.txt": text(
                """
                Name:               worker-1
                Roles:              <none>
                Labels:             kubernetes.io/hostname=worker-1
                Taints:             node.kubernetes.io/disk-pressure:NoSchedule
                Unschedulable:      false
                Conditions:
                  Type             Status  LastHeartbeatTime                 LastTransitionTime                Reason                       Message
                  ----             ------  -----------------                 ------------------                ------                       -------
                  MemoryPressure   False   Mon, 30 Nov 2026 09:00:00 +0000   Mon, 30 Nov 2026 08:00:00 +0000   KubeletHasSufficientMemory   kubelet has sufficient memory available
                  DiskPressure     True    Mon, 30 Nov 2026 09:00:00 +0000   Mon, 30 Nov 2026 08:50:00 +0000   KubeletHasDiskPressure       kubelet has disk pressure
                  Ready            True    Mon, 30 Nov 2026 09:00:00 +0000   Mon, 30 Nov 2026 08:00:00 +0000   KubeletReady                 kubelet is posting ready status
                Allocatable:
                  cpu:  4
                """
            )
        },
        "worker-1",
        "Why are pods evicted from worker-1?",
    ),
    "a node that is not ready": Variation(
        "node.not_ready",
        {
            "nodes.txt": text(
                """
                NAME       STATUS     ROLES           AGE   VERSION
                control    Ready      control-plane   28d   v1.31.2
                worker-1   NotReady   <none>          28d   v1.31.2
                """
            )
        },
        "worker-1",
        "What is wrong with worker-1?",
    ),
    "a forbidden call in events": Variation(
        "image.access_denied",
        {
            "pods.txt": text(
                """
                NAME                       READY   STATUS             RESTARTS   AGE
                billing-7d9c8b6f5d-x2kqz   0/1     ImagePullBackOff   0          3d
                """
            ),
            "events.json": event_objects(
                (
                    "Pod",
                    POD,
                    "Failed",
                    PULL + "pull access denied, repository does not exist or may require authorization",
                )
            ),
        },
    ),
    "a policy that isolates": Variation(
        "network_policy.blocks",
        {
            "pod.txt": described_pod(status="Running", state="Running", ready="True"),
            "policy.txt": text(
                """
                Name:         closed
                Namespace:    shop
                Created on:   2026-11-30 08:00:00 +0000 UTC
                Labels:       <none>
                Annotations:  <none>
                Spec:
                  PodSelector:     app=billing
                  Not affecting ingress traffic
                  Allowing egress traffic:
                    <none> (Selected pods are isolated for egress connectivity)
                  Policy Types: Egress
                """
            ),
            f"logs/{POD}.log": "ok\ngetaddrinfo failed: Temporary failure in name resolution\n" * 4,
        },
    ),
}
