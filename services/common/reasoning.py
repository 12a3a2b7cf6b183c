"""What a reasoner gives: a result, who made it by which prompt, and at what cost. Or why there is none."""

from dataclasses import dataclass
from enum import Enum
from typing import Generic, TypeVar

from assay.common.v1 import reasoning_pb2

OFFLINE = "offline"
OPENAI = "openai"

T = TypeVar("T")


class FailedAs(Enum):
    """What a failure means to the graph."""

    INVALID_OUTPUT = "INVALID_OUTPUT"
    RETRYABLE_FAILED = "RETRYABLE_FAILED"
    NON_RETRYABLE_FAILED = "NON_RETRYABLE_FAILED"


@dataclass(frozen=True, slots=True)
class Reasoned(Generic[T]):
    """A result and who made it."""

    value: T
    reasoning: reasoning_pb2.Reasoning


class ReasoningFailedError(Exception):
    """There is no result. `reasoning` tells who failed and why, never what was said."""

    def __init__(self, failed_as: FailedAs, reasoning: reasoning_pb2.Reasoning) -> None:
        super().__init__(f"{failed_as.value}: {reasoning.model_failure or reasoning.reasoner}")
        self.failed_as = failed_as
        self.reasoning = reasoning


@dataclass(frozen=True, slots=True)
class PromptId:
    """The name and version of a prompt, or of the rule set that an offline reasoner works by."""

    name: str
    version: str


def offline(prompt: PromptId) -> reasoning_pb2.Reasoning:
    """Return the record of a result that rules made."""
    return reasoning_pb2.Reasoning(reasoner=OFFLINE, prompt_name=prompt.name, prompt_version=prompt.version)
