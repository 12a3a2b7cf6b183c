"""The raw tools on clusters: objects and events, value by value, each with its line."""

from collections.abc import Iterator

from services.common.evidence.strict_json import Json
from services.executor.sources import kinds
from services.executor.sources.bundle import Bundle
from services.executor.sources.kubernetes.tree import KubeObject
from services.executor.sources.stop import Stop
from services.executor.tools.kubernetes.arguments import Events, Objects
from services.executor.tools.kubernetes.cluster import Cluster, Said
from services.executor.tools.log_window import number
from services.executor.tools.tool import ToolOutput


def kubernetes_objects(bundle: Bundle, arguments: Objects, stop: Stop) -> ToolOutput:
    """Return the objects of a source, those of some names where names are given."""
    source = bundle.source(arguments.source, kinds.KUBERNETES)
    found = [
        each
        for each in bundle.objects(source, stop)
        if not arguments.names or _short_name(each.name) in arguments.names
    ]
    shown: list[Json] = [_object(each, stop) for each in found[: arguments.limit]]
    return ToolOutput({"source": source.name, "objects": shown}, len(found) > arguments.limit)


def kubernetes_events(bundle: Bundle, arguments: Events, stop: Stop) -> ToolOutput:
    """Return the events about some objects, or all, as the sources show them."""
    events = [
        event
        for subject in read_cluster(bundle, stop).subjects
        if not arguments.names or subject.name in arguments.names
        for event in subject.events
        if event.is_warning or not arguments.warnings_only
    ]
    shown: list[Json] = [
        {
            "kind": event.kind,
            "name": event.name,
            "type": event.type,
            "reason": excerpt(event.reason),
            "message": excerpt(event.message),
        }
        for event in events[: arguments.limit]
    ]
    return ToolOutput({"events": shown}, len(events) > arguments.limit)


def read_cluster(bundle: Bundle, stop: Stop) -> Cluster:
    """Return all objects of a bundle."""
    return Cluster(_all_objects(bundle, stop))


def excerpt(said: Said) -> dict[str, Json]:
    """Return an excerpt as documents show it."""
    return {"source": said.source, "n": number(said.line), "text": str(said.text)}


def _all_objects(bundle: Bundle, stop: Stop) -> Iterator[KubeObject]:
    for source in bundle.of_kind(kinds.KUBERNETES):
        stop.check()
        yield from bundle.objects(source, stop)


def _short_name(name: str) -> str:
    return name.rpartition("/")[2]


def _object(each: KubeObject, stop: Stop) -> Json:
    stop.check()
    fields: list[Json] = [
        {"n": number(leaf.line), "path": "/".join(path), "value": leaf.value}
        for path, leaf in each.root.leaves()
    ]
    return {
        "first_line": number(each.root.line),
        "last_line": number(each.root.last_line),
        "kind": each.kind,
        "namespace": each.namespace,
        "name": each.name,
        "fields": fields,
    }
