"""Asks a question of the table, and says what is wrong with its answer."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from assay.common.v1 import context_pb2

from orchestrator.intent import intent_of
from tests.fakes.bindings import problems
from tests.fakes.investigation import look_up
from tests.fakes.judged import lowered
from tests.lookups.table import Row


@dataclass(frozen=True)
class Answer:
    """What was said: the statements that answer, in their order; none for a refusal."""

    statements: list[str]
    wrong: list[str]
    beside: list[str] = field(default_factory=list)
    """What is said beside the answer."""
    gaps: list[str] = field(default_factory=list)
    """Why it is refused."""


def asked(bundle: Path, question: str) -> Answer:
    """Ask through planner, tools, analyst, verifier and guard."""
    found = look_up(bundle, question)
    wrong = [*problems(found.evidence, found.calls), *lowered(found, question)]
    if intent_of(question) != context_pb2.INTENT_LOOKUP:
        wrong.append("it is taken for a question for a cause")
    claims = found.evidence.claims
    beside = [claim.statement for claim in claims if not claim.critical]
    statements = [claim.statement for claim in claims if claim.critical]
    return Answer(statements, wrong, beside, list(found.evidence.evidence_gaps))


def unmet(answer: Answer, said: Sequence[str] | None) -> list[str]:
    """Return what is wrong with an answer that has to hold some texts, or, for None, to be a refusal."""
    if said is None:
        return [*answer.wrong, *(f"not refused: {each}" for each in answer.statements)]
    if not answer.statements:
        return [*answer.wrong, "refused"]
    whole = "\n".join(answer.statements)
    return [*answer.wrong, *(text for text in said if text not in whole)]


def misses(row: Row, bundle: Path) -> list[str]:
    """Return what is wrong with the answer to a row; nothing where it is right."""
    answer = asked(bundle, row.question)
    expected = None if row.said is None else list(row.said(bundle))
    found = unmet(answer, expected)
    if expected and answer.statements and expected[0] not in answer.statements[0]:
        found.insert(0, f"first {expected[0]!r}, but {answer.statements[0]!r}")
    return found
