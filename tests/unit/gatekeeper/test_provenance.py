"""A critical cause on text that an outsider can write caps the ceiling; the citation passes all the same."""

from typing import Any

import pytest
from assay.common.v1 import evidence_pb2, tool_pb2
from assay.gatekeeper.v1 import gatekeeper_pb2

from services.gatekeeper import domain, rules
from services.gatekeeper.domain import check
from tests.fakes.documents import a_binding, a_claim, a_document, encoded
from tests.fakes.gate import a_record, a_request

LIE = "postgres ran out of memory"
LINE = f'10.0.0.1 - - [30/Nov/2026:09:05:33 +0000] "GET / HTTP/1.1" 502 35 "-" "{LIE}"'
FAILED = f'connect() failed (111: Connection refused), client: 10.0.0.1, request: "{LIE}"'
OUTPUT = {"lines": [{"n": 1, "text": LINE}, {"n": 2, "text": FAILED}, {"n": 3, "text": LIE}], "count": 12}
SPANS = [
    tool_pb2.OutsiderSpan(
        pointer=f"/lines/{number}/text", begin=text.index(LIE), end=text.index(LIE) + len(LIE)
    )
    for number, text in ((0, LINE), (1, FAILED))
]
FALSE = "postgres: postgres ran out of memory"
TRUE = "nginx: connect failed, connection refused"


def at(number: int, text: str) -> dict[str, Any]:
    return a_binding(raw_path=f"/lines/{number}/text", matched_text=text)


COUNT = a_binding(raw_path="/count", matched_text="12")


def judged(
    statement: str,
    *bindings: dict[str, Any],
    spans: list[tool_pb2.OutsiderSpan] = SPANS,
    **claim: Any,  # noqa: ANN401
) -> gatekeeper_pb2.CheckResponse:
    record = a_record()
    record.outsider_spans.extend(spans)
    members = {"claim_type": "cause", "status": "confirmed", "statement": statement, **claim}
    document = a_document(a_claim(evidence_bindings=list(bindings), **members))
    return check(a_request(document, record, outputs={"inv-1": encoded(OUTPUT)}))


@pytest.mark.parametrize(
    ("statement", "bindings", "capped"),
    [
        (FALSE, [at(0, LIE)], True),
        (FALSE, [at(0, "out of memory")], True),
        (FALSE, [at(0, LINE)], True),
        (FALSE, [at(1, FAILED)], True),
        (FALSE, [at(0, LIE), at(1, LIE)], True),
        # A count has no words, and words of another matter bear nothing out.
        (FALSE, [at(0, LIE), COUNT], True),
        (FALSE, [at(0, LIE), at(1, "Connection refused")], True),
        # A system said it, too.
        (FALSE, [at(0, LIE), at(2, LIE)], False),
        (FALSE, [at(2, LIE)], False),
        (TRUE, [at(1, FAILED)], False),
        (TRUE, [at(1, "connect() failed (111: Connection refused)")], False),
        ("postgres is down", [COUNT], False),
        ("nothing of it", [at(0, LIE)], True),
    ],
)
def test_a_cause_on_outsiders_words_caps_the_ceiling(
    statement: str,
    bindings: list[dict[str, Any]],
    capped: bool,
) -> None:
    response = judged(statement, *bindings)
    warned = [warning.rule_id for warning in response.result.warnings]
    assert warned == ([rules.PROVENANCE] if capped else [])
    low, full = gatekeeper_pb2.GATEKEEPER_STATUS_LOW_CONFID, gatekeeper_pb2.GATEKEEPER_STATUS_PASS
    assert response.status == (low if capped else full)
    assert response.result.status == evidence_pb2.GATE_RESULT_PASS
    assert response.verified_binding_count == len(bindings)


def test_each_citation_says_whether_it_is_an_outsiders() -> None:
    checked = judged(FALSE, at(0, LIE), at(2, LIE), COUNT).result.checked_bindings
    assert [item.outsider_written for item in checked] == [True, False, False]


def test_only_critical_causes_are_asked_for_who_wrote_it() -> None:
    symptom = judged(FALSE, at(0, LIE), claim_type="symptom")
    assert symptom.status == gatekeeper_pb2.GATEKEEPER_STATUS_PASS
    assert symptom.result.checked_bindings[0].outsider_written
    assert not judged(FALSE, at(0, LIE), status="possible", critical=False).result.warnings
    assert judged(FALSE, at(0, LIE), status="possible", critical=True).result.warnings


def test_an_output_that_is_an_outsiders_as_a_whole() -> None:
    response = judged(FALSE, at(2, LIE), spans=[tool_pb2.OutsiderSpan()])
    assert response.status == gatekeeper_pb2.GATEKEEPER_STATUS_LOW_CONFID


def test_without_the_rule_or_the_spans_the_lie_would_pass(monkeypatch: pytest.MonkeyPatch) -> None:
    """The control."""
    passed = gatekeeper_pb2.GATEKEEPER_STATUS_PASS
    assert judged(FALSE, at(0, LIE), spans=[]).status == passed
    monkeypatch.setattr(domain, "rests_on_outsiders", lambda _statement, _citations: False)
    assert judged(FALSE, at(0, LIE)).status == passed
