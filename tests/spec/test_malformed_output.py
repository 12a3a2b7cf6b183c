"""Structured Executor output SHALL degrade safely: V-30 and V-31."""

from pathlib import Path

import pytest
from assay.common.v1 import evidence_pb2
from assay.executor.v1.executor_pb2 import ExecuteResponse

from tests.fakes.agents import LOG, document, result
from tests.fakes.diagnosed import Diagnosed, diagnosed

MALFORMED = {
    "text": b"The cause is the pool.",
    "cut JSON": document()[:-3],
    "a list": b"[]",
    "no version": b'{"claims": []}',
    "another version": b'{"version": "executor_evidence_v1", "claims": []}',
    "no claims": b'{"version": "executor_evidence_v2"}',
    "claims are no list": b'{"version": "executor_evidence_v2", "claims": {}}',
    "text after it": document() + b" and more",
    "text before it": b"Here it is: " + document(),
    "two documents": document() + document(),
    "no UTF-8": b"\xff",
    "too deep": b"[" * 100_000,
    "nothing": b"",
}
malformed = pytest.mark.parametrize("data", MALFORMED.values(), ids=MALFORMED)


async def ended_with(folder: Path, data: bytes) -> Diagnosed:
    return await diagnosed(folder, {"Execute": [[ExecuteResponse(invocation=LOG), result(data)]]})


@pytest.mark.scenario("V-30")
@malformed
async def test_malformed_json_goes_straight_to_fallback(tmp_path: Path, data: bytes) -> None:
    seen = await ended_with(tmp_path, data)
    assert seen.path == ["planner:COMPLETED", "executor:INVALID_OUTPUT", "fallback:COMPLETED"]
    assert dict(seen.calls) == {"ListTools": 1, "Plan": 1, "Execute": 1}
    assert all(sentence.template_id for sentence in seen.run.answer.summary)
    (tmp_path / "again").mkdir()
    again = await ended_with(tmp_path / "again", data)
    assert again.run.answer == seen.run.answer


@pytest.mark.scenario("V-31")
@malformed
async def test_the_parse_failure_stays_visible(tmp_path: Path, data: bytes) -> None:
    seen = await ended_with(tmp_path, data)
    reason = "malformed_document" if data else "missing_payload"
    event = seen.events[1]
    assert (event.node, event.outcome, event.reason_code) == ("executor", "INVALID_OUTPUT", reason)
    assert seen.trace.termination_reason == "executor_invalid_output"
    assert seen.trace.degraded
    evaluation = seen.evaluation
    assert evaluation["failure"] == {"node": "executor", "status": "INVALID_OUTPUT", "reason_code": reason}
    # Neither a contract that attributes evidence nor a verdict.
    assert evaluation.keys() == {"traceability_version", "prompt_audit", "failure"}
    assert seen.run.effective_verdict == evidence_pb2.VERDICT_UNSPECIFIED
    assert not seen.run.claims
    # What was read is kept: the run can be looked at.
    assert seen.run.usage.tool_invocations == 1
