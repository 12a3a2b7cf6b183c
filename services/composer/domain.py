"""What composing is, whoever writes: a legal request, an answer, and the check that lets it out."""

from typing import Protocol

from assay.common.v1 import answer_pb2, context_pb2, evidence_pb2
from assay.composer.v1 import composer_pb2

from services.common import validation
from services.common.errors import InvalidArgumentError
from services.common.evidence.answer_rules import AnswerError, check_answer
from services.common.evidence.templates import reject_answer


class Reasoner(Protocol):
    """Writes an answer from allowed material. It is never asked under REJECT."""

    def compose(self, request: composer_pb2.ComposeRequest) -> answer_pb2.Answer:
        """Return the answer in sections."""
        ...


class Composer:
    """Checks the request, has the answer written, and checks the answer."""

    def __init__(self, reasoner: Reasoner) -> None:
        self._reasoner = reasoner

    def compose(self, request: composer_pb2.ComposeRequest) -> composer_pb2.ComposeResponse:
        """Compose one answer; raises InvalidArgumentError for a request that the contract refuses."""
        check_request(request)
        answer = self._answer(request)
        try:
            check_answer(
                answer, request.claims, request.gaps, request.checked, verdict=request.effective_verdict
            )
        except AnswerError:
            return composer_pb2.ComposeResponse(status=composer_pb2.COMPOSER_STATUS_INVALID_OUTPUT)
        return composer_pb2.ComposeResponse(status=composer_pb2.COMPOSER_STATUS_COMPLETED, answer=answer)

    def _answer(self, request: composer_pb2.ComposeRequest) -> answer_pb2.Answer:
        if request.effective_verdict == evidence_pb2.VERDICT_REJECT:
            return reject_answer(request.gaps, request.checked)
        return self._reasoner.compose(request)


def check_request(request: composer_pb2.ComposeRequest) -> None:
    """Refuse what the contract refuses; raises InvalidArgumentError that names the field."""
    validation.required_text(request.question, "question", validation.MAX_QUESTION_CHARS)
    validation.specified(request.intent, context_pb2.Intent.DESCRIPTOR, "intent")
    validation.specified(request.effective_verdict, evidence_pb2.Verdict.DESCRIPTOR, "effective_verdict")
    if request.effective_verdict == evidence_pb2.VERDICT_REJECT and request.claims:
        raise InvalidArgumentError("a REJECT comes with claims; nothing may be shown", field="claims")
