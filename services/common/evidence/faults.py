"""The documented list of fault identifiers. Identifiers are only ever added."""

from typing import Final

from services.common.evidence.kubernetes_faults import KUBERNETES_FAULTS

FAULTS: Final[dict[str, str]] = {
    "config.changed": "A configuration was changed shortly before the trouble began.",
    "release.deployed": "A new version was deployed shortly before the trouble began.",
    "scale.changed": "A change of replicas, capacity or traffic routing came shortly before the trouble.",
    "data.changed": "A migration, an import or a batch job came shortly before the trouble.",
    "resource.exhausted": "A bounded resource reached its limit.",
    "connections.exhausted": "The connections that a server accepts were used up.",
    "memory.exhausted": "Memory reached its limit.",
    "disk.exhausted": "Disk space reached its limit.",
    "cpu.exhausted": "Processor time reached its limit.",
    "certificate.expired": "A certificate was used outside the time for which it is valid.",
    "lock.contention": "Work waited for locks that other work held.",
    "process.down": "A process stopped or did not answer.",
    "dependency.unreachable": "A dependency could not be reached.",
    "dependency.slow": "A dependency answered late.",
    "dependency.failing": "More requests to a dependency failed than before.",
    "dependency.idle": "A dependency did less work than before.",
    "code.exception": "The component's own code raised an error.",
    "load.increased": "More work arrived than before.",
    "requests.limited": "More requests were sent than a component takes.",
    **{fault: known.meaning for fault, known in KUBERNETES_FAULTS.items()},
}
