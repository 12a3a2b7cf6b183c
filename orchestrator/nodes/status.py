"""The status of an agent's response, as outcome and reason."""

from typing import Final

from google.protobuf.descriptor import EnumDescriptor

from orchestrator.graph import NodeResult, Outcome, Reason
from services.common.evidence.names import short_name

_REASONS: Final[dict[Outcome, Reason]] = {
    Outcome.COMPLETED: Reason.COMPLETED,
    Outcome.PASS: Reason.GATE_PASS,
    Outcome.LOW_CONFID: Reason.GATE_LOW_CONFID,
    Outcome.REJECT: Reason.GATE_REJECT,
    Outcome.INVALID_OUTPUT: Reason.AGENT_INVALID_OUTPUT,
    Outcome.TOOL_BLOCKED: Reason.TOOLS_BLOCKED,
    Outcome.RETRYABLE_FAILED: Reason.AGENT_FAILED,
    Outcome.NON_RETRYABLE_FAILED: Reason.AGENT_FAILED,
    Outcome.FAILED: Reason.AGENT_FAILED,
}


def result_of(enum: EnumDescriptor, number: int) -> NodeResult:
    """Return the result of a response with this status; 0 and numbers that nobody knows are UNKNOWN."""
    name = short_name(enum, number)
    if name not in set(_REASONS):
        return NodeResult(Outcome.UNKNOWN, Reason.UNKNOWN_STATUS)
    return NodeResult(name, _REASONS[Outcome(name)])
