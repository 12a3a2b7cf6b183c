"""Verifier SHALL fact-check Executor answers: the real verifier, gate and orchestrator, V-01 to V-06."""

from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest
from assay.common.v1 import evidence_pb2
from assay.common.v1.evidence_pb2 import EvidenceReference
from assay.executor.v1 import executor_pb2
from assay.verifier.v1.verifier_pb2 import VerifyRequest, VerifyResponse

from tests.fakes.agents import SYMPTOM_BINDING, Json, Reply, cause, claim, ended, executed, judging, result
from tests.fakes.diagnosed import WITH_VERIFIER, Diagnosed, diagnosed
from tests.fakes.said import INFERRED, OBSERVED, Said, executed_saying, said

PASS = evidence_pb2.VERDICT_PASS
LOW = evidence_pb2.VERDICT_LOW_CONFID

UNBACKED = {"unsupported", "external_unknown", "overstated"}


async def checked(folder: Path, *claims: Said) -> Diagnosed:
    """Have claims verified by the real service; a second cycle adds nothing."""
    script: dict[str, list[Reply]] = {"Execute": [executed_saying(*claims), executed(calls=())]}
    return await diagnosed(folder, script, WITH_VERIFIER)


def model_classes(evaluation: Json) -> list[str]:
    """Return what the verifier itself said of each claim, before the guard."""
    return [check["model_classification"] or check["classification"] for check in evaluation["claim_checks"]]


@pytest.mark.scenario("V-01")
async def test_pass_when_all_critical_claims_have_evidence(tmp_path: Path) -> None:
    seen = await checked(tmp_path, OBSERVED, INFERRED)
    (request,) = seen.requests("Verify")
    assert all(item.critical for item in request.verified_executor_output.claims)
    assert request.verdict_ceiling == PASS
    assert model_classes(seen.evaluation) == ["direct_observation", "reasonable_inference"]
    assert seen.evaluation["model_verdict"] == "PASS"
    assert seen.evaluation["groundedness_score"] >= 0.5
    assert seen.run.effective_verdict == PASS


@pytest.mark.scenario("V-01")
@pytest.mark.parametrize("score", [None, 0.0, 0.49, -0.1, 1.1, float("nan")])
async def test_no_pass_with_a_groundedness_below_one_half(tmp_path: Path, score: float | None) -> None:
    async def reply(request: VerifyRequest) -> Reply:
        judged = await judging(PASS)(request)
        assert isinstance(judged, VerifyResponse)
        judged.verification.ClearField("groundedness_score")
        if score is not None:
            judged.verification.groundedness_score = score
        return judged

    seen = await diagnosed(tmp_path, {"Verify": [reply]})
    assert seen.path[-2:] == ["verifier:INVALID_OUTPUT", "fallback:COMPLETED"]
    assert seen.run.effective_verdict == evidence_pb2.VERDICT_UNSPECIFIED


@pytest.mark.scenario("V-01")
async def test_no_pass_under_a_lower_ceiling(tmp_path: Path) -> None:
    stream = executed_saying(OBSERVED, INFERRED, said("waiters are 31", "waiters=31"))
    document = stream[-1]
    assert isinstance(document, executor_pb2.ExecuteResponse)
    # The third claim's citation now names a line that does not exist.
    spoiled = document.result.document.replace(b"/lines/3/text", b"/lines/9/text")
    seen = await diagnosed(tmp_path, {"Execute": [[*stream[:-1], result(spoiled)]]}, WITH_VERIFIER)
    assert seen.requests("Verify")[0].verdict_ceiling == LOW
    assert model_classes(seen.evaluation) == ["direct_observation", "reasonable_inference"]
    assert seen.evaluation["model_verdict"] == "LOW_CONFID"


@pytest.mark.scenario("V-02")
@pytest.mark.parametrize(
    ("claim_", "classification"),
    [
        (said("Payments are broken", "GET / 200"), "unsupported"),
        (said("This is a known bug of the vendor", "GET / 200"), "external_unknown"),
        (said("waiters waited 99 s", "waiters=31 lines=7"), "overstated"),
    ],
)
async def test_low_confidence_with_partial_evidence(
    tmp_path: Path, claim_: Said, classification: str
) -> None:
    seen = await checked(tmp_path, OBSERVED, claim_)
    assert all(item.critical for item in seen.requests("Verify")[0].verified_executor_output.claims)
    assert model_classes(seen.evaluation) == ["direct_observation", classification]
    assert seen.evaluation["model_verdict"] == "LOW_CONFID"


@pytest.mark.scenario("V-02")
@pytest.mark.parametrize("classification", sorted(UNBACKED))
async def test_a_pass_over_partial_evidence_does_not_count(tmp_path: Path, classification: str) -> None:
    number = evidence_pb2.Classification.Value(f"CLASSIFICATION_{classification.upper()}")
    script: dict[str, list[Reply]] = {
        "Execute": [executed(claim("symptom-1"), cause()), executed(calls=())],
        "Verify": [judging(PASS, cause_1=number)],
    }
    seen = await diagnosed(tmp_path, script)
    assert seen.evaluation["effective_verdict"] == "LOW_CONFID"


@pytest.mark.scenario("V-03")
async def test_low_confidence_with_only_inferences(tmp_path: Path) -> None:
    seen = await checked(tmp_path, INFERRED)
    assert all(item.critical for item in seen.requests("Verify")[0].verified_executor_output.claims)
    assert model_classes(seen.evaluation) == ["reasonable_inference"]
    assert seen.evaluation["model_verdict"] == "LOW_CONFID"
    assert seen.run.effective_verdict == LOW


@pytest.mark.scenario("V-04")
@pytest.mark.parametrize(
    ("statement", "fabricated"),
    [
        ("waiters is 12", False),
        ("waiters failed with ERR_4711", True),
        ("waiters of ledger_pool_7 are 31", True),
        ('waiters are 31, the log says "disk is full"', True),
    ],
    ids=["contradicted", "error code", "entity", "conclusion"],
)
async def test_reject_when_a_critical_claim_contradicts_or_invents(
    tmp_path: Path, statement: str, fabricated: bool
) -> None:
    seen = await checked(tmp_path, OBSERVED, said(statement, "waiters=31"))
    check = seen.evaluation["claim_checks"][1]
    assert check["fabricated"] is fabricated
    assert (check["classification"] == "contradicted") is not fabricated
    assert seen.evaluation["model_verdict"] == "REJECT"
    assert seen.run.effective_verdict == evidence_pb2.VERDICT_REJECT


@pytest.mark.scenario("V-05")
async def test_each_structured_claim_is_checked_against_its_own_evidence(tmp_path: Path) -> None:
    unrelated = said("Payments are broken", "GET / 200", critical=False)
    seen = await checked(tmp_path, OBSERVED, INFERRED, unrelated)
    (request,) = seen.requests("Verify")
    assert request.verified_executor_output.claims
    known = {
        (item.claim_id, item.source_invocation_id, item.tool_name, item.raw_path)
        for item in request.verified_evidence
    }
    checks = seen.evaluation["claim_checks"]
    assert [check["claim_id"] for check in checks] == ["c0", "c1", "c2"]
    for check in checks:
        for reference in check["evidence_refs"]:
            assert reference["claim_id"] == check["claim_id"]
            assert tuple(reference.values()) in known
    assert checks[0]["evidence_refs"]
    assert checks[2]["classification"] != "direct_observation"


@pytest.mark.scenario("V-05")
@pytest.mark.parametrize(
    "reference",
    [
        None,
        EvidenceReference(claim_id="cause-1"),
        EvidenceReference(claim_id="symptom-1", source_invocation_id="inv-2"),
        EvidenceReference(claim_id="symptom-1", tool_name="metrics_list"),
        EvidenceReference(claim_id="symptom-1", raw_path="/lines/1/text"),
    ],
    ids=["none", "claim", "invocation", "tool", "path"],
)
async def test_without_matching_evidence_nothing_is_a_direct_observation(
    tmp_path: Path, reference: EvidenceReference | None
) -> None:
    seen = await diagnosed(tmp_path, {"Verify": [with_references(reference)]})
    assert seen.path[-3:] == ["verifier:INVALID_OUTPUT", "verifier:INVALID_OUTPUT", "fallback:COMPLETED"]
    assert not seen.run.claims
    assert "claim_checks" not in seen.evaluation


def with_references(reference: EvidenceReference | None) -> Callable[[VerifyRequest], Awaitable[Reply]]:
    """A verifier that calls everything observed, with one reference, or none, for the first claim."""

    async def reply(request: VerifyRequest) -> Reply:
        judged = await judging(PASS)(request)
        assert isinstance(judged, VerifyResponse)
        first = judged.verification.claim_checks[0]
        del first.evidence_refs[:]
        first.evidence_refs.extend([reference] if reference else [])
        return judged

    return reply


@pytest.mark.scenario("V-05")
async def test_the_verifier_neither_receives_nor_adds_facts_from_raw_executor_text(tmp_path: Path) -> None:
    raw = {**SYMPTOM_BINDING, "matched_text": "canary-raw-executor-text"}
    stream = executed(claim("symptom-1"), cause(), claim("raw-1", evidence_bindings=[raw]))
    seen = await diagnosed(tmp_path, {"Execute": [stream]}, WITH_VERIFIER)
    assert b"canary-raw-executor-text" in seen.wire("Check")[0]
    assert b"canary-raw-executor-text" not in seen.wire("Verify")[0]
    assert b"raw-1" not in seen.wire("Verify")[0]

    async def adding(request: VerifyRequest) -> Reply:
        judged = await judging(LOW)(request)
        assert isinstance(judged, VerifyResponse)
        judged.verification.claim_checks.add().CopyFrom(judged.verification.claim_checks[0])
        judged.verification.claim_checks[-1].claim_id = "raw-1"
        del judged.verification.claim_checks[-1].evidence_refs[:]
        judged.verification.claim_checks[-1].classification = evidence_pb2.CLASSIFICATION_REASONABLE_INFERENCE
        return judged

    (tmp_path / "again").mkdir()
    added = await diagnosed(tmp_path / "again", {"Execute": [stream], "Verify": [adding]})
    assert "verifier:COMPLETED" not in added.path
    assert not added.run.claims


@pytest.mark.scenario("V-06")
@pytest.mark.parametrize(
    "stream",
    [
        ended(executor_pb2.EXECUTOR_STATUS_INVALID_OUTPUT),
        ended(executor_pb2.EXECUTOR_STATUS_COMPLETED),
        [result(b"The cause is the pool.")],
        [result(b'{"version": "executor_evidence_v2", "claims": "none"}')],
    ],
)
async def test_an_invalid_executor_output_goes_straight_to_fallback(tmp_path: Path, stream: Reply) -> None:
    seen = await diagnosed(tmp_path, {"Execute": [stream]}, WITH_VERIFIER)
    assert seen.path == ["planner:COMPLETED", "executor:INVALID_OUTPUT", "fallback:COMPLETED"]
    assert not seen.wire("Verify")
    assert not seen.evaluation.keys() & {"verdict", "model_verdict", "effective_verdict"}
    assert seen.run.effective_verdict == evidence_pb2.VERDICT_UNSPECIFIED
