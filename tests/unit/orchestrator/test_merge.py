"""The merge of cycle 2 into cycle 1."""

import json

from assay.common.v1 import evidence_pb2
from assay.common.v1.evidence_pb2 import CheckedBinding, ClaimGap, GatekeeperResult
from assay.gatekeeper.v1.gatekeeper_pb2 import CheckResponse
from assay.orchestrator.v1.state_pb2 import FirstVerification
from hypothesis import given
from hypothesis import strategies as st

from orchestrator.merge import NEW_PREFIX, merged_document
from services.common.evidence import document as contract
from tests.fakes.agents import CAUSE_BINDING, SYMPTOM_BINDING, Json, cause, claim, document

OTHER_BINDING = {**SYMPTOM_BINDING, "raw_path": "/lines/1/text", "matched_text": "another line"}


def first(*claims: Json, failed: tuple[tuple[int, int], ...] = ()) -> FirstVerification:
    checked = [
        CheckedBinding(
            claim_index=index,
            binding_index=position,
            result=evidence_pb2.GATE_RESULT_FAIL
            if (index, position) in failed
            else evidence_pb2.GATE_RESULT_PASS,
        )
        for index, item in enumerate(claims)
        for position in range(len(item["evidence_bindings"]))
    ]
    return FirstVerification(
        document=document(*claims), gate=CheckResponse(result=GatekeeperResult(checked_bindings=checked))
    )


def merged(earlier: FirstVerification, second: bytes, *gaps: str) -> list[contract.Claim]:
    asked = [ClaimGap(claim_id=name) for name in gaps]
    return contract.parse(merged_document(earlier, second, asked)).claims


def texts(item: contract.Claim) -> list[str]:
    return [binding.matched_text for binding in item.evidence_bindings]


def test_an_answer_replaces_its_claim_and_keeps_the_passed_bindings() -> None:
    earlier = first(
        claim("s"), cause("c", evidence_bindings=[CAUSE_BINDING, OTHER_BINDING]), failed=((1, 1),)
    )
    answer = cause("c", statement="a better statement", evidence_bindings=[SYMPTOM_BINDING])
    claims = merged(earlier, document(answer), "c")
    assert [item.claim_id for item in claims] == ["s", "c"]
    assert claims[1].statement == "a better statement"
    assert texts(claims[1]) == [SYMPTOM_BINDING["matched_text"], CAUSE_BINDING["matched_text"]]


def test_a_binding_is_not_doubled() -> None:
    claims = merged(first(cause("c")), document(cause("c")), "c")
    assert texts(claims[0]) == [CAUSE_BINDING["matched_text"]]


def test_what_is_not_answered_stays() -> None:
    earlier = first(claim("s"), cause("c"))
    assert merged(earlier, document(), "c") == contract.parse(earlier.document).claims


def test_other_claims_are_new_even_under_a_known_id() -> None:
    earlier = first(claim("s"), cause("c"))
    claims = merged(earlier, document(claim("s", statement="other"), claim("n")), "c")
    assert [item.claim_id for item in claims] == ["s", "c", NEW_PREFIX + "s", NEW_PREFIX + "n"]
    assert claims[0].statement == claim("s")["statement"]


def test_new_ids_never_collide() -> None:
    earlier = first(claim(NEW_PREFIX + "n"), cause("c"))
    claims = merged(earlier, document(claim("n"), claim("x" * 256)), "c")
    assert len({item.claim_id for item in claims}) == 4


def test_bytes_that_are_no_document_go_on_unmerged() -> None:
    for bad in (
        b"",
        b"{}",
        b"not json",
        json.dumps({"version": "executor_evidence_v1", "claims": []}).encode(),
    ):
        assert merged_document(first(claim("s")), bad, [ClaimGap(claim_id="s")]) == bad


names = st.lists(st.text("abc", min_size=1, max_size=2), unique=True, max_size=6)


@given(earlier=names, later=names, asked=names)
def test_the_merge_is_always_legal_and_loses_nothing(
    earlier: list[str], later: list[str], asked: list[str]
) -> None:
    claims = merged(first(*map(claim, earlier)), document(*(claim(n, statement="2") for n in later)), *asked)
    assert [item.claim_id for item in claims[: len(earlier)]] == earlier
    replaced = {item.claim_id for item in claims[: len(earlier)] if item.statement == "2"}
    assert replaced == set(earlier) & set(later) & set(asked)
    answers = set(later) & set(asked)
    assert len(claims) == len(earlier) + len(set(later) - answers)
