"""The closed lists of the graph: nodes, outcomes and reason codes."""

from enum import StrEnum
from typing import Final

END: Final = "(end)"


class Node(StrEnum):
    """The eight nodes. Five are remote agents; the other three are deterministic and local."""

    PLANNER = "planner"
    EXECUTOR = "executor"
    GATEKEEPER = "gatekeeper"
    VERIFIED_INPUT = "verified_input"
    VERIFIER = "verifier"
    EVIDENCE_RETRY = "evidence_retry"
    COMPOSER = "composer"
    FALLBACK = "fallback"


class Outcome(StrEnum):
    """How a node attempt can end. `UNKNOWN` stands for everything that a node does not declare."""

    COMPLETED = "COMPLETED"
    PASS = "PASS"  # noqa: S105 - an outcome, not a password
    LOW_CONFID = "LOW_CONFID"
    REJECT = "REJECT"
    INVALID_OUTPUT = "INVALID_OUTPUT"
    TOOL_BLOCKED = "TOOL_BLOCKED"
    RETRYABLE_FAILED = "RETRYABLE_FAILED"
    NON_RETRYABLE_FAILED = "NON_RETRYABLE_FAILED"
    FAILED = "FAILED"
    UNKNOWN = "UNKNOWN"


class Reason(StrEnum):
    """Why a node attempt, or a run outside its graph, ended as it did."""

    COMPLETED = "completed"
    GATE_PASS = "gate_pass"  # noqa: S105 - a reason, not a password
    GATE_LOW_CONFID = "gate_low_confid"
    GATE_REJECT = "gate_reject"
    VERDICT_PASS = "verdict_pass"  # noqa: S105 - a reason, not a password
    VERDICT_LOW_CONFID = "verdict_low_confid"
    VERDICT_REJECT = "verdict_reject"
    EVIDENCE_GAPS = "evidence_gaps"
    AGENT_INVALID_OUTPUT = "agent_invalid_output"
    AGENT_FAILED = "agent_failed"
    MISSING_PAYLOAD = "missing_payload"
    MALFORMED_DOCUMENT = "malformed_document"
    PROTOCOL_VIOLATION = "protocol_violation"
    STREAM_INCOMPLETE = "stream_incomplete"
    TOO_LARGE = "too_large"
    TOOLS_BLOCKED = "tools_blocked"
    UNKNOWN_STATUS = "unknown_status"
    CALL_UNAVAILABLE = "call_unavailable"
    CALL_DEADLINE_EXCEEDED = "call_deadline_exceeded"
    CALL_RESOURCE_EXHAUSTED = "call_resource_exhausted"
    CALL_ABORTED = "call_aborted"
    CALL_FAILED = "call_failed"
    NODE_ERROR = "node_error"
    # The run's own, never an event's:
    DEADLINE_EXCEEDED = "deadline_exceeded"
    # The caller that waited for the run left.
    CALL_CANCELLED = "call_cancelled"
    # Somebody asked for it.
    CANCEL_REQUESTED = "cancel_requested"
    ORCHESTRATOR_STOPPED = "orchestrator_stopped"
    RECURSION_LIMIT_EXCEEDED = "recursion_limit_exceeded"
    ORCHESTRATOR_RESTARTED = "orchestrator_restarted"
    # A step could not be recorded.
    STORE_FAILED = "store_failed"
    INTERNAL_ERROR = "internal_error"


_AGENT_FAILURES = frozenset(
    {Outcome.INVALID_OUTPUT, Outcome.RETRYABLE_FAILED, Outcome.NON_RETRYABLE_FAILED, Outcome.UNKNOWN}
)
_REASONER = _AGENT_FAILURES | {Outcome.COMPLETED}
_LOCAL = frozenset({Outcome.COMPLETED, Outcome.FAILED, Outcome.UNKNOWN})

# What each node may answer; whatever else it answers counts as UNKNOWN.
OUTCOMES: Final[dict[Node, frozenset[Outcome]]] = {
    Node.PLANNER: _REASONER,
    Node.EXECUTOR: frozenset(
        {
            Outcome.COMPLETED,
            Outcome.INVALID_OUTPUT,
            Outcome.TOOL_BLOCKED,
            Outcome.FAILED,
            Outcome.UNKNOWN,
        }
    ),
    Node.GATEKEEPER: _AGENT_FAILURES | {Outcome.PASS, Outcome.LOW_CONFID, Outcome.REJECT},
    Node.VERIFIED_INPUT: _LOCAL | {Outcome.INVALID_OUTPUT},
    Node.VERIFIER: _REASONER,
    Node.EVIDENCE_RETRY: _LOCAL,
    Node.COMPOSER: _REASONER,
    Node.FALLBACK: _LOCAL,
}


def fallback_reason(node: str, outcome: str) -> str:
    """Name the node and the outcome that led to fallback, as fallback's reason code."""
    return f"{node}_{outcome.lower()}"


# Every reason code that an event can carry.
REASON_CODES: Final[frozenset[str]] = frozenset(Reason) | {
    fallback_reason(node, outcome) for node, outcomes in OUTCOMES.items() for outcome in outcomes
}
