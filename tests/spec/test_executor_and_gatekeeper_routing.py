"""Executor and Gatekeeper routing SHALL fail closed: G-07 to G-10."""

from pathlib import Path

import grpc
import pytest
from assay.executor.v1 import executor_pb2
from assay.executor.v1.executor_pb2 import ExecuteResponse, ExecutorResult
from assay.gatekeeper.v1 import gatekeeper_pb2
from assay.gatekeeper.v1.gatekeeper_pb2 import CheckRequest, CheckResponse

from services.gatekeeper.domain import check
from tests.fakes.agents import (
    BROKEN,
    CHANGE,
    LOG,
    SYMPTOM_BINDING,
    UNKNOWN_KEY,
    Reply,
    cause,
    changed,
    claim,
    document,
    ended,
    executed,
    result,
)
from tests.fakes.diagnosed import TO_VERIFIER, diagnosed

LEGAL: dict[str, Reply] = {
    "claims": executed(claim("symptom-1"), cause()),
    "no evidence": executed(),
    "no call and no evidence": executed(calls=()),
    "after tool errors": executed(claim("symptom-1"), calls=(BROKEN, LOG)),
    "after nothing but tool errors": executed(calls=(BROKEN, changed(BROKEN, id="inv-4"))),
}


@pytest.mark.scenario("G-07")
@pytest.mark.parametrize("stream", LEGAL.values(), ids=LEGAL)
async def test_legal_output_reaches_the_gatekeeper_exactly_once(tmp_path: Path, stream: Reply) -> None:
    seen = await diagnosed(tmp_path, {"Execute": [stream]})
    assert seen.path[1] == "executor:COMPLETED"
    assert seen.nodes[2] == "gatekeeper"
    assert seen.nodes.count("gatekeeper") == 1
    assert seen.calls["Check"] == 1


def complete_but(status: int) -> Reply:
    """A stream with a legal document and a status that is not COMPLETED."""
    sent = changed(ExecutorResult(document=document(claim("symptom-1"))), status=status)
    return [ExecuteResponse(invocation=LOG), ExecuteResponse(result=sent)]


INCOMPLETE: dict[str, tuple[Reply, str]] = {
    "invalid output": (complete_but(executor_pb2.EXECUTOR_STATUS_INVALID_OUTPUT), "INVALID_OUTPUT"),
    "no document": (ended(executor_pb2.EXECUTOR_STATUS_COMPLETED), "INVALID_OUTPUT"),
    "tools blocked": (complete_but(executor_pb2.EXECUTOR_STATUS_TOOL_BLOCKED), "TOOL_BLOCKED"),
    "failed": (complete_but(executor_pb2.EXECUTOR_STATUS_FAILED), "FAILED"),
    "unspecified": (complete_but(0), "UNKNOWN"),
    "a status of the future": (complete_but(99), "UNKNOWN"),
    "unavailable": ([grpc.StatusCode.UNAVAILABLE], "FAILED"),
    "broken off after the document": ([*executed(claim("s")), grpc.StatusCode.UNAVAILABLE], "FAILED"),
    "no result": ([ExecuteResponse(invocation=LOG)], "FAILED"),
}


@pytest.mark.scenario("G-08")
@pytest.mark.parametrize(("stream", "outcome"), INCOMPLETE.values(), ids=INCOMPLETE)
async def test_anything_else_leads_straight_to_fallback_and_is_not_retried(
    tmp_path: Path, stream: Reply, outcome: str
) -> None:
    seen = await diagnosed(tmp_path, {"Execute": [stream, executed(claim("symptom-1"), cause())]})
    assert seen.path == ["planner:COMPLETED", f"executor:{outcome}", "fallback:COMPLETED"]
    assert dict(seen.calls) == {"ListTools": 1, "Plan": 1, "Execute": 1}


MIXED = executed(
    claim("symptom-1", evidence_bindings=[SYMPTOM_BINDING, {**SYMPTOM_BINDING, "raw_path": "/x"}]), cause()
)


@pytest.mark.scenario("G-09")
@pytest.mark.parametrize(
    ("stream", "outcome", "bindings"),
    [(executed(claim("symptom-1"), cause()), "PASS", 2), (MIXED, "LOW_CONFID", 2)],
    ids=["pass", "low confidence"],
)
async def test_a_permitting_gate_leads_to_the_verified_input_before_the_verifier(
    tmp_path: Path, stream: Reply, outcome: str, bindings: int
) -> None:
    seen = await diagnosed(tmp_path, {"Execute": [stream]})
    assert check(seen.requests("Check")[0]).verified_binding_count == bindings
    assert seen.path[2:5] == [f"gatekeeper:{outcome}", "verified_input:COMPLETED", "verifier:COMPLETED"]
    assert seen.nodes[:5] == [*TO_VERIFIER, "verifier"]
    assert len(seen.requests("Verify")[0].verified_evidence) == bindings


def without_bindings(status: "gatekeeper_pb2.GatekeeperStatus.ValueType") -> Reply:
    """A gate that lets a document pass in which it counted nothing."""

    async def reply(request: CheckRequest) -> Reply:
        found = check(request)
        del found.result.checked_bindings[:]
        return CheckResponse(status=status, result=found.result, verified_binding_count=0)

    return reply


UNCITED = executed(claim("symptom-1", status="possible", evidence_bindings=[]))
BLOCKED: dict[str, tuple[dict[str, list[Reply]], str]] = {
    "reject": ({"Execute": [[ExecuteResponse(invocation=LOG), result(UNKNOWN_KEY)]]}, "REJECT"),
    "low confidence without a binding": ({"Execute": [UNCITED]}, "LOW_CONFID"),
    "no claim at all": ({"Execute": [executed(calls=(LOG, CHANGE))]}, "LOW_CONFID"),
    "pass without a binding": (
        {"Check": [without_bindings(gatekeeper_pb2.GATEKEEPER_STATUS_PASS)]},
        "PASS",
    ),
    "unspecified": ({"Check": [CheckResponse(verified_binding_count=1)]}, "UNKNOWN"),
    "a status of the future": (
        {"Check": [changed(CheckResponse(verified_binding_count=1), status=99)]},
        "UNKNOWN",
    ),
    "no payload": (
        {"Check": [CheckResponse(status=gatekeeper_pb2.GATEKEEPER_STATUS_PASS, verified_binding_count=1)]},
        "INVALID_OUTPUT",
    ),
    "unavailable": ({"Check": [grpc.StatusCode.UNAVAILABLE]}, "RETRYABLE_FAILED"),
    "refused": ({"Check": [grpc.StatusCode.INVALID_ARGUMENT]}, "NON_RETRYABLE_FAILED"),
}


@pytest.mark.scenario("G-10")
@pytest.mark.parametrize(("script", "outcome"), BLOCKED.values(), ids=BLOCKED)
async def test_a_blocking_gate_leads_to_fallback_and_the_verifier_does_not_run(
    tmp_path: Path, script: dict[str, list[Reply]], outcome: str
) -> None:
    seen = await diagnosed(tmp_path, script)
    assert seen.path[2:] == [f"gatekeeper:{outcome}", "fallback:COMPLETED"]
    assert seen.calls["Check"] == 1
    assert not seen.wire("Verify")
