"""The verifier scenarios of the requirement documents, at the level of rules: reasoner, guard, verdict."""

from collections.abc import Sequence
from dataclasses import dataclass, field

import pytest
from assay.common.v1 import context_pb2, evidence_pb2
from assay.verifier.v1 import verifier_pb2

from services.common.evidence.guard import guard_checks
from services.common.evidence.names import short_name
from services.common.evidence.verdict import allowed_by_checks
from services.common.evidence.verifier_protocol import ProtocolError, accept
from services.verifier.domain import verify
from services.verifier.offline.adapter import OfflineReasoner
from tests.fakes.claims import ARGUMENTS, claim, item, request

CAUSE = evidence_pb2.CLAIM_TYPE_CAUSE


@dataclass(frozen=True)
class Scenario:
    """Claims as (statement, bound texts), and what must become of them."""

    scenario_id: str
    claims: Sequence[tuple[str, Sequence[str]]]
    classes: Sequence[str]
    verdict: str
    claim_types: Sequence["evidence_pb2.ClaimType.ValueType"] = field(default=())


CHANGE_AND_EFFECT = ["pool_size changed 20 -> 2", "waiters=31 for pool_size"]

SCENARIOS = [
    Scenario(
        "V-01",
        [
            ("waiters are 31", ["waiters=31"]),
            ("pool_size changed 20 -> 2, and because of it waiters are 31", CHANGE_AND_EFFECT),
        ],
        ["direct_observation", "reasonable_inference"],
        "PASS",
        [evidence_pb2.CLAIM_TYPE_SYMPTOM, CAUSE],
    ),
    Scenario(
        "V-02",
        [("waiters are 31", ["waiters=31"]), ("Payments are broken", ["GET / 200"])],
        ["direct_observation", "unsupported"],
        "LOW_CONFID",
    ),
    Scenario(
        "V-02",
        [("waiters are 31", ["waiters=31"]), ("This is a known bug of the vendor", ["GET / 200"])],
        ["direct_observation", "external_unknown"],
        "LOW_CONFID",
    ),
    Scenario(
        "V-02",
        [("waiters are 31", ["waiters=31"]), ("waiters waited 99 s", ["waiters=31 lines=7"])],
        ["direct_observation", "overstated"],
        "LOW_CONFID",
    ),
    Scenario(
        "V-03",
        [("pool_size changed 20 -> 2, and because of it waiters are 31", CHANGE_AND_EFFECT)],
        ["reasonable_inference"],
        "LOW_CONFID",
        [CAUSE],
    ),
    Scenario("V-04", [("waiters is 12", ["waiters=31"])], ["contradicted"], "REJECT"),
    Scenario("V-04", [("waiters failed with ERR_4711", ["waiters=31"])], ["overstated"], "REJECT"),
    Scenario("V-05", [("waiters are 31", [])], ["unsupported"], "LOW_CONFID"),
]


def asked(scenario: Scenario) -> verifier_pb2.VerifyRequest:
    types = scenario.claim_types or [evidence_pb2.CLAIM_TYPE_SYMPTOM] * len(scenario.claims)
    claims = [
        claim(statement, claim_id=f"c{index}", claim_type=claim_type)
        for index, ((statement, _), claim_type) in enumerate(zip(scenario.claims, types, strict=True))
    ]
    evidence = [
        item(text, f"/lines/{line}/text", claim_id=f"c{index}")
        for index, (_, texts) in enumerate(scenario.claims)
        for line, text in enumerate(texts)
    ]
    lookup = CAUSE not in types
    return request(claims, evidence, intent=context_pb2.INTENT_LOOKUP if lookup else context_pb2.INTENT_CAUSE)


@pytest.mark.parametrize("scenario", SCENARIOS, ids=lambda scenario: scenario.scenario_id)
async def test_the_verdict_follows_from_the_claims(scenario: Scenario) -> None:
    message = asked(scenario)
    response = await verify(OfflineReasoner(), message)
    result = response.verification
    classes = [
        short_name(evidence_pb2.Classification.DESCRIPTOR, check.classification)
        for check in result.claim_checks
    ]
    assert classes == list(scenario.classes)
    assert short_name(evidence_pb2.Verdict.DESCRIPTOR, result.model_verdict) == scenario.verdict
    guarded = guard_checks(
        result.claim_checks,
        message.verified_executor_output,
        message.verified_evidence,
        message.diagnosis_context,
        {"inv-1": ARGUMENTS},
    )
    allowed = allowed_by_checks(guarded, message.verified_executor_output, message.diagnosis_context.intent)
    assert min(result.model_verdict, allowed) == result.model_verdict
    if scenario.verdict == "PASS":
        assert result.groundedness_score >= 0.5


def test_v05_without_matching_evidence_nothing_is_observed() -> None:
    message = asked(Scenario("V-05", [("waiters are 31", ["waiters=31"]), ("x", [])], [], ""))
    bold = evidence_pb2.Verification(
        model_verdict=evidence_pb2.VERDICT_LOW_CONFID,
        claim_checks=[
            evidence_pb2.ClaimCheck(
                claim_id=f"c{index}",
                classification=evidence_pb2.CLASSIFICATION_DIRECT_OBSERVATION,
                evidence_refs=[evidence_pb2.EvidenceReference(claim_id=f"c{index}")],
            )
            for index in range(2)
        ],
    )
    with pytest.raises(ProtocolError, match="no verified evidence"):
        accept(bold, message.verified_executor_output, message.verified_evidence)


@pytest.mark.parametrize(
    ("classification", "fact"),
    [
        ("direct_observation", "direct_evidence"),
        ("reasonable_inference", "indirect_support"),
        ("overstated", "indirect_support"),
        ("unsupported", "no_evidence"),
        ("external_unknown", "no_evidence"),
        ("contradicted", "contradicted"),
    ],
)
def test_v07_checks_are_mapped_to_facts_when_none_are_given(classification: str, fact: str) -> None:
    message = asked(Scenario("V-07", [("waiters are 31", ["waiters=31"])], [], ""))
    number = evidence_pb2.Classification.Value(f"CLASSIFICATION_{classification.upper()}")
    verification = evidence_pb2.Verification(
        model_verdict=evidence_pb2.VERDICT_LOW_CONFID,
        claim_checks=[
            evidence_pb2.ClaimCheck(
                claim_id="c0",
                classification=number,
                evidence_refs=[evidence_pb2.EvidenceReference(claim_id="c0")],
            )
        ],
    )
    accepted = accept(verification, message.verified_executor_output, message.verified_evidence)
    (found,) = accepted.facts_checked
    assert short_name(evidence_pb2.FactClass.DESCRIPTOR, found.fact_class) == fact


async def test_v25_and_v28_references_are_whole_and_name_passed_bindings() -> None:
    message = asked(SCENARIOS[0])
    response = await verify(OfflineReasoner(), message)
    known = {
        (entry.claim_id, entry.source_invocation_id, entry.tool_name, entry.raw_path)
        for entry in message.verified_evidence
    }
    for check in response.verification.claim_checks:
        assert check.evidence_refs
        for reference in check.evidence_refs:
            assert reference.claim_id == check.claim_id
            assert (
                reference.claim_id,
                reference.source_invocation_id,
                reference.tool_name,
                reference.raw_path,
            ) in known


@pytest.mark.parametrize("text", ["waiters=31", "waiters=30"])
async def test_v39_an_observation_needs_the_facts_in_the_matched_text(text: str) -> None:
    response = await verify(OfflineReasoner(), asked(Scenario("V-39", [("waiters are 31", [text])], [], "")))
    observed = evidence_pb2.CLASSIFICATION_DIRECT_OBSERVATION
    assert (response.verification.claim_checks[0].classification == observed) == (text == "waiters=31")


def test_v40_the_request_has_no_place_for_anything_but_verified_evidence() -> None:
    assert set(verifier_pb2.VerifyRequest.DESCRIPTOR.fields_by_name) == {
        "diagnosis_context",
        "verified_executor_output",
        "verified_evidence",
        "gatekeeper_audit",
        "verdict_ceiling",
        "retry_context",
    }
