"""What must not be told of drains, deletions, ports and addresses, beside the trouble that looks like it."""

from pathlib import Path

import pytest

from tests.fakes.bundles import Tree, write
from tests.fakes.clusters import described_pod, events_table, named, pod_row, text
from tests.fakes.investigation import investigate
from tests.fakes.judged import lowered
from tests.unit.kubernetes.variations import POD
from tests.unit.kubernetes.variations_operations import OPERATIONS, UNKNOWN_WARNING

RUNS = described_pod(status="Running", state="Running", ready="True")
NODES = text(
    """
    NAME       STATUS   ROLES    AGE   VERSION
    worker-1   Ready    <none>   90d   v1.30.4
    """
)
DESCRIBED_NODE = text(
    """
    Name:               worker-1
    Roles:              <none>
    Labels:             a=b
    Unschedulable:      false
    Conditions:
      Type    Status  Reason        Message
      ----    ------  ------        -------
      Ready   True    KubeletReady  kubelet is ready
    """
)


def faults(folder: Path, question: str, files: dict[str, Tree]) -> set[str]:
    found = investigate(write(folder / "bundle", files), question)
    assert not found.evidence.claims or lowered(found, question) == []
    return {fault for _, fault, _ in found.suspects}


@pytest.mark.parametrize(
    ("port", "blamed"),
    [("8080/TCP", True), ("9090/TCP", False), ("8080/TCP, 9090/TCP", False), ("<none>", False)],
)
def test_a_service_is_blamed_for_its_port_only_where_the_pods_state_others(
    tmp_path: Path, port: str, blamed: bool
) -> None:
    files = {**OPERATIONS["a service on another port"].files}
    files["pod.txt"] = files["pod.txt"].replace("8080/TCP", port)
    found = faults(tmp_path, "connection refused from service billing", files)
    assert ("service.port_unmatched" in found) is blamed


@pytest.mark.parametrize(("endpoints", "blamed"), [("10.2.3.9:9090", False), ("<none>", True), ("", True)])
def test_a_service_with_addresses_selects_pods_that_were_not_recorded(
    tmp_path: Path, endpoints: str, blamed: bool
) -> None:
    service = OPERATIONS["a service on another port"].files["svc.txt"]
    service = service.replace("10.2.3.9:9090", endpoints).replace("app=billing", "app=ledger")
    files: dict[str, Tree] = {"svc.txt": service, "pod.txt": RUNS}
    found = faults(tmp_path, "what is wrong with service billing?", files)
    assert ("service.selector_unmatched" in found) is blamed


def test_a_list_of_all_services_beside_one_pod_gives_directions_only(tmp_path: Path) -> None:
    services = text(
        """
        NAMESPACE   NAME     TYPE        CLUSTER-IP   EXTERNAL-IP   PORT(S)    AGE   SELECTOR
        shop        ledger   ClusterIP   10.96.8.9    <none>        5432/TCP   30d   app=ledger
        """
    )
    question = "what is wrong with ledger?"
    found = investigate(write(tmp_path / "bundle", {"svc.txt": services, "pod.txt": RUNS}), question)
    assert found.suspects == [("ledger", "service.selector_unmatched", "possible")]


@pytest.mark.parametrize(
    ("question", "told"),
    [("why can billing-0 not be evicted?", True), ("why is billing slow?", False)],
)
def test_a_spent_budget_answers_only_who_asks_of_evictions(tmp_path: Path, question: str, told: bool) -> None:
    files: dict[str, Tree] = {"pdb.txt": OPERATIONS["a budget that is spent"].files["pdb.txt"]}
    files["pod.txt"] = RUNS.replace(POD, "billing-0")
    assert ("disruption_budget.exhausted" in faults(tmp_path, question, files)) is told


def test_the_budget_of_other_pods_is_a_direction_only(tmp_path: Path) -> None:
    files: dict[str, Tree] = {
        "pdb.txt": OPERATIONS["a budget that is spent"].files["pdb.txt"].replace("billing", "ledger "),
        "pod.txt": RUNS,
    }
    question = "why is billing not evicted?"
    found = investigate(write(tmp_path / "bundle", files), question)
    assert found.suspects == [("ledger", "disruption_budget.exhausted", "possible")]


def test_a_finalizer_of_what_nobody_deletes_is_no_trouble(tmp_path: Path) -> None:
    claim = OPERATIONS["a claim that is kept"].files["pvc.json"]
    kept = claim.replace('"deletionTimestamp": "2026-11-30T09:00:00Z",', "")
    assert kept != claim
    assert faults(tmp_path, "is something wrong with pvc billing?", {"pvc.json": kept}) == set()


def test_a_run_that_began_after_all_was_not_held_up(tmp_path: Path) -> None:
    job = OPERATIONS["a run that goes on"].files["cron.txt"]
    began = "  Normal  SuccessfulCreate  9m   cronjob-controller  Created job report-29410200\n"
    assert faults(tmp_path, "why did cronjob report not start?", {"cron.txt": job + began}) == set()


@pytest.mark.parametrize("service", ["mail", "ledger-db"])
def test_a_service_of_quite_another_name_is_not_said_to_be_meant(tmp_path: Path, service: str) -> None:
    told = OPERATIONS["a host that is called otherwise"]
    files: dict[str, Tree] = {
        name: content.replace("billing-db ", f"{service:<11}") for name, content in told.files.items()
    }
    found = investigate(write(tmp_path / "bundle", files), told.question)
    said = "\n".join(claim.statement for claim in found.evidence.claims)
    assert "db-billing" in said
    assert "a recorded service is called" not in said


def test_a_vague_failure_to_mount_says_nothing_beside_the_reason(tmp_path: Path) -> None:
    pod = described_pod(
        ("FailedMount", 'MountVolume.SetUp failed for volume "bills" : secret "bills" not found'),
        ("FailedMount", "Unable to attach or mount volumes: unmounted volumes=[bills]: timed out waiting"),
        more={"Reason": "ContainerCreating"},
    )
    assert faults(tmp_path, "What is wrong with billing?", {"pod.txt": pod}) == {"secret.missing"}


def test_what_a_workload_lacks_hides_not_why_it_is_refused(tmp_path: Path) -> None:
    deployment = text(
        """
        Name:                   billing
        Namespace:              shop
        Labels:                 <none>
        Replicas:               3 desired | 1 updated | 1 total | 1 available | 2 unavailable
        StrategyType:           RollingUpdate
        Conditions:
          Type            Status  Reason
          ----            ------  ------
          ReplicaFailure  True    FailedCreate
        Events:           <none>
        """
    )
    question = "why does billing have 1 of 3?"
    files: dict[str, Tree] = {"deployment.txt": deployment}
    assert faults(tmp_path, question, files) == {"workload.create_refused"}
    # Where its replica set says why, that it is refused adds nothing.
    files["events.txt"] = events_table(
        ("FailedCreate", "replicaset/billing-7d9c8b6f5d", "pods is forbidden: exceeded quota: team")
    )
    assert faults(tmp_path / "other", question, files) == {"quota.exceeded"}


@pytest.mark.parametrize("drained", [True, False])
def test_a_node_is_blamed_for_being_closed_only_where_it_is_not_drained(
    tmp_path: Path, drained: bool
) -> None:
    files: dict[str, Tree] = {**OPERATIONS["a drain that a budget refuses"].files}
    if not drained:
        del files["drain.txt"]
    found = faults(tmp_path, "what is wrong with node worker-1?", files)
    assert found == ({"disruption_budget.exhausted"} if drained else {"node.cordoned"})


def test_what_a_namespace_says_of_its_end_is_not_told_of_one_that_stays(tmp_path: Path) -> None:
    whole = OPERATIONS["a namespace whose content is unknown"].files["ns.txt"]
    calm = whole.replace("Terminating", "Active").replace("True ", "False")
    assert (
        faults(
            tmp_path, "is namespace billing broken?", {"ns.txt": calm, "pods.txt": pod_row("Running", "1/1")}
        )
        == set()
    )


def test_a_pause_answers_only_who_asks_of_the_rollout(tmp_path: Path) -> None:
    files: dict[str, Tree] = {**OPERATIONS["a rollout that is paused"].files}
    assert faults(tmp_path, "why is billing slow?", files) == set()


def test_a_warning_that_no_rule_knows_is_told_and_blamed_for_nothing(tmp_path: Path) -> None:
    question = "what is wrong with pvc billing?"
    found = investigate(write(tmp_path / "bundle", {"pvc.txt": UNKNOWN_WARNING}), question)
    assert found.suspects == []
    (said,) = [claim.statement for claim in found.of_type("symptom")]
    assert 'reason "VolumeResizeFailed", message "resize volume failed' in said
    assert lowered(found, question) == []
    # The control: whoever names nothing is told of troubles that are known.
    assert investigate(tmp_path / "bundle", "why is everything down?").of_type("symptom") == []


def test_a_warning_that_no_rule_knows_hides_no_state(tmp_path: Path) -> None:
    pod = described_pod(("Curious", "something unheard of"), more={"Reason": "ErrImagePull"})
    assert faults(tmp_path, "What is wrong with billing?", {"pod.txt": pod}) == {"image.pull_failed"}


def test_a_number_behind_a_word_tells_that_it_names_no_object(tmp_path: Path) -> None:
    files: dict[str, Tree] = {"pod.txt": RUNS}
    for question, strange in (("why did order 88123 fail?", False), ("why did ledger fail?", True)):
        found = investigate(write(tmp_path / question[8:13] / "bundle", files), question)
        said = " ".join(claim.statement for claim in found.evidence.claims)
        assert ("goes by the name" in said) is strange


@pytest.mark.parametrize(
    ("question", "times", "told"),
    [("billing is late", 6, True), ("billing is late", 2, False), ("why is everything late?", 6, False)],
)
def test_a_warning_that_is_repeated_is_told_where_nothing_fails(
    tmp_path: Path, question: str, times: int, told: bool
) -> None:
    log = "served\nWARN poll took longer than the interval, the member leaves\n" * times
    files: dict[str, Tree] = {"pod.txt": RUNS, f"logs/{POD}.log": log}
    found = investigate(write(tmp_path / "bundle", files), question)
    said = [claim.statement for claim in found.of_type("symptom") if "the member leaves" in claim.statement]
    assert bool(said) is told
    assert found.suspects == []
    assert lowered(found, question) == []


def test_a_value_that_says_that_nothing_failed_is_no_failure(tmp_path: Path) -> None:
    files: dict[str, Tree] = {"pod.txt": RUNS, f"logs/{POD}.log": 'synced err=nil\nsynced "err":null\n' * 9}
    assert faults(tmp_path, "why is billing late?", files) == set()


@pytest.mark.parametrize(
    ("nodes", "said"),
    [
        (
            NODES,
            'status "Ready"',
        ),
        (
            DESCRIBED_NODE,
            'condition "Ready", status "True"',
        ),
    ],
)
def test_a_node_that_is_asked_about_is_said_to_be_well(tmp_path: Path, nodes: str, said: str) -> None:
    question = "worker-1 problem?"
    found = investigate(write(tmp_path / "bundle", {"nodes.txt": nodes}), question)
    (told,) = [claim.statement for claim in found.evidence.claims]
    assert told.startswith("Node worker-1: looks healthy: ")
    assert said in told
    assert lowered(found, question) == []


def test_a_node_answers_nobody_who_asks_of_its_pods(tmp_path: Path) -> None:
    files: dict[str, Tree] = {
        "pod.txt": RUNS,
        "nodes.txt": NODES,
    }
    found = investigate(write(tmp_path / "bundle", files), "is something wrong with billing")
    assert [claim.component for claim in found.evidence.claims] == [POD]


def test_an_ingress_that_has_an_address_was_taken_without_a_class(tmp_path: Path) -> None:
    ingress = OPERATIONS["an ingress of no class"].files["ingress.txt"]
    taken = ingress.replace("Address:", "Address:          10.0.0.40")
    assert taken != ingress
    assert faults(tmp_path, "is ingress billing broken?", {"ingress.txt": taken}) == set()


@pytest.mark.parametrize(("question", "told"), [("since when does billing crash?", True), ("why?", False)])
def test_who_asks_since_when_is_told_what_is_recorded_of_that(
    tmp_path: Path, question: str, told: bool
) -> None:
    pod = described_pod(
        ("BackOff", "Back-off restarting failed container"),
        more={"Reason": "CrashLoopBackOff"},
        status="Running",
        restarts="7",
    )
    ended = "    Last State:     Terminated\n      Reason:       Error\n      Finished:     Mon, 30 Nov 2026"
    files: dict[str, Tree] = {"pod.txt": pod.replace("    Ready:", f"{ended}\n    Ready:", 1)}
    found = investigate(write(tmp_path / "bundle", files), question)
    said = " ".join(claim.statement for claim in found.of_type("symptom"))
    assert ('last ended "Mon, 30 Nov 2026", seen "2m (x4 over 5m)"' in said) is told
    assert lowered(found, question) == []


@pytest.mark.parametrize(("old", "new"), [("Namespace:  shop", "Namespace:  mall"), ("3/6", "6/6")])
def test_a_quota_is_told_only_of_a_namespace_where_pods_are_missing(
    tmp_path: Path, old: str, new: str
) -> None:
    told = OPERATIONS["a quota over what is short"]
    files: dict[str, Tree] = {name: content.replace(old, new) for name, content in told.files.items()}
    assert "quota.exceeded" not in faults(tmp_path, told.question, files)


def test_what_takes_long_within_a_program_is_no_call(tmp_path: Path) -> None:
    told = OPERATIONS["calls to a service that is slow"]
    files: dict[str, Tree] = {
        name: content.replace("mail/send", "billing/step") for name, content in told.files.items()
    }
    assert faults(tmp_path, told.question, files) == set()


def test_what_was_evicted_in_the_end_was_not_refused(tmp_path: Path) -> None:
    drain = OPERATIONS["a drain that a budget refuses"].files["drain.txt"]
    other = drain.splitlines()[-1].replace("billing-0", "ledger-0")
    question = "why does the drain of worker-1 hang?"
    for number, (end, refused) in enumerate(
        [
            ("pod/billing-0 evicted", False),
            (f"pod/billing-0 evicted\n{other}", True),
            (f"{other}\nnode/worker-1 drained", False),
        ]
    ):
        files: dict[str, Tree] = {"drain.txt": f"{drain}{end}\n"}
        assert bool(faults(tmp_path / str(number), question, files)) is refused


@pytest.mark.parametrize(("active", "blamed"), [("True ", False), ("False", True)])
def test_an_autoscaler_that_has_its_metrics_again_is_well(tmp_path: Path, active: str, blamed: bool) -> None:
    scaler = text(
        f"""
        Name:                billing
        Namespace:           shop
        Labels:              <none>
        Reference:           Deployment/billing
        Min replicas:        2
        Max replicas:        10
        Conditions:
          Type           Status  Reason            Message
          ----           ------  ------            -------
          ScalingActive  {active}   ValidMetricFound  the replica count was calculated
        Events:
          Type     Reason                   Age  From                       Message
          ----     ------                   ---- ----                       -------
          Warning  FailedGetResourceMetric  3d   horizontal-pod-autoscaler  failed to get cpu utilization
        """
    )
    found = faults(tmp_path, "is the autoscaler of billing broken?", {"hpa.txt": scaler})
    assert found == ({"hpa.metrics_missing"} if blamed else set())


def test_of_a_list_of_services_none_is_proven_to_select_nothing(tmp_path: Path) -> None:
    service = named("v1", "Service", "ledger", spec={"selector": {"app": "ledger"}})
    files: dict[str, Tree] = {"svc.json": service, "pod.txt": RUNS}
    found = investigate(write(tmp_path / "bundle", files), "why is the app down?")
    assert found.suspects == [("ledger", "service.selector_unmatched", "possible")]


@pytest.mark.parametrize(("phase", "blamed"), [("Bound", False), ("Pending", True)])
def test_a_claim_that_is_bound_waits_for_nothing(tmp_path: Path, phase: str, blamed: bool) -> None:
    claims = text(
        f"""
        NAMESPACE   NAME      STATUS    VOLUME   CAPACITY   ACCESS MODES   STORAGECLASS   AGE
        shop        billing   {phase:<7}   pvc-1    10Gi       RWO            fast           9d
        """
    )
    warned = events_table(
        ("ProvisioningFailed", "persistentvolumeclaim/billing", "failed to provision volume")
    )
    found = faults(tmp_path, "is pvc billing broken?", {"pvc.txt": claims, "events.txt": warned})
    assert ("pvc.provisioning_failed" in found) is blamed


def test_a_load_balancer_that_was_made_after_all_is_well(tmp_path: Path) -> None:
    service = OPERATIONS["a service on another port"].files["svc.txt"].replace("9090/TCP", "8080/TCP")
    events = (
        "Events:\n  Type     Reason                  Age  From                Message\n"
        "  ----     ------                  ---- ----                -------\n"
        "  Warning  SyncLoadBalancerFailed  9m   service-controller  Error syncing load balancer: quota\n"
    )
    made = "  Normal   EnsuredLoadBalancer     8m   service-controller  Ensured load balancer\n"
    question = "is service billing broken?"
    failed: dict[str, Tree] = {"svc.txt": f"{service}{events}"}
    assert faults(tmp_path, question, failed) == {"service.load_balancer_failed"}
    assert faults(tmp_path / "other", question, {"svc.txt": f"{service}{events}{made}"}) == set()


@pytest.mark.parametrize(("status", "blamed"), [("Ready", False), ("NotReady", True)])
def test_a_node_that_is_ready_again_is_not_blamed_for_an_event(
    tmp_path: Path, status: str, blamed: bool
) -> None:
    events = text(
        """
        NAMESPACE   LAST SEEN   TYPE      REASON         OBJECT          MESSAGE
        default     16d         Warning   NodeNotReady   node/worker-1   Node is NodeNotReady
        """
    )
    files: dict[str, Tree] = {"nodes.txt": NODES.replace("Ready ", f"{status} "), "events.txt": events}
    assert faults(tmp_path, "what is wrong with node worker-1?", files) == (
        {"node.not_ready"} if blamed else set()
    )
    over = f"{events}default     15d         Normal    NodeReady      node/worker-1   Node is NodeReady\n"
    assert faults(tmp_path / "over", "what is wrong with node worker-1?", {"events.txt": over}) == set()


@pytest.mark.parametrize(("label", "blamed"), [("ledger", False), ("ledger-v2", True)])
def test_the_selector_of_a_service_of_a_workload_without_pods_is_not_blamed(
    tmp_path: Path, label: str, blamed: bool
) -> None:
    template = {"metadata": {"labels": {"app": label}}}
    spec = {"replicas": 0, "selector": {"matchLabels": {"app": label}}, "template": template}
    files: dict[str, Tree] = {
        "pod.txt": RUNS,
        "deployment.json": named("apps/v1", "Deployment", label, spec=spec),
        "svc.json": named("v1", "Service", "ledger", spec={"selector": {"app": "ledger"}}),
    }
    found = faults(tmp_path, "what is wrong with service ledger?", files)
    assert ("service.selector_unmatched" in found) is blamed


@pytest.mark.parametrize(
    ("question", "status"),
    [
        ("Why can node worker-1 not be drained?", "possible"),
        ("Why are the pods of ledger not evicted?", "confirmed"),
    ],
)
def test_a_spent_budget_is_proven_to_hinder_only_what_goes_by_its_name(
    tmp_path: Path, question: str, status: str
) -> None:
    budget = named(
        "policy/v1",
        "PodDisruptionBudget",
        "ledger",
        spec={"minAvailable": 1},
        status={"disruptionsAllowed": 0},
    )
    found = investigate(write(tmp_path / "bundle", {"pod.txt": RUNS, "pdb.json": budget}), question)
    assert found.suspects == [("ledger", "disruption_budget.exhausted", status)]


PAST = text(
    """
    NAMESPACE   LAST SEEN              TYPE      REASON      OBJECT          MESSAGE
    default     @                      Warning   SystemOOM   node/worker-1   System OOM encountered
    """
)


@pytest.mark.parametrize(
    ("age", "question", "state", "proven"),
    [
        ("12m", "why is node worker-1 in trouble?", "Ready   ", True),
        ("47h", "why is node worker-1 in trouble?", "Ready   ", True),
        ("16d", "why is node worker-1 in trouble?", "Ready   ", False),
        ("2d3h", "why is node worker-1 in trouble?", "Ready   ", False),
        # What it is in now bears the event out.
        ("16d", "why is node worker-1 in trouble?", "NotReady", True),
        (
            "2026-11-30T23:00:00Z",
            "why is node worker-1 in trouble since 2026-12-01T09:00:00Z?",
            "Ready   ",
            True,
        ),
        (
            "2026-11-15T10:00:00Z",
            "why is node worker-1 in trouble since 2026-12-01T09:00:00Z?",
            "Ready   ",
            False,
        ),
        ("2026-11-15T10:00:00Z", "why is node worker-1 in trouble?", "Ready   ", True),
    ],
)
def test_an_event_of_days_before_proves_nothing_of_now(
    tmp_path: Path, age: str, question: str, state: str, proven: bool
) -> None:
    files: dict[str, Tree] = {
        "nodes.txt": NODES.replace("Ready   ", state),
        "events.txt": PAST.replace(f"{'@':22}", f"{age:22}"),
    }
    found = investigate(write(tmp_path / "bundle", files), question)
    causes = [claim for claim in found.evidence.claims if claim.claim_type == "cause"]
    assert any(claim.status == "confirmed" for claim in causes) is proven
    assert lowered(found, question) == []
    oom = [claim for claim in causes if claim.fault == "node.out_of_memory" or "OOM" in claim.statement]
    assert proven or (oom and all(f'seen "{age}"' in claim.statement for claim in oom))
