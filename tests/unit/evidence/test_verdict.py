"""Verdicts, facts, allowed claims and suspects, each rule of the design by a table."""

import itertools

import pytest
from assay.common.v1 import context_pb2, evidence_pb2

from services.common.evidence import verdict
from tests.fakes.claims import ARGUMENTS, claim, item, output

DIRECT = evidence_pb2.CLASSIFICATION_DIRECT_OBSERVATION
INFERENCE = evidence_pb2.CLASSIFICATION_REASONABLE_INFERENCE
OVERSTATED = evidence_pb2.CLASSIFICATION_OVERSTATED
UNSUPPORTED = evidence_pb2.CLASSIFICATION_UNSUPPORTED
EXTERNAL = evidence_pb2.CLASSIFICATION_EXTERNAL_UNKNOWN
CONTRADICTED = evidence_pb2.CLASSIFICATION_CONTRADICTED
PASS, LOW, REJECT = evidence_pb2.VERDICT_PASS, evidence_pb2.VERDICT_LOW_CONFID, evidence_pb2.VERDICT_REJECT
CAUSE, LOOKUP = context_pb2.INTENT_CAUSE, context_pb2.INTENT_LOOKUP
CONFIRMED, POSSIBLE = evidence_pb2.CLAIM_STATUS_CONFIRMED, evidence_pb2.CLAIM_STATUS_POSSIBLE
A_CAUSE = evidence_pb2.CLAIM_TYPE_CAUSE

ALL = [number for number in evidence_pb2.Classification.values() if number]


def check(
    claim_id: str, classification: "evidence_pb2.Classification.ValueType", *, fabricated: bool = False
) -> evidence_pb2.ClaimCheck:
    return evidence_pb2.ClaimCheck(claim_id=claim_id, classification=classification, fabricated=fabricated)


@pytest.mark.parametrize("first", ALL)
@pytest.mark.parametrize("second", ALL)
def test_the_lookup_lattice_over_two_critical_claims(
    first: "evidence_pb2.Classification.ValueType", second: "evidence_pb2.Classification.ValueType"
) -> None:
    claims = output(claim("a", claim_id="a"), claim("b", claim_id="b"))
    both = {first, second}
    expected = LOW
    if CONTRADICTED in both:
        expected = REJECT
    elif DIRECT in both and both <= {DIRECT, INFERENCE}:
        expected = PASS
    assert verdict.allowed_by_checks([check("a", first), check("b", second)], claims, LOOKUP) == expected


@pytest.mark.parametrize("classification", ALL)
def test_a_fabricated_critical_claim_rejects_whatever_its_class(
    classification: "evidence_pb2.Classification.ValueType",
) -> None:
    claims = output(claim("a", claim_id="a"), claim("b", claim_id="b"))
    checks = [check("a", DIRECT), check("b", classification, fabricated=True)]
    assert verdict.allowed_by_checks(checks, claims, LOOKUP) == REJECT


@pytest.mark.parametrize("classification", ALL)
def test_a_claim_that_is_not_critical_decides_nothing(
    classification: "evidence_pb2.Classification.ValueType",
) -> None:
    claims = output(claim("a", claim_id="a"), claim("b", claim_id="b", critical=False))
    checks = [check("a", DIRECT), check("b", classification, fabricated=True)]
    assert verdict.allowed_by_checks(checks, claims, LOOKUP) == PASS


def test_without_a_critical_claim_confidence_is_low() -> None:
    claims = output(claim("a", claim_id="a", critical=False))
    assert verdict.allowed_by_checks([check("a", DIRECT)], claims, LOOKUP) == LOW


@pytest.mark.parametrize(
    ("status", "classification", "fabricated", "expected"),
    [
        (CONFIRMED, DIRECT, False, PASS),
        (CONFIRMED, INFERENCE, False, PASS),
        (CONFIRMED, OVERSTATED, False, LOW),
        (CONFIRMED, UNSUPPORTED, False, LOW),
        (CONFIRMED, EXTERNAL, False, LOW),
        (POSSIBLE, DIRECT, False, LOW),
        (POSSIBLE, INFERENCE, False, LOW),
        (CONFIRMED, INFERENCE, True, LOW),
    ],
)
def test_a_cause_question_passes_only_with_a_confirmed_cause(
    status: "evidence_pb2.ClaimStatus.ValueType",
    classification: "evidence_pb2.Classification.ValueType",
    fabricated: bool,
    expected: int,
) -> None:
    cause = claim("b", claim_id="b", claim_type=A_CAUSE, status=status, critical=False)
    claims = output(claim("a", claim_id="a"), cause)
    checks = [check("a", DIRECT), check("b", classification, fabricated=fabricated)]
    assert verdict.allowed_by_checks(checks, claims, CAUSE) == expected
    assert verdict.allowed_by_checks(checks, claims, LOOKUP) == PASS


@pytest.mark.parametrize(("model", "allowed", "ceiling"), [*itertools.product((REJECT, LOW, PASS), repeat=3)])
def test_effective_is_the_lowest(
    model: verdict.VerdictValue, allowed: verdict.VerdictValue, ceiling: verdict.VerdictValue
) -> None:
    order = [REJECT, LOW, PASS]
    expected = order[min(order.index(value) for value in (model, allowed, ceiling))]
    assert verdict.effective(model, allowed, ceiling) == expected


def test_facts_are_derived_from_checks() -> None:
    facts = verdict.facts_checked([check(str(number), number) for number in ALL])
    assert {int(fact.claim_id): fact.fact_class for fact in facts} == {
        DIRECT: evidence_pb2.FACT_CLASS_DIRECT_EVIDENCE,
        INFERENCE: evidence_pb2.FACT_CLASS_INDIRECT_SUPPORT,
        OVERSTATED: evidence_pb2.FACT_CLASS_INDIRECT_SUPPORT,
        UNSUPPORTED: evidence_pb2.FACT_CLASS_NO_EVIDENCE,
        EXTERNAL: evidence_pb2.FACT_CLASS_NO_EVIDENCE,
        CONTRADICTED: evidence_pb2.FACT_CLASS_CONTRADICTED,
    }


@pytest.mark.parametrize("status", [CONFIRMED, POSSIBLE])
@pytest.mark.parametrize("classification", ALL)
@pytest.mark.parametrize("fabricated", [False, True])
def test_which_claims_may_appear_and_how(
    status: "evidence_pb2.ClaimStatus.ValueType",
    classification: "evidence_pb2.Classification.ValueType",
    fabricated: bool,
) -> None:
    claims = output(claim("a", claim_id="a", status=status))
    evidence = [item("x", claim_id="a"), item("y", claim_id="other")]
    checks = [check("a", classification, fabricated=fabricated)]
    for effective in (PASS, LOW):
        allowed = verdict.allowed_claims(effective, checks, claims, evidence, {"inv-1": ARGUMENTS})
        assert bool(allowed) == (classification in (DIRECT, INFERENCE) and not fabricated)
        for found in allowed:
            assert found.confirmed == (status == CONFIRMED and classification == DIRECT)
            assert [entry.evidence.matched_text for entry in found.evidence] == ["x"]
            assert found.evidence[0].arguments_json == ARGUMENTS
    for effective in (REJECT, evidence_pb2.VERDICT_UNSPECIFIED):
        assert verdict.allowed_claims(effective, checks, claims, evidence, {"inv-1": ARGUMENTS}) == []


def test_suspects_are_ranked_and_one_per_component() -> None:
    rows = [
        ("a", "cache", POSSIBLE, INFERENCE),
        ("b", "db", POSSIBLE, DIRECT),
        ("c", "api", CONFIRMED, INFERENCE),
        ("d", "db", CONFIRMED, DIRECT),
        ("e", "", CONFIRMED, DIRECT),
        ("f", "web", CONFIRMED, OVERSTATED),
        ("g", "job", CONFIRMED, INFERENCE),
    ]
    claims = output(
        *(
            claim("x", claim_id=claim_id, component=component, status=status, claim_type=A_CAUSE)
            for claim_id, component, status, _ in rows
        ),
        claim("x", claim_id="s", component="lb"),
    )
    checks = [
        *(check(claim_id, classification) for claim_id, _, _, classification in rows),
        check("s", DIRECT),
    ]
    allowed = verdict.allowed_claims(LOW, checks, claims, [], {})
    found = verdict.suspects(allowed)
    assert [(suspect.component, list(suspect.claim_ids)) for suspect in found] == [
        ("db", ["d", "b"]),
        ("api", ["c"]),
        ("job", ["g"]),
        ("cache", ["a"]),
    ]


def test_a_suspect_has_kind_and_fault_of_its_best_claim() -> None:
    best = claim("x", claim_id="b", component="db", claim_type=A_CAUSE)
    best.fault, best.component_kind = "lock.contention", "database"
    worse = claim("x", claim_id="a", component="db", claim_type=A_CAUSE, status=POSSIBLE)
    worse.fault = "cpu.exhausted"
    checks = [check("a", DIRECT), check("b", DIRECT)]
    (suspect,) = verdict.suspects(verdict.allowed_claims(PASS, checks, output(worse, best), [], {}))
    assert (suspect.kind, suspect.fault) == ("database", "lock.contention")


@pytest.mark.parametrize("classification", ALL)
@pytest.mark.parametrize("critical", [True, False])
def test_critical_gaps(classification: "evidence_pb2.Classification.ValueType", critical: bool) -> None:
    asked = claim("the statement", claim_id="a", component="db", critical=critical)
    gaps = verdict.critical_gaps([check("a", classification)], output(asked))
    assert bool(gaps) == (critical and classification not in (DIRECT, CONTRADICTED))
    for gap in gaps:
        assert (gap.claim_id, gap.component, gap.statement) == ("a", "db", "the statement")
        assert gap.classification == classification
        assert gap.claim_type == asked.claim_type != 0
