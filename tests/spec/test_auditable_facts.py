"""Verifier facts SHALL be auditable: V-28 and V-29."""

import json
from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest
from assay.common.v1 import evidence_pb2
from assay.common.v1.evidence_pb2 import EvidenceReference
from assay.verifier.v1.verifier_pb2 import VerifyRequest, VerifyResponse

from services.common.evidence.names import plain
from tests.fakes.agents import CAUSE_BINDING, Reply, cause, claim, executed, judging
from tests.fakes.diagnosed import WITH_VERIFIER, diagnosed
from tests.fakes.said import PROVEN, executed_saying, said

# It stands in the document and in the first call's output, but the gate let only the other binding pass.
FAILED_BINDING = {
    "source_invocation_id": "inv-1",
    "tool_name": "logs_search",
    "raw_path": "/lines/1/text",
    "matched_text": "canary-failed-binding",
}
MIXED = executed(claim("symptom-1"), cause(evidence_bindings=[CAUSE_BINDING, FAILED_BINDING]))


@pytest.mark.scenario("V-28")
async def test_every_check_of_the_real_verifier_has_references_to_verified_evidence(tmp_path: Path) -> None:
    unrelated = said("Payments are broken", "GET / 200", critical=False)
    script: dict[str, list[Reply]] = {"Execute": [executed_saying(unrelated)]}
    for folder, replies in ((tmp_path / "proven", {"Execute": [PROVEN]}), (tmp_path / "unrelated", script)):
        folder.mkdir()
        seen = await diagnosed(folder, replies, WITH_VERIFIER)
        known = {
            (item["claim_id"], item["source_invocation_id"], item["tool_name"], item["raw_path"])
            for item in seen.evaluation["verified_evidence"]
        }
        assert seen.evaluation["claim_checks"]
        for check in seen.evaluation["claim_checks"]:
            assert isinstance(check["evidence_refs"], list)
            assert {tuple(reference.values()) for reference in check["evidence_refs"]} <= known


def referring_to(reference: EvidenceReference) -> Callable[[VerifyRequest], Awaitable[Reply]]:
    async def reply(request: VerifyRequest) -> Reply:
        judged = await judging(evidence_pb2.VERDICT_LOW_CONFID)(request)
        assert isinstance(judged, VerifyResponse)
        (check,) = (item for item in judged.verification.claim_checks if item.claim_id == "cause-1")
        check.evidence_refs.append(reference)
        return judged

    return reply


@pytest.mark.scenario("V-28")
@pytest.mark.parametrize(
    ("reference", "accepted"),
    [
        (EvidenceReference(claim_id="cause-1"), True),
        (EvidenceReference(claim_id="cause-1", source_invocation_id="inv-2"), True),
        (EvidenceReference(claim_id="cause-1", tool_name="change_events_list"), True),
        (EvidenceReference(claim_id="cause-1", raw_path="/elements/0/value/summary"), True),
        # The binding that failed at the gate, whole and in part.
        (
            EvidenceReference(
                claim_id="cause-1",
                source_invocation_id="inv-1",
                tool_name="logs_search",
                raw_path="/lines/1/text",
            ),
            False,
        ),
        (EvidenceReference(claim_id="cause-1", raw_path="/lines/1/text"), False),
        # Verified evidence, but another claim's.
        (EvidenceReference(claim_id="cause-1", raw_path="/lines/0/text"), False),
        (EvidenceReference(claim_id="symptom-1", raw_path="/lines/0/text"), False),
        # Each field exists, but not in one item.
        (EvidenceReference(claim_id="cause-1", source_invocation_id="inv-2", tool_name="logs_search"), False),
        (EvidenceReference(raw_path="/elements/0/value/summary"), False),
    ],
)
async def test_a_reference_matches_verified_evidence_or_the_reply_is_invalid(
    tmp_path: Path, reference: EvidenceReference, accepted: bool
) -> None:
    seen = await diagnosed(tmp_path, {"Execute": [MIXED], "Verify": [referring_to(reference)]})
    assert "gatekeeper:LOW_CONFID" in seen.path
    assert ("verifier:COMPLETED" in seen.path) is accepted
    assert ("verifier:INVALID_OUTPUT" in seen.path) is not accepted
    assert ("claim_checks" in seen.evaluation) is accepted


@pytest.mark.scenario("V-29")
async def test_the_snapshot_is_what_the_verifier_was_sent(tmp_path: Path) -> None:
    seen = await diagnosed(tmp_path, {"Execute": [MIXED]})
    evaluation = seen.evaluation
    assert evaluation["traceability_version"] == "1"
    (request,) = seen.requests("Verify")
    assert evaluation["verified_evidence"] == [plain(item) for item in request.verified_evidence]
    stored = json.dumps(evaluation)
    assert "canary-failed-binding" not in stored
    assert "canary-unreferenced-line" not in stored
    # No tool history: the call that nothing cites, and no call's arguments.
    assert "inv-3" not in stored
    assert "contains" not in stored


@pytest.mark.scenario("V-29")
async def test_the_snapshot_is_bounded(tmp_path: Path) -> None:
    large = await diagnosed(tmp_path, max_verified_input_bytes=200.0)
    assert large.path[-2:] == ["verified_input:INVALID_OUTPUT", "fallback:COMPLETED"]
    assert large.evaluation["failure"]["reason_code"] == "too_large"
    assert "verified_evidence" not in large.evaluation
    assert large.evaluation["traceability_version"] == "1"
