"""The second cycle: what starts it, what each agent gets in it, and what it leaves."""

from pathlib import Path

import grpc
from assay.common.v1 import evidence_pb2
from assay.orchestrator.v1 import run_pb2
from assay.planner.v1 import planner_pb2

from tests.fakes.agents import (
    CAUSE_BINDING,
    CHANGE,
    PLAN,
    SYMPTOM_BINDING,
    UNKNOWN_KEY,
    Reply,
    cause,
    changed,
    claim,
    executed,
    invocation,
    judging,
    result,
    run_with,
)

START = ["planner:COMPLETED", "executor:COMPLETED", "gatekeeper:PASS", "verified_input:COMPLETED"]
FALLBACK = "fallback:COMPLETED"
LOW = evidence_pb2.VERDICT_LOW_CONFID
PASS = evidence_pb2.VERDICT_PASS
INFERRED = evidence_pb2.CLASSIFICATION_REASONABLE_INFERENCE

SECOND = executed(
    claim("new-1", critical=False, evidence_bindings=[{**SYMPTOM_BINDING, "source_invocation_id": "inv-9"}]),
    calls=[
        invocation(
            "inv-9",
            "logs_search",
            {"source": "logs/api.log"},
            {"lines": [{"text": "api: connection refused by db"}]},
        )
    ],
)


async def test_an_evidence_gap_starts_one_second_cycle(tmp_path: Path) -> None:
    script: dict[str, list[Reply]] = {
        "Execute": [executed(claim("symptom-1"), cause()), SECOND],
        "Verify": [judging(LOW, cause_1=INFERRED), judging(LOW, cause_1=INFERRED)],
    }
    running, outcome = await run_with(tmp_path, script)
    agents = running.agents
    cycle = [*START, "verifier:COMPLETED"]
    assert outcome.path == [*cycle, "evidence_retry:COMPLETED", *cycle, "composer:COMPLETED"]
    first, second = agents.planner.requests("Plan")
    assert (first.mode, second.mode) == (
        planner_pb2.PLAN_MODE_FULL,
        planner_pb2.PLAN_MODE_EVIDENCE_GAP_ONLY,
    )
    assert not first.gaps
    assert [(gap.claim_id, bool(gap.statement)) for gap in second.gaps] == [("cause-1", True)]
    assert [gap.claim_id for gap in agents.executor.requests("Execute")[1].gaps] == ["cause-1"]
    asked = agents.verifier.requests("Verify")
    assert not asked[0].HasField("retry_context")
    assert asked[1].retry_context.evidence_retry_count == 1
    assert [(gap.claim_id, gap.statement) for gap in asked[1].retry_context.gaps] == [("cause-1", "")]
    ids = [item.claim_id for item in asked[1].verified_executor_output.claims]
    assert ids == ["symptom-1", "cause-1", "cycle2-new-1"]
    assert len(agents.gatekeeper.requests("Check")[1].invocations) == 4
    assert outcome.evaluation["first_verification"]["verdict"] == "LOW_CONFID"
    assert outcome.run.usage.tool_invocations == 4


async def test_an_answer_to_the_gap_is_verified_with_the_evidence_of_both_cycles(tmp_path: Path) -> None:
    more = {**CAUSE_BINDING, "source_invocation_id": "inv-9"}
    answer = executed(cause(evidence_bindings=[more]), calls=[changed(CHANGE, id="inv-9")])
    script: dict[str, list[Reply]] = {
        "Execute": [executed(claim("symptom-1"), cause()), answer],
        "Verify": [judging(LOW, cause_1=INFERRED), judging()],
    }
    running, outcome = await run_with(tmp_path, script)
    assert outcome.run.effective_verdict == PASS
    assert outcome.path.count("evidence_retry:COMPLETED") == 1
    bound = [item.evidence.source_invocation_id for item in outcome.run.claims[1].evidence]
    assert bound == ["inv-9", "inv-2"]
    gated = running.agents.gatekeeper.requests("Check")[1]
    assert [item.id for item in gated.outputs] == ["inv-1", "inv-2", "inv-9"]
    assert outcome.evaluation["verdict"] == "PASS"
    assert outcome.evaluation["first_verification"]["verdict"] == "LOW_CONFID"


async def test_a_second_cycle_that_fails_falls_back_to_the_first_evaluation(tmp_path: Path) -> None:
    script: dict[str, list[Reply]] = {
        "Verify": [judging(LOW, cause_1=INFERRED)],
        "Plan": [PLAN, grpc.StatusCode.INTERNAL],
    }
    _, outcome = await run_with(tmp_path, script)
    run = outcome.run
    assert outcome.path[-2:] == ["planner:NON_RETRYABLE_FAILED", FALLBACK]
    assert (run.status, run.effective_verdict) == (run_pb2.RUN_STATUS_DEGRADED, 0)
    assert not run.answer.confirmed
    assert [item.claim_ids for item in run.answer.possible_directions] == [["symptom-1"], ["cause-1"]]
    assert [item.component for item in run.suspects] == ["api"]
    assert "verdict" not in outcome.evaluation
    assert outcome.evaluation["first_verification"]["verdict"] == "LOW_CONFID"


async def test_a_second_document_that_is_not_legal_goes_to_the_gate_unmerged(tmp_path: Path) -> None:
    script: dict[str, list[Reply]] = {
        "Execute": [executed(claim("symptom-1"), cause()), [result(UNKNOWN_KEY)]],
        "Verify": [judging(LOW, cause_1=INFERRED)],
    }
    running, outcome = await run_with(tmp_path, script)
    assert running.agents.gatekeeper.requests("Check")[1].document == UNKNOWN_KEY
    assert outcome.path[-2:] == ["gatekeeper:REJECT", FALLBACK]
