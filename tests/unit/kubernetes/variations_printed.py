"""Further troubles as tables, descriptions, dumps of clusters and support bundles show them."""
# ruff: noqa: E501 - kubectl prints long lines, and they stand here as it prints them

from tests.fakes.clusters import (
    condition,
    crashed,
    described_pod,
    event_objects,
    events_table,
    item_of,
    listed,
    pod_row,
    pod_status,
    text,
)
from tests.unit.kubernetes.variations import POD, PULL, Variation

SET = "billing-7d9c8b6f5d"

PRINTED = {
    "a startup probe that fails": Variation(
        "probe.startup_failed",
        {
            "pod.txt": described_pod(
                ("Unhealthy", "Startup probe failed: HTTP probe failed with statuscode: 503"),
                ("Killing", "Container main failed startup probe, will be restarted"),
                more={"Started": "Mon, 30 Nov 2026 09:00:00 +0000"},
                status="Running",
                state="Running",
                restarts="3",
            )
        },
    ),
    "a liveness probe in a table of events": Variation(
        "probe.liveness_failed",
        {
            "pods.txt": pod_row("CrashLoopBackOff", restarts="9 (2m ago)"),
            "events.txt": events_table(
                (
                    "Unhealthy",
                    f"pod/{POD}",
                    'Liveness probe failed: Get "http://10.0.0.9:8080/healthz": context deadline exceeded (Client.Timeout exceeded while awaiting headers)',
                ),
                ("BackOff", f"pod/{POD}", "Back-off restarting failed container main in pod"),
            ),
        },
    ),
    "a readiness probe in a table of events": Variation(
        "probe.readiness_failed",
        {
            "pods.txt": pod_row("Running"),
            "events.txt": events_table(
                ("Unhealthy", f"pod/{POD}", "Readiness probe failed: HTTP probe failed with statuscode: 500")
            ),
        },
    ),
    "a volume that another node holds": Variation(
        "volume.attached_elsewhere",
        {
            "pods.txt": pod_row("ContainerCreating"),
            "events.txt": events_table(
                (
                    "FailedAttachVolume",
                    f"pod/{POD}",
                    'Multi-Attach error for volume "pvc-1" Volume is already exclusively attached to one node and can\'t be attached to another',
                )
            ),
        },
    ),
    "a secret that a description names": Variation(
        "secret.missing",
        {
            "pod.txt": described_pod(
                ("Failed", 'Error: secret "billing-db" not found'),
                more={"Reason": "CreateContainerConfigError"},
            )
        },
    ),
    "a key that a secret lacks": Variation(
        "secret.key_missing",
        {
            "pod.txt": described_pod(
                ("Failed", "Error: couldn't find key password in Secret shop/billing-db"),
                more={"Reason": "CreateContainerConfigError"},
            )
        },
    ),
    "a configuration that cannot be had": Variation(
        "container.start_failed", {"pods.txt": pod_row("CreateContainerConfigError")}
    ),
    "an invalid name in a table": Variation("image.name_invalid", {"pods.txt": pod_row("InvalidImageName")}),
    "an eviction in a table": Variation("pod.evicted", {"pods.txt": pod_row("Evicted")}),
    "memory in a table": Variation(
        "pod.oom_killed", {"pods.txt": pod_row("OOMKilled", restarts="5 (90s ago)")}
    ),
    "an image that is not pulled, no more": Variation(
        "image.pull_failed", {"pods.txt": pod_row("Init:ImagePullBackOff")}
    ),
    "an eviction in a description": Variation(
        "pod.evicted",
        {
            "pod.txt": described_pod(
                (
                    "Evicted",
                    "The node was low on resource: memory. Threshold quantity: 100Mi, available: 50Mi. Container main was using 900Mi, request is 64Mi",
                ),
                status="Failed\nReason:           Evicted\nMessage:          The node was low on resource: memory.",
                state="Terminated",
            )
        },
    ),
    "a registry that limits pulls": Variation(
        "image.rate_limited",
        {
            "pod.txt": described_pod(
                ("Failed", PULL + "toomanyrequests: You have reached your pull rate limit."),
                more={"Reason": "ErrImagePull"},
            )
        },
    ),
    "an image of another platform": Variation(
        "image.wrong_platform",
        {
            "pod.txt": described_pod(
                ("Failed", PULL + "no match for platform in manifest: not found"),
                more={"Reason": "ErrImagePull"},
            )
        },
    ),
    "a certificate of a registry": Variation(
        "image.registry_unreachable",
        {
            "pod.txt": described_pod(
                (
                    "Failed",
                    PULL
                    + 'failed to do request: Head "https://registry.example.org/v2/billing/manifests/1.4": tls: failed to verify certificate: x509: certificate signed by unknown authority',
                ),
                more={"Reason": "ImagePullBackOff"},
            )
        },
    ),
    "no addresses for a sandbox": Variation(
        "pod.sandbox_failed",
        {
            "pod.txt": described_pod(
                (
                    "FailedCreatePodSandBox",
                    'Failed to create pod sandbox: rpc error: code = Unknown desc = failed to setup network for sandbox "ab": plugin type="calico" failed (add): error getting ClusterInformation',
                ),
                more={"Reason": "ContainerCreating"},
            )
        },
    ),
    "a cron job that sleeps": Variation(
        "cronjob.suspended",
        {
            "cron.txt": text(
                """
                NAMESPACE   NAME     SCHEDULE    TIMEZONE   SUSPEND   ACTIVE   LAST SCHEDULE   AGE
                shop        report   0 3 * * *   <none>     True      0        9d              90d
                """
            )
        },
        "report",
        "Why did the report job not run?",
    ),
    "a node that is closed and not ready": Variation(
        "node.not_ready",
        {
            "nodes.txt": text(
                """
                NAME       STATUS                        ROLES    AGE   VERSION
                worker-1   NotReady,SchedulingDisabled   <none>   28d   v1.31.2
                """
            )
        },
        "worker-1",
        "What is wrong with worker-1?",
    ),
    "an autoscaler without metrics in a table": Variation(
        "hpa.metrics_missing",
        {
            "hpa.txt": text(
                """
                NAMESPACE   NAME      REFERENCE            TARGETS              MINPODS   MAXPODS   REPLICAS   AGE
                shop        billing   Deployment/billing   cpu: <unknown>/50%   1         5         1          3d
                """
            )
        },
        "billing",
        "Why does billing not scale?",
    ),
    "headers that were cut off": Variation(
        "image.pull_failed",
        {
            "pods.txt": f"shop   {POD}   0/1     ImagePullBackOff   0          3d    10.0.0.9   worker-1   <none>   <none>\n"
        },
    ),
    "a program for another machine": Variation(
        "image.wrong_platform",
        {
            "pods.txt": pod_row("CrashLoopBackOff", restarts="4 (20s ago)"),
            f"logs/{POD}.log": "exec /app/billing: exec format error\n",
        },
    ),
    "a dump of a cluster": Variation(
        "container.file_missing",
        {
            "shop/pods.json": listed("Pod", item_of(crashed(reason="Error", exitCode=1))),
            "shop/events.json": listed("Event"),
            f"shop/{POD}/logs.txt": f"==== START logs for container main of pod shop/{POD} ====\nopen /etc/billing/conf.yaml: no such file or directory\n==== END logs for container main of pod shop/{POD} ====\n",
        },
        quoted=("open /etc/billing/conf.yaml",),
    ),
    "a dump with events": Variation(
        "service_account.missing",
        {
            "shop/pods.json": listed("Pod"),
            "shop/replicasets.json": listed(
                "ReplicaSet",
                {
                    "metadata": {"name": SET, "namespace": "shop"},
                    "spec": {"replicas": 1},
                    "status": {"replicas": 0},
                },
                version="apps/v1",
            ),
            "shop/events.json": listed(
                "Event",
                {
                    "metadata": {"name": f"{SET}.1", "namespace": "shop"},
                    "involvedObject": {"kind": "ReplicaSet", "name": SET, "namespace": "shop"},
                    "reason": "FailedCreate",
                    "message": f'Error creating: pods "{SET}-" is forbidden: error looking up service account shop/biller: serviceaccount "biller" not found',
                    "type": "Warning",
                },
            ),
        },
        SET,
    ),
    "a support bundle with a claim": Variation(
        "pvc.storage_class_missing",
        {
            "cluster-resources/pvcs/shop.json": listed(
                "PersistentVolumeClaim",
                {
                    "metadata": {"name": "billing-data", "namespace": "shop"},
                    "spec": {"storageClassName": "fastest"},
                    "status": {"phase": "Pending"},
                },
            ),
            "cluster-resources/storage-classes.json": listed(
                "StorageClass",
                {"metadata": {"name": "standard"}, "provisioner": "rancher.io/local-path"},
                version="storage.k8s.io/v1",
            ),
            "cluster-resources/events/shop.json": event_objects(
                (
                    "PersistentVolumeClaim",
                    "billing-data",
                    "ProvisioningFailed",
                    'storageclass.storage.k8s.io "fastest" not found',
                )
            ),
        },
        "billing-data",
        "Why is billing-data pending?",
    ),
    "a support bundle with a node": Variation(
        "node.disk_pressure",
        {
            "cluster-resources/nodes.json": listed(
                "Node",
                {
                    "metadata": {"name": "worker-1"},
                    "status": {
                        "conditions": [
                            condition(
                                "DiskPressure", "True", "KubeletHasDiskPressure", "kubelet has disk pressure"
                            )
                        ]
                    },
                },
            )
        },
        "worker-1",
        "Why are pods evicted from worker-1?",
    ),
    "a support bundle with a deployment": Variation(
        "config_map.missing",
        {
            "cluster-resources/deployments/shop.json": listed(
                "Deployment",
                {
                    "metadata": {"name": "billing", "namespace": "shop"},
                    "spec": {"replicas": 1},
                    "status": {"replicas": 1, "unavailableReplicas": 1},
                },
                version="apps/v1",
            ),
            "cluster-resources/pods/shop.json": listed(
                "Pod",
                item_of(
                    pod_status(
                        "Pending",
                        {
                            "waiting": {
                                "reason": "CreateContainerConfigError",
                                "message": 'configmap "billing-settings" not found',
                            }
                        },
                    )
                ),
            ),
        },
    ),
    "a support bundle with a log": Variation(
        "dependency.unreachable",
        {
            "cluster-resources/pods/shop.json": listed("Pod", item_of(crashed(reason="Error", exitCode=1))),
            f"cluster-resources/pods/logs/shop/{POD}/main-previous.log": "2026-11-30T09:00:00Z starting\n2026-11-30T09:00:05Z connect ECONNREFUSED 10.96.14.2:5432\n",
            f"cluster-resources/pods/logs/shop/{POD}/main.log": "2026-11-30T09:01:00Z starting\n",
        },
        quoted=("ECONNREFUSED 10.96.14.2:5432",),
    ),
    "a support bundle with an ingress": Variation(
        "ingress.class_missing",
        {
            "cluster-resources/ingress/shop.json": listed(
                "Ingress",
                {"metadata": {"name": "billing", "namespace": "shop"}, "spec": {"ingressClassName": "ngnix"}},
                version="networking.k8s.io/v1",
            ),
            "cluster-resources/ingressclasses.json": listed(
                "IngressClass",
                {"metadata": {"name": "nginx"}, "spec": {"controller": "k8s.io/ingress-nginx"}},
                version="networking.k8s.io/v1",
            ),
        },
        "billing",
        "Why is ingress billing not reachable?",
    ),
}
