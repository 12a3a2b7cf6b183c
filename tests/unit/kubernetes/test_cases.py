"""The public cases: what each expects is claimed, by one rule for all of them.

A statement that is expected holds names: what stands between marks, addresses, identifiers. Each must be
said by a claim that judge and guard let stand; where a statement names nothing, most of its words must be.
Where an object is expected to be healthy, that is said and nothing is blamed.
"""

import json
import re
from pathlib import Path

import pytest

from services.common.evidence.facts import NAMING, facts_of
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
_MOST_WORDS = 0.5
_WORD = re.compile(r"[a-z]{4,}")
# Of several names joined by "either … or", one is enough.
_EITHER = "either"


def said_by(found: Investigation, question: str) -> str:
    """Return the statements that stand, as one text without quotation marks."""
    dropped = lowered(found, question)
    kept = [
        claim.statement
        for claim in found.evidence.claims
        if not any(text.startswith(claim.statement) for text in dropped)
    ]
    return _plain("\n".join(kept))


def _plain(text: str) -> str:
    """Return a text without marks and gaps: a field is written `nodeSelector`, and "node selector"."""
    return re.sub(r"[\"'`“”\\\s-]", "", text).lower()


def names_in(statement: str) -> list[str]:
    return [_plain(fact.text) for fact in facts_of(statement) if fact.kind in NAMING]


def is_said(statement: str, said: str) -> bool:
    """Tell whether a plain text says what a statement does."""
    names = names_in(statement)
    if names:
        found = [name in said for name in names]
        return any(found) if _EITHER in statement else all(found)
    words = _WORD.findall(statement.lower())
    return sum(word[:5] in said for word in words) >= _MOST_WORDS * len(words)


@pytest.mark.parametrize("name", CASES)
def test_what_is_expected_is_said(shared: Path, name: str) -> None:
    folder = shared / "cases" / name
    question = (folder / "bundle/question.txt").read_text(encoding="utf-8").strip()
    expected = json.loads((folder / "expected.json").read_text(encoding="utf-8"))["expected"]
    found = investigate(folder / "bundle", question)
    said = said_by(found, question)
    if "healthy" in expected[0]:
        assert found.suspects == []
        assert "healthy" in said
        return
    assert found.suspects
    assert [statement for statement in expected if not is_said(statement, said)] == []


def test_control_the_rule_misses_what_is_not_said() -> None:
    assert is_said('The volume "standard-v2" is missing', _plain("claim: standard-v2 not found"))
    assert not is_said('The volume "standard-v2" is missing', _plain("claim: standard-v3 not found"))
    assert not is_said("insufficient GPU resources", _plain("the pod waits for a volume"))


def test_every_case_is_here(shared: Path) -> None:
    assert sorted(path.parent.name for path in (shared / "cases").glob("*/expected.json")) == sorted(CASES)
