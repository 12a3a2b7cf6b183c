"""What goes wrong around pods, as kubectl shows it: jobs, claims, services, nodes, policies."""
# ruff: noqa: E501 - kubectl prints long lines, and they stand here as it prints them

from tests.fakes.clusters import described_pod, event_objects, text
from tests.unit.kubernetes.variations import POD, PULL, Variation

AROUND = {
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
    "a claim of a pod of which the row was saved": Variation(
        "pvc.storage_class_missing",
        {
            "pods.txt": text(
                """
                NAMESPACE   NAME       READY   STATUS    RESTARTS   AGE
                shop        ledger-0   0/1     Pending   0          14m
                """
            ),
            "pvc.txt": text(
                """
                Name:          ledger-data
                Namespace:     shop
                StorageClass:  fast
                Status:        Pending
                Volume:
                Used By:       copier-0
                               ledger-0
                Events:
                  Type     Reason              Age               From                         Message
                  ----     ------              ----              ----                         -------
                  Warning  ProvisioningFailed  2s (x9 over 2m)   persistentvolume-controller  storageclass.storage.k8s.io "fast" not found
                """
            ),
        },
        "ledger-data",
        question="Why does ledger-0 not start?",
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
    "an ingress of an unknown class": Variation(
        "ingress.class_missing",
        {
            "ingress.txt": text(
                """
                NAMESPACE   NAME      CLASS   HOSTS          ADDRESS   PORTS   AGE
                shop        billing   ngnix   shop.example             80      3d
                """
            ),
            "classes.txt": text(
                """
                NAME    CONTROLLER             PARAMETERS   AGE
                nginx   k8s.io/ingress-nginx   <none>       90d
                """
            ),
        },
        "billing",
        "Why is ingress billing not reachable?",
    ),
}
