"""facts_checked SHALL use a fixed classification set: V-07."""

from collections.abc import Awaitable, Callable
from pathlib import Path

import grpc.aio
import pytest
from assay.common.v1 import evidence_pb2
from assay.common.v1.evidence_pb2 import Verification
from assay.verifier.v1 import verifier_pb2, verifier_pb2_grpc
from assay.verifier.v1.verifier_pb2 import VerifyRequest, VerifyResponse

from services.common.evidence.names import short_name
from services.common.reasoning import Reasoned
from services.common.rpc.channels import call_metadata, open_channel
from services.common.rpc.service import Service, serving
from services.verifier.__main__ import NAME
from services.verifier.servicer import VerifierServicer
from services.verifier.settings import VerifierSettings
from tests.fakes.agents import Reply, claim, executed, judging
from tests.fakes.claims import claim as verified_claim
from tests.fakes.claims import item, request
from tests.fakes.diagnosed import diagnosed
from tests.fakes.reasoned import by_script

pytestmark = pytest.mark.scenario("V-07")

FACTS = {
    "direct_observation": "direct_evidence",
    "reasonable_inference": "indirect_support",
    "overstated": "indirect_support",
    "unsupported": "no_evidence",
    "external_unknown": "no_evidence",
    "contradicted": "contradicted",
}
LOW = evidence_pb2.VERDICT_LOW_CONFID


def number(classification: str) -> "evidence_pb2.Classification.ValueType":
    return evidence_pb2.Classification.Value(f"CLASSIFICATION_{classification.upper()}")


def test_the_mapping_covers_every_classification_and_every_fact() -> None:
    assert {number(name) for name in FACTS} == set(evidence_pb2.Classification.values()) - {0}
    facts = {
        short_name(evidence_pb2.FactClass.DESCRIPTOR, value) for value in evidence_pb2.FactClass.values()
    }
    assert set(FACTS.values()) == facts - {""}


@pytest.mark.parametrize(("classification", "fact"), FACTS.items())
async def test_facts_are_derived_from_checks_in_a_run(tmp_path: Path, classification: str, fact: str) -> None:
    script: dict[str, list[Reply]] = {
        "Execute": [executed(claim("symptom-1", critical=False))],
        "Verify": [judging(LOW, symptom_1=number(classification))],
    }
    seen = await diagnosed(tmp_path, script)
    (check,) = seen.evaluation["claim_checks"]
    assert check["classification"] == classification
    assert seen.evaluation["facts_checked"] == [{"claim_id": "symptom-1", "fact_class": fact}]


class Silent:
    """A reasoner that gives no facts."""

    def __init__(self, classification: str) -> None:
        self._classification = classification

    async def judge(
        self,
        request: VerifyRequest,
        remaining: Callable[[], float],  # noqa: ARG002 - the port's
    ) -> Reasoned[Verification]:
        (claim_,) = request.verified_executor_output.claims
        verification = Verification(
            model_verdict=LOW,
            claim_checks=[
                evidence_pb2.ClaimCheck(
                    claim_id=claim_.claim_id,
                    classification=number(self._classification),
                    evidence_refs=[evidence_pb2.EvidenceReference(claim_id=claim_.claim_id)],
                )
            ],
        )
        return by_script(verification)


@pytest.mark.parametrize(("classification", "fact"), FACTS.items())
async def test_facts_are_derived_from_checks_in_the_verifier_service(classification: str, fact: str) -> None:
    servicer = VerifierServicer(Silent(classification))

    def register(server: grpc.aio.Server) -> None:
        verifier_pb2_grpc.add_VerifierServiceServicer_to_server(servicer, server)

    settings = VerifierSettings(drain_seconds=0)
    async with (
        serving(settings, Service(names=(NAME,), register=register)) as address,
        open_channel(address, settings.max_message_bytes) as channel,
    ):
        stub: verifier_pb2_grpc.VerifierServiceAsyncStub = verifier_pb2_grpc.VerifierServiceStub(channel)
        asked = request([verified_claim("count is 12", critical=False)], [item("count=12")])
        response = await stub.Verify(asked, timeout=60, metadata=call_metadata("run-1"))
    assert response.status == verifier_pb2.VERIFIER_STATUS_COMPLETED
    (found,) = response.verification.facts_checked
    assert short_name(evidence_pb2.FactClass.DESCRIPTOR, found.fact_class) == fact


def giving(
    claim_id: str, fact: "evidence_pb2.FactClass.ValueType"
) -> Callable[[VerifyRequest], Awaitable[Reply]]:
    """A verifier that gives a fact of its own."""

    async def reply(request: VerifyRequest) -> Reply:
        judged = await judging()(request)
        assert isinstance(judged, VerifyResponse)
        judged.verification.facts_checked.add(claim_id=claim_id, fact_class=fact)
        return judged

    return reply


@pytest.mark.parametrize(
    ("claim_id", "fact", "accepted"),
    [
        ("symptom-1", evidence_pb2.FACT_CLASS_DIRECT_EVIDENCE, True),
        ("symptom-1", evidence_pb2.FACT_CLASS_UNSPECIFIED, False),
        ("symptom-1", 99, False),
        ("somebody-else", evidence_pb2.FACT_CLASS_DIRECT_EVIDENCE, False),
    ],
)
async def test_given_facts_use_the_fixed_set_and_known_claims(
    tmp_path: Path, claim_id: str, fact: "evidence_pb2.FactClass.ValueType", accepted: bool
) -> None:
    seen = await diagnosed(tmp_path, {"Verify": [giving(claim_id, fact)]})
    assert ("verifier:COMPLETED" in seen.path) is accepted
