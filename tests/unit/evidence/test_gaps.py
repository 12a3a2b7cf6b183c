"""What an answer must admit to not knowing."""

from assay.common.v1 import answer_pb2, context_pb2, evidence_pb2, tool_pb2

from services.common.evidence.gaps import MAX_EVIDENCE_GAPS, evidence_gaps
from services.common.evidence.names import plain
from tests.fakes.claims import claim, output

PASSED, FAILED = evidence_pb2.GATE_RESULT_PASS, evidence_pb2.GATE_RESULT_FAIL


def gate(*bindings: tuple[int, "evidence_pb2.GateResult.ValueType", str]) -> evidence_pb2.GatekeeperResult:
    return evidence_pb2.GatekeeperResult(
        checked_bindings=[
            evidence_pb2.CheckedBinding(claim_index=index, result=result, rule_id=rule)
            for index, result, rule in bindings
        ]
    )


def test_gaps_come_in_their_order_and_hold_no_statement() -> None:
    claims = output(
        claim("CANARY one", claim_id="a"),
        claim("CANARY two", claim_id="b", claim_type=evidence_pb2.CLAIM_TYPE_IMPACT),
        claim("CANARY three", claim_id="c"),
    )
    checks = [
        evidence_pb2.ClaimCheck(claim_id="a", classification=evidence_pb2.CLASSIFICATION_DIRECT_OBSERVATION),
        evidence_pb2.ClaimCheck(claim_id="b", classification=evidence_pb2.CLASSIFICATION_OVERSTATED),
        evidence_pb2.ClaimCheck(
            claim_id="c", classification=evidence_pb2.CLASSIFICATION_OVERSTATED, fabricated=True
        ),
    ]
    rule = "evidence.matched_text"
    gaps = evidence_gaps(
        checks=checks,
        output=claims,
        gate=gate(
            (0, PASSED, ""),
            (1, FAILED, rule),
            (1, PASSED, ""),
            (2, PASSED, ""),
            (3, FAILED, rule),
            (3, FAILED, "z"),
        ),
        claim_types=["symptom", "impact", "symptom", "context", "cause"],
        checked=[
            tool_pb2.Checked(
                tool_name="logs_search", status=tool_pb2.INVOCATION_STATUS_OK, source="logs/a.log"
            ),
            tool_pb2.Checked(tool_name="logs_search", status=tool_pb2.INVOCATION_STATUS_TIMEOUT),
            tool_pb2.Checked(tool_name="logs_search", status=tool_pb2.INVOCATION_STATUS_TIMEOUT),
            tool_pb2.Checked(source="topology", reason="the scope has no such source"),
            tool_pb2.Checked(source="logs/unused.log"),
        ],
        allowed=[],
        intent=context_pb2.INTENT_CAUSE,
    )
    assert [plain(gap) for gap in gaps] == [
        {"gap_id": "gap-1", "claim_type": "impact", "classification": "overstated"},
        {"gap_id": "gap-2", "claim_type": "symptom", "classification": "overstated"},
        {"gap_id": "gap-3", "claim_type": "context", "rule_id": rule},
        {"gap_id": "gap-4", "claim_type": "cause", "classification": "unsupported"},
        {"gap_id": "gap-5", "claim_type": "", "source": {"source": "logs_search", "reason": "TIMEOUT"}},
        {
            "gap_id": "gap-6",
            "claim_type": "",
            "source": {"source": "topology", "reason": "the scope has no such source"},
        },
        {"gap_id": "gap-7", "claim_type": "cause", "no_supported_cause": True},
    ]
    assert "CANARY" not in str(gaps)


def test_an_allowed_cause_or_a_lookup_leaves_no_cause_open() -> None:
    cause = answer_pb2.AllowedClaim(claim=claim("x", claim_type=evidence_pb2.CLAIM_TYPE_CAUSE))
    for allowed, intent in (([cause], context_pb2.INTENT_CAUSE), ([], context_pb2.INTENT_LOOKUP)):
        assert (
            evidence_gaps(
                checks=[],
                output=output(),
                gate=gate(),
                claim_types=[],
                checked=[],
                allowed=allowed,
                intent=intent,
            )
            == []
        )


def test_gaps_are_bounded_and_the_missing_cause_is_not_cut() -> None:
    gaps = evidence_gaps(
        checks=[],
        output=output(),
        gate=gate(),
        claim_types=["symptom"] * 200,
        checked=[],
        allowed=[],
        intent=context_pb2.INTENT_CAUSE,
    )
    assert len(gaps) == MAX_EVIDENCE_GAPS
    assert gaps[-1].no_supported_cause
    assert len({gap.gap_id for gap in gaps}) == MAX_EVIDENCE_GAPS


def test_a_refusal_is_told_last_and_of_a_question_for_a_fact_only() -> None:
    for intent, expected in (
        (
            context_pb2.INTENT_LOOKUP,
            [{"gap_id": "gap-1", "claim_type": "context", "refusal": "no log could be read"}],
        ),
        (context_pb2.INTENT_CAUSE, [{"gap_id": "gap-1", "claim_type": "cause", "no_supported_cause": True}]),
    ):
        gaps = evidence_gaps(
            checks=[], output=output(), gate=gate(), claim_types=[], checked=[], allowed=[], intent=intent,
            refusal="no log could be read",
        )  # fmt: skip
        assert [plain(gap) for gap in gaps] == expected
