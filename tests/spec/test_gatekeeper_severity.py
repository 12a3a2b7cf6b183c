"""Gatekeeper severity SHALL constrain effective verdict: V-41 to V-43."""

from pathlib import Path

import pytest
from assay.common.v1 import evidence_pb2

from services.common.evidence.names import plain
from services.gatekeeper.domain import check
from tests.fakes.agents import SYMPTOM_BINDING, UNKNOWN_KEY, Reply, cause, claim, executed, judging, result
from tests.fakes.diagnosed import diagnosed

FAILED_BINDING = {**SYMPTOM_BINDING, "matched_text": "never written"}
MIXED = executed(claim("symptom-1", evidence_bindings=[SYMPTOM_BINDING, FAILED_BINDING]), cause())
UNCONFIRMED = executed(claim("symptom-1", status="possible"))
SEVERITIES: dict[str, list[Reply]] = {
    "none": [executed(claim("symptom-1"), cause())],
    "low_confid": [MIXED],
    "reject": [[result(UNKNOWN_KEY)]],
}


@pytest.mark.scenario("V-41")
@pytest.mark.parametrize(
    "stream",
    [[result(UNKNOWN_KEY)], executed(claim("symptom-1", evidence_bindings=[FAILED_BINDING]))],
    ids=["schema", "nothing passed"],
)
async def test_severity_reject_bypasses_the_verifier_and_leaves_no_verdict(
    tmp_path: Path, stream: Reply
) -> None:
    seen = await diagnosed(tmp_path, {"Execute": [stream]})
    assert seen.evaluation["gatekeeper_result"]["severity"] == "reject"
    assert seen.path[2:] == ["gatekeeper:REJECT", "fallback:COMPLETED"]
    assert not seen.wire("Verify")
    assert seen.run.effective_verdict == evidence_pb2.VERDICT_UNSPECIFIED
    assert not seen.evaluation.keys() & {"verdict", "model_verdict", "effective_verdict"}


@pytest.mark.scenario("V-42")
@pytest.mark.parametrize("stream", [MIXED, UNCONFIRMED], ids=["some failed", "nothing confirmed"])
async def test_severity_low_confid_prevents_pass(tmp_path: Path, stream: Reply) -> None:
    script: dict[str, list[Reply]] = {
        "Execute": [stream],
        "Verify": [judging(evidence_pb2.VERDICT_PASS)],
    }
    # A lookup needs no cause: nothing but the gate keeps these runs from PASS.
    seen = await diagnosed(tmp_path, script, question="How many connections were refused?")
    assert seen.evaluation["gatekeeper_result"]["severity"] == "low_confid"
    assert seen.evaluation["model_verdict"] == "PASS"
    assert seen.evaluation["effective_verdict"] == "LOW_CONFID"
    assert seen.evaluation["verdict"] == "LOW_CONFID"
    assert seen.run.effective_verdict == evidence_pb2.VERDICT_LOW_CONFID


@pytest.mark.scenario("V-43")
@pytest.mark.parametrize(("severity", "script"), SEVERITIES.items())
async def test_the_stored_audit_includes_severity(tmp_path: Path, severity: str, script: list[Reply]) -> None:
    seen = await diagnosed(tmp_path, {"Execute": script})
    found = seen.evaluation["gatekeeper_result"]
    assert found["severity"] == severity
    assert found.keys() == {
        "status",
        "severity",
        "checked_bindings",
        "rules",
        "failed_rules",
        "warnings",
        "errors",
    }
    assert found == plain(check(seen.requests("Check")[0]).result)
    assert bool(found["errors"]) is bool(found["failed_rules"]) is (found["status"] == "fail")
