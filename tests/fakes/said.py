"""What an executor says of a log: statements, each with the lines that it is bound to."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from google.protobuf.message import Message

from tests.fakes.agents import Json, claim, executed, invocation

INVOCATION = "inv-said"


@dataclass(frozen=True)
class Said:
    """One claim: a statement, the whole lines that it cites, and members that differ from a symptom's."""

    statement: str
    texts: Sequence[str]
    changes: Json = field(default_factory=dict)


def said(statement: str, *texts: str, **changes: Any) -> Said:  # noqa: ANN401 - a claim's members
    """Return a claim about the component db."""
    return Said(statement, texts, changes)


def cause_said(statement: str, *texts: str) -> Said:
    """Return a confirmed cause."""
    return Said(
        statement, texts, {"claim_type": "cause", "component_kind": "service", "fault": "config.changed"}
    )


def executed_saying(*claims: Said) -> list[Message]:
    """Return the stream of an executor that read one log; its claims are c0, c1 and so on."""
    lines = [text for item in claims for text in item.texts]
    read = {
        "source": "logs/db.log",
        "owner": "db",
        "lines": [
            {"n": number, "time": "2026-11-30T09:10:53Z", "text": text}
            for number, text in enumerate(lines, start=1)
        ],
    }
    documents, taken = [], 0
    for index, item in enumerate(claims):
        bindings = [_binding(taken + offset, text) for offset, text in enumerate(item.texts)]
        taken += len(item.texts)
        values = {"statement": item.statement, "component": "db", "evidence_bindings": bindings}
        documents.append(claim(f"c{index}", **values, **item.changes))
    return executed(
        *documents, calls=[invocation(INVOCATION, "logs_search", {"source": "logs/db.log"}, read)]
    )


def _binding(line: int, text: str) -> Json:
    return {
        "source_invocation_id": INVOCATION,
        "tool_name": "logs_search",
        "raw_path": f"/lines/{line}/text",
        "matched_text": text,
    }


# An observation, and a confirmed cause that is concluded from two: what the built-in verifier passes.
OBSERVED = said("waiters are 31", "waiters=31")
INFERRED = cause_said(
    "pool_size changed 20 -> 2, and because of it waiters are 31",
    "pool_size changed 20 -> 2",
    "waiters=31 for pool_size",
)
PROVEN = executed_saying(OBSERVED, INFERRED)
