"""The table of transitions as the design states it, written down without any code of `orchestrator.graph`.

`DECLARED`, `from_call` and `from_defect` say which outcome an attempt has; `after` says what follows it.
"""

from dataclasses import dataclass, replace
from typing import Final

END: Final = "(end)"
_REASONER: Final = ("COMPLETED", "INVALID_OUTPUT", "RETRYABLE_FAILED", "NON_RETRYABLE_FAILED")

# What each node may answer. Whatever else it answers is UNKNOWN, and so are status 0 and unknown numbers.
DECLARED: Final[dict[str, tuple[str, ...]]] = {
    "planner": _REASONER,
    "executor": ("COMPLETED", "INVALID_OUTPUT", "TOOL_BLOCKED", "FAILED"),
    "gatekeeper": (
        "PASS", "LOW_CONFID", "REJECT", "INVALID_OUTPUT", "RETRYABLE_FAILED", "NON_RETRYABLE_FAILED",
    ),
    "verified_input": ("COMPLETED", "INVALID_OUTPUT", "FAILED"),
    "verifier": _REASONER,
    "evidence_retry": ("COMPLETED", "FAILED"),
    "composer": _REASONER,
    "fallback": ("COMPLETED", "FAILED"),
}  # fmt: skip

_TEMPORARY: Final = ("UNAVAILABLE", "DEADLINE_EXCEEDED", "RESOURCE_EXHAUSTED", "ABORTED")


def from_call(node: str, code: str) -> str:
    """Return the outcome of a call that ended with a status code other than OK."""
    if "RETRYABLE_FAILED" not in DECLARED[node]:
        return "FAILED"
    return "RETRYABLE_FAILED" if code in _TEMPORARY else "NON_RETRYABLE_FAILED"


def from_defect(node: str) -> str:
    """Return the outcome of a node that raised what nobody expected."""
    return "NON_RETRYABLE_FAILED" if "NON_RETRYABLE_FAILED" in DECLARED[node] else "FAILED"


@dataclass(frozen=True, slots=True)
class Facts:
    """All that a guard may look at."""

    planner_retry_count: int = 0
    verifier_retry_count: int = 0
    composer_retry_count: int = 0
    evidence_retry_count: int = 0
    bindings: int = 0
    ceiling: str = ""
    effective: str = ""
    critical_gap: bool = False


def after(node: str, outcome: str, facts: Facts) -> tuple[str, Facts]:
    """Return the next node and the facts after a node attempt; `facts` are those that it left."""
    match node, outcome:
        case ("planner", "COMPLETED"):
            return "executor", facts
        case ("executor", "COMPLETED"):
            return "gatekeeper", facts
        case ("gatekeeper", "PASS" | "LOW_CONFID") if facts.bindings > 0:
            return "verified_input", facts
        case ("verified_input", "COMPLETED"):
            return "verifier", facts
        case ("verifier", "COMPLETED") if facts.effective in ("PASS", "LOW_CONFID", "REJECT"):
            return ("evidence_retry" if _evidence_retry_due(facts) else "composer"), facts
        case ("evidence_retry", "COMPLETED"):
            cleared = replace(facts, bindings=0, ceiling="", effective="", critical_gap=False)
            return "planner", replace(cleared, planner_retry_count=0, evidence_retry_count=1)
        case ("composer", "COMPLETED") | ("fallback", _):
            return END, facts
        case ("planner" | "verifier" | "composer", "INVALID_OUTPUT" | "RETRYABLE_FAILED"):
            return _technical_retry(node, facts)
        case _:
            return "fallback", facts


def _evidence_retry_due(facts: Facts) -> bool:
    return (
        facts.effective == "LOW_CONFID"
        and facts.ceiling == "PASS"
        and facts.critical_gap
        and facts.evidence_retry_count == 0
    )


def _technical_retry(node: str, facts: Facts) -> tuple[str, Facts]:
    match node:
        case "planner" if facts.planner_retry_count == 0:
            return node, replace(facts, planner_retry_count=1)
        case "verifier" if facts.verifier_retry_count == 0:
            return node, replace(facts, verifier_retry_count=1)
        case "composer" if facts.composer_retry_count == 0:
            return node, replace(facts, composer_retry_count=1)
        case _:
            return "fallback", facts
