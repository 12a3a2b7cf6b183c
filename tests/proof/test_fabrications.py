"""The short form of the table of fabrications, and that it would notice a defence that is off."""

import asyncio
from pathlib import Path

import pytest
from assay.common.v1 import evidence_pb2
from assay.verifier.v1 import verifier_pb2

from services.common.evidence.document import EvidenceBinding
from services.gatekeeper import rules
from services.gatekeeper.provenance import Cited
from tests.proof import executed
from tests.proof.fabrications import Table, bundles_of, table_of

# The parts of the table.
REFERENCES, QUOTATIONS, FABRICATED, TRUE = "references", "quotations", "fabricated", "true"


@pytest.fixture(scope="module")
def bundles(project: Path) -> list[Path]:
    return bundles_of(project / "examples" / "incidents")


@pytest.fixture(scope="module")
def table(bundles: list[Path]) -> Table:
    return asyncio.run(table_of(bundles, places=1))


def test_no_fabricated_reference_or_quotation_gets_through(table: Table) -> None:
    references, quotations = table.sum(REFERENCES), table.sum(QUOTATIONS)
    assert references.stood == quotations.stood == 0, [*references.examples, *quotations.examples]
    assert references.tried + quotations.tried >= 2_000


def test_fabricated_facts_behind_true_references_are_lowered(table: Table) -> None:
    assert table.problems == []
    assert table.sum(FABRICATED).tried >= 1_000


def test_true_statements_stand(table: Table) -> None:
    true = table.sum(TRUE)
    assert true.stood == true.tried >= 200, true.examples


def _believing(binding: EvidenceBinding, material: rules.Material) -> Cited:
    if binding.source_invocation_id not in material.records:
        raise rules.RuleError(rules.INVOCATION_REF, "the rest is believed")
    return Cited("", binding.matched_text)


def test_without_the_gate_fabricated_references_would_stand(
    bundles: list[Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(rules, "check_binding", _believing)
    monkeypatch.setattr(executed, "verify_request", _nothing_goes_on)
    assert asyncio.run(table_of(bundles[:1], places=1)).sum(REFERENCES).stood > 100


def _nothing_goes_on(*_: object) -> verifier_pb2.VerifyRequest:
    """What cannot be found in an output cannot be projected."""
    return verifier_pb2.VerifyRequest()


def test_without_the_guard_fabricated_facts_would_stand(
    bundles: list[Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    def unguarded(checks: list[evidence_pb2.ClaimCheck], *_: object) -> list[evidence_pb2.ClaimCheck]:
        return checks

    monkeypatch.setattr(executed, "guard_checks", unguarded)
    fabricated = asyncio.run(table_of(bundles[:1], places=0)).sum(FABRICATED)
    assert fabricated.stood == fabricated.tried > 200
