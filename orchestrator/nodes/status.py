"""The status of an agent's response, as outcome and reason, and what it says of who thought."""

from typing import Final, Literal, Protocol

from assay.common.v1.reasoning_pb2 import Reasoning
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


def result_of(enum: EnumDescriptor, number: int, reasoning: Reasoning | None = None) -> NodeResult:
    """Return the result of a response with this status; 0 and numbers that nobody knows are UNKNOWN."""
    name = short_name(enum, number)
    if name not in set(_REASONS):
        return NodeResult(Outcome.UNKNOWN, Reason.UNKNOWN_STATUS, reasoning=reasoning)
    return NodeResult(name, _REASONS[Outcome(name)], reasoning=reasoning)


# What an agent says of itself is kept with the run, so it is bounded.
MAX_REASONING_BYTES: Final = 16 * 1024


class _Response(Protocol):
    @property
    def reasoning(self) -> Reasoning: ...

    def HasField(self, field_name: Literal["reasoning"], /) -> bool: ...  # noqa: N802 - protobuf's name


def reasoning_of(response: _Response) -> Reasoning | None:
    """Return who thought, as the response tells it; None when it does not, or at far too great length."""
    if not response.HasField("reasoning") or response.reasoning.ByteSize() > MAX_REASONING_BYTES:
        return None
    return response.reasoning
