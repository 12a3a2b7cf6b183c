"""What a reasoner asks a language model, and what it gets: a checked value or one kind of failure."""

from dataclasses import dataclass
from enum import Enum
from typing import Generic, Protocol, TypeVar

from assay.common.v1 import reasoning_pb2
from pydantic import BaseModel

AnswerT = TypeVar("AnswerT", bound=BaseModel)


class Kind(Enum):
    """How an attempt can fail. Of a call the value is the `outcome` of its record."""

    UNREACHABLE = "unreachable"
    # Not within the agent's own bound of a call.
    TIMED_OUT = "timed_out"
    # Not while the caller still waited, though the agent's own bound allowed more.
    OUT_OF_TIME = "out_of_time"
    UNAUTHORIZED = "unauthorized"
    RATE_LIMITED = "rate_limited"
    # 5xx: the endpoint is there and cannot answer now.
    OVERLOADED = "overloaded"
    # 3xx and the other 4xx: the same request would be refused again.
    REFUSED_REQUEST = "refused_request"
    # The answer met its bound of tokens.
    CUT_OFF = "cut_off"
    EMPTY = "empty"
    REFUSAL = "refusal"
    CONTENT_FILTERED = "content_filtered"
    # What came is no message of the protocol: another server may answer at that address.
    NO_COMPLETION = "no_completion"
    NOT_JSON = "not_json"
    WRONG_SHAPE = "wrong_shape"
    # The answer met its bound of bytes.
    TOO_LARGE = "too_large"
    # The request would exceed the agent's bound of tokens; it was not sent.
    OVER_BUDGET = "over_budget"
    # The endpoint takes or keeps to no such form of an answer; the next call asks in a simpler one.
    UNFIT_MODE = "unfit_mode"
    # An answer of the right shape that the agent's own check refuses.
    BROKE_RULES = "broke_rules"


OK = "ok"


@dataclass(frozen=True, slots=True)
class ModelRequest(Generic[AnswerT]):
    """One question to a model.

    `instructions` is the prompt's fixed text, `material` what this call is about. `answer` is the strict
    model (extra="forbid") of the object that is asked for; the client's own bound of tokens holds beside
    `max_output_tokens`.
    """

    instructions: str
    material: str
    answer: type[AnswerT]
    max_output_tokens: int


@dataclass(frozen=True, slots=True)
class Answered(Generic[AnswerT]):
    """A legal answer, and what the call was."""

    value: AnswerT
    call: reasoning_pb2.ModelCall


class ModelError(Exception):
    """A call that gave no legal answer. The text is for a person: nothing of the endpoint's own, no key."""

    def __init__(self, kind: Kind, text: str, call: reasoning_pb2.ModelCall) -> None:
        super().__init__(text)
        self.kind = kind
        self.call = call


class Model(Protocol):
    """A language model."""

    async def ask(self, request: ModelRequest[AnswerT], seconds: float) -> Answered[AnswerT]:
        """Ask once, in at most `seconds`, the time that the caller still has; raises ModelError."""
        ...
