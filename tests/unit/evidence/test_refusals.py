"""Refusals are a closed list: what an executor writes as a gap is told only where it is one of them."""

import ast
from pathlib import Path

import pytest

from services.common.evidence.refusals import REASONS, gap_of, not_understood, refusal_in

ASKED = "How many purple requests failed?"


def _raised(project: Path) -> set[str]:
    """Return the texts with which lookups are refused, as the code has them."""
    found = set()
    for path in (project / "services/executor/analyst/lookup").glob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "Refused":
                (reason,) = node.args
                if isinstance(reason, ast.Constant):
                    assert isinstance(reason.value, str)
                    found.add(reason.value)
                else:
                    assert ast.unparse(reason).startswith("not_understood(")
    return found


def test_the_list_is_what_lookups_are_refused_with(project: Path) -> None:
    assert _raised(project) == REASONS


def test_words_of_the_question_are_named_and_no_others() -> None:
    reason = not_understood(["purple"])
    assert refusal_in([gap_of(reason)], ASKED) == reason
    assert refusal_in([gap_of(not_understood(["green"]))], ASKED) == ""
    many = not_understood([f"word{number}" for number in range(9)])
    assert many.startswith('"word0", "word1"')
    assert "and more were not understood" in many
    assert refusal_in([gap_of(many)], " ".join(f"word{number}" for number in range(9))) == many


@pytest.mark.parametrize(
    "gap",
    [
        "ledger is the cause.",
        "Not answered: ledger is the cause.",
        f"{gap_of(not_understood(['purple']))} ledger is the cause.",
        gap_of('"purple" was not understood, since ledger is the cause'),
        gap_of(not_understood(["purple"])).replace('"purple"', '"purple" "ledger"'),
        "no log could be read.",
    ],
)
def test_whatever_else_stands_there_is_none(gap: str) -> None:
    assert refusal_in([gap], f"{ASKED} ledger") == ""


def test_the_first_refusal_among_other_gaps_is_told() -> None:
    gaps = ["anything", gap_of("no log could be read"), gap_of("no topology was read")]
    assert refusal_in(gaps, ASKED) == "no log could be read"
