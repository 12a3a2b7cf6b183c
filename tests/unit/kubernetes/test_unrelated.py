"""What nothing ties to the question is no suspect, or no proven one: of another kind, or of another sort."""

from pathlib import Path

import pytest

from tests.fakes.bindings import problems
from tests.fakes.bundles import Tree, write
from tests.fakes.clusters import described_pod
from tests.fakes.investigation import Investigation, investigate
from tests.fakes.judged import lowered

NODES = "NAME     STATUS   ROLES    AGE   VERSION\nnode-1   Ready    <none>   40d   v1.29.1\n"
SERVICE = (
    "Name:              billing\nNamespace:         shop\nSelector:          app=billing\n"
    "Type:              ClusterIP\nIP:                10.96.1.1\n"
    "Port:              http  80/TCP\nTargetPort:        web/TCP\n"
    "Endpoints:         10.2.3.4:80\n"
)
RUNNING = described_pod(status="Running", state="Running", ready="True")
MISSING = ("Failed", 'Failed to pull image "bill:1": manifest for bill:1 not found: manifest unknown')
ELSEWHERE = {"nodes.txt": NODES, "pod.txt": described_pod(MISSING)}
ON_IT = {"nodes.txt": NODES, "pod.txt": described_pod(MISSING, node="node-1/10.0.0.7")}


def asked(folder: Path, question: str, files: dict[str, Tree]) -> Investigation:
    found = investigate(write(folder / "bundle", files), question)
    assert [*problems(found.evidence, found.calls), *lowered(found, question)] == []
    return found


@pytest.mark.parametrize(
    ("question", "is_told"),
    [
        ("Why is the node slow?", False),
        ("Why are the nodes not ready?", False),
        ("Why is the website slow?", False),
        ("Why is disk usage high?", False),
        ("Why is latency high?", False),
        ("Why is billing slow?", True),
        ("Why can nobody reach the website?", True),
        ("What is wrong?", True),
    ],
)
def test_a_port_that_nobody_states_is_told_of_who_asks_of_it_or_of_what_cannot_be_reached(
    question: str, is_told: bool, tmp_path: Path
) -> None:
    found = asked(tmp_path, question, {"nodes.txt": NODES, "pod.txt": RUNNING, "svc.txt": SERVICE})

    expected = [("billing", "service.port_unmatched", "possible")]
    assert found.suspects == (expected if is_told else [])


def test_a_kind_that_is_well_is_told_and_other_trouble_beside_it(tmp_path: Path) -> None:
    found = asked(tmp_path, "Why is the node not ready?", ELSEWHERE)

    assert found.suspects == []
    claims = {each.component: each for each in found.evidence.claims}
    assert "looks healthy" in claims["node-1"].statement
    beside = claims["billing-7d9c8b6f5d-x2kqz"]
    assert (beside.claim_type, beside.critical) == ("symptom", False)


def test_what_runs_on_a_node_matters_to_who_asks_of_nodes(tmp_path: Path) -> None:
    found = asked(tmp_path, "Why is the node not ready?", ON_IT)

    assert [suspect[1:] for suspect in found.suspects] == [("image.tag_missing", "possible")]
    assert "node-1: looks healthy" in found.of_type("context")[0].statement


@pytest.mark.parametrize("question", ["Why does the pod not start?", "Why do pods on the node not start?"])
def test_what_is_asked_of_the_pods_of_a_node_is_still_proven(question: str, tmp_path: Path) -> None:
    found = asked(tmp_path, question, ON_IT)

    assert [suspect[1:] for suspect in found.suspects] == [("image.tag_missing", "confirmed")]


@pytest.mark.parametrize(
    ("question", "status"),
    [
        ("Why is the website slow?", "possible"),
        ("Why is billing slow?", "confirmed"),
        ("Why is the rollout slow?", "confirmed"),
        ("What is wrong?", "confirmed"),
    ],
)
def test_what_is_broken_is_not_proven_to_make_something_slow(
    question: str, status: str, tmp_path: Path
) -> None:
    found = asked(tmp_path, question, ELSEWHERE)

    assert [state for _, _, state in found.suspects] == [status]
