"""What is to be deleted and stays: finalizers, and what a namespace says of its own end."""

from collections.abc import Iterator
from typing import Final

from services.executor.tools.kubernetes.cluster import Said, Subject, said_at
from services.executor.tools.kubernetes.found import Found, told

# Conditions of a namespace by which it says why it is still there, as far as they are true.
_ENDINGS: Final = {
    "NamespaceFinalizersRemaining": "object.finalizers_remain",
    "NamespaceDeletionDiscoveryFailure": "namespace.deletion_failed",
    "NamespaceDeletionContentFailure": "namespace.deletion_failed",
}


def deletion_findings(subject: Subject) -> Iterator[Found]:
    """Yield the finalizers of an object that is to be deleted, and why a namespace is not gone yet."""
    for view in subject.whole[:1]:
        deletion = said_at(view.source, view.root, "deletion", ("metadata", "deletionTimestamp"))
        finalizers = view.root.at("metadata", "finalizers").children
        if deletion is not None and finalizers:
            named = Said("finalizer", finalizers[0].text, view.source, finalizers[0].line)
            yield Found("state", "object.finalizers_remain", subject, told(subject.named, deletion, named))
        if subject.kind == "Namespace":
            yield from _endings(subject)


def _endings(namespace: Subject) -> Iterator[Found]:
    view = namespace.whole[0]
    for each in (*view.root.at("Conditions").children, *view.root.at("status", "conditions").children):
        kind, status = (each.at(key).text or each.at(key.lower()).text for key in ("Type", "Status"))
        if status == "True" and kind in _ENDINGS:
            message = said_at(view.source, each, "message", ("Message",), ("message",))
            reason = said_at(view.source, each, "event", ("Reason",), ("reason",))
            phase = namespace.said("phase", ("Status",), ("status", "phase"))
            yield Found("condition", _ENDINGS[kind], namespace, told(namespace.named, phase, reason, message))
