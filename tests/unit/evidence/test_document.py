import json
from collections.abc import Callable
from typing import Any

import pytest

from services.common.evidence.document import (
    MAX_BINDINGS,
    MAX_CLAIMS,
    DocumentError,
    bound_invocations,
    is_critical,
    is_outline,
    parse,
    serialize,
)
from tests.fakes.documents import a_binding, a_claim, a_document, encoded

CANARY = "canary-99aa"
Change = Callable[[dict[str, Any]], object]


def problems_of(data: bytes) -> list[str]:
    with pytest.raises(DocumentError) as caught:
        parse(data)
    assert CANARY not in str(caught.value)
    return caught.value.problems


def test_a_legal_document_survives_the_journey() -> None:
    document = parse(encoded(a_document(a_claim(), a_claim("c-2", status="possible", evidence_bindings=[]))))
    assert [claim.claim_id for claim in document.claims] == ["c-1", "c-2"]
    assert parse(serialize(document)) == document


def test_a_document_without_claims_is_legal() -> None:
    assert parse(encoded(a_document())).claims == []


def test_an_outline_is_the_least_that_makes_a_document() -> None:
    legal = encoded(a_document(a_claim()))
    assert is_outline(legal)
    # Stricter rules are the gate's.
    assert is_outline(encoded({**a_document(), CANARY: 1}))
    assert not is_outline(legal + b" " * (1 << 20))
    assert is_outline(legal + b" " * ((1 << 20) - len(legal)))
    for other in (b"", b"null", b"[]", b"{}", b"\xff", legal[:-1], legal.replace(b"_v2", b"_v1")):
        assert not is_outline(other)


ILL_FORMED: dict[str, Change] = {
    "diagnosis_summary": lambda d: d.update(diagnosis_summary=CANARY),
    "user_facing_answer": lambda d: d.update(user_facing_answer=CANARY),
    "unknown key": lambda d: d.update({CANARY: 1}),
    "unknown key of a claim": lambda d: d["claims"][0].update({CANARY: 1}),
    "unknown key of a binding": lambda d: d["claims"][0]["evidence_bindings"][0].update({CANARY: 1}),
    "no version": lambda d: d.pop("version"),
    "other version": lambda d: d.update(version=CANARY),
    "no claims": lambda d: d.pop("claims"),
    "claims no list": lambda d: d.update(claims={}),
    "claim no object": lambda d: d["claims"].append(CANARY),
    "no bindings key": lambda d: d["claims"][0].pop("evidence_bindings"),
    "confirmed without bindings": lambda d: d["claims"][0].update(evidence_bindings=[]),
    "duplicate claim id": lambda d: d["claims"].append(dict(d["claims"][0])),
    "empty claim id": lambda d: d["claims"][0].update(claim_id=""),
    "number for a text": lambda d: d["claims"][0].update(claim_id=5),
    "number for a gap": lambda d: d.update(evidence_gaps=[5]),
    "number for a matched text": lambda d: d["claims"][0]["evidence_bindings"][0].update(matched_text=5000),
    "text for a boolean": lambda d: d["claims"][0].update(critical="true"),
    "number for a boolean": lambda d: d["claims"][0].update(critical=1),
    "null": lambda d: d["claims"][0].update(component=None),
    "unknown claim type": lambda d: d["claims"][0].update(claim_type=CANARY),
    "unknown status": lambda d: d["claims"][0].update(status=CANARY),
    "unknown fault": lambda d: d["claims"][0].update(claim_type="cause", fault=CANARY),
    "unknown component kind": lambda d: d["claims"][0].update(claim_type="cause", component_kind=CANARY),
    "fault of a symptom": lambda d: d["claims"][0].update(fault="config.changed"),
    "empty matched text": lambda d: d["claims"][0]["evidence_bindings"][0].update(matched_text=""),
    "long statement": lambda d: d["claims"][0].update(statement=CANARY * 300),
    "too many claims": lambda d: d.update(claims=[a_claim(f"c-{n}") for n in range(MAX_CLAIMS + 1)]),
    "too many bindings": lambda d: d["claims"][0].update(
        evidence_bindings=[a_binding()] * (MAX_BINDINGS + 1)
    ),
}


@pytest.mark.parametrize("change", ILL_FORMED.values(), ids=ILL_FORMED)
def test_every_other_shape_is_refused_without_quoting_it(change: Change) -> None:
    document = a_document(a_claim())
    parse(encoded(document))
    change(document)
    assert problems_of(encoded(document))


def test_every_problem_is_named_with_its_place() -> None:
    document = a_document(a_claim(critical="yes"), a_claim("c-2", status=CANARY))
    document[CANARY] = 1
    assert [problem.split(":")[0] for problem in problems_of(encoded(document))] == [
        "/claims/0/critical",
        "/claims/1/status",
        "/(unknown key)",
    ]


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"[]",
        b"null",
        b"5",
        b"{",
        b'{"version":"executor_evidence_v2","claims":[],"claims":[]}',
        b"[" * 10_000,
    ],
)
def test_bytes_that_are_no_document_are_refused(data: bytes) -> None:
    assert problems_of(data)


def test_lone_surrogates_are_refused() -> None:
    text = json.dumps(a_document(a_claim(statement="x\ud800")))
    assert problems_of(text.encode()) == ["lone surrogate in a string"]


@pytest.mark.parametrize(
    ("claim_type", "status", "flag", "critical"),
    [
        ("symptom", "confirmed", True, True),
        ("symptom", "confirmed", False, False),
        ("cause", "confirmed", False, True),
        ("cause", "possible", False, False),
        ("cause", "possible", True, True),
    ],
)
def test_what_is_critical(claim_type: str, status: str, flag: bool, critical: bool) -> None:
    claim = a_claim(claim_type=claim_type, status=status, critical=flag)
    assert is_critical(parse(encoded(a_document(claim))).claims[0]) is critical


def test_all_problems_are_named_at_once() -> None:
    error = DocumentError(["/claims: one", "/version: two"])
    assert error.problems == ["/claims: one", "/version: two"]
    assert str(error) == "/claims: one; /version: two"


def test_the_invocations_that_a_document_cites() -> None:
    claims = [a_claim("c-1"), a_claim("c-2", evidence_bindings=[a_binding(source_invocation_id="inv-2")] * 2)]
    assert bound_invocations(encoded(a_document(*claims))) == {"inv-1", "inv-2"}
    assert bound_invocations(b"{}") == set()
