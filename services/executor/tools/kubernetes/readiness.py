"""How many of what an object is made of are ready, as each kind and each view states it."""

import re
from collections.abc import Sequence
from typing import Final

from services.executor.sources.kubernetes.tree import KubeObject
from services.executor.tools.kubernetes.cluster import Subject
from services.executor.tools.kubernetes.pods import Container

_REPLICAS: Final = re.compile(r"(\d+) (\w+)")


def of_row(row: KubeObject) -> dict[str, int]:
    """Read `1/2` and `3 (5m ago)`."""
    ready, slash, of = row.root.at("READY").text.partition("/")
    found = {}
    if slash and ready.isdigit() and of.isdigit():
        found = {"ready": int(ready), "of": int(of)}
    restarts = row.root.at("RESTARTS").text.partition(" ")[0]
    return found | ({"restarts": int(restarts)} if restarts.isdigit() else {})


def of_workload(subject: Subject) -> dict[str, int]:
    """Read how many pods of a workload are ready, and how many there should be."""
    described = subject.said("replicas", ("Replicas",))
    if described is not None and "desired" in described.text:
        counts = {word: int(count) for count, word in _REPLICAS.findall(described.text)}
        ready = counts.get("available", counts.get("current"))
        return {"ready": ready, "of": counts["desired"]} if ready is not None else {}
    wanted = subject.said("desired", ("spec", "replicas"), ("DESIRED",), ("status", "desiredNumberScheduled"))
    ready_said = subject.said("ready", ("status", "readyReplicas"), ("READY",), ("status", "numberReady"))
    if wanted is None or not wanted.text.isdigit():
        return {}
    if ready_said is None:
        # An object leaves out a zero.
        return {"ready": 0, "of": int(wanted.text)} if subject.said("status", ("status", "replicas")) else {}
    return {"ready": int(ready_said.text), "of": int(wanted.text)} if ready_said.text.isdigit() else {}


def node_ready(node: Subject) -> str:
    """Return what the condition of a node says of its readiness; empty where none does."""
    for view in node.whole[:1]:
        for each in (*view.root.at("Conditions").children, *view.root.at("status", "conditions").children):
            if "Ready" in (each.at("Type").text, each.at("type").text):
                return each.at("Status").text or each.at("status").text
    return ""


def is_node_ready(node: Subject) -> bool:
    """Tell whether a node is ready by its condition or by its row in a list."""
    row = node.said("phase", ("STATUS",))
    return node_ready(node) == "True" or (row is not None and "Ready" in row.text.split(","))


def of_containers(found: Sequence[Container]) -> dict[str, int]:
    """Count the containers of a pod that are ready, and how often all of them were restarted."""
    ready = [one.text("ready").lower() for one in found]
    restarts = [one.text("restarts") for one in found]
    counts = {}
    if all(ready):
        counts = {"ready": sum(each == "true" for each in ready), "of": len(ready)}
    if restarts and all(each.isdigit() for each in restarts):
        counts["restarts"] = sum(map(int, restarts))
    return counts
