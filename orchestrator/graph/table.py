"""The diagnosis graph as data: rows are tried in order, the first that matches decides."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Final

from orchestrator.graph import guards
from orchestrator.graph.guards import Guard
from orchestrator.graph.ports import RECURSION_LIMIT
from orchestrator.graph.state import KEYS, Strategy
from orchestrator.graph.vocabulary import END, OUTCOMES, Node, Outcome

ANY: Final[frozenset[Outcome]] = frozenset(Outcome)


@dataclass(frozen=True, slots=True)
class Row:
    """From a node, on one of these outcomes, if the guard holds: go to `target` and set these counters."""

    node: str
    outcomes: frozenset[Outcome]
    target: str
    guard: Guard | None = None
    changes: Mapping[str, int] = field(default_factory=lambda: MappingProxyType({}))


@dataclass(frozen=True, slots=True)
class GraphDefinition:
    """Everything that a graph is, before it is validated. `writes` are the state keys of each node."""

    start: str
    rows: tuple[Row, ...]
    outcomes: Mapping[Node, frozenset[Outcome]]
    writes: Mapping[Node, frozenset[str]]
    keys: Mapping[str, Strategy]
    recursion_limit: int = RECURSION_LIMIT


_COMPLETED = frozenset({Outcome.COMPLETED})
_TECHNICAL = frozenset({Outcome.INVALID_OUTPUT, Outcome.RETRYABLE_FAILED})
_GATE_OPEN = frozenset({Outcome.PASS, Outcome.LOW_CONFID})

_ROWS: Final = (
    Row(Node.PLANNER, _COMPLETED, Node.EXECUTOR),
    Row(Node.PLANNER, _TECHNICAL, Node.PLANNER, guards.PLANNER_RETRY_LEFT, {"planner_retry_count": 1}),
    Row(Node.PLANNER, ANY, Node.FALLBACK),
    Row(Node.EXECUTOR, _COMPLETED, Node.GATEKEEPER),
    Row(Node.EXECUTOR, ANY, Node.FALLBACK),
    Row(Node.GATEKEEPER, _GATE_OPEN, Node.VERIFIED_INPUT, guards.HAS_VERIFIED_BINDING),
    Row(Node.GATEKEEPER, ANY, Node.FALLBACK),
    Row(Node.VERIFIED_INPUT, _COMPLETED, Node.VERIFIER),
    Row(Node.VERIFIED_INPUT, ANY, Node.FALLBACK),
    Row(Node.VERIFIER, _COMPLETED, Node.EVIDENCE_RETRY, guards.EVIDENCE_RETRY_DUE),
    Row(Node.VERIFIER, _COMPLETED, Node.COMPOSER, guards.HAS_VERDICT),
    Row(Node.VERIFIER, _TECHNICAL, Node.VERIFIER, guards.VERIFIER_RETRY_LEFT, {"verifier_retry_count": 1}),
    Row(Node.VERIFIER, ANY, Node.FALLBACK),
    Row(
        Node.EVIDENCE_RETRY,
        _COMPLETED,
        Node.PLANNER,
        changes={"planner_retry_count": 0, "evidence_retry_count": 1},
    ),
    Row(Node.EVIDENCE_RETRY, ANY, Node.FALLBACK),
    Row(Node.COMPOSER, _COMPLETED, END),
    Row(Node.COMPOSER, _TECHNICAL, Node.COMPOSER, guards.COMPOSER_RETRY_LEFT, {"composer_retry_count": 1}),
    Row(Node.COMPOSER, ANY, Node.FALLBACK),
    Row(Node.FALLBACK, ANY, END),
)

_WRITES: Final = {
    Node.PLANNER: frozenset({"context", "catalog", "plan"}),
    Node.EXECUTOR: frozenset({"executor_result"}),
    Node.GATEKEEPER: frozenset({"gate"}),
    Node.VERIFIED_INPUT: frozenset({"verified_input"}),
    Node.VERIFIER: frozenset({"verification", "effective_verdict"}),
    Node.EVIDENCE_RETRY: frozenset(
        {
            "first_verification",
            "gaps",
            "plan",
            "executor_result",
            "gate",
            "verified_input",
            "verification",
            "effective_verdict",
        }
    ),
    Node.COMPOSER: frozenset({"answer"}),
    Node.FALLBACK: frozenset({"answer", "failure"}),
}

DIAGNOSIS: Final = GraphDefinition(
    start=Node.PLANNER, rows=_ROWS, outcomes=OUTCOMES, writes=_WRITES, keys=KEYS
)
