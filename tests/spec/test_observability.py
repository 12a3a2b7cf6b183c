"""Verifier SHALL be observable: what a run leaves in its self-evaluation, V-14 to V-21."""

import json
from pathlib import Path
from typing import Any

import pytest
from assay.composer.v1 import composer_pb2
from assay.orchestrator.v1 import diagnosis_pb2

from orchestrator.prompt_audit import CATALOG, CATALOG_VERSION
from services.common.evidence.names import plain
from services.gatekeeper.domain import check
from tests.fakes.agents import (
    SYMPTOM_BINDING,
    UNKNOWN_KEY,
    Agents,
    Reply,
    cause,
    claim,
    composed,
    executed,
    result,
    stack,
)
from tests.fakes.diagnosed import DATABASE, WITH_VERIFIER, diagnosed, fallen_back
from tests.fakes.evaluation_schema import VERDICT_KEYS, VERIFIED_KEYS
from tests.fakes.said import PROVEN

RAW = "canary-raw-executor-text"
FAILED = claim("failed-1", evidence_bindings=[{**SYMPTOM_BINDING, "matched_text": RAW}])
AUDIT_KEYS = {"status", "severity", "checked_bindings", "rules", "failed_rules", "warnings", "errors"}
NODES = ("planner", "executor", "gatekeeper", "verified_input", "verifier", "composer")


@pytest.mark.scenario("V-14")
async def test_a_completed_verification_is_stored_whole(tmp_path: Path) -> None:
    seen = await diagnosed(tmp_path, {"Execute": [PROVEN]}, WITH_VERIFIER)
    evaluation = seen.evaluation
    (request,) = seen.requests("Verify")
    assert [check["claim_id"] for check in evaluation["claim_checks"]] == ["c0", "c1"]
    assert [fact["claim_id"] for fact in evaluation["facts_checked"]] == ["c0", "c1"]
    assert evaluation["verifier_status"] == "COMPLETED"
    assert evaluation["model_verdict"] in ("PASS", "LOW_CONFID", "REJECT")
    assert evaluation["effective_verdict"] == evaluation["verdict"]
    assert 0 <= evaluation["groundedness_score"] <= 1
    assert evaluation["rationale"]
    assert evaluation["verified_executor_output"] == plain(request.verified_executor_output)
    assert evaluation["verified_evidence"] == [plain(item) for item in request.verified_evidence]
    assert evaluation["gatekeeper_result"] == plain(request.gatekeeper_audit)


@pytest.mark.scenario("V-15")
async def test_a_composed_answer_is_stored_compactly(tmp_path: Path) -> None:
    seen = await diagnosed(tmp_path)
    output = seen.evaluation["composer_output"]
    answer = seen.run.answer
    assert output["status"] == "COMPLETED"
    assert output["sections"]["summary"] == [item.text for item in answer.summary]
    assert output["sections"]["confirmed"] == [item.text for item in answer.confirmed]
    assert set(output["claim_ids"]) == {"symptom-1", "cause-1"}


@pytest.mark.scenario("V-15")
async def test_a_composer_fallback_is_visible_and_loses_nothing_of_the_verification(tmp_path: Path) -> None:
    (tmp_path / "well").mkdir()
    well = (await diagnosed(tmp_path / "well")).evaluation
    seen = await fallen_back(tmp_path, "composer")
    evaluation = seen.evaluation
    assert seen.path[-2:] == ["composer:NON_RETRYABLE_FAILED", "fallback:COMPLETED"]
    assert seen.trace.termination_reason == "composer_non_retryable_failed"
    assert evaluation["composer_output"] == {"status": "NON_RETRYABLE_FAILED"}
    assert evaluation["failure"] == {
        "node": "composer",
        "status": "NON_RETRYABLE_FAILED",
        "reason_code": "agent_failed",
    }
    for key in (*VERDICT_KEYS, *VERIFIED_KEYS, "gatekeeper_result", "groundedness_score", "verifier_status"):
        assert evaluation[key] == well[key]


@pytest.mark.scenario("V-16")
async def test_the_verdict_is_stored_beside_the_channels_of_others(tmp_path: Path) -> None:
    others: dict[str, Any] = {"rule_evaluation": {"score": 0.5}, "aiops_rule_evaluation": [1, "two"]}
    agents = Agents()
    async with stack(tmp_path / DATABASE, agents) as running:

        async def recording(request: composer_pb2.ComposeRequest) -> Reply:
            # The run is under way: the verifier has completed, the end is not stored yet.
            (summary,) = (await running.stub.ListRuns(diagnosis_pb2.ListRunsRequest(), timeout=60)).runs
            for channel, value in others.items():
                await running.stub.RecordEvaluation(
                    diagnosis_pb2.RecordEvaluationRequest(
                        run_id=summary.run_id, channel=channel, value_json=json.dumps(value).encode()
                    ),
                    timeout=60,
                )
            return await composed(request)

        agents.composer.replies["Compose"] = [recording]
        run = (await running.diagnose()).run
    container = json.loads(run.self_evaluation_json)
    assert container["verifier_evaluation"]["verdict"] == "PASS"
    assert (
        container["verifier_evaluation"]["verdict"] == container["verifier_evaluation"]["effective_verdict"]
    )
    assert {name: container[name] for name in others} == others
    assert container.keys() == {"verifier_evaluation", *others}


@pytest.mark.scenario("V-16")
async def test_the_verdict_is_the_effective_one(tmp_path: Path) -> None:
    script: dict[str, list[Reply]] = {"Execute": [executed(claim("symptom-1"), cause(), FAILED)]}
    evaluation = (await diagnosed(tmp_path, script)).evaluation
    assert (evaluation["model_verdict"], evaluation["verdict"]) == ("PASS", "LOW_CONFID")


BEFORE_VERIFICATION = {
    # node: keys that exist by then
    "planner": set[str](),
    "executor": set[str](),
    "gatekeeper": {"gatekeeper_result"},
    "verified_input": {"gatekeeper_result"},
    "verifier": {"gatekeeper_result", "verifier_status", *VERIFIED_KEYS},
}


@pytest.mark.scenario("V-17")
@pytest.mark.parametrize(("node", "available"), BEFORE_VERIFICATION.items())
async def test_a_fallback_before_verification_stores_what_there_is(
    tmp_path: Path, node: str, available: set[str]
) -> None:
    seen = await fallen_back(tmp_path, node)
    evaluation = seen.evaluation
    assert seen.nodes[-2:] == [node, "fallback"]
    assert evaluation.keys() == {"traceability_version", "prompt_audit", "failure", *available}
    assert evaluation.get("verifier_status") == (seen.events[-2].outcome if node == "verifier" else None)
    assert evaluation["failure"]["node"] == node
    assert evaluation["failure"]["status"] == seen.events[-2].outcome
    assert evaluation["failure"]["reason_code"] == seen.events[-2].reason_code
    assert evaluation["prompt_audit"]["prompts"]
    assert not evaluation.keys() & {"model_verdict", "effective_verdict", "verdict"}


@pytest.mark.scenario("V-18")
@pytest.mark.parametrize(
    "stream",
    [executed(claim("symptom-1"), cause()), executed(claim("symptom-1"), FAILED), [result(UNKNOWN_KEY)]],
    ids=["passed", "mixed", "rejected"],
)
async def test_the_gate_result_is_stored_as_the_gate_gave_it(tmp_path: Path, stream: Reply) -> None:
    seen = await diagnosed(tmp_path, {"Execute": [stream, executed(calls=())]})
    stored = seen.evaluation["gatekeeper_result"]
    assert stored.keys() == AUDIT_KEYS
    # The gate is a pure function: asked the same again, it answers the same.
    assert stored == plain(check(seen.requests("Check")[0]).result)


@pytest.mark.scenario("V-19")
async def test_the_prompt_audit_names_every_prompt_and_holds_none(tmp_path: Path) -> None:
    seen = await diagnosed(tmp_path, {"Execute": [PROVEN]}, WITH_VERIFIER)
    audit = seen.evaluation["prompt_audit"]
    assert audit.keys() == {"version", "prompts"}
    assert audit["version"] == CATALOG_VERSION
    assert [(item["agent"], item["name"], item["version"]) for item in audit["prompts"]] == [
        (item.agent, item.name, item.version) for item in CATALOG if item.reasoner == "offline"
    ]
    assert [item["agent"] for item in audit["prompts"]] == ["planner", "executor", "verifier", "composer"]
    for item in audit["prompts"]:
        assert item.keys() == {"agent", "name", "version", "reasoner", "called"}
        assert item["called"] is True
        # A name, not a text.
        assert all(len(str(value)) <= 64 and " " not in str(value) for value in item.values())


@pytest.mark.scenario("V-20")
@pytest.mark.parametrize("node", NODES)
async def test_the_prompt_audit_is_there_on_every_fallback(tmp_path: Path, node: str) -> None:
    seen = await fallen_back(tmp_path, node)
    assert seen.nodes[-2:] == [node, "fallback"]
    audit = seen.evaluation["prompt_audit"]
    assert audit["version"]
    assert {item["agent"]: item["called"] for item in audit["prompts"]} == {
        agent: agent in seen.nodes for agent in ("planner", "executor", "verifier", "composer")
    }


@pytest.mark.scenario("V-21")
async def test_nothing_raw_and_no_tool_history_is_stored(tmp_path: Path) -> None:
    document = {
        "version": "executor_evidence_v2",
        "claims": [claim("symptom-1"), cause(), FAILED],
        "evidence_gaps": [RAW],
    }
    stream = [*executed()[:-1], result(json.dumps(document).encode())]
    seen = await diagnosed(tmp_path, {"Execute": [stream]}, WITH_VERIFIER)
    stored = json.dumps(seen.container)
    assert RAW.encode() in seen.wire("Check")[0]
    assert RAW not in stored
    assert "failed-1" not in stored
    # The third call is cited by nothing, the second line of the first log neither.
    assert "inv-3" not in stored
    assert "no such source" not in json.dumps(seen.evaluation["verified_evidence"])
    assert "canary-unreferenced-line" not in stored
    assert seen.evaluation["executor_structured_output"] == seen.evaluation["verified_executor_output"]
    shown = [item["claim_id"] for item in seen.evaluation["executor_structured_output"]["claims"]]
    assert shown == ["symptom-1", "cause-1"]
