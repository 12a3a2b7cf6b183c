"""Each trouble of a cluster is found under any names, and what is claimed of it stands before the judge."""

from dataclasses import replace
from pathlib import Path

import pytest

from services.common.evidence import pointer
from services.common.evidence.matching import stands_at
from tests.fakes.bundles import write
from tests.fakes.clusters import described_pod, text
from tests.fakes.investigation import Investigation, investigate
from tests.fakes.judged import lowered
from tests.unit.kubernetes.variations import OF_PODS, Variation
from tests.unit.kubernetes.variations_around import AROUND
from tests.unit.kubernetes.variations_around_objects import OBJECTS_AROUND
from tests.unit.kubernetes.variations_further import FURTHER
from tests.unit.kubernetes.variations_objects import POD_OBJECTS
from tests.unit.kubernetes.variations_operations import OPERATIONS
from tests.unit.kubernetes.variations_printed import PRINTED

VARIATIONS = {**OF_PODS, **AROUND, **POD_OBJECTS, **OBJECTS_AROUND, **PRINTED, **FURTHER, **OPERATIONS}

# Other names for everything that is named by whoever runs a cluster.
_RENAMED = {
    "billing": "ledger-sync",
    "biller": "accountant",
    "bill:": "ledg:",
    '"bill"': '"ledg"',
    "biling": "legder",
    "shop": "mall",
    "registry.example.org": "images.test",
    "x2kqz": "v9w4p",
    "7d9c8b6f5d": "6f7b8d9c5",
    "worker-1": "machine-7",
    "report": "digest",
    "closed": "sealed",
}


def renamed(words: str) -> str:
    for old, new in _RENAMED.items():
        words = words.replace(old, new)
    return words


def under_other_names(found: Variation) -> Variation:
    return replace(
        found,
        files={renamed(name): renamed(content) for name, content in found.files.items()},
        component=renamed(found.component),
        question=renamed(found.question),
        quoted=tuple(map(renamed, found.quoted)),
    )


def looked_into(folder: Path, found: Variation) -> Investigation:
    return investigate(write(folder / "bundle", found.files), found.question)


@pytest.mark.parametrize("again", [False, True], ids=["as written", "renamed"])
@pytest.mark.parametrize("name", VARIATIONS)
def test_the_fault_is_named_on_its_object(tmp_path: Path, name: str, again: bool) -> None:
    asked = under_other_names(VARIATIONS[name]) if again else VARIATIONS[name]
    found = looked_into(tmp_path, asked)
    assert found.suspects[0][:2] == (asked.component, asked.fault)
    statements = "\n".join(claim.statement for claim in found.evidence.claims)
    assert all(quoted in statements for quoted in asked.quoted)
    assert lowered(found, asked.question) == []


@pytest.mark.parametrize("name", VARIATIONS)
def test_every_citation_stands_in_its_output(tmp_path: Path, name: str) -> None:
    found = looked_into(tmp_path, VARIATIONS[name])
    documents = {call.invocation_id: call.document for call in found.calls}
    bindings = [binding for claim in found.evidence.claims for binding in claim.evidence_bindings]
    assert bindings
    for binding in bindings:
        value = pointer.resolve(documents[binding.source_invocation_id], binding.raw_path)
        assert stands_at(binding.matched_text, value)


WELL = {
    "pod.txt": described_pod(
        more={"Started": "Mon, 30 Nov 2026 09:00:00 +0000"}, status="Running", state="Running", ready="True"
    ),
    "deployment.txt": text(
        """
        NAME      READY   UP-TO-DATE   AVAILABLE   AGE
        billing   0/1     1            0           14s
        """
    ),
}


def test_nothing_is_blamed_where_all_is_well(tmp_path: Path) -> None:
    found = investigate(write(tmp_path / "bundle", WELL), "Why is billing unhealthy?")
    assert found.suspects == []
    (said,) = [claim.statement for claim in found.of_type("context")]
    assert "looks healthy" in said
    assert 'ready "True"' in said
    assert lowered(found, "Why is billing unhealthy?") == []


def test_what_is_over_is_not_blamed(tmp_path: Path) -> None:
    """A warning that a later event takes back says nothing of now."""
    job = VARIATIONS["a job over its deadline"].files["job.txt"]
    refused = (
        '  Warning  FailedCreate      4m    job-controller  Error creating: serviceaccount "x" not found\n'
    )
    before = job.replace("  Normal   SuccessfulCreate", f"{refused}  Normal   SuccessfulCreate")
    assert refused in before
    found = investigate(write(tmp_path / "bundle", {"job.txt": before}), "Why did the report job fail?")
    assert {fault for _, fault, _ in found.suspects} == {"job.deadline"}
    # The control: without what took it back it is blamed.
    alone = before.replace(
        "  Normal   SuccessfulCreate  3m    job-controller  Created pod: report-k7v2p\n", ""
    )
    found = investigate(write(tmp_path / "other", {"job.txt": alone}), "Why did the report job fail?")
    assert "service_account.missing" in {fault for _, fault, _ in found.suspects}


def test_a_question_that_names_one_is_not_about_its_neighbour(tmp_path: Path) -> None:
    ill = described_pod(("Failed", "Failed to pull image: manifest unknown"), more={"Reason": "ErrImagePull"})
    neighbour = ill.replace("billing", "billing-worker")
    files = {"one.txt": ill, "other.txt": neighbour}
    found = investigate(write(tmp_path / "bundle", files), "What is the issue with billing?")
    assert {component for component, _, _ in found.suspects} == {"billing-7d9c8b6f5d-x2kqz"}


def test_a_log_is_given_to_nobody_where_two_could_have_written_it(tmp_path: Path) -> None:
    ill = described_pod(more={"Reason": "CrashLoopBackOff"}, status="Running", restarts="3")
    files = {
        "one.txt": ill,
        "other.txt": ill.replace("billing", "ledger"),
        "logs/kubectl_logs.log": "fatal: cannot open tariff table\n",
    }
    found = investigate(write(tmp_path / "bundle", files), "Why do pods crash?")
    assert not any("tariff" in claim.statement for claim in found.of_type("cause"))
