"""What goes wrong with pods, as `kubectl get -o json` shows it."""
# ruff: noqa: E501 - kubectl prints long lines, and they stand here as it prints them

from tests.fakes.clusters import WAITS, crashed, event_objects, pod_object, pod_status, unscheduled
from tests.unit.kubernetes.variations import POD, Variation

POD_OBJECTS = {
    "a start that is denied": Variation(
        "container.command_denied",
        {
            "pod.json": pod_object(
                crashed(
                    reason="StartError",
                    exitCode=128,
                    message='failed to create containerd task: failed to create shim task: OCI runtime create failed: runc create failed: unable to start container process: exec: "/app/run": permission denied: unknown',
                )
            )
        },
    ),
    "a taint in an object": Variation(
        "pod.unschedulable_taint",
        {
            "pod.json": pod_object(
                unscheduled(
                    "0/2 nodes are available: 2 node(s) had untolerated taint {gpu: only}. preemption: 0/2 nodes are available: 2 Preemption is not helpful for scheduling."
                )
            )
        },
    ),
    "nodes that are closed": Variation(
        "node.cordoned",
        {"pod.json": pod_object(unscheduled("0/2 nodes are available: 2 node(s) were unschedulable."))},
    ),
    "a volume in another zone": Variation(
        "volume.node_conflict",
        {
            "pod.json": pod_object(
                unscheduled("0/2 nodes are available: 2 node(s) had volume node affinity conflict.")
            )
        },
    ),
    "too many pods for the nodes": Variation(
        "pod.unschedulable_count",
        {"pod.json": pod_object(unscheduled("0/2 nodes are available: 2 Too many pods."))},
    ),
    "a secret that cannot be mounted": Variation(
        "secret.missing",
        {
            "pod.json": pod_object(pod_status("Pending", {"waiting": {"reason": "ContainerCreating"}})),
            "events.json": event_objects(
                (
                    "Pod",
                    POD,
                    "FailedMount",
                    'MountVolume.SetUp failed for volume "tls" : secret "billing-keys" not found',
                )
            ),
        },
    ),
    "a role that is missing": Variation(
        "rbac.forbidden",
        {
            "pod.json": pod_object(crashed(reason="Error", exitCode=1)),
            f"logs/kubectl_previous_logs_{POD}.log": '{"level":"error","time":"2026-11-30T09:00:00Z","msg":"secrets is forbidden: User \\"system:serviceaccount:shop:biller\\" cannot list resource \\"secrets\\" in API group \\"\\" in the namespace \\"shop\\""}\n',
        },
    ),
    "a previous log in the object": Variation(
        "config.env_missing",
        {
            "pod.json": pod_object(
                crashed(
                    reason="Error", exitCode=1, message="fatal: environment variable TARIFF_URL is not set\n"
                )
            )
        },
    ),
    "an init container that lacks memory": Variation(
        "pod.oom_killed",
        {
            "pod.json": pod_object(
                {
                    "phase": "Pending",
                    "initContainerStatuses": [
                        {
                            "name": "migrate",
                            "ready": False,
                            "restartCount": 3,
                            "state": WAITS,
                            "lastState": {"terminated": {"reason": "OOMKilled", "exitCode": 137}},
                        }
                    ],
                    "containerStatuses": [
                        {
                            "name": "main",
                            "ready": False,
                            "restartCount": 0,
                            "state": {"waiting": {"reason": "PodInitializing"}},
                        }
                    ],
                },
                initContainers=[{"name": "migrate", "image": "registry.example.org/billing:1.4"}],
            )
        },
        quoted=("migrate",),
    ),
}
