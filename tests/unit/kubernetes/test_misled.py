"""What would be told of the wrong object, or of the wrong thing about the right one."""

import json
from pathlib import Path

import pytest

from services.executor.sources.kubernetes.container_logs import is_refusal, owner_of_log
from tests.fakes.bundles import Tree, write
from tests.fakes.clusters import RUNS, described_pod, named, pod_object, text
from tests.fakes.investigation import investigate
from tests.fakes.judged import lowered
from tests.unit.kubernetes.variations_further import FURTHER

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


TWO = text(
    """
    NAMESPACE   NAME                       READY   STATUS             RESTARTS     AGE
    shop        billing-7d9c8b6f5d-x2kqz   0/1     CrashLoopBackOff   9 (1m ago)   30m
    staging     billing-6f7d8c9b5c-t4wzv   0/1     ImagePullBackOff   0            30m
    staging     mail-0                     1/1     Running            0            9d
    """
)


def test_a_named_namespace_bounds_what_is_told(tmp_path: Path) -> None:
    found = causes(tmp_path, "What's wrong with billing in namespace staging?", {"pods.txt": TWO})
    assert [name for name, _, _ in found] == ["billing-6f7d8c9b5c-t4wzv"]
    # The control: without the namespace both are told of.
    found = causes(tmp_path / "other", "What's wrong with billing?", {"pods.txt": TWO})
    assert len(found) == 2


def test_what_is_named_and_in_another_namespace_is_a_direction(tmp_path: Path) -> None:
    mail = text(
        """
        NAMESPACE   NAME     READY   STATUS             RESTARTS   AGE
        staging     mail-0   0/1     ImagePullBackOff   0          9d
        """
    )
    question = "What is wrong with pod mail-0 in namespace warehouse?"
    found = investigate(write(tmp_path / "bundle", {"pods.txt": mail}), question)
    assert found.suspects == [("mail-0", "image.pull_failed", "possible")]
    said = [claim.statement for claim in found.evidence.claims]
    assert "Of 1 recorded object, none is in the namespace warehouse." in said
    assert lowered(found, question) == []


@pytest.mark.parametrize(
    "question", ["What is wrong in namespace warehouse?", "anything broken in the warehouse namespace?"]
)
def test_a_namespace_that_nothing_is_in_has_no_trouble(tmp_path: Path, question: str) -> None:
    found = investigate(write(tmp_path / "bundle", {"pods.txt": TWO}), question)
    assert found.suspects == []
    said = [claim.statement for claim in found.evidence.claims]
    assert said == ["Of 3 recorded objects, none is in the namespace warehouse."]
    assert lowered(found, question) == []


@pytest.mark.parametrize(
    ("question", "said"),
    [
        (
            "What is wrong in namespace shop?",
            "Of 1 recorded pod of the namespace shop, 1 runs with all",
        ),
        ("why are we having an outage?", "Of 2 recorded pods, 2 run with all containers ready"),
        ("Why is the pod tracker-6f7d8c9b5-k2v4x crashing?", "none goes by the name tracker-6f7d8c9b5-k2v4x"),
    ],
)
def test_where_all_is_well_it_is_said_what_was_looked_at(tmp_path: Path, question: str, said: str) -> None:
    pods = text(
        """
        NAMESPACE   NAME                       READY   STATUS      RESTARTS   AGE
        shop        billing-7d9c8b6f5d-x2kqz   1/1     Running     0          30m
        staging     report-29001-k4wzl         0/1     Completed   0          9d
        """
    )
    found = investigate(write(tmp_path / "bundle", {"pods.txt": pods}), question)
    assert found.suspects == []
    assert [said in claim.statement for claim in found.evidence.claims] == [True]
    assert lowered(found, question) == []


def test_an_event_is_given_to_the_object_of_its_namespace(tmp_path: Path) -> None:
    pods = TWO.replace("billing-7d9c8b6f5d-x2kqz", "mail-0                  ")
    events = text(
        """
        NAMESPACE   LAST SEEN   TYPE      REASON             OBJECT       MESSAGE
        staging     2m          Warning   FailedScheduling   pod/mail-0   0/3 nodes: 3 Insufficient cpu.
        """
    )
    found = causes(tmp_path, "What is wrong in namespace shop?", {"pods.txt": pods, "events.txt": events})
    assert [fault for _, fault, _ in found] == ["pod.crash_loop"]


RAN = text(
    """
    NAME                       READY   STATUS    RESTARTS     AGE
    billing-7d9c8b6f5d-x2kqz   1/1     Running   6 (2m ago)   41m
    """
)


@pytest.mark.parametrize(
    ("question", "log", "status"),
    [
        ("billing crashes every hour", f"logs/{POD}-previous.log", "confirmed"),
        # What goes on says nothing of the run before; who asks of something else is told of neither.
        ("billing crashes every hour", f"logs/{POD}.log", "possible"),
        ("Why are the totals of billing wrong?", f"logs/{POD}-previous.log", "possible"),
    ],
)
def test_only_the_log_of_the_run_that_ended_says_why_it_did(
    tmp_path: Path, question: str, log: str, status: str
) -> None:
    files: dict[str, Tree] = {"pods.txt": RAN, log: "ok\nOutOfMemoryError: Java heap space\n"}
    assert causes(tmp_path, question, files) == [(POD, "memory.exhausted", status)]


@pytest.mark.parametrize(
    ("log", "status"),
    [
        ("reading\n[error] the ledger is closed\n", "confirmed"),
        ("[error] the ledger is closed\n" + "reading\n" * 40, "possible"),
    ],
)
def test_a_line_that_names_no_fault_says_why_only_at_the_end(tmp_path: Path, log: str, status: str) -> None:
    files: dict[str, Tree] = {"pod.txt": CRASHED, f"logs/{POD}.log": log}
    found = causes(tmp_path, "What is wrong with billing?", files)
    assert found == [(POD, "container.failure_logged", status)]


def test_a_line_that_names_no_fault_adds_nothing_to_one_that_is_known(tmp_path: Path) -> None:
    killed = described_pod(more={"Reason": "OOMKilled"}, status="Running", state="Terminated")
    files: dict[str, Tree] = {"pod.txt": killed, f"logs/{POD}.log": "[error] the ledger is closed\n"}
    found = causes(tmp_path, "What is wrong with billing?", files)
    assert found[0] == (POD, "pod.oom_killed", "confirmed")
    assert [status for _, fault, status in found if fault == "container.failure_logged"] == ["possible"]


@pytest.mark.parametrize(
    ("slow", "other", "status"), [(9, False, "confirmed"), (2, False, "possible"), (9, True, "possible")]
)
def test_calls_are_the_cause_of_slowness_where_most_are_slow_and_nothing_else_is(
    tmp_path: Path, slow: int, other: bool, status: str
) -> None:
    lines = ["query took 2400 ms"] * slow + ["query took 3 ms"] * (10 - slow)
    files: dict[str, Tree] = {
        "pods.txt": RAN.replace("6 (2m ago)", "0         "),
        f"logs/{POD}.log": "\n".join(lines),
    }
    if other:
        files["others.txt"] = TWO.replace(
            "shop        billing-7d9c8b6f5d-x2kqz", "shop        invoice-7d9c8b6f5d-x2kqz"
        )
    found = causes(tmp_path, "Why is billing slow?", files)
    assert [state for _, fault, state in found if fault == "dependency.slow"] == [status]


@pytest.mark.parametrize(
    ("admits", "says", "blamed"),
    [
        ("app=reports", "Connection timed out", True),
        ("app=billing", "Connection timed out", False),
        # Who is refused was heard: no policy dropped it.
        ("app=reports", "Connection refused", False),
    ],
)
def test_a_policy_over_a_destination_is_told_of_where_it_may_have_dropped_the_connection(
    tmp_path: Path, admits: str, says: str, blamed: bool
) -> None:
    told = FURTHER["a policy over the destination"]
    files: dict[str, Tree] = {
        name: content.replace("app=reports", admits).replace("Connection timed out", says)
        for name, content in told.files.items()
    }
    found = causes(tmp_path, told.question, files)
    assert (("network_policy.admits_others", "possible") in [each[1:] for each in found]) is blamed


@pytest.mark.parametrize(
    ("line", "refused"),
    [
        ('Error from server (NotFound): pods "x" not found', True),
        ('Error from server (BadRequest): previous terminated container "a" in pod "x" not found', True),
        (
            'Error from server (Forbidden): pods "x" is forbidden: User "me" cannot get resource "pods/log"',
            True,
        ),
        ('Error from server (Forbidden): pods is forbidden: User "a" cannot list resource "pods"', False),
        ("error: You must be logged in to the server (Unauthorized)", True),
    ],
)
def test_what_kubectl_says_instead_of_a_log_is_none(line: str, refused: bool) -> None:
    assert is_refusal(line) is refused


@pytest.mark.parametrize(("times", "blamed"), [(1, False), (9, True)])
def test_one_failure_among_many_lines_of_what_is_well_is_no_trouble(
    tmp_path: Path, times: int, blamed: bool
) -> None:
    log = "ERROR refresh failed, trying again\n" * times + "served\n" * 60
    files: dict[str, Tree] = {"pod.txt": WELL, f"logs/{POD}.log": log}
    found = investigate(write(tmp_path / "bundle", files), "Why is billing unhealthy?")
    assert bool(found.suspects) is blamed
    assert any("looks healthy" in claim.statement for claim in found.evidence.claims) is not blamed


@pytest.mark.parametrize(
    ("file", "named"),
    [
        ("logs/billing.log", True),
        ("logs/billing-7d9c8b6f5d-k4wzl.log", True),
        ("logs/billing-29001234-k4wzl.log", True),
        ("logs/billing-0.log", True),
        ("logs/billing-previous.log", True),
        ("logs/billing-previous-gateway.log", False),
        ("logs/billing-gateway.log", False),
        ("logs/billing-grpc.log", False),
        ("logs/old-billing.log", False),
    ],
)
def test_a_log_is_of_a_workload_only_where_nothing_but_generated_letters_follows(
    file: str, named: bool
) -> None:
    assert (owner_of_log(file, ["billing"]) == "billing") is named
