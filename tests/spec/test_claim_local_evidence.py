"""Verifier SHALL use verified claim-local evidence for derivability: the real verifier, V-39 and V-40."""

from pathlib import Path

import pytest
from assay.common.v1 import evidence_pb2
from assay.verifier.v1.verifier_pb2 import VerifyRequest

from services.verifier.settings import VerifierSettings
from tests.fakes.agents import executed
from tests.fakes.diagnosed import WITH_VERIFIER, diagnosed
from tests.fakes.said import INFERRED, OBSERVED, PROVEN, executed_saying, said


@pytest.mark.scenario("V-39")
@pytest.mark.parametrize(
    ("statement", "text"),
    [
        ("waiters are 31", "waiters=31"),
        ('The log says "connection refused"', "api: connection refused by db"),
        ("the request failed with ERR_4711", "request 7 failed with ERR_4711"),
    ],
)
async def test_an_excerpt_that_holds_the_facts_is_a_direct_observation(
    tmp_path: Path, statement: str, text: str
) -> None:
    script = {"Execute": [executed_saying(said(statement, text), INFERRED), executed(calls=())]}
    seen = await diagnosed(tmp_path, script, WITH_VERIFIER)
    (request, *_) = seen.requests("Verify")
    assert request.verdict_ceiling == evidence_pb2.VERDICT_PASS
    assert request.verified_evidence[0].matched_text == text
    assert seen.evaluation["claim_checks"][0]["classification"] == "direct_observation"


@pytest.mark.scenario("V-39")
async def test_the_same_fact_in_another_claims_excerpt_does_not_count(tmp_path: Path) -> None:
    borrowed = said("waiters are 31", "waiters=30 of the pool", critical=False)
    seen = await diagnosed(
        tmp_path, {"Execute": [executed_saying(OBSERVED, INFERRED, borrowed)]}, WITH_VERIFIER
    )
    classes = [check["classification"] for check in seen.evaluation["claim_checks"]]
    assert classes[0] == "direct_observation"
    assert classes[2] != "direct_observation"


@pytest.mark.scenario("V-40")
async def test_verified_evidence_is_all_that_the_verifier_needs_and_gets(tmp_path: Path) -> None:
    stream = [*executed()[:-1], *PROVEN]
    seen = await diagnosed(tmp_path, {"Execute": [stream]}, WITH_VERIFIER)
    # It completed on one request, and no tool, executor or store was asked meanwhile.
    assert "verifier:COMPLETED" in seen.path
    assert dict(seen.calls) == dict.fromkeys(
        ("ListTools", "Plan", "Execute", "Check", "Verify", "Compose"), 1
    )
    assert seen.run.usage.tool_invocations == 4
    (data,) = seen.wire("Verify")
    for unreferenced in (b"inv-1", b"inv-2", b"inv-3", b"connection refused", b"pool size raised"):
        assert unreferenced not in data
    reasons = [check["reason"] for check in seen.evaluation["claim_checks"]]
    assert all(reasons)


@pytest.mark.scenario("V-40")
def test_the_verifier_has_no_way_to_ask_for_more() -> None:
    # A service that calls another one has its address among its settings.
    assert not [name for name in VerifierSettings.model_fields if name.endswith("_address")]
    assert {field.name for field in VerifyRequest.DESCRIPTOR.fields} == {
        "diagnosis_context",
        "verified_executor_output",
        "verified_evidence",
        "gatekeeper_audit",
        "verdict_ceiling",
        "retry_context",
    }
