"""What goes wrong around pods, as `kubectl get -o json` shows it; tables and descriptions of the same."""
# ruff: noqa: E501 - kubectl prints long lines, and they stand here as it prints them

from tests.fakes.clusters import (
    RUNS,
    condition,
    event_objects,
    events_table,
    named,
    pod_object,
    pod_status,
    text,
    unscheduled,
)
from tests.unit.kubernetes.variations import POD, Variation

SET = "billing-7d9c8b6f5d"

OBJECTS_AROUND = {
    "a claim of a class that is missing, asked about by its pod": Variation(
        "pvc.storage_class_missing",
        {
            "pod.json": pod_object(
                unscheduled("0/2 nodes are available: pod has unbound immediate PersistentVolumeClaims."),
                volumes=[{"name": "data", "persistentVolumeClaim": {"claimName": "billing-data"}}],
            ),
            "pvc.json": named(
                "v1",
                "PersistentVolumeClaim",
                "billing-data",
                spec={"storageClassName": "fastest"},
                status={"phase": "Pending"},
            ),
            "events.json": event_objects(
                (
                    "PersistentVolumeClaim",
                    "billing-data",
                    "ProvisioningFailed",
                    'storageclass.storage.k8s.io "fastest" not found',
                )
            ),
        },
        "billing-data",
    ),
    "a claim that no class serves": Variation(
        "pvc.storage_class_missing",
        {
            "pvc.json": named(
                "v1",
                "PersistentVolumeClaim",
                "billing-data",
                spec={"storageClassName": "fastest"},
                status={"phase": "Pending"},
            ),
            "classes.txt": text(
                """
                NAME                 PROVISIONER             RECLAIMPOLICY   VOLUMEBINDINGMODE      ALLOWVOLUMEEXPANSION   AGE
                standard (default)   rancher.io/local-path   Delete          WaitForFirstConsumer   false                  90d
                """
            ),
        },
        "billing-data",
        "Why is billing-data pending?",
        quoted=("fastest",),
    ),
    "a job over its deadline, as an object": Variation(
        "job.deadline",
        {
            "job.json": named(
                "batch/v1",
                "Job",
                "report",
                spec={"activeDeadlineSeconds": 60, "backoffLimit": 6},
                status={
                    "failed": 1,
                    "conditions": [
                        condition(
                            "Failed",
                            "True",
                            "DeadlineExceeded",
                            "Job was active longer than specified deadline",
                        )
                    ],
                },
            )
        },
        "report",
        "Why did the report job fail?",
    ),
    "a job that failed too often": Variation(
        "job.backoff_limit",
        {
            "job.json": named(
                "batch/v1",
                "Job",
                "report",
                spec={"backoffLimit": 2},
                status={
                    "failed": 3,
                    "conditions": [
                        condition(
                            "Failed",
                            "True",
                            "BackoffLimitExceeded",
                            "Job has reached the specified backoff limit",
                        )
                    ],
                },
            )
        },
        "report",
        "Why did the report job fail?",
    ),
    "a job whose pod says why": Variation(
        "dependency.auth_failed",
        {
            "job.txt": text(
                """
                NAMESPACE   NAME     STATUS   COMPLETIONS   DURATION   AGE
                shop        report   Failed   0/1           3m         3m
                """
            ),
            "pods.txt": text(
                """
                NAMESPACE   NAME           READY   STATUS   RESTARTS   AGE
                shop        report-k7v2p   0/1     Error    0          3m
                """
            ),
            "logs/report-k7v2p.log": 'connecting\npsql: error: FATAL:  password authentication failed for user "report"\n',
        },
        "report-k7v2p",
        "Why did the report job fail?",
    ),
    "a service whose pods are not ready": Variation(
        "service.no_endpoints",
        {
            "endpoints.txt": text(
                """
                NAMESPACE   NAME      ENDPOINTS   AGE
                shop        billing   <none>      3d
                """
            )
        },
        "billing",
        "Why does service billing get no traffic?",
    ),
    "a service that selects nobody, as an object": Variation(
        "service.selector_unmatched",
        {
            "service.json": named(
                "v1", "Service", "billing", spec={"selector": {"app": "biling"}, "ports": [{"port": 80}]}
            ),
            "pod.json": pod_object(
                {
                    "phase": "Running",
                    "containerStatuses": [{"name": "main", "ready": True, "restartCount": 0, "state": RUNS}],
                }
            ),
        },
        "billing",
        "Why does service billing get no traffic?",
        quoted=("biling",),
    ),
    "endpoints without addresses": Variation(
        "service.no_endpoints",
        {
            "endpoints.json": named(
                "v1",
                "Endpoints",
                "billing",
                subsets=[{"notReadyAddresses": [{"ip": "10.0.0.9"}], "ports": [{"port": 80}]}],
            )
        },
        "billing",
        "Why does service billing get no traffic?",
    ),
    "an ingress to a service that is not there": Variation(
        "ingress.backend_missing",
        {
            "ingress.json": named(
                "networking.k8s.io/v1",
                "Ingress",
                "billing",
                spec={
                    "ingressClassName": "nginx",
                    "rules": [
                        {
                            "host": "shop.example",
                            "http": {
                                "paths": [
                                    {
                                        "path": "/",
                                        "backend": {"service": {"name": "bill", "port": {"number": 80}}},
                                    }
                                ]
                            },
                        }
                    ],
                },
            ),
            "services.txt": text(
                """
                NAMESPACE   NAME      TYPE        CLUSTER-IP   EXTERNAL-IP   PORT(S)   AGE
                shop        billing   ClusterIP   10.96.4.4    <none>        80/TCP    3d
                """
            ),
        },
        "billing",
        "Why does ingress billing answer 503?",
        quoted=('"bill"',),
    ),
    "a certificate that an ingress lacks": Variation(
        "tls.secret_missing",
        {
            "ingress.txt": text(
                """
                Name:             billing
                Namespace:        shop
                Labels:           <none>
                Address:          10.0.0.1
                Ingress Class:    nginx
                TLS:
                  shop-tls terminates shop.example
                Rules:
                  Host          Path  Backends
                  ----          ----  --------
                  shop.example
                                /   billing:80 (10.0.0.9:80)
                Events:
                  Type     Reason             Age   From                      Message
                  ----     ------             ----  ----                      -------
                  Warning  CreateCertificate  2m    nginx-ingress-controller  error obtaining certificate: secret "shop/shop-tls" not found
                """
            )
        },
        "billing",
        "Why does ingress billing serve a wrong certificate?",
    ),
    "an autoscaler of nothing": Variation(
        "hpa.target_missing",
        {
            "hpa.json": named(
                "autoscaling/v2",
                "HorizontalPodAutoscaler",
                "billing",
                spec={"scaleTargetRef": {"kind": "Deployment", "name": "biling"}, "maxReplicas": 5},
                status={
                    "currentReplicas": 0,
                    "conditions": [
                        condition(
                            "AbleToScale",
                            "False",
                            "FailedGetScale",
                            'the HPA controller was unable to get the target\'s current scale: deployments.apps "biling" not found',
                        )
                    ],
                },
            )
        },
        "billing",
        "Why does billing not scale?",
    ),
    "an autoscaler at its end": Variation(
        "hpa.at_maximum",
        {
            "hpa.json": named(
                "autoscaling/v2",
                "HorizontalPodAutoscaler",
                "billing",
                spec={"maxReplicas": 5},
                status={
                    "currentReplicas": 5,
                    "conditions": [
                        condition(
                            "ScalingLimited",
                            "True",
                            "TooManyReplicas",
                            "the desired replica count is more than the maximum replica count",
                        )
                    ],
                },
            )
        },
        "billing",
        "Why does the autoscaler billing not scale?",
    ),
    "a deployment over its quota": Variation(
        "quota.exceeded",
        {
            "deployment.json": named(
                "apps/v1",
                "Deployment",
                "billing",
                spec={"replicas": 2},
                status={
                    "replicas": 0,
                    "unavailableReplicas": 2,
                    "conditions": [
                        condition(
                            "ReplicaFailure",
                            "True",
                            "FailedCreate",
                            f'pods "{SET}-x" is forbidden: exceeded quota: compute, requested: pods=1, used: pods=8, limited: pods=8',
                        )
                    ],
                },
            )
        },
        "billing",
    ),
    "a quota of which all is used": Variation(
        "quota.exceeded",
        {
            "quota.txt": text(
                """
                Name:       compute
                Namespace:  shop
                Labels:     <none>
                Resource    Used  Hard
                --------    ----  ----
                pods        8     8
                cpu         2     10
                """
            )
        },
        "compute",
        "Why can nothing be started in namespace shop?",
        quoted=("pods",),
    ),
    "a pod above a limit range": Variation(
        "limit_range.exceeded",
        {
            "events.json": event_objects(
                (
                    "ReplicaSet",
                    SET,
                    "FailedCreate",
                    f'Error creating: pods "{SET}-x" is forbidden: maximum memory usage per Container is 512Mi, but limit is 2Gi',
                )
            )
        },
        SET,
    ),
    "a pod that a standard refuses": Variation(
        "pod_security.refused",
        {
            "events.txt": events_table(
                (
                    "FailedCreate",
                    f"replicaset/{SET}",
                    f'Error creating: pods "{SET}-x" is forbidden: violates PodSecurity "restricted:latest": allowPrivilegeEscalation != false',
                )
            )
        },
        SET,
    ),
    "a webhook that does not answer": Variation(
        "admission.webhook_failed",
        {
            "events.txt": events_table(
                (
                    "FailedCreate",
                    f"replicaset/{SET}",
                    'Error creating: Internal error occurred: failed calling webhook "check.example.org": Post "https://check.guard.svc:443/": dial tcp 10.96.3.3:443: connect: connection refused',
                )
            )
        },
        SET,
    ),
    "a policy over a pod, as objects": Variation(
        "network_policy.blocks",
        {
            "pod.json": pod_object(pod_status("Running", RUNS)),
            "policy.json": named(
                "networking.k8s.io/v1",
                "NetworkPolicy",
                "closed",
                spec={"podSelector": {"matchLabels": {"app": "billing"}}, "policyTypes": ["Egress"]},
            ),
            f"logs/{POD}.log": "ok\nupstream: dial tcp 10.96.7.7:5432: i/o timeout\n" * 3,
        },
    ),
    "a node that stopped answering": Variation(
        "node.not_ready",
        {
            "nodes.json": named(
                "v1",
                "Node",
                "worker-1",
                namespace="",
                status={
                    "conditions": [
                        condition(
                            "Ready", "Unknown", "NodeStatusUnknown", "Kubelet stopped posting node status."
                        )
                    ]
                },
            )
        },
        "worker-1",
        "What is wrong with worker-1?",
    ),
    "a node without memory": Variation(
        "node.memory_pressure",
        {
            "nodes.json": named(
                "v1",
                "Node",
                "worker-1",
                namespace="",
                status={
                    "conditions": [
                        condition(
                            "MemoryPressure",
                            "True",
                            "KubeletHasInsufficientMemory",
                            "kubelet has insufficient memory available",
                        ),
                        condition("Ready", "True", "KubeletReady", "kubelet is posting ready status"),
                    ]
                },
            )
        },
        "worker-1",
        "Why are pods evicted from worker-1?",
    ),
}
