"""The verifier's domain, with reasoners that say what a test makes them say."""

from collections.abc import Callable
from dataclasses import dataclass

import pytest
from assay.common.v1 import context_pb2, evidence_pb2
from assay.verifier.v1 import verifier_pb2

from services.common.errors import InvalidArgumentError
from services.common.reasoning import Reasoned
from services.verifier.domain import verify
from tests.fakes.claims import claim, item, request
from tests.fakes.reasoned import by_script, plenty

OVERSTATED = evidence_pb2.CLASSIFICATION_OVERSTATED


@dataclass
class Scripted:
    """Answers every request with one verification."""

    answer: evidence_pb2.Verification

    async def judge(
        self,
        request: verifier_pb2.VerifyRequest,  # noqa: ARG002 - the port's
        remaining: Callable[[], float],  # noqa: ARG002 - the port's
    ) -> Reasoned[evidence_pb2.Verification]:
        return by_script(self.answer)


def asked() -> verifier_pb2.VerifyRequest:
    return request([claim("count is 12")], [item("count=12")])


async def test_a_verdict_above_the_checks_is_lowered() -> None:
    answer = evidence_pb2.Verification(
        model_verdict=evidence_pb2.VERDICT_PASS,
        groundedness_score=0.9,
        claim_checks=[evidence_pb2.ClaimCheck(claim_id="c1", classification=OVERSTATED)],
    )
    response = await verify(Scripted(answer), asked(), plenty)
    assert response.status == verifier_pb2.VERIFIER_STATUS_COMPLETED
    assert response.verification.model_verdict == evidence_pb2.VERDICT_LOW_CONFID
    assert response.verification.facts_checked[0].fact_class == evidence_pb2.FACT_CLASS_INDIRECT_SUPPORT


async def test_a_verdict_below_the_checks_stays() -> None:
    answer = evidence_pb2.Verification(
        model_verdict=evidence_pb2.VERDICT_LOW_CONFID,
        claim_checks=[
            evidence_pb2.ClaimCheck(
                claim_id="c1",
                classification=evidence_pb2.CLASSIFICATION_DIRECT_OBSERVATION,
                evidence_refs=[evidence_pb2.EvidenceReference(claim_id="c1")],
            )
        ],
    )
    response = await verify(Scripted(answer), asked(), plenty)
    assert response.verification.model_verdict == evidence_pb2.VERDICT_LOW_CONFID


async def test_a_reasoner_that_breaks_the_protocol_is_invalid_output() -> None:
    response = await verify(Scripted(evidence_pb2.Verification()), asked(), plenty)
    assert response.status == verifier_pb2.VERIFIER_STATUS_INVALID_OUTPUT
    assert not response.HasField("verification")


def _without_question(message: verifier_pb2.VerifyRequest) -> None:
    message.diagnosis_context.question = "  "


def _without_intent(message: verifier_pb2.VerifyRequest) -> None:
    message.diagnosis_context.intent = context_pb2.INTENT_UNSPECIFIED


def _without_claims(message: verifier_pb2.VerifyRequest) -> None:
    del message.verified_executor_output.claims[:]


def _with_a_double_claim(message: verifier_pb2.VerifyRequest) -> None:
    message.verified_executor_output.claims.append(message.verified_executor_output.claims[0])


def _with_foreign_evidence(message: verifier_pb2.VerifyRequest) -> None:
    message.verified_evidence[0].claim_id = "c9"


def _with_a_reject_ceiling(message: verifier_pb2.VerifyRequest) -> None:
    message.verdict_ceiling = evidence_pb2.VERDICT_REJECT


def _without_ceiling(message: verifier_pb2.VerifyRequest) -> None:
    message.verdict_ceiling = evidence_pb2.VERDICT_UNSPECIFIED


@pytest.mark.parametrize(
    ("spoil", "field"),
    [
        (_without_question, "diagnosis_context.question"),
        (_without_intent, "diagnosis_context.intent"),
        (_without_claims, "verified_executor_output.claims"),
        (_with_a_double_claim, "verified_executor_output.claims[0].claim_id"),
        (_with_foreign_evidence, "verified_evidence[0].claim_id"),
        (_with_a_reject_ceiling, "verdict_ceiling"),
        (_without_ceiling, "verdict_ceiling"),
    ],
)
async def test_a_request_that_cannot_be_judged_is_refused(spoil: object, field: str) -> None:
    message = asked()
    assert callable(spoil)
    spoil(message)
    with pytest.raises(InvalidArgumentError) as caught:
        await verify(Scripted(evidence_pb2.Verification()), message, plenty)
    assert caught.value.field == field
