"""The faults of a cluster: what each means, and what to look at next. The worst and most telling come first.

Identifiers are only ever added. A meaning is a clause that a statement can hold: it names no thing by its
identifier and denies only what evidence of the fault denies.
"""

from typing import Final, NamedTuple


class KubernetesFault(NamedTuple):
    """What a fault is, in words, and the next check by a person."""

    meaning: str
    next_check: str


KUBERNETES_FAULTS: Final[dict[str, KubernetesFault]] = {
    "pod.oom_killed": KubernetesFault(
        "A container was killed for using more memory than it may.",
        "Compare the memory limit of the container with what the program needs; raise it or lower the use.",
    ),
    "config_map.missing": KubernetesFault(
        "A config map that the pod refers to is missing.",
        "Create the config map in the namespace of the pod, or correct the reference.",
    ),
    "config_map.key_missing": KubernetesFault(
        "A key of a config map that the pod refers to is missing.",
        "Compare the keys of the config map with the reference in the pod.",
    ),
    "secret.missing": KubernetesFault(
        "A secret that the pod refers to is missing.",
        "Create the secret in the namespace of the pod, or correct the reference.",
    ),
    "secret.key_missing": KubernetesFault(
        "A key of a secret that the pod refers to is missing.",
        "Compare the keys of the secret with the reference in the pod.",
    ),
    "service_account.missing": KubernetesFault(
        "A service account that pods are to run under is missing.",
        "Create the service account in that namespace, or correct the reference.",
    ),
    "image.name_invalid": KubernetesFault(
        "The name of an image is malformed.",
        "Correct the name of the image in the pod template.",
    ),
    "image.tag_missing": KubernetesFault(
        "The registry has the image under another tag or digest only.",
        "List the tags of the image in the registry and correct the tag.",
    ),
    "image.name_wrong": KubernetesFault(
        "The registry lacks such an image.",
        "Correct the name of the image, or push it to the registry.",
    ),
    "image.pull_secret_missing": KubernetesFault(
        "The registry asks for credentials that the pod lacks.",
        "Add a pull secret for the registry to the pod or its service account, in the same namespace.",
    ),
    "image.access_denied": KubernetesFault(
        "The registry denies the image: either it is absent there, or credentials are needed.",
        "Pull it by hand with and without credentials: that tells a wrong name from a missing secret.",
    ),
    "image.registry_unreachable": KubernetesFault(
        "The registry of an image is out of reach.",
        "Resolve and connect to the registry from the node.",
    ),
    "image.rate_limited": KubernetesFault(
        "The registry limits how often images are pulled.",
        "Pull with credentials, or through a mirror.",
    ),
    "image.wrong_platform": KubernetesFault(
        "The image is built for another platform than the node.",
        "Build the image for the platform of the node, or choose other nodes.",
    ),
    "image.never_pull": KubernetesFault(
        "The image is to be found on the node and is absent there.",
        "Load the image on the node, or let the kubelet pull it.",
    ),
    "image.pull_failed": KubernetesFault(
        "Pulling an image fails.",
        "Read the whole message of the registry and pull the image by hand.",
    ),
    "container.command_missing": KubernetesFault(
        "The program that a container is to start is absent from its image.",
        "Compare the command of the container with what the image holds.",
    ),
    "container.command_denied": KubernetesFault(
        "The program of a container is refused execution.",
        "Give the file in the image the right to be executed, or correct the command.",
    ),
    "container.command_error": KubernetesFault(
        "The command line of a container is refused.",
        "Correct the command or the arguments in the pod template.",
    ),
    "container.file_missing": KubernetesFault(
        "Opening a file or module that a program needs fails.",
        "See whether the image or a volume holds it, and whether the user of the container may read it.",
    ),
    "container.read_only": KubernetesFault(
        "A program writes where its file system is read-only.",
        "Mount a writable volume there, or let the program write elsewhere.",
    ),
    "container.port_taken": KubernetesFault(
        "The port that a program asks for is taken.",
        "See which other container of the pod, or of the host network, listens on the port.",
    ),
    "container.start_failed": KubernetesFault(
        "Starting a container fails.",
        "Read the message of the runtime and correct what it names.",
    ),
    "container.root_refused": KubernetesFault(
        "A container that would run as root is refused.",
        "Set a user in the image or in the security context.",
    ),
    "config.invalid": KubernetesFault(
        "The configuration of a program is refused.",
        "Correct the place in the configuration that the line names.",
    ),
    "config.env_missing": KubernetesFault(
        "A setting that the program asks for is missing from its environment.",
        "Set the variable in the pod template, or correct where it is taken from.",
    ),
    "clock.skewed": KubernetesFault(
        "Clocks differ between the parties.",
        "Compare the clocks of both machines, and see whether they are synchronised.",
    ),
    "pvc.storage_class_missing": KubernetesFault(
        "The storage class that a claim asks for is missing, and the claim waits to bind.",
        "List the storage classes; create the one named, or correct the claim.",
    ),
    "pvc.missing": KubernetesFault(
        "A volume claim that the pod refers to is missing.",
        "Create the claim in the namespace of the pod, or correct the reference.",
    ),
    "pvc.no_volume": KubernetesFault(
        "A claim waits for a volume that is yet to be provided.",
        "Create a volume that fits the claim, or name a storage class that provisions one.",
    ),
    "pvc.provisioning_failed": KubernetesFault(
        "Provisioning a volume for a claim fails.",
        "Read the message of the provisioner and the events of the claim.",
    ),
    "pvc.waits_for_pod": KubernetesFault(
        "A volume claim waits for a pod that uses it to be placed.",
        "See which pods name the claim, and whether the scheduler places them.",
    ),
    "pvc.lost": KubernetesFault(
        "The volume that a claim was bound to is gone.",
        "See what deleted the volume; restore it, or make the claim anew from a backup.",
    ),
    "pvc.pending": KubernetesFault(
        "A volume claim is still pending.",
        "Describe the claim: its events say what it waits for.",
    ),
    "volume.attached_elsewhere": KubernetesFault(
        "A volume is still attached to another node.",
        "See which pod holds the volume; delete that pod or detach the volume.",
    ),
    "volume.node_conflict": KubernetesFault(
        "A volume is bound to other nodes than those open to the pod.",
        "Compare the node affinity of the volume with where the pod may run.",
    ),
    "volume.mount_failed": KubernetesFault(
        "Mounting a volume fails.",
        "Read the events of the pod and of the claim behind the volume.",
    ),
    "pod.unschedulable_gpu": KubernetesFault(
        "Nodes lack free GPUs that the pod requests.",
        "Compare the requested GPUs with what nodes offer; add such nodes or their plugin, or ask for less.",
    ),
    "pod.unschedulable_selector": KubernetesFault(
        "The node selector or affinity of the pod matches too few nodes.",
        "Compare it with the labels of the nodes; remove or change the selector, or label a node.",
    ),
    "pod.unschedulable_taint": KubernetesFault(
        "Nodes have a taint that the pod fails to tolerate.",
        "Compare taints with tolerations; add a toleration to the pod or remove the taint.",
    ),
    "pod.unschedulable_ports": KubernetesFault(
        "Nodes lack a free host port that the pod asks for.",
        "Remove the host port, or add nodes.",
    ),
    "pod.unschedulable_affinity": KubernetesFault(
        "Rules between pods, or on their spread, exclude every node.",
        "Compare the pod affinity and spread rules with where the other pods run.",
    ),
    "pod.unschedulable_count": KubernetesFault(
        "Nodes hold as many pods as they may.",
        "Add nodes, or raise how many pods the kubelet of a node takes.",
    ),
    "pod.unschedulable_resources": KubernetesFault(
        "Nodes lack the resources that the pod requests.",
        "Compare the requests of the pod with what is free on the nodes; lower them, or add nodes.",
    ),
    "pod.unschedulable_volume": KubernetesFault(
        "The pod waits for a volume claim that is unbound.",
        "Describe the claim that the pod uses: its events say why it is unbound.",
    ),
    "pod.unschedulable": KubernetesFault(
        "The scheduler has failed to place the pod.",
        "Read the message of the scheduler: it counts the nodes per reason.",
    ),
    "quota.exceeded": KubernetesFault(
        "A quota of the namespace is used up.",
        "Compare what is used with the quota; raise it, or ask for less.",
    ),
    "limit_range.exceeded": KubernetesFault(
        "A limit range of the namespace refuses the pod.",
        "Compare the requests and limits of the pod with the limit range.",
    ),
    "rbac.forbidden": KubernetesFault(
        "A call to the cluster is forbidden by its access rules.",
        "Give the account a role that allows the call, or use another account.",
    ),
    "pod_security.refused": KubernetesFault(
        "The pod security standard of the namespace refuses the pod.",
        "Correct the security context that the message names, or the level of the namespace.",
    ),
    "admission.denied": KubernetesFault(
        "An admission webhook refuses the object.",
        "Correct what the webhook names, or ask its owner.",
    ),
    "admission.webhook_failed": KubernetesFault(
        "An admission webhook fails to answer.",
        "See whether the service behind the webhook runs.",
    ),
    "disruption_budget.exhausted": KubernetesFault(
        "Every further eviction of a pod is refused by a disruption budget.",
        "Compare the pods that are ready with what the budget demands; add replicas, or loosen the budget.",
    ),
    "node.drain_refused": KubernetesFault(
        "Draining a node is refused.",
        "Read what kubectl asks for: its options give up local data, or pods that nothing makes anew.",
    ),
    "node.not_ready": KubernetesFault(
        "A node lacks readiness.",
        "Describe the node and read the log of its kubelet.",
    ),
    "node.memory_pressure": KubernetesFault(
        "A node runs short of memory.",
        "See which pods on the node use the memory.",
    ),
    "node.disk_pressure": KubernetesFault(
        "A node runs short of disk space.",
        "See what fills the disk of the node: images, logs, volumes.",
    ),
    "node.pid_pressure": KubernetesFault(
        "A node runs short of process ids.",
        "See which pods on the node start so many processes.",
    ),
    "node.network_unavailable": KubernetesFault(
        "The network of a node is unavailable.",
        "See whether the network plugin runs on the node.",
    ),
    "node.cordoned": KubernetesFault(
        "A node is closed for new pods.",
        "Uncordon the node when its maintenance is over.",
    ),
    "pod.evicted": KubernetesFault(
        "A pod was evicted from its node.",
        "Compare the use of the named resource with its requests, and see the conditions of the node.",
    ),
    "pod.sandbox_failed": KubernetesFault(
        "Making the sandbox of a pod fails.",
        "See whether the network plugin of the node runs and has addresses left.",
    ),
    "network_policy.blocks": KubernetesFault(
        "A network policy applies to a pod whose connections fail.",
        "Read the rules of the policy; allow the traffic, for names too the one to the cluster's resolver.",
    ),
    "network_policy.admits_others": KubernetesFault(
        "A network policy over the destination of failing connections admits pods with other labels.",
        "Compare the labels of the pod with those that the policy admits; look for policies that admit it.",
    ),
    "dns.unresolved": KubernetesFault(
        "Resolving a name fails.",
        "Resolve it from the pod: a wrong name fails everywhere, a blocked resolver for every name.",
    ),
    "dependency.auth_failed": KubernetesFault(
        "A dependency refuses the credentials.",
        "Compare the credentials of the program with what the dependency accepts.",
    ),
    "cluster.partitioned": KubernetesFault(
        "Members of a cluster lost each other.",
        "See which members each of them still counts, and restart those that lost the others.",
    ),
    "certificate.untrusted": KubernetesFault(
        "A certificate is signed by an authority outside those that the program trusts.",
        "Give the program the certificate of the authority, or correct the chain that the server sends.",
    ),
    "certificate.name_mismatch": KubernetesFault(
        "A certificate is valid for other names than the one that was called.",
        "Call the server by a name of its certificate, or add the name to the certificate.",
    ),
    "dependency.rate_limited": KubernetesFault(
        "Calls are refused for being too many.",
        "See which limit is stated, and who calls so often.",
    ),
    "dependency.read_only": KubernetesFault(
        "A dependency refuses what is written to it.",
        "See on the dependency why: whether it is a replica, or short of disk or memory.",
    ),
    "probe.liveness_failed": KubernetesFault(
        "The liveness probe of a container fails.",
        "Ask its endpoint from within the pod; compare delay and timeout with the time the program takes.",
    ),
    "probe.startup_failed": KubernetesFault(
        "The startup probe of a container fails.",
        "Compare what the probe allows with how long the program takes to start.",
    ),
    "probe.readiness_failed": KubernetesFault(
        "The readiness probe of a container fails.",
        "Ask the endpoint of the probe from within the pod, on the port that the probe names.",
    ),
    "job.deadline": KubernetesFault(
        "A job ran longer than its deadline.",
        "Compare the deadline of the job with how long its work takes.",
    ),
    "job.backoff_limit": KubernetesFault(
        "A job failed more often than its backoff limit allows.",
        "Read the log of the pods of the job: each ended for a reason of its own.",
    ),
    "job.failed": KubernetesFault(
        "A job has failed pods.",
        "Read the log of the failed pods.",
    ),
    "cronjob.missed": KubernetesFault(
        "A cron job missed the time of a run.",
        "Compare its starting deadline and its concurrency policy with how long its runs take.",
    ),
    "cronjob.still_running": KubernetesFault(
        "An earlier run of a cron job went on when the next was due.",
        "See what the running job waits for, or let runs stand side by side.",
    ),
    "cronjob.suspended": KubernetesFault(
        "A cron job is suspended.",
        "Resume the cron job if it should run.",
    ),
    "container.completed": KubernetesFault(
        "The program of a container ends by itself, and is started again each time.",
        "Give the container a program that goes on, or make it a job.",
    ),
    "container.exited": KubernetesFault(
        "A container ended with an error.",
        "Read the last lines of the container's log, and what its exit code means.",
    ),
    "container.failure_logged": KubernetesFault(
        "The log of a container states a failure.",
        "Read the lines of the log around it.",
    ),
    "pod.crash_loop": KubernetesFault(
        "A container ends again and again after its start.",
        "Read the last lines of the container's previous log.",
    ),
    "service.selector_unmatched": KubernetesFault(
        "The selector of a service misses every recorded pod.",
        "Compare the selector of the service with the labels of the pods.",
    ),
    "service.no_endpoints": KubernetesFault(
        "A service lacks endpoints.",
        "Compare the selector of the service with the labels of the pods, and see whether those are ready.",
    ),
    "service.port_unmatched": KubernetesFault(
        "A service sends to another port than the selected containers state.",
        "Compare the target port of the service with the port on which the program listens.",
    ),
    "service.load_balancer_failed": KubernetesFault(
        "Making the load balancer of a service fails.",
        "Read the message of the controller: quota, subnets and permissions of the provider.",
    ),
    "namespace.deletion_failed": KubernetesFault(
        "Deleting the content of a namespace fails.",
        "Correct what the condition names, such as an API service that does not answer.",
    ),
    "object.finalizers_remain": KubernetesFault(
        "Finalizers keep an object that is to be deleted.",
        "See whether the controller of the finalizer runs, and what it waits for.",
    ),
    "ingress.backend_missing": KubernetesFault(
        "An ingress leads to a service that is missing.",
        "Create the service in the namespace of the ingress, or correct the backend.",
    ),
    "ingress.class_missing": KubernetesFault(
        "The class of an ingress is missing.",
        "List the ingress classes; correct the class of the ingress, or install its controller.",
    ),
    "ingress.backend_empty": KubernetesFault(
        "An ingress leads to a service without endpoints.",
        "See whether the pods behind the service are ready.",
    ),
    "tls.secret_missing": KubernetesFault(
        "The TLS secret that an ingress names is missing.",
        "Create the secret in the namespace of the ingress, or correct its name.",
    ),
    "hpa.metrics_missing": KubernetesFault(
        "An autoscaler fails to get metrics.",
        "See whether the metrics server runs, and whether the containers state requests.",
    ),
    "hpa.target_missing": KubernetesFault(
        "The target of an autoscaler is missing.",
        "Correct the reference of the autoscaler.",
    ),
    "hpa.at_maximum": KubernetesFault(
        "An autoscaler wants more replicas than it may make.",
        "Raise the maximum if the load is real.",
    ),
    "workload.create_refused": KubernetesFault(
        "Creating the pods of a workload fails.",
        "Read the message of the controller.",
    ),
    "workload.progress_deadline": KubernetesFault(
        "A rollout exceeded its progress deadline.",
        "Describe the newest replica set and its pods.",
    ),
    "workload.replicas_missing": KubernetesFault(
        "A workload has fewer ready replicas than it should.",
        "Describe the pods that are not ready.",
    ),
    "resource.not_ready": KubernetesFault(
        "A resource lacks readiness by its own condition.",
        "Describe the resource and what it refers to, and read the log of its controller.",
    ),
    "workload.paused": KubernetesFault(
        "The rollout of a workload is paused.",
        "See who paused it; resume the rollout if it should go on.",
    ),
    "workload.scaled_to_zero": KubernetesFault(
        "A workload is scaled down to an empty set of pods.",
        "See who scaled it down, and when; scale it up if it should run.",
    ),
    "container.not_ready": KubernetesFault(
        "A container runs and lacks readiness.",
        "See its readiness probe, and read its log.",
    ),
    "pod.pending": KubernetesFault(
        "A pod is still pending.",
        "Describe the pod: its events say what it waits for.",
    ),
    "pod.terminating": KubernetesFault(
        "A pod or namespace is stuck while terminating.",
        "See its finalizers, and whether its node answers.",
    ),
}
