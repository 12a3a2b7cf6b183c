"""References become bindings by the record alone; what leads nowhere stays, and the gate fails it."""

import json
from typing import Any

import pytest
from assay.common.v1 import tool_pb2
from hypothesis import given
from hypothesis import strategies as st

from services.common.evidence import strict_json
from services.common.evidence.document import MAX_BINDINGS, MAX_CLAIMS, Claim, EvidenceBinding, parse
from services.executor.desk import Gathered
from services.executor.openai.answer import StatedClaim
from services.executor.openai.document import document
from services.executor.recorded import RecordedCall
from services.gatekeeper import rules
from tests.fakes.gate import a_record

OK = tool_pb2.INVOCATION_STATUS_OK
LOG = {
    "source": "logs/db.log",
    "owner": "db",
    "lines": [
        {"n": 7, "time": "2026-11-30T09:10:53Z", "text": "FATAL: too many clients"},
        {"n": 8, "time": "2026-11-30T09:10:54Z", "text": "re\u202estart"},
    ],
}
COUNTS = {
    "lines": 4507,
    "templates": [
        {
            "count": 2118,
            "count_before": 0,
            "samples": 53,
            "first": {"n": 7, "time": "2026-11-30T09:10:53Z", "text": "FATAL: too many clients"},
            "last": {"n": 9, "text": "x" * 9000 + " the end"},
            "ended": None,
            "partial": False,
        }
    ],
}
CALLS = [
    RecordedCall("inv-a", "logs_search", {}, OK, strict_json.loads(json.dumps(LOG).encode())),
    RecordedCall("inv-b", "logs_templates", {}, OK, strict_json.loads(json.dumps(COUNTS).encode())),
]
GATE = rules.Material(
    {
        "inv-a": a_record("inv-a", "logs_search"),
        "inv-b": a_record("inv-b", "logs_templates"),
    },
    {call.invocation_id: strict_json.dumps(call.document) for call in CALLS},
)


def a_claim(*refs: str, **changed: Any) -> StatedClaim:  # noqa: ANN401 - any field
    fields: dict[str, Any] = {
        "id": "c1", "type": "symptom", "status": "confirmed", "critical": True, "statement": "It fails.",
        "component": "", "kind": "", "fault": "", "refs": list(refs),
    }  # fmt: skip
    return StatedClaim(**{**fields, **changed})


def cited(*claims: StatedClaim) -> list[Claim]:
    return parse(document(Gathered(CALLS, {}, []), claims)).claims


def bound(*refs: str, **changed: Any) -> list[EvidenceBinding]:  # noqa: ANN401 - any field
    [claim] = cited(a_claim(*refs, **changed))
    return claim.evidence_bindings


def problem(binding: EvidenceBinding) -> str:
    """Return the rule that a binding breaks."""
    try:
        rules.check_binding(binding, GATE)
    except rules.RuleError as error:
        return error.rule_id
    return ""


def test_a_value_is_bound_as_it_was_recorded() -> None:
    [binding] = bound("1/lines/0/text")
    assert binding == EvidenceBinding(
        source_invocation_id="inv-a",
        tool_name="logs_search",
        raw_path="/lines/0/text",
        matched_text="FATAL: too many clients",
    )
    assert not problem(binding)


def test_a_bar_that_was_copied_along_is_no_part_of_a_reference() -> None:
    assert bound("1/lines/0/text| ") == bound("1/lines/0/text") == bound(" 1/lines/0/text|")


def test_of_an_object_those_values_are_bound_that_the_statement_needs() -> None:
    paths = [
        each.raw_path for each in bound("2/templates/0", statement="db said it 2118 times, none before.")
    ]
    assert paths == ["/templates/0/count", "/templates/0/count_before"]
    quoted = bound("2/templates/0", statement='db said "too many clients" at 09:10:53Z.', component="db")
    assert [each.raw_path for each in quoted] == ["/templates/0/first/text"]


def test_without_a_fact_the_value_that_says_most_is_bound() -> None:
    assert [each.raw_path for each in bound("1/lines/0")] == ["/lines/0/text"]


def test_how_something_was_measured_supports_no_number() -> None:
    paths = {each.raw_path for each in bound("2/templates/0", statement="It failed 53 times.")}
    assert "/templates/0/samples" not in paths
    assert [each.raw_path for each in bound("2/templates/0/samples", statement="It failed 53 times.")] == [
        "/templates/0/samples"
    ]


def test_a_zero_denies_only_what_it_is_named_after() -> None:
    denied = bound("2/templates/0", statement="It never recovered.")
    assert {"/templates/0/count_before", "/templates/0/ended"}.isdisjoint(each.raw_path for each in denied)


def test_long_texts_are_bound_in_part_and_with_what_is_quoted() -> None:
    [binding] = bound("2/templates/0/last/text", statement='It logged "the end".')
    assert binding.matched_text == "the end"
    [binding] = bound("2/templates/0/last/text")
    assert len(binding.matched_text) == 2000
    assert not problem(binding)


def test_what_hides_is_not_bound() -> None:
    [binding] = bound("1/lines/1/text")
    assert binding.matched_text == "start"
    assert not problem(binding)


def test_tokens_are_bound() -> None:
    texts = [each.matched_text for each in bound("2/templates/0/ended", "2/templates/0/partial", "2/lines")]
    assert texts == ["null", "false", "4507"]


@pytest.mark.parametrize(
    ("ref", "rule"),
    [
        ("", rules.INVOCATION_REF),
        ("3/lines/0", rules.INVOCATION_REF),
        ("0/lines/0", rules.INVOCATION_REF),
        ("inv-a/lines/0/text", rules.INVOCATION_REF),
        ("inv-a", rules.INVOCATION_REF),
        ("logs_search/lines/0", rules.INVOCATION_REF),
        ("1" + "/lines" * 400, rules.INVOCATION_REF),
        ("1/lines/9/text", rules.RAW_PATH),
        ("1/lines/0/text/0", rules.RAW_PATH),
        ("1/lines/0/text~2", rules.RAW_PATH),
        ("1/lines", rules.RAW_PATH),
        ("1/lines/0/time", rules.RAW_PATH),
        ("1/lines/0/n", rules.RAW_PATH),
        ("1/source", rules.RAW_PATH),
        ('1/lines/0/text "FATAL: too many clients"', rules.RAW_PATH),
    ],
)
def test_what_leads_nowhere_stays_for_the_gate(ref: str, rule: str) -> None:
    [binding] = bound(ref)
    assert problem(binding) == rule
    [failing, *_] = bound("1/lines/0/text", ref)
    assert problem(failing) == rule


@given(st.text(max_size=60))
def test_whatever_is_written_only_the_record_passes(ref: str) -> None:
    for binding in bound(ref, "2/templates/0"):
        assert problem(binding) or binding.matched_text in strict_json.dumps(
            CALLS[1].document
        ).decode() + str(LOG)


def test_a_cut_off_reference_cannot_become_a_true_one() -> None:
    bindings = bound(*(f"1/lines/{n}/nothing" for n in range(80)), "1/lines/0/text")
    assert len(bindings) == MAX_BINDINGS
    assert all(problem(each) for each in bindings)


def test_what_the_contract_has_no_room_for_is_not_bound() -> None:
    vast = RecordedCall("inv-a", "t", {}, OK, {"x" * 1100: {"y": "one two"}, "short": "three four"})
    nameless = RecordedCall("inv-b", "", {}, OK, {"error": "there is no such tool"})
    data = document(Gathered([vast, nameless], {}, []), [a_claim("1", "2/error")])
    [claim] = parse(data).claims
    assert [each.raw_path for each in claim.evidence_bindings] == ["", "/short"]


def test_the_limits_of_the_document_hold() -> None:
    claims = [
        a_claim(*(f"2/templates/{n}" for n in range(40)), id="same", statement=f"Claim {n}.")
        for n in range(300)
    ]
    found = parse(document(Gathered(CALLS, {}, []), claims))
    assert len(found.claims) == MAX_CLAIMS
    assert found.claims[0].claim_id == "same"
    assert len({claim.claim_id for claim in found.claims}) == MAX_CLAIMS
    assert found.evidence_gaps == ["172 of the claims were left out: no legal statement, or too many"]


def test_the_size_of_the_document_holds() -> None:
    call = RecordedCall("inv-a", "t", {}, OK, {"texts": ["y" * 3000 + str(n) for n in range(40)]})
    refs = [f"1/texts/{n}" for n in range(32)]
    data = document(Gathered([call], {}, []), [a_claim(*refs, id=f"c{n}") for n in range(100)])
    assert len(data) <= strict_json.MAX_BYTES
    assert 10 < len(parse(data).claims) < 100


def test_claims_are_made_legal_or_left_out() -> None:
    found = cited(
        a_claim("1/lines/0", id="cause-1", type="cause", kind="database", fault="connections.exhausted"),
        a_claim("1/lines/0", id="cause-2", type="cause", kind="database", fault="db.is_sad"),
        a_claim("1/lines/0", id=" ", type="impact", kind="database", fault="connections.exhausted"),
        a_claim(id="bare"),
        a_claim("1/lines/0", id="blank", statement=" \n"),
        a_claim("1/lines/0", id="long", statement="x" * 2049),
        a_claim("1/lines/0", id="hidden", statement="It \u202efails."),
        a_claim("1/lines/0", id="vast", component="x" * 257),
    )
    assert [(each.claim_id, each.fault, each.component_kind, each.status) for each in found] == [
        ("cause-1", "connections.exhausted", "database", "confirmed"),
        ("cause-2", "", "database", "confirmed"),
        ("claim-3", "", "", "confirmed"),
        ("bare", "", "", "possible"),
    ]


@pytest.mark.parametrize(
    ("refs", "kind", "status"),
    [
        (["1/elements/0"], "cause", "possible"),
        (["1/elements/0"], "symptom", "confirmed"),
        (["1/elements/0", "2/lines/0"], "cause", "confirmed"),
        (["2/lines/0"], "cause", "confirmed"),
    ],
)
def test_a_recorded_change_alone_confirms_no_cause(refs: list[str], kind: str, status: str) -> None:
    listed = b'{"elements":[{"first_line":2,"last_line":4,"value":{"summary":"pool size raised"}}]}'
    change = strict_json.loads(listed)
    calls = [RecordedCall("inv-c", "change_events_list", {}, OK, change), CALLS[0]]
    stated = a_claim(*refs, type=kind, statement="The pool size was raised, then it fails: too many clients.")
    [claim] = parse(document(Gathered(calls, {}, []), [stated])).claims
    assert claim.status == status
