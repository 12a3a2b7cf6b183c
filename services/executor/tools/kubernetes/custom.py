"""What is wrong with resources that Kubernetes itself does not know, by their own conditions."""

from collections.abc import Iterator
from typing import Final

from services.executor.sources.kubernetes.tree import KubeObject, Node
from services.executor.tools.kubernetes.cluster import Said, Subject, said_at
from services.executor.tools.kubernetes.found import Found, told

# What controllers call the condition that tells whether all is as it should be.
# What they call the health of what is not.
_UNWELL: Final = frozenset({"Degraded", "Missing"})
_GOOD: Final = frozenset({"Ready", "Available", "Synced", "Healthy", "Succeeded", "Reconciled"})


def custom_findings(subject: Subject) -> Iterator[Found]:
    """Yield a resource that says of itself that it is not ready, with the last warning about it."""
    if not subject.kind:
        return
    warnings = [event for event in subject.events if event.type == "Warning"]
    said = [warnings[-1].message._replace(role="detail")] if warnings else []
    for view in subject.whole[:1]:
        for each in _conditions(view.root):
            if each["Type"].text in _GOOD and each["Status"].text == "False":
                facts = [
                    Said(role, each[key].text, view.source, each[key].line)
                    for role, key in (("condition", "Type"), ("status", "Status"), ("message", "Message"))
                    if key in each and each[key].text
                ]
                yield Found("condition", "resource.not_ready", subject, told(subject.named, *facts, *said))
        yield from _failures(subject, view)


def _failures(subject: Subject, view: KubeObject) -> Iterator[Found]:
    """Yield the errors that are conditions by their type alone, or that a resource calls itself unwell."""
    errors = [
        each
        for each in view.root.at("status", "conditions").children
        if each.at("type").text.endswith("Error") and each.at("message").text and not each.at("status").text
    ]
    for each in errors:
        kind, message = (
            said_at(view.source, each, role, (key,))
            for role, key in (("condition", "type"), ("message",) * 2)
        )
        yield Found("condition", "resource.not_ready", subject, told(subject.named, kind, message))
    health = said_at(
        view.source, view.root, "status", ("status", "health", "status"), ("Status", "Health", "Status")
    )
    if health is not None and health.text in _UNWELL and not errors:
        message = said_at(view.source, view.root, "message", ("status", "health", "message"))
        yield Found("condition", "resource.not_ready", subject, told(subject.named, health, message))


def _conditions(root: Node) -> Iterator[dict[str, Node]]:
    """Yield the conditions of an object; in a description their fields follow one another, the type last."""
    for each in root.at("status", "conditions").children:
        found = {field.key.capitalize(): field for field in each.children}
        if {"Type", "Status"} <= found.keys():
            yield found
    fields: dict[str, Node] = {}
    for field in root.at("Status", "Conditions").children:
        fields[field.key] = field
        if field.key == "Type" and "Status" in fields:
            yield fields
            fields = {}
