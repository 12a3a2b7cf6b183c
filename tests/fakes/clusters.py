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
  Type     Reason            Age                From               Message
  ----     ------            ----               ----               -------
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


def described_pod(*events: tuple[str, str], more: Mapping[str, str] | None = None, **facts: str) -> str:
    """Return a pod as `kubectl describe` prints it; `more` are lines below its state, events are warnings."""
    below = "".join(
        f"      {key}:{' ' * max(1, 13 - len(key))}{value}\n" for key, value in (more or {}).items()
    )
    rows = "\n".join(
        f"  Warning  {reason:<17} 2m (x4 over 5m)    kubelet            {message}"
        for reason, message in events
    )
    return POD.format(**{**_FACTS, "state_more": below, "events": rows, **facts})


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
