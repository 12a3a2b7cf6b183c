"""Clusters as kubectl prints them: descriptions, tables and objects of things that have gone wrong."""

import json
from collections.abc import Mapping
from textwrap import dedent

POD = """\
Name:             {name}
Namespace:        {namespace}
Priority:         0
Service Account:  default
Node:             {node}
Labels:           app={app}
Annotations:      <none>
Status:           {status}
Controlled By:  ReplicaSet/{app}-7d9c8b6f5d
Containers:
  main:
    Container ID:
    Image:          {image}
    Port:           8080/TCP
    State:          {state}
{state_more}    Ready:          {ready}
    Restart Count:  {restarts}
    Limits:
      memory:  64Mi
    Environment:    <none>
Conditions:
  Type              Status
  Initialized       True
  Ready             {ready}
  PodScheduled      True
QoS Class:                   Burstable
Node-Selectors:              {selector}
Tolerations:                 node.kubernetes.io/not-ready:NoExecute op=Exists for 300s
Events:
  Type     {reason}  Age                From               Message
  ----     {dashes}  ----               ----               -------
{events}
"""
_FACTS = {
    "name": "billing-7d9c8b6f5d-x2kqz",
    "namespace": "shop",
    "app": "billing",
    "node": "worker-1/10.0.0.7",
    "status": "Pending",
    "image": "registry.example.org/billing:1.4",
    "state": "Waiting",
    "state_more": "",
    "ready": "False",
    "restarts": "0",
    "selector": "<none>",
    "events": "",
}

WAITS = {"waiting": {"reason": "CrashLoopBackOff", "message": "back-off 5m0s restarting failed container"}}
RUNS = {"running": {"startedAt": "2026-11-30T09:00:00Z"}}


def described_pod(*events: tuple[str, str], more: Mapping[str, str] | None = None, **facts: str) -> str:
    """Return a pod as `kubectl describe` prints it; `more` are lines below its state, events are warnings."""
    below = "".join(
        f"      {key}:{' ' * max(1, 13 - len(key))}{value}\n" for key, value in (more or {}).items()
    )
    width = max(16, *(len(reason) for reason, _ in events), 0)
    rows = "\n".join(
        f"  Warning  {reason:<{width}}  2m (x4 over 5m)    kubelet            {message}"
        for reason, message in events
    )
    heads = {"reason": "Reason".ljust(width), "dashes": "------".ljust(width)}
    return POD.format(**{**_FACTS, "state_more": below, "events": rows, **heads, **facts})


def pod_object(status: object, **spec: object) -> str:
    """Return a pod as `kubectl get -o json` prints it."""
    metadata = {
        "name": "billing-7d9c8b6f5d-x2kqz",
        "namespace": "shop",
        "labels": {"app": "billing"},
        "ownerReferences": [{"kind": "ReplicaSet", "name": "billing-7d9c8b6f5d"}],
    }
    containers = [{"name": "main", "image": "registry.example.org/billing:1.4"}]
    pod = {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": metadata,
        "spec": {"containers": containers, **spec},
        "status": status,
    }
    return json.dumps(pod, indent=4)


def event_objects(*events: tuple[str, str, str, str]) -> str:
    """Return warnings as `kubectl get events -o json` prints them: kind, name, reason, message of each."""
    items = [
        {
            "apiVersion": "v1",
            "kind": "Event",
            "metadata": {"name": f"{name}.{number}", "namespace": "shop"},
            "involvedObject": {"kind": kind, "name": name, "namespace": "shop"},
            "reason": reason,
            "message": message,
            "type": "Warning",
        }
        for number, (kind, name, reason, message) in enumerate(events)
    ]
    return json.dumps({"apiVersion": "v1", "kind": "List", "items": items}, indent=4)


def text(printed: str) -> str:
    """Return what a test writes with its own indentation."""
    return dedent(printed).lstrip("\n")


def named(version: str, kind: str, name: str, namespace: str = "shop", **more: object) -> str:
    """Return an object as `kubectl get -o json` prints it."""
    metadata = {"name": name} | ({"namespace": namespace} if namespace else {})
    return json.dumps({"apiVersion": version, "kind": kind, "metadata": metadata, **more}, indent=4)


def listed(kind: str, *items: object, version: str = "v1") -> str:
    """Return a typed list as dumps and support bundles hold it: its items do not tell their kind."""
    return json.dumps(
        {"kind": f"{kind}List", "apiVersion": version, "metadata": {}, "items": items}, indent=4
    )


def pod_status(phase: str, state: object, **more: object) -> dict[str, object]:
    """Return the status of a pod with one container in a state."""
    container = {"name": "main", "ready": False, "restartCount": 4, "state": state, **more}
    return {"phase": phase, "containerStatuses": [container]}


def crashed(**terminated: object) -> dict[str, object]:
    """Return the status of a pod that ends again and again, with how it last ended."""
    return pod_status("Running", WAITS, lastState={"terminated": terminated})


def unscheduled(message: str) -> dict[str, object]:
    """Return the status of a pod with what the scheduler wrote into it."""
    condition = {"type": "PodScheduled", "status": "False", "reason": "Unschedulable", "message": message}
    return {"phase": "Pending", "conditions": [condition]}


def item_of(status: object, **spec: object) -> dict[str, object]:
    """Return a pod as it stands in a typed list, without its kind."""
    made: dict[str, object] = json.loads(pod_object(status, **spec))
    return {key: value for key, value in made.items() if key not in ("kind", "apiVersion")}


def pod_row(status: str, ready: str = "0/1", restarts: str = "0") -> str:
    """Return a table of pods with one row."""
    header = (
        "NAMESPACE   NAME                       READY   STATUS                       RESTARTS        AGE\n"
    )
    return f"{header}shop        billing-7d9c8b6f5d-x2kqz   {ready}     {status:<28} {restarts:<15} 3d\n"


def events_table(*rows: tuple[str, str, str]) -> str:
    """Return warnings as `kubectl get events` prints them: reason, object, message of each."""
    header = "LAST SEEN   TYPE      REASON              OBJECT                                     MESSAGE\n"
    return header + "".join(
        f"2m          Warning   {reason:<19} {about:<42} {message}\n" for reason, about, message in rows
    )


def condition(kind: str, status: str, reason: str, message: str) -> dict[str, str]:
    """Return a condition of an object."""
    return {"type": kind, "status": status, "reason": reason, "message": message}
