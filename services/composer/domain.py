"""What composing is, whoever writes: a legal request, an answer, and the check that lets it out."""

from collections.abc import Callable
from typing import ParamSpec, Protocol, TypeVar

from assay.common.v1 import answer_pb2, context_pb2, evidence_pb2, reasoning_pb2
from assay.composer.v1 import composer_pb2

from services.common import validation
from services.common.bounds import MAX_QUESTION_CHARS
from services.common.errors import InvalidArgumentError
from services.common.evidence.answer_rules import AnswerError, check_answer
from services.common.evidence.templates import reject_answer
from services.common.reasoning import Reasoned, ReasoningFailedError

P = ParamSpec("P")
T = TypeVar("T")


class Reasoner(Protocol):
    """Writes an answer from allowed material. It is never asked under REJECT."""

    async def compose(
        self, request: composer_pb2.ComposeRequest, remaining: Callable[[], float]
    ) -> Reasoned[answer_pb2.Answer]:
        """Return the answer in sections.

        `remaining` gives the seconds that the caller still waits. Raises ReasoningFailedError.
        """
        ...


class Offload(Protocol):
    """Runs what takes long where it holds up nothing else."""

    async def __call__(self, function: Callable[P, T], /, *args: P.args, **kwargs: P.kwargs) -> T: ...


class Composer:
    """Checks the request, has the answer written, and checks the answer, which may be long, by `offload`."""

    def __init__(self, reasoner: Reasoner, offload: Offload) -> None:
        self._reasoner = reasoner
        self._offload = offload

    async def compose(
        self, request: composer_pb2.ComposeRequest, remaining: Callable[[], float]
    ) -> composer_pb2.ComposeResponse:
        """Compose one answer; raises InvalidArgumentError for a request that the contract refuses."""
        check_request(request)
        try:
            made = await self._made(request, remaining)
        except ReasoningFailedError as error:
            status = composer_pb2.ComposerStatus.Value(f"COMPOSER_STATUS_{error.failed_as.value}")
            return composer_pb2.ComposeResponse(status=status, reasoning=error.reasoning)
        if not await self._offload(is_answer, made.value, request):
            status = composer_pb2.COMPOSER_STATUS_INVALID_OUTPUT
            return composer_pb2.ComposeResponse(status=status, reasoning=made.reasoning)
        return composer_pb2.ComposeResponse(
            status=composer_pb2.COMPOSER_STATUS_COMPLETED, answer=made.value, reasoning=made.reasoning
        )

    async def _made(
        self, request: composer_pb2.ComposeRequest, remaining: Callable[[], float]
    ) -> Reasoned[answer_pb2.Answer]:
        if request.effective_verdict == evidence_pb2.VERDICT_REJECT:
            # Fixed sentences: nobody thinks, so nobody is named.
            return Reasoned(reject_answer(request.gaps, request.checked), reasoning_pb2.Reasoning())
        return await self._reasoner.compose(request, remaining)


def is_answer(answer: answer_pb2.Answer, request: composer_pb2.ComposeRequest) -> bool:
    """Tell whether an answer says only what its material allows."""
    try:
        check_answer(answer, request.claims, request.gaps, request.checked, verdict=request.effective_verdict)
    except AnswerError:
        return False
    return True


def check_request(request: composer_pb2.ComposeRequest) -> None:
    """Refuse what the contract refuses; raises InvalidArgumentError that names the field."""
    validation.required_text(request.question, "question", MAX_QUESTION_CHARS)
    validation.specified(request.intent, context_pb2.Intent.DESCRIPTOR, "intent")
    validation.specified(request.effective_verdict, evidence_pb2.Verdict.DESCRIPTOR, "effective_verdict")
    if request.effective_verdict == evidence_pb2.VERDICT_REJECT and request.claims:
        raise InvalidArgumentError("a REJECT comes with claims; nothing may be shown", field="claims")
