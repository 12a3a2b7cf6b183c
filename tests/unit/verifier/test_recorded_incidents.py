"""The judge on the claims about the recorded incidents: all true ones stand, false copies of them do not."""

import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest
from assay.common.v1 import context_pb2, evidence_pb2

from services.common.evidence.facts import Fact, FactKind, facts_of
from services.verifier.offline.reasoner import verification
from tests.fakes.claims import request
from tests.fakes.investigation import investigate
from tests.fakes.judged import Material, verified

INCIDENTS = ["pg-connection-exhaustion", "healthy-false-alarm"]
CARRIED = (
    evidence_pb2.CLASSIFICATION_DIRECT_OBSERVATION,
    evidence_pb2.CLASSIFICATION_REASONABLE_INFERENCE,
)
# A wrong figure can be another true figure of the same evidence: no rule tells which of two was meant.
MOST_THAT_MAY_PASS = 0.01


@cache
def material(bundle: Path) -> Material:
    """Return claims and evidence of an incident as the gate would hand them on."""
    return verified(investigate(bundle, (bundle / "question.txt").read_text(encoding="utf-8").strip()))


@pytest.mark.parametrize("name", INCIDENTS)
def test_every_true_claim_stands(project: Path, name: str) -> None:
    claims, evidence = material(project / "examples/incidents" / name / "bundle")
    checks = verification(request(claims, evidence)).claim_checks
    assert [check for check in checks if check.classification not in CARRIED or check.fabricated] == []


@pytest.mark.parametrize(
    ("name", "expected"),
    [(INCIDENTS[0], evidence_pb2.VERDICT_PASS), (INCIDENTS[1], evidence_pb2.VERDICT_LOW_CONFID)],
)
def test_the_verdict(project: Path, name: str, expected: int) -> None:
    claims, evidence = material(project / "examples/incidents" / name / "bundle")
    result = verification(request(claims, evidence, intent=context_pb2.INTENT_CAUSE))
    assert result.model_verdict == expected


def _altered(fact: Fact) -> Iterator[str]:
    """Yield the text of a fact with one character changed, for a few places in it."""
    for position in (0, len(fact.text) // 2, len(fact.text) - 1):
        char = fact.text[position]
        if char.isdigit():
            other = str((int(char) + 1) % 10)
        elif char.isalpha() and fact.kind is not FactKind.NUMBER:
            other = "q" if char != "q" else "x"
        else:
            continue
        yield fact.text[:position] + other + fact.text[position + 1 :]


def _false_copies(statement: str) -> Iterator[str]:
    for fact in facts_of(statement):
        if fact.kind is FactKind.NEGATION:
            continue
        start = statement.index(fact.text, fact.start)
        units = [fact.text.replace(" s", " ms")] if fact.text.endswith(" s") else []
        for text in (*_altered(fact), *units):
            yield statement[:start] + text + statement[start + len(fact.text) :]
    for true, false in (
        (" rose ", " fell "),
        (" logged ", " never logged "),
        (" reached ", " never reached "),
    ):
        if true in statement:
            yield statement.replace(true, false, 1)
    ends = re.search(r"from (\S+) to (\S+?)(?=[, ])", statement)
    if ends and ends[1] != ends[2]:
        yield statement.replace(ends[0], f"from {ends[2]} to {ends[1]}", 1)


def test_false_copies_of_true_claims_do_not_stand(project: Path) -> None:
    judged = 0
    passed = []
    for name in INCIDENTS:
        claims, evidence = material(project / "examples/incidents" / name / "bundle")
        for claim in claims:
            own = [entry for entry in evidence if entry.claim_id == claim.claim_id]
            for statement in _false_copies(claim.statement):
                false = evidence_pb2.VerifiedClaim()
                false.CopyFrom(claim)
                false.statement = statement
                (check,) = verification(request([false], own)).claim_checks
                judged += 1
                if check.classification in CARRIED and not check.fabricated:
                    passed.append(statement)
    assert judged > 300
    assert len(passed) <= judged * MOST_THAT_MAY_PASS, passed
