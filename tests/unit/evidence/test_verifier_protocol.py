"""What a verification must be before anyone relies on it."""

import math
from collections.abc import Callable

import pytest
from assay.common.v1 import evidence_pb2
from hypothesis import given
from hypothesis import strategies as st

from services.common.evidence.verifier_protocol import ProtocolError, accept
from tests.fakes.claims import claim, item, output

DIRECT = evidence_pb2.CLASSIFICATION_DIRECT_OBSERVATION
OUTPUT = output(claim("CANARY a", claim_id="a"), claim("CANARY b", claim_id="b"))
EVIDENCE = [item("CANARY", claim_id="a"), item("CANARY", "/other", claim_id="b", invocation="inv-2")]


def reference(claim_id: str, **fields: str) -> evidence_pb2.EvidenceReference:
    return evidence_pb2.EvidenceReference(claim_id=claim_id, **fields)


def legal() -> evidence_pb2.Verification:
    return evidence_pb2.Verification(
        model_verdict=evidence_pb2.VERDICT_PASS,
        groundedness_score=0.5,
        claim_checks=[
            evidence_pb2.ClaimCheck(
                claim_id="a",
                classification=DIRECT,
                evidence_refs=[reference("a", source_invocation_id="inv-1", raw_path="/lines/0/text")],
            ),
            evidence_pb2.ClaimCheck(
                claim_id="b", classification=evidence_pb2.CLASSIFICATION_REASONABLE_INFERENCE
            ),
        ],
    )


def test_a_legal_verification_is_accepted_with_derived_facts() -> None:
    given_ = legal()
    accepted = accept(given_, OUTPUT, EVIDENCE)
    assert [fact.fact_class for fact in accepted.facts_checked] == [
        evidence_pb2.FACT_CLASS_DIRECT_EVIDENCE,
        evidence_pb2.FACT_CLASS_INDIRECT_SUPPORT,
    ]
    assert not given_.facts_checked


def test_given_facts_are_kept() -> None:
    verification = legal()
    verification.facts_checked.add(claim_id="a", fact_class=evidence_pb2.FACT_CLASS_NO_EVIDENCE)
    assert accept(verification, OUTPUT, EVIDENCE) == verification


def test_a_reference_may_leave_fields_empty() -> None:
    verification = legal()
    verification.claim_checks[0].evidence_refs[0].CopyFrom(reference("a"))
    assert accept(verification, OUTPUT, EVIDENCE).claim_checks == verification.claim_checks


Mutation = Callable[[evidence_pb2.Verification], object]


def _set(path: str, value: object) -> Mutation:
    def change(verification: evidence_pb2.Verification) -> None:
        target, _, name = path.rpartition(".")
        holder: object = verification
        for part in filter(None, target.split(".")):
            holder = holder[int(part)] if part.isdigit() else getattr(holder, part)  # type: ignore[index]  # a path into a message
        setattr(holder, name, value)

    return change


_VERDICT_REJECT: Mutation = _set("model_verdict", evidence_pb2.VERDICT_REJECT)

BROKEN: dict[str, Mutation] = {
    "missing check": lambda v: v.claim_checks.pop(),
    "no checks": lambda v: v.ClearField("claim_checks"),
    "double check": lambda v: v.claim_checks.append(v.claim_checks[0]),
    "unknown claim": lambda v: v.claim_checks.add(claim_id="c", classification=DIRECT),
    "unspecified class": _set("claim_checks.0.classification", 0),
    "unknown class": _set("claim_checks.0.classification", 99),
    "direct without reference": lambda v: v.claim_checks[0].ClearField("evidence_refs"),
    "reference of another claim": _set("claim_checks.0.evidence_refs.0.claim_id", "b"),
    "reference without a claim": _set("claim_checks.0.evidence_refs.0.claim_id", ""),
    "foreign invocation": _set("claim_checks.0.evidence_refs.0.source_invocation_id", "inv-2"),
    "foreign tool": _set("claim_checks.0.evidence_refs.0.tool_name", "metrics"),
    "foreign path": _set("claim_checks.0.evidence_refs.0.raw_path", "/other"),
    "endless references": lambda verification: verification.claim_checks[0].evidence_refs.extend(
        [reference("a")] * 65
    ),
    "guard's fields": _set("claim_checks.0.guard_reason", "CANARY"),
    "endless reason": _set("claim_checks.0.reason", "CANARY" * 1000),
    "endless rationale": _set("rationale", "CANARY" * 10_000),
    "unspecified verdict": _set("model_verdict", 0),
    "unknown verdict": _set("model_verdict", 7),
    "reject without reason": _VERDICT_REJECT,
    "absent score": lambda v: v.ClearField("groundedness_score"),
    "score too low": _set("groundedness_score", 0.49),
    "zero score": _set("groundedness_score", 0.0),
    "score above": _set("groundedness_score", 1.01),
    "score below": _set("groundedness_score", -0.1),
    "score nan": _set("groundedness_score", math.nan),
    "fact of unknown claim": lambda v: v.facts_checked.add(claim_id="c", fact_class=1),
    "unspecified fact": lambda v: v.facts_checked.add(claim_id="a", fact_class=0),
    "unknown fact": lambda v: v.facts_checked.add(claim_id="a", fact_class=9),
}


# What each refusal says; where one rule stands for several breaks it is named once.
_REFERENCE = "claim_checks[0].evidence_refs[0]: "
_NOT_NAMED = "a value that the protocol does not name"
MESSAGES = {
    "missing check": "claims[1]: it has no check",
    "no checks": "claims[0]: it has no check",
    "double check": "claim_checks[0]: its claim has more than one check",
    "unknown claim": "claim_checks[2]: no claim has this id",
    "unspecified class": f"claim_checks[0]: {_NOT_NAMED}",
    "unknown class": f"claim_checks[0]: {_NOT_NAMED}",
    "direct without reference": "claim_checks[0]: a direct observation needs at least one reference",
    "reference of another claim": f"{_REFERENCE}it names another claim",
    "reference without a claim": f"{_REFERENCE}it names another claim",
    "foreign invocation": f"{_REFERENCE}no verified evidence matches it",
    "foreign tool": f"{_REFERENCE}no verified evidence matches it",
    "foreign path": f"{_REFERENCE}no verified evidence matches it",
    "endless references": "claim_checks[0]: more than 64 references",
    "guard's fields": "claim_checks[0]: only the guard may write model_classification and guard_reason",
    "endless reason": "claim_checks[0]: the reason is longer than 2048 characters",
    "endless rationale": "rationale: longer than 8192 characters",
    "unspecified verdict": f"model_verdict: {_NOT_NAMED}",
    "unknown verdict": f"model_verdict: {_NOT_NAMED}",
    "reject without reason": "model_verdict: REJECT without a contradicted or fabricated critical claim",
    "absent score": "groundedness_score: PASS needs one of at least 0.5",
    "score too low": "groundedness_score: PASS needs one of at least 0.5",
    "zero score": "groundedness_score: PASS needs one of at least 0.5",
    "score above": "groundedness_score: outside [0, 1]",
    "score below": "groundedness_score: outside [0, 1]",
    "score nan": "groundedness_score: outside [0, 1]",
    "fact of unknown claim": "facts_checked[0]: no claim has this id",
    "unspecified fact": f"facts_checked[0]: {_NOT_NAMED}",
    "unknown fact": f"facts_checked[0]: {_NOT_NAMED}",
}


@pytest.mark.parametrize("name", BROKEN)
def test_a_broken_verification_is_refused_without_quoting_it(name: str) -> None:
    verification = legal()
    BROKEN[name](verification)
    with pytest.raises(ProtocolError) as caught:
        accept(verification, OUTPUT, EVIDENCE)
    assert str(caught.value) == MESSAGES[name]


def test_what_is_just_within_its_bounds_is_accepted() -> None:
    verification = legal()
    verification.claim_checks[0].reason = "r" * 2048
    verification.rationale = "r" * 8192
    verification.groundedness_score = 1.0
    del verification.claim_checks[0].evidence_refs[:]
    verification.claim_checks[0].evidence_refs.extend([reference("a")] * 64)
    assert accept(verification, OUTPUT, EVIDENCE).claim_checks == verification.claim_checks


def test_a_reference_to_a_claim_without_evidence_is_refused() -> None:
    with pytest.raises(ProtocolError, match="no verified evidence matches it"):
        accept(legal(), OUTPUT, EVIDENCE[1:])


def test_low_confidence_needs_no_score_and_takes_zero() -> None:
    verification = legal()
    verification.model_verdict = evidence_pb2.VERDICT_LOW_CONFID
    verification.groundedness_score = 0.0
    assert accept(verification, OUTPUT, EVIDENCE).claim_checks == verification.claim_checks
    verification.ClearField("groundedness_score")
    assert not accept(verification, OUTPUT, EVIDENCE).HasField("groundedness_score")


@pytest.mark.parametrize("fabricated", [True, False])
def test_reject_stands_on_a_refuted_critical_claim(fabricated: bool) -> None:
    verification = legal()
    _VERDICT_REJECT(verification)
    check = verification.claim_checks[1]
    check.fabricated = fabricated
    if not fabricated:
        check.classification = evidence_pb2.CLASSIFICATION_CONTRADICTED
    accept(verification, OUTPUT, EVIDENCE)
    uncritical = output(claim("a", claim_id="a"), claim("b", claim_id="b", critical=False))
    with pytest.raises(ProtocolError):
        accept(verification, uncritical, EVIDENCE)


@given(st.binary(max_size=200))
def test_whatever_bytes_say_is_accepted_whole_or_refused(data: bytes) -> None:
    verification = legal()
    try:
        verification.MergeFromString(data)
    except Exception:  # noqa: BLE001 - not a message at all
        return
    try:
        accepted = accept(verification, OUTPUT, EVIDENCE)
    except ProtocolError:
        return
    assert {check.claim_id for check in accepted.claim_checks} == {"a", "b"}
    assert accepted.facts_checked
