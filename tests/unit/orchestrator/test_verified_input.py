"""The projection: claims with a passed binding, their passed bindings, and nothing else."""

import json
from typing import Any

import pytest
from assay.common.v1 import context_pb2, evidence_pb2, tool_pb2
from assay.common.v1.context_pb2 import DiagnosisContext
from assay.common.v1.evidence_pb2 import CheckedBinding, ClaimGap, GatekeeperResult
from assay.gatekeeper.v1 import gatekeeper_pb2
from assay.gatekeeper.v1.gatekeeper_pb2 import CheckResponse
from assay.verifier.v1.verifier_pb2 import VerifyRequest

from orchestrator.verified_input import ProjectionError, Recorded, verify_request
from services.common.evidence.document import DocumentError, bound_invocations
from tests.fakes.agents import CAUSE_BINDING, CHANGE, LOG, SYMPTOM_BINDING, cause, claim, document

CANARY = "canary-7f3a"
CONTEXT = DiagnosisContext(question="why?", intent=context_pb2.INTENT_CAUSE)
RECORDED = {call.id: Recorded(call.kind, call.output) for call in (LOG, CHANGE)}
PASS, FAIL = evidence_pb2.GATE_RESULT_PASS, evidence_pb2.GATE_RESULT_FAIL


def gated(*bindings: tuple[int, int, bool], low: bool = False) -> CheckResponse:
    checked = [
        CheckedBinding(
            claim_index=index,
            binding_index=binding,
            result=PASS if passed else FAIL,
            rule_id="" if passed else "evidence.matched_text",
        )
        for index, binding, passed in bindings
    ]
    status = gatekeeper_pb2.GATEKEEPER_STATUS_LOW_CONFID if low else gatekeeper_pb2.GATEKEEPER_STATUS_PASS
    return CheckResponse(
        status=status,
        result=GatekeeperResult(checked_bindings=checked),
        verified_binding_count=sum(passed for _, _, passed in bindings),
    )


def project(data: bytes, gate: CheckResponse, gaps: list[ClaimGap] | None = None) -> VerifyRequest:
    return verify_request(CONTEXT, data, gate, RECORDED, gaps or [])


def bad_binding() -> dict[str, Any]:
    return {**SYMPTOM_BINDING, "source_invocation_id": CANARY, "matched_text": CANARY}


def test_everything_passed() -> None:
    request = project(document(claim("s"), cause("c")), gated((0, 0, True), (1, 0, True)))
    assert [item.claim_id for item in request.verified_executor_output.claims] == ["s", "c"]
    assert request.verdict_ceiling == evidence_pb2.VERDICT_PASS
    assert not request.HasField("retry_context")
    evidence = request.verified_evidence[0]
    assert evidence.claim_id == "s"
    assert evidence.source_invocation_id == "inv-1"
    assert evidence.raw_path == SYMPTOM_BINDING["raw_path"]
    assert evidence.matched_text == SYMPTOM_BINDING["matched_text"]
    assert (evidence.places[0].source, evidence.places[0].first_line) == ("logs/api.log", 7)
    assert request.verified_evidence[1].places[0].last_line == 4


def test_a_failed_binding_and_a_dropped_claim_leave_nothing_behind() -> None:
    data = document(
        claim("s", evidence_bindings=[bad_binding(), SYMPTOM_BINDING]),
        claim("dropped", statement=CANARY, component=CANARY, evidence_bindings=[bad_binding()]),
        cause("c", evidence_bindings=[CAUSE_BINDING, bad_binding()]),
    )
    gate = gated((0, 0, False), (0, 1, True), (1, 0, False), (2, 0, True), (2, 1, False), low=True)
    request = project(data, gate)
    assert CANARY.encode() in data
    assert CANARY.encode() not in request.SerializeToString()
    assert b"canary-unreferenced-line" in LOG.output
    assert b"canary-unreferenced-line" not in request.SerializeToString()
    assert [item.claim_id for item in request.verified_executor_output.claims] == ["s", "c"]
    assert [item.claim_id for item in request.verified_evidence] == ["s", "c"]
    assert request.verdict_ceiling == evidence_pb2.VERDICT_LOW_CONFID


def test_what_is_critical() -> None:
    data = document(
        claim("flagged", critical=True),
        claim("plain", critical=False),
        cause("confirmed", critical=False),
        cause("possible", critical=False, status="possible"),
    )
    request = project(data, gated(*((index, 0, True) for index in range(4))))
    critical = {item.claim_id for item in request.verified_executor_output.claims if item.critical}
    assert critical == {"flagged", "confirmed"}


def test_reference_text_confirms_nothing() -> None:
    recorded = {"inv-1": Recorded(tool_pb2.DOCUMENT_KIND_REFERENCE, LOG.output)}
    request = verify_request(CONTEXT, document(claim("s")), gated((0, 0, True), low=True), recorded, [])
    assert request.verified_executor_output.claims[0].status == evidence_pb2.CLAIM_STATUS_POSSIBLE


def test_derived_evidence_says_so() -> None:
    recorded = {"inv-1": Recorded(tool_pb2.DOCUMENT_KIND_DERIVED, LOG.output)}
    request = verify_request(CONTEXT, document(claim("s")), gated((0, 0, True)), recorded, [])
    assert request.verified_evidence[0].derived


def test_the_retry_context_holds_no_statement() -> None:
    gaps = [ClaimGap(claim_id="s", statement=CANARY, component="api")]
    request = project(document(claim("s")), gated((0, 0, True)), gaps)
    assert request.retry_context.evidence_retry_count == 1
    assert request.retry_context.gaps[0].component == "api"
    assert CANARY.encode() not in request.SerializeToString()
    assert gaps[0].statement == CANARY


def test_the_same_input_gives_the_same_bytes() -> None:
    parts = (document(claim("s"), cause("c")), gated((0, 0, True), (1, 0, True)))
    first, second = (project(*parts).SerializeToString(deterministic=True) for _ in range(2))
    assert first == second == VerifyRequest.FromString(first).SerializeToString(deterministic=True)


@pytest.mark.parametrize("place", [(1, 0), (0, 1), (-1, 0), (0, -1)])
def test_a_gate_result_that_does_not_fit_the_document_is_refused(place: tuple[int, int]) -> None:
    with pytest.raises(ProjectionError):
        project(document(claim("s")), gated((*place, True)))


def test_a_gate_that_lets_nothing_pass_is_refused() -> None:
    with pytest.raises(ProjectionError):
        project(document(claim("s")), CheckResponse(status=gatekeeper_pb2.GATEKEEPER_STATUS_REJECT))


def test_an_output_that_is_not_there_is_refused() -> None:
    with pytest.raises(KeyError):
        verify_request(CONTEXT, document(claim("s")), gated((0, 0, True)), {}, [])


def test_bytes_that_are_no_document_are_refused() -> None:
    with pytest.raises(DocumentError):
        project(b"{}", gated((0, 0, True)))


def test_bound_invocations() -> None:
    data = document(claim("s"), cause("c"))
    assert bound_invocations(data) == {"inv-1", "inv-2"}
    # The same document, its ids written otherwise.
    assert bound_invocations(data.replace(b"inv-1", b"inv\\u002d1")) == {"inv-1", "inv-2"}
    assert bound_invocations(b'{"claims": []}') == set()


def test_what_is_not_known_to_be_of_this_system_confirms_nothing() -> None:
    for kind, status in (
        (tool_pb2.DOCUMENT_KIND_REFERENCE, evidence_pb2.CLAIM_STATUS_POSSIBLE),
        (9, evidence_pb2.CLAIM_STATUS_POSSIBLE),
        (tool_pb2.DOCUMENT_KIND_DERIVED, evidence_pb2.CLAIM_STATUS_CONFIRMED),
    ):
        recorded = {"inv-1": Recorded(kind, LOG.output)}  # type: ignore[arg-type] # any number may come
        request = verify_request(CONTEXT, document(claim("s")), gated((0, 0, True)), recorded, [])
        assert request.verified_executor_output.claims[0].status == status
    assert json.loads(document())["claims"] == []
