"""What a failed call of a model means to an agent, and how a person is told: one row per kind."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final, NamedTuple

from services.common.llm.port import Kind
from services.common.reasoning import FailedAs


class Failure(NamedTuple):
    """What a kind leads to, and its sentence: what was wrong and what to do."""

    failed_as: FailedAs
    sentence: str


_INVALID, _AGAIN, _NEVER = FailedAs.INVALID_OUTPUT, FailedAs.RETRYABLE_FAILED, FailedAs.NON_RETRYABLE_FAILED

FAILURES: Final[Mapping[Kind, Failure]] = MappingProxyType(
    {
        Kind.UNREACHABLE: Failure(_AGAIN, "the endpoint cannot be reached; check that it runs there"),
        Kind.TIMED_OUT: Failure(
            _AGAIN, "the model did not answer in time; raise model_timeout_seconds, or use a faster one"
        ),
        Kind.OUT_OF_TIME: Failure(
            _AGAIN,
            "the agent's time was up before the model answered; raise planner_seconds, executor_seconds, "
            "verifier_seconds or composer_seconds of the orchestrator, or use a faster one",
        ),
        Kind.UNAUTHORIZED: Failure(_NEVER, "the endpoint refuses the key; check model_api_key"),
        Kind.RATE_LIMITED: Failure(_AGAIN, "too many calls for the limits of the endpoint or of this agent"),
        Kind.OVERLOADED: Failure(_AGAIN, "the endpoint cannot answer now; see its own log"),
        Kind.REFUSED_REQUEST: Failure(
            _NEVER,
            "the endpoint refuses the request; check model_base_url, model_name, and that it takes "
            "model_context_tokens",
        ),
        Kind.CUT_OFF: Failure(_INVALID, "the answer was cut off at its bound; raise model_max_output_tokens"),
        Kind.EMPTY: Failure(_INVALID, "the endpoint answered without an answer of the model"),
        Kind.REFUSAL: Failure(_NEVER, "the model refuses to answer this request"),
        Kind.CONTENT_FILTERED: Failure(_NEVER, "a filter of the endpoint held the answer back"),
        Kind.NO_COMPLETION: Failure(
            _INVALID,
            "what answered is no message of the OpenAI protocol; check model_base_url, which often ends "
            "in /v1",
        ),
        Kind.NOT_JSON: Failure(_INVALID, "the answer holds no JSON object that can be read"),
        Kind.WRONG_SHAPE: Failure(_INVALID, "the answer is JSON of another shape than was asked for"),
        Kind.TOO_LARGE: Failure(_INVALID, "the answer is larger than model_max_answer_bytes allows"),
        Kind.OVER_BUDGET: Failure(
            _NEVER, "the request is larger than model_context_tokens allows; it was not sent"
        ),
        Kind.UNFIT_MODE: Failure(
            _AGAIN, "the endpoint does not take this form of an answer; the next call asks in a simpler one"
        ),
        Kind.BROKE_RULES: Failure(_INVALID, "the answer breaks the rules of the agent's contract"),
    }
)


def failed_as(kind: Kind) -> FailedAs:
    """Return what an agent whose model failed so answers."""
    return FAILURES[kind].failed_as


def sentence_of(failure: str) -> str:
    """Return what a person is told of a recorded failure; of one that nobody knows, that it failed."""
    known = {kind.value: row.sentence for kind, row in FAILURES.items()}
    return known.get(failure, "it failed in a way that this version does not know")


class RequestFailedError(Exception):
    """A request to an endpoint that gave no answer.

    `status` is that of the endpoint's response, 0 without one; `sent` tells whether it left at all.
    """

    def __init__(self, kind: Kind, status: int = 0, *, sent: bool = True) -> None:
        super().__init__(kind.value)
        self.kind = kind
        self.status = status
        self.sent = sent
