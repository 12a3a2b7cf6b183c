"""Policies over what a pod connects to in vain: which of them admits others only."""

import re
from collections.abc import Iterator
from typing import Final, NamedTuple

from services.executor.sources.kubernetes.tree import NOTHING, Node
from services.executor.tools.kubernetes.addresses import stands_in
from services.executor.tools.kubernetes.around import is_of_side, selected_by
from services.executor.tools.kubernetes.cluster import Cluster, Said, Subject
from services.executor.tools.kubernetes.found import Found, told
from services.executor.tools.kubernetes.ties import Ties, labels_of

# A policy drops what it does not admit: who connects hears nothing. What is refused was heard.
_SILENCE: Final = re.compile(r"time(?:d )?[ -]?out|deadline exceeded|ETIMEDOUT", re.IGNORECASE)
_FROM: Final = "From"
_POD_SELECTOR: Final = "PodSelector"


class _Peers(NamedTuple):
    """Whom a policy admits by the labels of pods, and where that is said; None where it cannot be told."""

    labels: list[dict[str, str]]
    said: Node


def destination_findings(found: Found, cluster: Cluster, ties: Ties) -> Iterator[Found]:
    """Yield the policies over the pods that a pod fails to reach, which admit pods with other labels only.

    Policies add up, and not all may have been recorded: it is where a person would look first.
    """
    line = next((each for each in found.said if each.role == "line"), None)
    has = labels_of(found.subject, "Labels", ("metadata", "labels"))
    if found.fault != "dependency.unreachable" or line is None or not has or not _SILENCE.search(line.text):
        return
    for service in cluster.of_kind("Service"):
        if not stands_in(service.name, line.text):
            continue
        over = [one for one in cluster.of_kind("NetworkPolicy") if _is_over(one, service, ties)]
        peers = [(one, _admitted(one)) for one in over]
        if any(each is None or _admits(each, has) for _, each in peers):
            continue
        for policy, each in peers:
            if each is not None:
                yield _found(found.subject, policy, service, each, line)


def _found(pod: Subject, policy: Subject, service: Subject, peers: _Peers, line: Said) -> Found:
    said = told(
        pod.named,
        policy.named._replace(role="policy"),
        Said("admits", peers.said.text, policy.whole[0].source, peers.said.line),
        service.named._replace(role="destination"),
        line,
    )
    return Found("policy", "network_policy.admits_others", pod, said)


def _is_over(policy: Subject, service: Subject, ties: Ties) -> bool:
    """Tell whether a policy bounds what reaches the pods of a service."""
    view = policy.whole[0]
    wanted = None if view.is_row else selected_by(view)
    if wanted is None or view.namespace != service.namespace or not is_of_side(view, "Ingress"):
        return False
    pods = ties.selects(service) or []
    return any(wanted.items() <= labels_of(pod, "Labels", ("metadata", "labels")).items() for pod in pods)


def _admitted(policy: Subject) -> _Peers | None:
    """Return whom a policy admits; None where it admits by anything but labels of pods."""
    root = policy.whole[0].root
    described = root.at("Spec", "Allowing ingress traffic")
    if described is not NOTHING:
        peers = [peer for rule in described.children if rule.key == _FROM for peer in rule.children]
        pairs = [(peer, _pairs(peer.text)) for peer in peers]
        if any(peer.key != _POD_SELECTOR or labels is None for peer, labels in pairs):
            return None
    else:
        peers = [peer for rule in root.at("spec", "ingress").children for peer in rule.at("from").children]
        pairs = [(_first_leaf(peer), _labels(peer)) for peer in peers]
    if not pairs or any(labels is None for _, labels in pairs):
        return None
    return _Peers([labels or {} for _, labels in pairs], pairs[0][0])


def _pairs(text: str) -> dict[str, str] | None:
    pairs = [part.strip().partition("=") for part in text.split(",")]
    return {key: value for key, _, value in pairs} if all(by for _, by, _ in pairs) else None


def _labels(peer: Node) -> dict[str, str] | None:
    wanted = peer.at("podSelector", "matchLabels").children
    alone = len(peer.children) == 1 and not peer.at("podSelector", "matchExpressions").children
    return {each.key: each.text for each in wanted} if wanted and alone else None


def _first_leaf(peer: Node) -> Node:
    return next((leaf for _, leaf in peer.leaves()), NOTHING)


def _admits(peers: _Peers, has: dict[str, str]) -> bool:
    return any(wanted.items() <= has.items() for wanted in peers.labels)
