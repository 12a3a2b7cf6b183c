"""What the verifier promises, whatever its reasoner is."""

from collections import Counter
from collections.abc import Callable
from typing import Protocol

from assay.common.v1 import context_pb2, evidence_pb2
from assay.verifier.v1 import verifier_pb2

from services.common.bounds import MAX_QUESTION_CHARS
from services.common.errors import InvalidArgumentError
from services.common.evidence.verdict import allowed_by_checks
from services.common.evidence.verifier_protocol import ProtocolError, accept
from services.common.reasoning import Reasoned, ReasoningFailedError
from services.common.validation import legal_window, required_text, specified

_CEILINGS = (evidence_pb2.VERDICT_PASS, evidence_pb2.VERDICT_LOW_CONFID)


class Reasoner(Protocol):
    """Judges claims."""

    async def judge(
        self, request: verifier_pb2.VerifyRequest, remaining: Callable[[], float]
    ) -> Reasoned[evidence_pb2.Verification]:
        """Return a verification; it need not obey the protocol.

        `remaining` gives the seconds that the caller still waits. Raises ReasoningFailedError.
        """
        ...


async def verify(
    reasoner: Reasoner, request: verifier_pb2.VerifyRequest, remaining: Callable[[], float]
) -> verifier_pb2.VerifyResponse:
    """Have every claim judged; the verdict is at most what the checks allow.

    Raises InvalidArgumentError when the request cannot be judged. A reasoner that breaks the protocol is
    INVALID_OUTPUT.
    """
    validate(request)
    try:
        proposed = await reasoner.judge(request, remaining)
    except ReasoningFailedError as error:
        status = verifier_pb2.VerifierStatus.Value(f"VERIFIER_STATUS_{error.failed_as.value}")
        return verifier_pb2.VerifyResponse(status=status, reasoning=error.reasoning)
    output = request.verified_executor_output
    try:
        accepted = accept(proposed.value, output, request.verified_evidence)
    except ProtocolError:
        status = verifier_pb2.VERIFIER_STATUS_INVALID_OUTPUT
        return verifier_pb2.VerifyResponse(status=status, reasoning=proposed.reasoning)
    allowed = allowed_by_checks(accepted.claim_checks, output, request.diagnosis_context.intent)
    accepted.model_verdict = min(accepted.model_verdict, allowed)
    return verifier_pb2.VerifyResponse(
        status=verifier_pb2.VERIFIER_STATUS_COMPLETED, verification=accepted, reasoning=proposed.reasoning
    )


def validate(request: verifier_pb2.VerifyRequest) -> None:
    """Refuse a request that does not describe something to judge."""
    context = request.diagnosis_context
    required_text(context.question, "diagnosis_context.question", MAX_QUESTION_CHARS)
    specified(context.intent, context_pb2.Intent.DESCRIPTOR, "diagnosis_context.intent")
    legal_window(context.window, "diagnosis_context.window")
    _validate_claims(request.verified_executor_output)
    known = {claim.claim_id for claim in request.verified_executor_output.claims}
    for index, item in enumerate(request.verified_evidence):
        if item.claim_id not in known:
            field = f"verified_evidence[{index}].claim_id"
            raise InvalidArgumentError(f"{field} is no claim of the output", field=field)
    if request.verdict_ceiling not in _CEILINGS:
        raise InvalidArgumentError("verdict_ceiling is neither PASS nor LOW_CONFID", field="verdict_ceiling")


def _validate_claims(output: evidence_pb2.VerifiedExecutorOutput) -> None:
    if not output.claims:
        raise InvalidArgumentError(
            "verified_executor_output.claims is empty: there is nothing to judge",
            field="verified_executor_output.claims",
        )
    counts = Counter(claim.claim_id for claim in output.claims)
    for index, claim in enumerate(output.claims):
        field = f"verified_executor_output.claims[{index}].claim_id"
        if not claim.claim_id or counts[claim.claim_id] > 1:
            raise InvalidArgumentError(f"{field} is empty or not unique", field=field)
