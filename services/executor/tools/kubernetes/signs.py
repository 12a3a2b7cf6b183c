"""Which fault the words of Kubernetes state: its reasons, and the messages of its parts."""

import re
from typing import Final


def _line(first: str, then: str) -> str:
    """Return a pattern of a line that holds one text somewhere behind another, found in one pass."""
    return rf"^(?:(?!{first}).)*+{first}.*(?:{then})"


# The first pattern that a message holds counts; what is more particular stands first.
_MESSAGES: Final = tuple(
    (fault, re.compile(words, re.IGNORECASE | re.MULTILINE))
    for fault, words in (
        ("image.pull_secret_missing", r"unable to retrieve some image pull secrets"),
        (
            "image.name_invalid",
            r"InvalidImageName|couldn't parse image (?:name|reference)|invalid reference format",
        ),
        ("image.rate_limited", r"toomanyrequests|" + _line("pull image", "rate limit")),
        ("image.wrong_platform", r"no match for platform|no matching manifest for|exec format error"),
        (
            "image.registry_unreachable",
            _line(
                "(?:pull|registry|manifests|/v2/)",
                r"no such host|connection refused|i/o timeout"
                r"|TLS handshake|no route to host|x509|context deadline exceeded|Client\.Timeout",
            ),
        ),
        ("image.access_denied", r"pull access denied|insufficient_scope"),
        (
            "image.pull_secret_missing",
            _line("pull", "unauthorized|no basic auth credentials|authentication required|401|403 Forbidden"),
        ),
        (
            "image.name_wrong",
            r"NAME_UNKNOWN|name unknown|repository .{1,200} not found|repository does not exist",
        ),
        ("image.tag_missing", r"manifest unknown|MANIFEST_UNKNOWN|manifest for .{1,300} not found"),
        ("image.tag_missing", _line("failed to (?:pull|resolve)", ": not found")),
        ("image.never_pull", r"ErrImageNeverPull|is not present with pull policy of Never"),
        ("service_account.missing", r"serviceaccount \S+ not found|error looking up service account"),
        ("quota.exceeded", r"exceeded quota"),
        (
            "limit_range.exceeded",
            r"(?:maximum|minimum) \S+ usage per|must be less than or equal to \S+ limit",
        ),
        ("pod_security.refused", r"violates PodSecurity"),
        ("admission.webhook_failed", r"failed calling webhook"),
        ("admission.denied", r"admission webhook .{1,200} denied"),
        ("rbac.forbidden", r"is forbidden: User .{1,300} cannot |User \"system:[^\"]+\" cannot "),
        ("config_map.key_missing", r"couldn't find key \S+ in ConfigMap|references non-existent config key"),
        ("secret.key_missing", r"couldn't find key \S+ in Secret|references non-existent secret key"),
        ("config_map.missing", r"configmaps? \"?[\w.-]+\"? not found"),
        (
            "tls.secret_missing",
            (
                r"secret .{1,200}(?:not found|does not exist).{0,80}(?:tls|certificate)"
                r"|(?:tls|certificate).{0,80}secret .{1,200}(?:not found|does not exist)"
                r"|SSL certificate .{1,200} was not found"
            ),
        ),
        ("secret.missing", r"secrets? \"?[\w./-]+\"? not found"),
        ("container.root_refused", r"runAsNonRoot and image (?:will run as root|has non-numeric user)"),
        (
            "container.command_missing",
            r"executable file not found|(?:exec:|stat) .{1,200}no such file",
        ),
        ("container.command_denied", r"exec: .{1,200}permission denied"),
        ("pvc.storage_class_missing", r"storageclass\S* \S+ not found|storage ?class .{1,100} not found"),
        ("pvc.missing", r"persistentvolumeclaim \S+ (?:not found|is being deleted)"),
        (
            "pvc.no_volume",
            (
                r"no persistent volumes available for this claim|waiting for a volume to be created"
                r"|didn't find available persistent volumes"
            ),
        ),
        ("volume.node_conflict", r"volume node affinity conflict"),
        ("volume.attached_elsewhere", r"Multi-Attach error"),
        ("disruption_budget.exhausted", r"violate the pod's disruption budget"),
        ("node.drain_refused", r"unable to drain node|cannot delete .{0,300}\(use --[a-z-]+"),
        ("pod.unschedulable_volume", r"unbound immediate PersistentVolumeClaims"),
        ("pod.unschedulable_gpu", r"Insufficient \S*gpu"),
        (
            "pod.unschedulable_selector",
            r"didn't match (?:Pod's )?node (?:affinity|selector)|node\(s\) didn't match node selector",
        ),
        ("pod.unschedulable_ports", r"didn't have free ports"),
        (
            "pod.unschedulable_affinity",
            r"didn't match pod (?:anti-)?affinity|topology spread constraints|existing pods anti-affinity",
        ),
        ("pod.unschedulable_resources", r"Insufficient \S+"),
        ("pod.unschedulable_count", r"Too many pods"),
        ("pod.unschedulable_taint", r"untolerated taint|had taints? .{1,200} that the pod didn't tolerate"),
        ("node.cordoned", r"node\(s\) were unschedulable"),
        ("probe.liveness_failed", r"Liveness probe (?:failed|errored)"),
        ("probe.startup_failed", r"Startup probe (?:failed|errored)"),
        ("probe.readiness_failed", r"Readiness probe (?:failed|errored)"),
        (
            "ingress.backend_missing",
            r"<error: (?:services?|endpoints) \S+ not found>|service .{1,200} does not exist",
        ),
        ("ingress.backend_empty", r"does not have any active Endpoint"),
        (
            "hpa.target_missing",
            r"could not find .{1,200} not found|\.scale|scale target|(?<!\S)[^\s\"]*+\"\S+\" not found",
        ),
        (
            "hpa.metrics_missing",
            r"unable to (?:get|fetch) .{0,80}metrics?|missing request for|failed to get \S+ utilization",
        ),
    )
)
# What a reason says where its message says no more.
_REASONS: Final = {
    "FailedScheduling": "pod.unschedulable",
    "FailedMount": "volume.mount_failed",
    "FailedAttachVolume": "volume.mount_failed",
    "FailedCreatePodSandBox": "pod.sandbox_failed",
    "ProvisioningFailed": "pvc.provisioning_failed",
    "FailedBinding": "pvc.no_volume",
    "WaitForFirstConsumer": "pvc.waits_for_pod",
    "WaitForPodScheduled": "pvc.waits_for_pod",
    "FailedCreate": "workload.create_refused",
    "BackoffLimitExceeded": "job.backoff_limit",
    "DeadlineExceeded": "job.deadline",
    "Evicted": "pod.evicted",
    "Preempted": "pod.evicted",
    "InvalidImageName": "image.name_invalid",
    "ErrImageNeverPull": "image.never_pull",
    "ErrImagePull": "image.pull_failed",
    "ImagePullBackOff": "image.pull_failed",
    "StartError": "container.start_failed",
    "ContainerCannotRun": "container.start_failed",
    "RunContainerError": "container.start_failed",
    "CreateContainerError": "container.start_failed",
    "CreateContainerConfigError": "container.start_failed",
    "FailedGetResourceMetric": "hpa.metrics_missing",
    "FailedGetPodsMetric": "hpa.metrics_missing",
    "FailedGetExternalMetric": "hpa.metrics_missing",
    "FailedComputeMetricsReplicas": "hpa.metrics_missing",
    "FailedGetScale": "hpa.target_missing",
    "TooManyReplicas": "hpa.at_maximum",
    "SyncLoadBalancerFailed": "service.load_balancer_failed",
    "CreatingLoadBalancerFailed": "service.load_balancer_failed",
    "FailedNeedsStart": "cronjob.missed",
    "MissSchedule": "cronjob.missed",
    "DeploymentPaused": "workload.paused",
    "TooManyMissedTimes": "cronjob.missed",
    "JobAlreadyActive": "cronjob.still_running",
    "NodeNotReady": "node.not_ready",
    "NetworkNotReady": "node.network_unavailable",
    "SystemOOM": "node.memory_pressure",
    "OOMKilling": "pod.oom_killed",
    "OOMKilled": "pod.oom_killed",
    "ProgressDeadlineExceeded": "workload.progress_deadline",
    "ReplicaSetCreateError": "workload.create_refused",
}
# Messages of these kinds state their faults only under these prefixes: an autoscaler's are like no other's.
_ONLY_OF: Final = {"hpa.": "HorizontalPodAutoscaler", "ingress.": "Ingress", "tls.": "Ingress"}
# A message longer than this is looked through so far.
MAX_MESSAGE: Final = 4096


def fault_of(kind: str, reason: str, message: str) -> str:
    """Return the fault that a reason and its message state about an object of a kind; empty for none."""
    text = message[:MAX_MESSAGE]
    for fault, pattern in _MESSAGES:
        if _may_be(fault, kind) and pattern.search(text):
            return fault
    found = _REASONS.get(reason, "")
    return found if found and _may_be(found, kind) else ""


def _may_be(fault: str, kind: str) -> bool:
    only = next((owner for prefix, owner in _ONLY_OF.items() if fault.startswith(prefix)), kind)
    return only == kind
