"""Verdict, groundedness and rationale of the offline reasoner, and that its output obeys the protocol."""

import pytest
from assay.common.v1 import context_pb2, evidence_pb2
from hypothesis import given
from hypothesis import strategies as st

from services.common.evidence.verdict import allowed_by_checks
from services.common.evidence.verifier_protocol import accept
from services.verifier.offline.reasoner import INFERENCE_WEIGHT, groundedness, verification
from tests.fakes.claims import claim, item, request

PASS, LOW, REJECT = evidence_pb2.VERDICT_PASS, evidence_pb2.VERDICT_LOW_CONFID, evidence_pb2.VERDICT_REJECT
OBSERVED = claim("count is 12", claim_id="a")
COUNT = item("count=12", claim_id="a")


@pytest.mark.parametrize(
    ("ceiling", "intent", "expected"),
    [
        (PASS, context_pb2.INTENT_LOOKUP, PASS),
        (LOW, context_pb2.INTENT_LOOKUP, LOW),
        (PASS, context_pb2.INTENT_CAUSE, LOW),
    ],
)
def test_the_verdict_is_the_lowest_of_checks_and_ceiling(
    ceiling: "evidence_pb2.Verdict.ValueType",
    intent: "context_pb2.Intent.ValueType",
    expected: "evidence_pb2.Verdict.ValueType",
) -> None:
    result = verification(request([OBSERVED], [COUNT], ceiling=ceiling, intent=intent))
    assert result.model_verdict == expected
    assert result.groundedness_score == 1.0


def test_a_contradiction_rejects_and_scores_zero_with_presence() -> None:
    result = verification(request([claim("count is 13", claim_id="a")], [item("12", "/count", claim_id="a")]))
    assert result.model_verdict == REJECT
    assert result.HasField("groundedness_score")
    assert result.groundedness_score == 0.0


def test_groundedness_weighs_observations_inferences_and_the_rest() -> None:
    classes = (
        evidence_pb2.CLASSIFICATION_DIRECT_OBSERVATION,
        evidence_pb2.CLASSIFICATION_REASONABLE_INFERENCE,
        evidence_pb2.CLASSIFICATION_OVERSTATED,
    )
    checks = [evidence_pb2.ClaimCheck(classification=number) for number in classes]
    assert groundedness(checks) == pytest.approx((1 + INFERENCE_WEIGHT) / 3)
    checks[0].fabricated = True
    assert groundedness(checks) == pytest.approx(INFERENCE_WEIGHT / 3)


def test_only_critical_claims_count_where_there_are_some() -> None:
    aside = claim("nothing bears on this", claim_id="b", critical=False)
    assert verification(request([OBSERVED, aside], [COUNT])).groundedness_score == 1.0
    uncritical = claim("count is 12", claim_id="a", critical=False)
    assert verification(request([uncritical, aside], [COUNT])).groundedness_score == 0.5


def test_the_rationale_is_fixed_text_and_figures() -> None:
    result = verification(request([claim("CANARY_1 failed", claim_id="a")], [item("CANARY_2", claim_id="a")]))
    assert result.rationale
    assert "CANARY" not in result.rationale


_TEXTS = st.text(max_size=60) | st.sampled_from(
    [
        "count is 12",
        "rose from 4 to 76",
        "fell",
        "no errors",
        'says "x y"',
        "because of db_main",
        "504",
        "2026-11-30T09:10:53Z before 2026-11-30T09:10:52Z",
    ]
)


@given(
    st.lists(st.tuples(_TEXTS, st.lists(_TEXTS, max_size=3), st.booleans()), min_size=1, max_size=4),
    st.sampled_from([PASS, LOW]),
    st.sampled_from([context_pb2.INTENT_CAUSE, context_pb2.INTENT_LOOKUP]),
)
def test_every_verification_obeys_the_protocol(
    rows: list[tuple[str, list[str], bool]],
    ceiling: "evidence_pb2.Verdict.ValueType",
    intent: "context_pb2.Intent.ValueType",
) -> None:
    claims = [claim(text, claim_id=str(i), critical=critical) for i, (text, _, critical) in enumerate(rows)]
    evidence = [
        item(text, f"/lines/{j}/text", claim_id=str(i))
        for i, (_, texts, _) in enumerate(rows)
        for j, text in enumerate(texts)
    ]
    asked = request(claims, evidence, ceiling=ceiling, intent=intent)
    result = verification(asked)
    accept(result, asked.verified_executor_output, evidence)
    allowed = allowed_by_checks(result.claim_checks, asked.verified_executor_output, intent)
    assert result.model_verdict == min(allowed, ceiling)
    assert verification(asked) == result
