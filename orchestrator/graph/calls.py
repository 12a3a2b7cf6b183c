"""Failed calls and their outcomes: one table. It knows status codes by name and imports no transport."""

from typing import Final

from orchestrator.graph.vocabulary import OUTCOMES, Node, Outcome, Reason

CALL_FAILURES: Final[dict[str, tuple[Outcome, Reason]]] = {
    "UNAVAILABLE": (Outcome.RETRYABLE_FAILED, Reason.CALL_UNAVAILABLE),
    "DEADLINE_EXCEEDED": (Outcome.RETRYABLE_FAILED, Reason.CALL_DEADLINE_EXCEEDED),
    "RESOURCE_EXHAUSTED": (Outcome.RETRYABLE_FAILED, Reason.CALL_RESOURCE_EXHAUSTED),
    "ABORTED": (Outcome.RETRYABLE_FAILED, Reason.CALL_ABORTED),
}
_OTHER = (Outcome.NON_RETRYABLE_FAILED, Reason.CALL_FAILED)


def outcome_of_call(node: Node, code: str) -> tuple[Outcome, Reason]:
    """Return outcome and reason of a node whose call ended with a status code, such as "UNAVAILABLE"."""
    outcome, reason = CALL_FAILURES.get(code, _OTHER)
    # The executor is never retried, so its failures are not told apart.
    return (outcome if outcome in OUTCOMES[node] else Outcome.FAILED), reason


def outcome_of_error(node: Node) -> Outcome:
    """Return the outcome of a node that raised what nobody expected."""
    declared = OUTCOMES[node]
    return Outcome.NON_RETRYABLE_FAILED if Outcome.NON_RETRYABLE_FAILED in declared else Outcome.FAILED
