"""The guard on mutated statements of the claims that the real stack makes."""

import asyncio

import pytest
from assay.common.v1 import evidence_pb2

from tests.proof import diagnosed_claims
from tests.proof.diagnosed_claims import Incident, diagnosed
from tests.proof.guard_table import Row, Table, table_of

KINDS = {
    "address", "code", "component", "identifier", "label", "negation", "number", "number with unit",
    "quotation", "time",
}  # fmt: skip


@pytest.fixture(scope="module")
def incidents() -> list[Incident]:
    return asyncio.run(diagnosed())


@pytest.fixture(scope="module")
def table(incidents: list[Incident]) -> Table:
    return table_of(incidents)


def wrong(rows: dict[str, Row]) -> list[str]:
    return [f"{kind}: {example}" for kind, row in rows.items() for example in row.wrong]


def test_every_changed_fact_is_lowered(table: Table) -> None:
    assert wrong(table.false) == []
    assert table.false.keys() == KINDS
    assert min(row.tried for row in table.false.values()) > 40


def test_every_true_statement_stands(table: Table) -> None:
    assert wrong(table.true) == []
    assert table.lowered_claims == 0
    assert sum(row.tried for row in table.true.values()) > 100


def test_an_end_that_contradicts_its_direction_is_lowered(table: Table) -> None:
    row = table.blind["swapped ends"]
    assert row.tried
    assert row.wrong == []


def test_without_the_guard_every_false_statement_would_stand(
    incidents: list[Incident], monkeypatch: pytest.MonkeyPatch
) -> None:
    def unguarded(checks: list[evidence_pb2.ClaimCheck], *_rest: object) -> list[evidence_pb2.ClaimCheck]:
        return checks

    monkeypatch.setattr(diagnosed_claims, "guard_checks", unguarded)
    assert all(len(row.wrong) == row.tried for row in table_of(incidents).false.values())
