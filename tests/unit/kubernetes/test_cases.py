"""The public cases: what each expects is claimed, by one rule for all of them (`dev/eval/stated.py`).

Where an object is expected to be healthy, nothing is blamed either.
"""

import json
from functools import cache
from pathlib import Path

import pytest

from dev.eval.stated import states
from tests.fakes.investigation import Investigation, investigate
from tests.fakes.judged import lowered

CASES = (
    "ask_holmes__07_high_latency",
    "ask_holmes__09_crashpod",
    "ask_holmes__12_job_crashing",
    "ask_holmes__13b_pending_node_selector_detailed",
    "ask_holmes__21_job_fail_curl_no_svc_account",
    "ask_holmes__24b_misconfigured_pvc_detailed",
    "ask_holmes__65_health_check_followup",
    "investigate__01_oom_kill",
    "investigate__04_image_pull_backoff",
    "investigate__07_job_syntax_error",
    "investigate__10_KubeDeploymentReplicasMismatch",
    "investigate__15_dns_resolution",
)


@cache
def answered(folder: Path) -> tuple[Investigation, str]:
    """Return what was found of a case, and the statements that stand."""
    question = (folder / "bundle/question.txt").read_text(encoding="utf-8").strip()
    found = investigate(folder / "bundle", question)
    dropped = lowered(found, question)
    kept = [
        claim.statement
        for claim in found.evidence.claims
        if not any(text.startswith(claim.statement) for text in dropped)
    ]
    return found, "\n".join(kept)


def expected_of(folder: Path) -> list[str]:
    expected: list[str] = json.loads((folder / "expected.json").read_text(encoding="utf-8"))["expected"]
    return expected


@pytest.mark.parametrize("name", CASES)
def test_what_is_expected_is_said(shared: Path, name: str) -> None:
    found, said = answered(shared / "cases" / name)
    expected = expected_of(shared / "cases" / name)
    assert [sentence for sentence in expected if not states(said, sentence)] == []
    is_healthy = "healthy" in expected[0]
    assert bool(found.suspects) is not is_healthy


@pytest.mark.parametrize("name", CASES)
def test_control_no_case_is_answered_by_what_is_said_of_another(shared: Path, name: str) -> None:
    """The rule tells answers apart: it is not a rule that any answer would pass."""
    _, said = answered(shared / "cases" / name)
    others = [shared / "cases" / other for other in CASES if other != name]
    assert [one.name for one in others if all(states(said, text) for text in expected_of(one))] == []


def test_every_case_is_here(shared: Path) -> None:
    assert sorted(path.parent.name for path in (shared / "cases").glob("*/expected.json")) == sorted(CASES)
