"""Every question of the table is answered as its files say, or refused; under other names, too."""

import shutil
from pathlib import Path

import pytest

from dev.eval.handed import HandedCase
from dev.eval.variants import renamed
from orchestrator.cli.evaluation.cases import Expected
from tests.lookups.asking import asked, misses
from tests.lookups.table import ON_CASES, ON_INCIDENTS, OUTAGE, Row

ROWS_AT_LEAST = 60


def _name(row: Row) -> str:
    return f"{row.bundle}: {row.question}"


def test_the_table_is_long_enough_and_holds_refusals() -> None:
    rows = [*ON_INCIDENTS, *ON_CASES]
    assert len(rows) >= ROWS_AT_LEAST
    assert len([row for row in rows if row.said is None]) >= ROWS_AT_LEAST // 6


@pytest.mark.parametrize("row", ON_INCIDENTS, ids=_name)
def test_on_the_recorded_incidents(project: Path, row: Row) -> None:
    assert misses(row, project / "examples" / "incidents" / row.bundle / "bundle") == []


@pytest.mark.parametrize("row", ON_CASES, ids=_name)
def test_on_recorded_clusters(shared: Path, row: Row) -> None:
    assert misses(row, shared / "cases" / row.bundle / "bundle") == []


@pytest.mark.parametrize(
    "question",
    [
        "How many 502 responses were there?",
        "Since when does checkout fail?",
        "Which alerts fire?",
        "How many changes were made to checkout?",
        "Who calls inventory?",
        "What was the maximum of pg_connections_by_app?",
        "How many errors in checkout since 09:12?",
        "How many customers were affected?",
    ],
)
def test_other_names_give_the_same_answer_with_the_other_names(
    project: Path, tmp_path: Path, question: str
) -> None:
    bundle = project / "examples" / "incidents" / OUTAGE / "bundle"
    before = asked(bundle, question).statements
    changed = tmp_path / "bundle"
    shutil.copytree(bundle, changed, copy_function=shutil.copyfile)

    # What is said is renamed by the same table as the question.
    case = renamed(changed, HandedCase("one", "bundle", "\n".join([question, *before]), Expected()))
    asked_now, *expected = case.question.split("\n")

    assert asked(changed, asked_now).statements == expected
