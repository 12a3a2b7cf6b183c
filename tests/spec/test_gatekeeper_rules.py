"""Executor Gatekeeper SHALL validate structured output: the real gate on stored outputs, V-32 to V-38."""

import json
from collections.abc import Sequence
from pathlib import Path

import pytest
from assay.common.v1 import evidence_pb2
from google.protobuf.message import Message

from tests.fakes.agents import (
    BROKEN,
    CAUSE_BINDING,
    CHANGE,
    LOG,
    SYMPTOM_BINDING,
    Json,
    cause,
    changed,
    claim,
    executed,
    result,
)
from tests.fakes.diagnosed import Diagnosed, diagnosed

SCHEMA = "schema.executor_v2"
INVOCATION_REF = "evidence.invocation_ref"
LOW = evidence_pb2.VERDICT_LOW_CONFID


def stream_of(document: Json) -> list[Message]:
    return [*executed()[:-1], result(json.dumps(document).encode())]


def whole(*claims: Json, **more: object) -> Json:
    return {"version": "executor_evidence_v2", "claims": claims, "evidence_gaps": [], **more}


def bound(**changes: str) -> Json:
    """A true binding but for these members."""
    return {**SYMPTOM_BINDING, **changes}


async def gated(folder: Path, *claims: Json, **more: object) -> tuple[Diagnosed, Json]:
    seen = await diagnosed(folder, {"Execute": [stream_of(whole(*claims, **more)), executed(calls=())]})
    return seen, seen.evaluation["gatekeeper_result"]


@pytest.mark.scenario("V-32")
@pytest.mark.parametrize("key", ["diagnosis_summary", "user_facing_answer"])
@pytest.mark.parametrize("value", ["all is well", "", None])
async def test_a_removed_field_fails_the_schema(tmp_path: Path, key: str, value: str | None) -> None:
    _, found = await gated(tmp_path, claim("symptom-1"), cause(), **{key: value})
    assert found["status"] == "fail"
    assert SCHEMA in found["failed_rules"]


@pytest.mark.scenario("V-32")
@pytest.mark.parametrize("key", ["diagnosis_summary", "user_facing_answer"])
async def test_a_removed_field_inside_a_claim_fails_the_schema_too(tmp_path: Path, key: str) -> None:
    _, found = await gated(tmp_path, claim("symptom-1", **{key: "all is well"}))
    assert found["status"] == "fail"
    assert SCHEMA in found["failed_rules"]


def without_bindings() -> Json:
    return {key: value for key, value in claim("symptom-1").items() if key != "evidence_bindings"}


@pytest.mark.scenario("V-33")
@pytest.mark.parametrize("bare", [claim("symptom-1", evidence_bindings=[]), without_bindings()])
async def test_a_confirmed_claim_without_bindings_fails_the_schema(tmp_path: Path, bare: Json) -> None:
    _, found = await gated(tmp_path, cause(), bare)
    assert found["status"] == "fail"
    assert SCHEMA in found["failed_rules"]


@pytest.mark.scenario("V-34")
@pytest.mark.parametrize("invocation_id", ["inv-9", "INV-1", "inv-1 ", "inv"])
async def test_an_invocation_that_no_row_holds_fails(tmp_path: Path, invocation_id: str) -> None:
    wrong = bound(source_invocation_id=invocation_id)
    seen, found = await gated(tmp_path, claim("symptom-1", evidence_bindings=[wrong]), cause())
    assert invocation_id not in [row.invocation_id for row in seen.run.checked]
    assert found["status"] == "fail"
    assert found["failed_rules"] == [INVOCATION_REF]
    assert [item["rule_id"] for item in found["checked_bindings"]] == [INVOCATION_REF, ""]


@pytest.mark.scenario("V-34")
async def test_an_invocation_of_another_run_fails(tmp_path: Path) -> None:
    """The first run recorded inv-other; the second cites it, in the same store."""
    other = changed(LOG, id="inv-other")
    first = executed(
        claim("symptom-1", evidence_bindings=[bound(source_invocation_id="inv-other")]),
        calls=(other, CHANGE),
    )
    _, found = await gated(tmp_path, claim("symptom-1"))
    assert found["status"] == "pass"
    seen = await diagnosed(tmp_path, {"Execute": [first, executed(calls=())]})
    assert seen.evaluation["gatekeeper_result"]["status"] == "pass"
    wrong = bound(source_invocation_id="inv-other")
    _, found = await gated(tmp_path, claim("symptom-1", evidence_bindings=[wrong]), cause())
    assert (found["status"], found["failed_rules"]) == ("fail", [INVOCATION_REF])


@pytest.mark.scenario("V-35")
@pytest.mark.parametrize("tool", ["change_events_list", "LOGS_SEARCH", "logs_search ", "logs"])
async def test_a_tool_name_that_the_row_does_not_have_fails(tmp_path: Path, tool: str) -> None:
    wrong = bound(tool_name=tool)
    seen, found = await gated(tmp_path, claim("symptom-1", evidence_bindings=[wrong]), cause())
    rows = {row.invocation_id: row.tool_name for row in seen.run.checked}
    assert rows["inv-1"] == "logs_search" != tool
    assert found["status"] == "fail"
    assert found["failed_rules"] == [INVOCATION_REF]


@pytest.mark.scenario("V-36")
@pytest.mark.parametrize(
    "bindings",
    [[SYMPTOM_BINDING], [CAUSE_BINDING], [SYMPTOM_BINDING, CAUSE_BINDING]],
    ids=["log", "change", "both"],
)
async def test_a_legal_document_with_true_bindings_passes(tmp_path: Path, bindings: Sequence[Json]) -> None:
    seen, found = await gated(tmp_path, claim("symptom-1", evidence_bindings=bindings), cause())
    assert found["status"] == "pass"
    assert found["failed_rules"] == []
    assert found["severity"] == "none"
    assert "gatekeeper:PASS" in seen.path


@pytest.mark.scenario("V-36")
async def test_a_binding_to_a_call_that_failed_passes_with_a_warning(tmp_path: Path) -> None:
    error = {
        "source_invocation_id": BROKEN.id,
        "tool_name": BROKEN.tool_name,
        "raw_path": "/error",
        "matched_text": "no such source",
    }
    _, found = await gated(tmp_path, claim("symptom-1", evidence_bindings=[error]), cause())
    assert (found["status"], found["failed_rules"]) == ("pass", [])
    assert len(found["warnings"]) == 1


REJECTED = {
    "schema": whole(claim("symptom-1"), user_facing_answer="all is well"),
    "nothing passed": whole(claim("symptom-1", evidence_bindings=[bound(matched_text="never written")])),
}


@pytest.mark.scenario("V-37")
@pytest.mark.parametrize("document", REJECTED.values(), ids=REJECTED)
async def test_a_rejecting_gate_bypasses_the_verifier(tmp_path: Path, document: Json) -> None:
    seen = await diagnosed(tmp_path, {"Execute": [stream_of(document)]})
    assert seen.path[2:] == ["gatekeeper:REJECT", "fallback:COMPLETED"]
    assert not seen.wire("Verify")
    assert not seen.wire("Compose")


@pytest.mark.scenario("V-38")
async def test_a_low_confidence_gate_bounds_input_and_verdict(tmp_path: Path) -> None:
    wrong = bound(matched_text="canary-failed-binding")
    mixed = claim("symptom-1", evidence_bindings=[wrong, SYMPTOM_BINDING])
    seen, found = await gated(tmp_path, mixed, cause())
    assert "gatekeeper:LOW_CONFID" in seen.path
    assert [item["result"] for item in found["checked_bindings"]] == ["fail", "pass", "pass"]
    (request,) = seen.requests("Verify")
    assert [(item.claim_id, item.matched_text) for item in request.verified_evidence] == [
        ("symptom-1", SYMPTOM_BINDING["matched_text"]),
        ("cause-1", CAUSE_BINDING["matched_text"]),
    ]
    assert b"canary-failed-binding" not in seen.wire("Verify")[0]
    assert seen.evaluation["model_verdict"] == "PASS"
    assert seen.run.effective_verdict == LOW
