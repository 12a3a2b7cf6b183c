"""Which causes rest on what outsiders can write, and what the guard makes of them."""

import pytest
from assay.common.v1 import context_pb2, evidence_pb2
from assay.common.v1.evidence_pb2 import CheckedBinding, GatekeeperResult, VerifiedExecutorOutput

from services.common.evidence.guard import guard_checks
from services.common.evidence.hearsay import hearsay
from tests.fakes.claims import claim, item

PASSED, FAILED = evidence_pb2.GATE_RESULT_PASS, evidence_pb2.GATE_RESULT_FAIL
CAUSE, SYMPTOM = evidence_pb2.CLAIM_TYPE_CAUSE, evidence_pb2.CLAIM_TYPE_SYMPTOM
DIRECT = evidence_pb2.CLASSIFICATION_DIRECT_OBSERVATION
OVERSTATED = evidence_pb2.CLASSIFICATION_OVERSTATED
UNSUPPORTED = evidence_pb2.CLASSIFICATION_UNSUPPORTED


def audit(*bindings: tuple[int, "evidence_pb2.GateResult.ValueType", bool]) -> GatekeeperResult:
    """Return an audit of bindings: index of the claim, result, whether an outsider wrote it."""
    checked = [
        CheckedBinding(claim_index=index, binding_index=number, result=result, outsider_written=outsiders)
        for number, (index, result, outsiders) in enumerate(bindings)
    ]
    return GatekeeperResult(checked_bindings=checked)


def output(*kinds: "evidence_pb2.ClaimType.ValueType") -> VerifiedExecutorOutput:
    claims = [
        evidence_pb2.VerifiedClaim(claim_id=f"v{number}", claim_type=kind)
        for number, kind in enumerate(kinds)
    ]
    return VerifiedExecutorOutput(claims=claims)


@pytest.mark.parametrize(
    ("bindings", "kinds", "found"),
    [
        ([], [], set()),
        ([(0, PASSED, True)], [CAUSE], {"v0"}),
        ([(0, PASSED, False)], [CAUSE], set()),
        ([(0, PASSED, True)], [SYMPTOM], set()),
        ([(0, PASSED, True), (0, PASSED, False)], [CAUSE], set()),
        ([(0, PASSED, False), (0, PASSED, True)], [CAUSE], set()),
        ([(0, PASSED, True), (0, FAILED, False)], [CAUSE], {"v0"}),
        # A claim without a passed citation is not in the output.
        ([(0, FAILED, True), (2, PASSED, True), (1, PASSED, False)], [CAUSE, CAUSE], {"v1"}),
        ([(1, PASSED, False), (0, PASSED, True)], [CAUSE, CAUSE], {"v0"}),
    ],
)
def test_what_only_outsiders_state(
    bindings: list[tuple[int, "evidence_pb2.GateResult.ValueType", bool]],
    kinds: list["evidence_pb2.ClaimType.ValueType"],
    found: set[str],
) -> None:
    assert hearsay(audit(*bindings), output(*kinds)) == found


@pytest.mark.parametrize(
    ("is_hearsay", "judged", "guarded"),
    [
        (False, DIRECT, DIRECT),
        (True, DIRECT, OVERSTATED),
        (True, UNSUPPORTED, UNSUPPORTED),
    ],
)
def test_the_guard_lowers_hearsay(
    is_hearsay: bool,
    judged: "evidence_pb2.Classification.ValueType",
    guarded: "evidence_pb2.Classification.ValueType",
) -> None:
    stated = claim("too many clients")
    evidence = [item("FATAL: too many clients")]
    asked = context_pb2.DiagnosisContext(question="why?", intent=context_pb2.INTENT_CAUSE)
    check = evidence_pb2.ClaimCheck(claim_id=stated.claim_id, classification=judged)
    bound = {evidence[0].source_invocation_id: b"{}"}
    told = {stated.claim_id} if is_hearsay else set()
    (seen,) = guard_checks([check], VerifiedExecutorOutput(claims=[stated]), evidence, asked, bound, told)
    assert seen.classification == guarded
    assert seen.guard_reason == (
        "only what outsiders can write states this cause" if guarded != judged else ""
    )
