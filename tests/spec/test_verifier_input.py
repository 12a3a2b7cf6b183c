"""Verifier SHALL consume explicit verification inputs: what the real wire carries, V-22 to V-27."""

import json
from pathlib import Path

import grpc
import pytest
from assay.common.v1 import evidence_pb2
from assay.verifier.v1 import verifier_pb2
from assay.verifier.v1.verifier_pb2 import VerifyRequest, VerifyResponse

from services.common.evidence import pointer
from services.gatekeeper.domain import check
from tests.fakes.agents import (
    CAUSE_BINDING,
    PLAN,
    SYMPTOM_BINDING,
    Json,
    Reply,
    cause,
    changed,
    claim,
    executed,
    judging,
    result,
)
from tests.fakes.diagnosed import TO_VERIFIER, diagnosed

PASS = evidence_pb2.VERDICT_PASS
LOW = evidence_pb2.VERDICT_LOW_CONFID
INFERRED = evidence_pb2.CLASSIFICATION_REASONABLE_INFERENCE
FAILED_BINDING = {**SYMPTOM_BINDING, "matched_text": "canary-failed-binding"}
MIXED = executed(
    claim("symptom-1", evidence_bindings=[FAILED_BINDING, SYMPTOM_BINDING]),
    cause(),
    claim("failed-1", statement="canary-failed-claim", evidence_bindings=[FAILED_BINDING]),
)
TWO_CYCLES: dict[str, list[Reply]] = {
    "Execute": [executed(claim("symptom-1"), cause()), executed(calls=())],
    "Verify": [judging(LOW, cause_1=INFERRED)],
}
INPUT_BLOCKS = {
    "diagnosis_context",
    "verified_executor_output",
    "verified_evidence",
    "gatekeeper_audit",
    "verdict_ceiling",
}


def blocks(request: VerifyRequest) -> set[str]:
    return {field.name for field, _ in request.ListFields()}


@pytest.mark.scenario("V-22")
async def test_the_five_blocks_are_there_and_retry_context_in_cycle_2_only(tmp_path: Path) -> None:
    seen = await diagnosed(tmp_path, TWO_CYCLES)
    assert seen.nodes.index("evidence_retry") > seen.nodes.index("verifier")
    first, second = seen.requests("Verify")
    assert blocks(first) == INPUT_BLOCKS
    assert blocks(second) == {*INPUT_BLOCKS, "retry_context"}
    assert first.diagnosis_context == seen.run.context
    assert second.retry_context.evidence_retry_count == 1
    (gap,) = second.retry_context.gaps
    assert (gap.claim_id, gap.component, gap.classification) == ("cause-1", "api", INFERRED)
    # Structured only: neither statement nor evidence text.
    assert not gap.statement


@pytest.mark.scenario("V-23")
async def test_the_input_holds_nothing_intermediate_or_raw(tmp_path: Path) -> None:
    document = {
        "version": "executor_evidence_v2",
        "claims": [claim("symptom-1"), cause()],
        "evidence_gaps": ["canary-raw-executor-text"],
    }
    plan = changed(PLAN)
    plan.steps[0].goal = "canary-planner-reasoning"
    script: dict[str, list[Reply]] = {
        "Plan": [plan],
        "Execute": [[*executed()[:-1], result(json.dumps(document).encode())]],
    }
    seen = await diagnosed(tmp_path, script)
    (data,) = seen.wire("Verify")
    assert b"canary-planner-reasoning" in seen.wire("Execute")[0]
    assert b"canary-raw-executor-text" in seen.wire("Check")[0]
    assert b"canary-unreferenced-line" in seen.wire("Check")[0]
    for canary in (b"canary-planner-reasoning", b"canary-raw-executor-text", b"canary-unreferenced-line"):
        assert canary not in data
    # The tool history: calls that nothing cites, and what the others were asked.
    assert b"inv-3" not in data
    assert b"contains" not in data
    # The state of the graph: catalog, run id, events.
    assert b"the bundle has no alerts" not in data
    assert seen.run.run_id.encode() not in data


@pytest.mark.scenario("V-24")
async def test_only_passed_bindings_reach_the_verifier(tmp_path: Path) -> None:
    seen = await diagnosed(tmp_path, {"Execute": [MIXED]})
    results = [item["result"] for item in seen.evaluation["gatekeeper_result"]["checked_bindings"]]
    assert results == ["fail", "pass", "pass", "fail"]
    (request,) = seen.requests("Verify")
    assert [item.claim_id for item in request.verified_executor_output.claims] == ["symptom-1", "cause-1"]
    assert [(item.claim_id, item.matched_text) for item in request.verified_evidence] == [
        ("symptom-1", SYMPTOM_BINDING["matched_text"]),
        ("cause-1", CAUSE_BINDING["matched_text"]),
    ]
    (data,) = seen.wire("Verify")
    for canary in (b"canary-failed-binding", b"canary-failed-claim", b"canary-unreferenced-line"):
        assert canary not in data


@pytest.mark.scenario("V-25")
async def test_each_evidence_item_keeps_its_precise_reference(tmp_path: Path) -> None:
    seen = await diagnosed(tmp_path, {"Execute": [MIXED]})
    (request,), (gated,) = seen.requests("Verify"), seen.requests("Check")
    claims: list[Json] = json.loads(gated.document)["claims"]
    passed = [
        (
            claims[item.claim_index]["claim_id"],
            claims[item.claim_index]["evidence_bindings"][item.binding_index],
        )
        for item in check(gated).result.checked_bindings
        if item.result == evidence_pb2.GATE_RESULT_PASS
    ]
    found = [
        (
            item.claim_id,
            {
                "source_invocation_id": item.source_invocation_id,
                "tool_name": item.tool_name,
                "raw_path": item.raw_path,
                "matched_text": item.matched_text,
            },
        )
        for item in request.verified_evidence
    ]
    assert found == passed
    outputs = {item.id: json.loads(item.output) for item in gated.outputs}
    for item in request.verified_evidence:
        value = pointer.resolve(outputs[item.source_invocation_id], item.raw_path)
        assert isinstance(value, str)
        assert item.matched_text in value


@pytest.mark.scenario("V-26")
async def test_the_audit_and_the_ceiling_are_separate(tmp_path: Path) -> None:
    seen = await diagnosed(tmp_path, {"Execute": [MIXED]})
    (request,), (gated,) = seen.requests("Verify"), seen.requests("Check")
    assert request.gatekeeper_audit == check(gated).result
    assert request.gatekeeper_audit.severity == evidence_pb2.SEVERITY_LOW_CONFID
    assert request.verdict_ceiling == LOW
    assert seen.evaluation["model_verdict"] == "PASS"
    assert seen.run.effective_verdict == LOW
    (tmp_path / "clean").mkdir()
    clean = await diagnosed(tmp_path / "clean")
    assert clean.requests("Verify")[0].verdict_ceiling == PASS
    assert clean.requests("Verify")[0].gatekeeper_audit.severity == evidence_pb2.SEVERITY_NONE


async def breaking_the_protocol(request: VerifyRequest) -> Reply:
    judged = await judging()(request)
    assert isinstance(judged, VerifyResponse)
    del judged.verification.claim_checks[0]
    return judged


TECHNICAL: dict[str, tuple[Reply, str]] = {
    "invalid output": (VerifyResponse(status=verifier_pb2.VERIFIER_STATUS_INVALID_OUTPUT), "INVALID_OUTPUT"),
    "no payload": (VerifyResponse(status=verifier_pb2.VERIFIER_STATUS_COMPLETED), "INVALID_OUTPUT"),
    "protocol": (breaking_the_protocol, "INVALID_OUTPUT"),
    "retryable": (VerifyResponse(status=verifier_pb2.VERIFIER_STATUS_RETRYABLE_FAILED), "RETRYABLE_FAILED"),
    "unavailable": (grpc.StatusCode.UNAVAILABLE, "RETRYABLE_FAILED"),
    "deadline": (grpc.StatusCode.DEADLINE_EXCEEDED, "RETRYABLE_FAILED"),
    "exhausted": (grpc.StatusCode.RESOURCE_EXHAUSTED, "RETRYABLE_FAILED"),
    "aborted": (grpc.StatusCode.ABORTED, "RETRYABLE_FAILED"),
}
ONCE = {"ListTools": 1, "Plan": 1, "Execute": 1, "Check": 1, "Verify": 1, "Compose": 1}


@pytest.mark.scenario("V-27")
@pytest.mark.parametrize(("failure", "outcome"), TECHNICAL.values(), ids=TECHNICAL)
async def test_the_second_attempt_gets_the_same_bytes_and_nothing_else_runs_again(
    tmp_path: Path, failure: Reply, outcome: str
) -> None:
    seen = await diagnosed(tmp_path, {"Verify": [failure, judging()]})
    assert seen.path[4:] == [f"verifier:{outcome}", "verifier:COMPLETED", "composer:COMPLETED"]
    assert dict(seen.calls) == {**ONCE, "Verify": 2}
    first, second = seen.wire("Verify")
    assert first == second != b""
    assert seen.run.usage.tool_invocations == 3


@pytest.mark.scenario("V-27")
async def test_in_cycle_2_the_second_attempt_gets_the_same_bytes_too(tmp_path: Path) -> None:
    low = judging(LOW, cause_1=INFERRED)
    seen = await diagnosed(tmp_path, {**TWO_CYCLES, "Verify": [low, grpc.StatusCode.UNAVAILABLE, low]})
    assert seen.nodes == [
        *TO_VERIFIER, "verifier", "evidence_retry", *TO_VERIFIER, "verifier", "verifier", "composer",
    ]  # fmt: skip
    first, second, third = seen.wire("Verify")
    assert first != second == third
    assert not seen.requests("Verify")[0].HasField("retry_context")
    assert seen.requests("Verify")[2].HasField("retry_context")
    assert dict(seen.calls) == {
        "ListTools": 1,
        "Plan": 2,
        "Execute": 2,
        "Check": 2,
        "Verify": 3,
        "Compose": 1,
    }
