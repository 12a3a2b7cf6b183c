"""What goes wrong in clusters, as kubectl shows it: the fault, the object it is about, and the saved files."""
# ruff: noqa: E501 - kubectl prints long lines, and they stand here as it prints them

from dataclasses import dataclass, field

from tests.fakes.clusters import described_pod, pod_object, text

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


OF_PODS = {
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
    "a call that is forbidden": Variation(
        "rbac.forbidden",
        _crashed(
            'starting\nError: deployments.apps is forbidden: User "system:serviceaccount:shop:default" cannot list'
            ' resource "deployments" in API group "apps" in the namespace "shop"\n'
        ),
    ),
    "an init container that fails": Variation(
        "dependency.unreachable",
        {
            "pods.txt": text(
                """
                NAMESPACE   NAME                       READY   STATUS                  RESTARTS       AGE
                shop        billing-7d9c8b6f5d-x2kqz   0/1     Init:CrashLoopBackOff   12 (3m ago)    3d
                shop        other-6f5b8c7d9-9fkld      1/1     Running                 0              3d
                """
            ),
            f"logs/kubectl_logs_{POD}.log": "waiting for db\nnc: can't connect to remote host (10.96.1.9): Connection refused\n",
        },
    ),
    "a pod in YAML": Variation(
        "secret.missing",
        {
            "pod.yaml": text(
                """
                apiVersion: v1
                kind: Pod
                metadata:
                  name: billing-7d9c8b6f5d-x2kqz
                  namespace: shop
                spec:
                  containers:
                  - name: main
                    image: registry.example.org/billing:1.4
                status:
                  phase: Pending
                  containerStatuses:
                  - name: main
                    ready: false
                    restartCount: 0
                    state:
                      waiting:
                        reason: CreateContainerConfigError
                        message: secret "billing-db" not found
                """
            )
        },
    ),
    "a selector in an object": Variation(
        "pod.unschedulable_selector",
        {
            "pod.json": pod_object(
                {
                    "phase": "Pending",
                    "conditions": [
                        {
                            "type": "PodScheduled",
                            "status": "False",
                            "reason": "Unschedulable",
                            "message": "0/1 nodes are available: 1 node(s) didn't match Pod's node affinity/selector.",
                        }
                    ],
                },
                nodeSelector={"disktype": "nvme"},
            ),
            "nodes.txt": text(
                """
                NAME       STATUS   ROLES    AGE   VERSION   LABELS
                worker-1   Ready    <none>   28d   v1.31.2   disktype=ssd,kubernetes.io/os=linux
                """
            ),
        },
        quoted=("nvme", "0 of 1 recorded nodes"),
    ),
    "a support bundle": Variation(
        "pod.oom_killed",
        {
            "cluster-resources/pods/shop.json": (
                '[{"metadata": {"name": "billing-7d9c8b6f5d-x2kqz", "namespace": "shop"},\n'
                ' "spec": {"containers": [{"name": "main"}]},\n'
                ' "status": {"phase": "Running", "containerStatuses": [{"name": "main", "ready": false,\n'
                '  "restartCount": 3, "state": {"waiting": {"reason": "CrashLoopBackOff"}},\n'
                '  "lastState": {"terminated": {"exitCode": 137, "reason": "OOMKilled"}}}]}}]\n'
            ),
            f"cluster-resources/pods/logs/shop/{POD}/main.log": "started\n",
        },
    ),
    "one that is ill among many": Variation(
        "pod.unschedulable_resources",
        {
            "pods.txt": "NAMESPACE   NAME                       READY   STATUS    RESTARTS   AGE\n"
            + "".join(
                f"shop        calm-{number:05}                 1/1     Running   0          3d\n"
                for number in range(60)
            ),
            "pod.txt": described_pod(
                ("FailedScheduling", "0/3 nodes are available: 3 Insufficient cpu."), node="<none>", state=""
            ),
        },
        question="KubePodNotReady: a pod has been in a non-ready state for longer than 15 minutes.",
    ),
    "a port that is taken": Variation(
        "container.port_taken",
        _crashed(
            "2026-11-30T09:00:00Z INFO start\n2026-11-30T09:00:01Z ERROR listen tcp :8080: bind: address already in use\n"
        ),
        quoted=("2026-11-30T09:00:01Z ERROR listen tcp :8080: bind: address already in use",),
    ),
    "a file that may not be read": Variation(
        "container.file_missing",
        _crashed("reading settings\ncould not open /etc/billing/conf.yaml: permission denied\n"),
    ),
}
