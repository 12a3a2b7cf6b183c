"""What would be told of the wrong object, or of the wrong thing about the right one."""

import json
from pathlib import Path

import pytest

from tests.fakes.bundles import Tree, write
from tests.fakes.clusters import RUNS, described_pod, named, pod_object, text
from tests.fakes.investigation import investigate
from tests.fakes.judged import lowered

POD = "billing-7d9c8b6f5d-x2kqz"
LOG = "ok\nupstream: dial tcp 10.96.7.7:5432: i/o timeout\n" * 3
POLICY = """\
Name:         closed
Namespace:    shop
Labels:       <none>
Spec:
  PodSelector:     {selector}
  Not affecting {other} traffic
  Allowing {side} traffic:
    <none> (Selected pods are isolated for {side} connectivity)
  Policy Types: {type}
"""
OF_OTHERS = "none goes by the name "
WELL = described_pod(status="Running", state="Running", ready="True")
CRASHED = described_pod(more={"Reason": "CrashLoopBackOff"}, status="Running", restarts="7")


def causes(folder: Path, question: str, files: dict[str, Tree]) -> list[tuple[str, str, str]]:
    return investigate(write(folder / "bundle", files), question).suspects


def policy(selector: str, side: str = "egress") -> str:
    other = {"egress": "ingress", "ingress": "egress"}[side]
    return POLICY.format(selector=selector, side=side, other=other, type=side.capitalize())


@pytest.mark.parametrize(
    ("selector", "side", "blamed"),
    [
        ("app=billing", "egress", True),
        ("<none> (Allowing the specific traffic to all pods in this namespace)", "egress", True),
        ("app=other", "egress", False),
        ("app=billing,tier=front", "egress", False),
        ("app in (other)", "egress", False),
        ("app=billing", "ingress", False),
    ],
)
def test_only_a_policy_over_what_the_pod_opens_is_blamed(
    tmp_path: Path, selector: str, side: str, blamed: bool
) -> None:
    files: dict[str, Tree] = {"pod.txt": WELL, "policy.txt": policy(selector, side), f"logs/{POD}.log": LOG}
    found = causes(tmp_path, "Why can billing not reach its database?", files)
    assert ((POD, "network_policy.blocks", "confirmed") in found) is blamed
    assert any(fault == "network_policy.blocks" for _, fault, _ in found) is blamed


@pytest.mark.parametrize(
    ("spec", "status"),
    [
        ({"podSelector": {}, "policyTypes": ["Ingress", "Egress"]}, "confirmed"),
        ({"podSelector": {}, "policyTypes": ["Egress"], "egress": [{"ports": [{"port": 53}]}]}, "possible"),
        ({"podSelector": {}, "policyTypes": ["Ingress"]}, None),
        ({"podSelector": {"matchExpressions": [{"key": "app"}]}, "policyTypes": ["Egress"]}, None),
    ],
)
def test_a_policy_as_an_object_is_proven_only_where_it_lets_nothing_out(
    tmp_path: Path, spec: object, status: str | None
) -> None:
    pod = pod_object(
        {"phase": "Running", "containerStatuses": [{"name": "main", "ready": True, "state": RUNS}]}
    )
    files: dict[str, Tree] = {
        "pod.json": pod,
        "policy.json": named("networking.k8s.io/v1", "NetworkPolicy", "closed", spec=spec),
        f"logs/{POD}.log": LOG,
    }
    found = causes(tmp_path, "Why can billing not reach its database?", files)
    assert [state for _, fault, state in found if fault == "network_policy.blocks"] == [status] * bool(status)


@pytest.mark.parametrize(
    "question",
    [
        "What is wrong with invoices?",
        "Why is the pod invoices-5c9f-abcde crashing?",
        "Why is invoices failing?",
        "The invoices-api deployment is down",
        "KubePodCrashLooping: pod shop/invoices-5c9f-abcde",
    ],
)
def test_what_is_told_of_others_than_the_named_one_is_not_proven_of_it(tmp_path: Path, question: str) -> None:
    files: dict[str, Tree] = {"pod.txt": CRASHED, f"logs/{POD}.log": "KeyError: 'DB_URL'\n"}
    found = investigate(write(tmp_path / "bundle", files), question)
    assert {status for _, _, status in found.suspects} == {"possible"}
    assert not any(claim.critical for claim in found.evidence.claims)
    assert sum(OF_OTHERS in claim.statement for claim in found.evidence.claims) == 1
    assert lowered(found, question) == []


@pytest.mark.parametrize(
    "question",
    [
        "What is wrong with billing?",
        "What is wrong with shop/billing?",
        "Why are pods crashing?",
        "KubePodNotReady: a pod has been in a non-ready state for longer than 15 minutes.",
        "What is wrong in namespace shop?",
        "Why is everything down?",
    ],
)
def test_a_question_that_names_what_is_ill_or_nobody_is_answered(tmp_path: Path, question: str) -> None:
    files: dict[str, Tree] = {"pod.txt": CRASHED, f"logs/{POD}.log": "KeyError: 'DB_URL'\n"}
    found = investigate(write(tmp_path / "bundle", files), question)
    assert "confirmed" in {status for _, _, status in found.suspects}
    assert not any(OF_OTHERS in claim.statement for claim in found.evidence.claims)


def test_what_is_well_now_is_told_with_how_it_ended_before(tmp_path: Path) -> None:
    calm = {"name": "main", "ready": True, "restartCount": 0, "state": RUNS}
    ended = {"terminated": {"reason": "OOMKilled", "exitCode": 137}}
    restarted = {"name": "shipper", "ready": True, "restartCount": 4, "state": RUNS, "lastState": ended}
    pod = json.loads(pod_object({"phase": "Running", "containerStatuses": [calm, restarted]}))
    pod["spec"]["containers"].append({"name": "shipper", "image": "registry.example.org/shipper:2"})
    found = investigate(
        write(tmp_path / "bundle", {"pod.json": json.dumps(pod)}), "What is wrong with billing?"
    )
    (said,) = [claim.statement for claim in found.evidence.claims if "looks healthy" in claim.statement]
    assert 'last state "OOMKilled"' in said
    assert 'restarts "4"' in said


def test_a_claim_waits_although_kubernetes_calls_that_normal(tmp_path: Path) -> None:
    claim = text(
        """
        Name:          data-0
        Namespace:     shop
        StorageClass:  fast
        Status:        Pending
        Events:
          Type    Reason                Age                From                         Message
          ----    ------                ----               ----                         -------
          Normal  ExternalProvisioning  3s (x26 over 6m)   persistentvolume-controller  Waiting for a volume to be created either by the external provisioner 'x' or manually
        """  # noqa: E501 - as kubectl prints it
    )
    assert causes(tmp_path, "Why is data-0 pending?", {"pvc.txt": claim}) == [
        ("data-0", "pvc.no_volume", "confirmed")
    ]


def test_a_name_server_that_does_not_answer_is_no_peer_that_does_not(tmp_path: Path) -> None:
    line = "lookup db.shop on 10.96.0.10:53: read udp 10.2.0.6:4123->10.96.0.10:53: i/o timeout\n"
    files: dict[str, Tree] = {"pod.txt": WELL, f"logs/{POD}.log": line * 3}
    assert causes(tmp_path, "Why does billing fail?", files) == [(POD, "dns.unresolved", "possible")]
