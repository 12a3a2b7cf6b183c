"""The channel that tells how a run was verified."""

import json
import re

from assay.common.v1 import evidence_pb2
from assay.common.v1.answer_pb2 import Answer, Sentence
from assay.common.v1.evidence_pb2 import ClaimCheck, GatekeeperResult, Verification
from assay.common.v1.tool_pb2 import PlanStep
from assay.executor.v1.executor_pb2 import ExecutorResult
from assay.gatekeeper.v1.gatekeeper_pb2 import CheckResponse
from assay.orchestrator.v1.run_pb2 import Failure, OrchestrationEvent
from assay.orchestrator.v1.state_pb2 import FirstVerification, RunState
from assay.planner.v1.planner_pb2 import PlanResponse

from orchestrator.prompt_audit import CATALOG
from orchestrator.self_evaluation import verifier_evaluation
from tests.fakes.graph_states import INPUT

CANARY = "canary-91c2"
ALWAYS = {"traceability_version", "prompt_audit"}
VERDICT_KEYS = {
    "model_verdict",
    "effective_verdict",
    "verdict",
    "groundedness_score",
    "rationale",
    "claim_checks",
    "facts_checked",
}
VERIFIED_KEYS = {"verified_executor_output", "verified_evidence", "executor_structured_output"}


def events(*steps: str) -> list[OrchestrationEvent]:
    pairs = (step.split(":") for step in steps)
    return [
        OrchestrationEvent(sequence=number, node=node, outcome=outcome)
        for number, (node, outcome) in enumerate(pairs, start=1)
    ]


def complete() -> RunState:
    return RunState(
        plan=PlanResponse(steps=[PlanStep(goal=CANARY)]),
        executor_result=ExecutorResult(document=CANARY.encode()),
        gate=CheckResponse(result=GatekeeperResult(severity=evidence_pb2.SEVERITY_NONE, rules=["r"])),
        verified_input=INPUT,
        verification=Verification(
            model_verdict=evidence_pb2.VERDICT_PASS,
            groundedness_score=0.0,
            rationale="because",
            claim_checks=[ClaimCheck(claim_id="c1", classification=evidence_pb2.CLASSIFICATION_OVERSTATED)],
        ),
        effective_verdict=evidence_pb2.VERDICT_LOW_CONFID,
        answer=Answer(summary=[Sentence(text="t", claim_ids=["c1"])]),
        orchestration_events=events(
            "planner:COMPLETED",
            "executor:COMPLETED",
            "gatekeeper:PASS",
            "verified_input:COMPLETED",
            "verifier:COMPLETED",
            "composer:COMPLETED",
        ),
    )


def test_a_complete_run() -> None:
    result = verifier_evaluation(complete(), None)
    assert result.keys() == {
        *ALWAYS,
        *VERDICT_KEYS,
        *VERIFIED_KEYS,
        "verifier_status",
        "gatekeeper_result",
        "composer_output",
    }
    assert result["verifier_status"] == "COMPLETED"
    assert (result["model_verdict"], result["verdict"]) == ("PASS", "LOW_CONFID")
    assert result["effective_verdict"] == result["verdict"]
    assert result["groundedness_score"] == 0.0
    assert result["claim_checks"][0]["classification"] == "overstated"
    assert result["gatekeeper_result"].keys() == {
        "status",
        "severity",
        "checked_bindings",
        "rules",
        "failed_rules",
        "warnings",
        "errors",
    }
    assert result["composer_output"]["claim_ids"] == ["c1"]
    assert result["executor_structured_output"] == result["verified_executor_output"]


def test_nothing_raw_is_in_it() -> None:
    assert CANARY not in json.dumps(verifier_evaluation(complete(), None))


def test_a_run_that_got_nowhere() -> None:
    failure = Failure(node="planner", status="NON_RETRYABLE_FAILED", reason_code="call_failed")
    state = RunState(orchestration_events=events("planner:NON_RETRYABLE_FAILED", "fallback:COMPLETED"))
    result = verifier_evaluation(state, failure)
    assert result.keys() == {*ALWAYS, "failure"}
    assert result["failure"] == {
        "node": "planner",
        "status": "NON_RETRYABLE_FAILED",
        "reason_code": "call_failed",
    }
    called = {item["agent"]: item["called"] for item in result["prompt_audit"]["prompts"]}
    assert called == {"planner": True, "executor": False, "verifier": False, "composer": False}


def test_a_gate_that_rejects_leaves_its_audit_and_no_verdict() -> None:
    state = complete()
    for key in ("verification", "effective_verdict", "verified_input", "answer"):
        state.ClearField(key)
    del state.orchestration_events[3:]
    result = verifier_evaluation(state, Failure(node="gatekeeper"))
    assert result.keys() == {*ALWAYS, "gatekeeper_result", "failure"}


def test_a_composer_fallback_keeps_every_verifier_key() -> None:
    state = complete()
    state.orchestration_events[-1].outcome = "NON_RETRYABLE_FAILED"
    state.orchestration_events.append(OrchestrationEvent(sequence=7, node="fallback", outcome="COMPLETED"))
    result = verifier_evaluation(state, Failure(node="composer"))
    assert result.keys() >= VERDICT_KEYS | VERIFIED_KEYS
    assert result["composer_output"] == {"status": "NON_RETRYABLE_FAILED"}


def test_a_fallback_in_cycle_2_leaves_no_top_level_verdict_but_the_first_evaluation() -> None:
    done = complete()
    first = FirstVerification(
        document=CANARY.encode(),
        gate=done.gate,
        verification=done.verification,
        effective_verdict=done.effective_verdict,
    )
    first.verified_input.ParseFromString(INPUT)
    state = RunState(
        first_verification=first,
        orchestration_events=events(
            "verifier:COMPLETED",
            "evidence_retry:COMPLETED",
            "planner:NON_RETRYABLE_FAILED",
            "fallback:COMPLETED",
        ),
    )
    result = verifier_evaluation(state, Failure(node="planner"))
    assert result.keys() == {*ALWAYS, "failure", "first_verification"}
    assert result["first_verification"].keys() == {*VERDICT_KEYS, *VERIFIED_KEYS, "gatekeeper_result"}
    assert CANARY not in json.dumps(result)


def test_the_catalog_names_the_prompts_of_four_agents_and_holds_no_text() -> None:
    agents = dict.fromkeys(prompt.agent for prompt in CATALOG)
    assert list(agents) == ["planner", "executor", "verifier", "composer"]
    for prompt in CATALOG:
        assert re.fullmatch(r"[a-z_]+", prompt.name)
        assert re.fullmatch(r"[0-9.]+", prompt.version)
