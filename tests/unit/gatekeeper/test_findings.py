"""What each finding of the gate says, to the word: a person acts on it."""

import pytest
from assay.common.v1 import tool_pb2
from assay.gatekeeper.v1 import gatekeeper_pb2

from services.common.errors import InvalidArgumentError
from services.common.evidence.recorded import parse_output
from services.common.evidence.strict_json import MAX_NUMBER_CHARS, Json
from services.gatekeeper import rules
from services.gatekeeper.domain import check
from tests.fakes.documents import a_binding, a_claim, a_document, encoded
from tests.fakes.gate import OUTPUT, a_record, a_request

PATH = rules.RAW_PATH
NOT_THERE = (
    "the text does not stand there: at a string it is all of it or at least 4 characters of it, "
    "elsewhere the stored token"
)


@pytest.mark.parametrize(
    ("changes", "rule", "detail"),
    [
        ({"source_invocation_id": "inv-9"}, rules.INVOCATION_REF, "no invocation of this run has the id"),
        ({"tool_name": "other"}, rules.INVOCATION_REF, "the invocation was made with another tool"),
        ({"raw_path": "/nowhere"}, PATH, "no such member"),
        ({"raw_path": "/lines/9"}, PATH, "no such element"),
        ({"raw_path": "/count/0"}, PATH, "the pointer goes on below a scalar"),
        ({"raw_path": "lines"}, PATH, "a pointer is empty or starts with '/'"),
        ({"raw_path": "/~"}, PATH, "'~' is only allowed as '~0' or '~1'"),
        ({"raw_path": "/lines/0"}, PATH, "the pointer ends at an object or an array"),
        ({"raw_path": "/lines"}, PATH, "the pointer ends at an object or an array"),
        (
            {"raw_path": "/owner"},
            PATH,
            "the pointer ends at what the reader wrote, not at what a system said",
        ),
        (
            {"matched_text": "not there"},
            rules.MATCHED_TEXT,
            NOT_THERE,
        ),
        (
            {"matched_text": "ERROR\r"},
            rules.MATCHED_TEXT,
            "the text holds characters that hide or reorder what a person sees",
        ),
    ],
)
def test_a_failed_binding(changes: dict[str, str], rule: str, detail: str) -> None:
    claims = [a_claim("c-0"), a_claim("c-1", evidence_bindings=[a_binding(), a_binding(**changes)])]
    result = check(a_request(a_document(*claims))).result
    (error,) = result.errors
    assert (error.rule_id, error.detail) == (rule, detail)
    assert (error.claim_index, error.binding_index) == (1, 1)
    places = [(item.claim_index, item.binding_index, item.rule_id) for item in result.checked_bindings]
    assert places == [(0, 0, ""), (1, 0, ""), (1, 1, rule)]


@pytest.mark.parametrize(
    ("outputs", "detail"),
    [
        ({}, "no output is stored for the invocation"),
        ({"inv-1": b"{"}, "the stored output is not one unambiguous JSON text of allowed size"),
    ],
)
def test_an_output_that_cannot_be_read(outputs: dict[str, bytes], detail: str) -> None:
    (error,) = check(a_request(a_document(a_claim()), outputs=outputs)).result.errors
    assert (error.rule_id, error.detail) == (PATH, detail)


def test_warnings_name_the_binding_or_the_whole_claim() -> None:
    late = a_record(status=tool_pb2.INVOCATION_STATUS_TIMEOUT, kind=tool_pb2.DOCUMENT_KIND_REFERENCE)
    claims = [
        a_claim("c-0", status="possible", evidence_bindings=[]),
        a_claim("c-1", evidence_bindings=[a_binding(matched_text="not there"), a_binding()]),
    ]
    first, second = check(a_request(a_document(*claims), late)).result.warnings
    assert (first.claim_index, first.binding_index) == (1, 1)
    assert first.detail == "the invocation ended with TIMEOUT, not OK"
    assert (second.claim_index, second.binding_index) == (1, -1)
    assert second.detail == "a confirmed claim rests on reference documents only and counts as possible"


def test_a_cause_on_outsiders_text_is_warned_of_as_a_whole() -> None:
    record = a_record()
    record.outsider_spans.add(pointer="/lines/0/text", begin=0, end=100)
    cause = a_claim("c-1", claim_type="cause")
    (warning,) = check(a_request(a_document(a_claim("c-0"), cause), record)).result.warnings
    assert (warning.rule_id, warning.claim_index, warning.binding_index) == (rules.PROVENANCE, 1, -1)
    assert warning.detail == "a critical cause rests on text that an outsider can write"


def test_a_citation_of_what_stands_for_a_secret_says_so() -> None:
    output = {"inv-1": encoded({"lines": [{"text": "login with [redacted:password] refused"}]})}
    claim = a_claim(evidence_bindings=[a_binding(matched_text="[redacted:password]")])
    (error,) = check(a_request(a_document(claim), outputs=output)).result.errors
    assert error.rule_id == rules.REDACTION
    assert error.detail == "the text holds or touches what stands for a secret that was taken out"


@pytest.mark.parametrize(
    ("document", "claim", "binding", "detail"),
    [
        (b"[", -1, -1, "not JSON at line 1, column 2: Expecting value"),
        (b"\xff", -1, -1, "not UTF-8 at byte 0"),
        (b'{"a": 1, "a": 2}', -1, -1, "duplicate key in an object"),
        (b"[NaN]", -1, -1, "NaN is not a JSON number"),
        (b"[" * 65 + b"]" * 65, -1, -1, "nested deeper than 64"),
        (b'["\\ud800"]', -1, -1, "lone surrogate in a string"),
        (b"1" * (MAX_NUMBER_CHARS + 1), -1, -1, "number of more than 512 characters"),
        (b" " * ((1 << 20) + 1), -1, -1, "larger than 1048576 bytes"),
        (
            encoded(a_document(a_claim(), a_claim("c-2", evidence_bindings=[a_binding(tool_name=7)]))),
            1,
            0,
            "/claims/1/evidence_bindings/0/tool_name: Input should be a valid string",
        ),
    ],
)
def test_a_document_that_breaks_the_schema(document: bytes, claim: int, binding: int, detail: str) -> None:
    (error,) = check(a_request(document)).result.errors
    assert (error.claim_index, error.binding_index, error.detail) == (claim, binding, detail)


def test_a_rule_error_says_its_rule_and_its_detail() -> None:
    assert str(rules.RuleError(PATH, "no such member")) == "evidence.raw_path: no such member"


def test_an_output_may_be_larger_than_a_document() -> None:
    output = b'{"lines": [{"text": "connection refused"}], "rest": "%s"}' % (b"x" * (2 << 20))
    assert check(a_request(a_document(a_claim()), outputs={"inv-1": output})).verified_binding_count == 1


@pytest.mark.parametrize("output", [encoded(OUTPUT), b"{"])
def test_an_output_is_read_once_however_often_it_is_cited(
    output: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    read: list[bytes] = []

    def counted(data: bytes) -> Json:
        read.append(data)
        return parse_output(data)

    monkeypatch.setattr(rules, "parse_output", counted)
    check(a_request(a_document(a_claim(evidence_bindings=[a_binding()] * 3)), outputs={"inv-1": output}))
    assert read == [output]


@pytest.mark.parametrize(
    ("records", "outputs", "message"),
    [
        ([a_record("other")], {"inv-1": b"{}"}, "outputs holds an id that no invocation has"),
        ([a_record(), a_record()], {}, "two entries of invocations have one id"),
        ([a_record("")], {}, "invocations holds an entry without an id"),
        ([a_record()], {"": b"{}"}, "outputs holds an entry without an id"),
        ([a_record(status=tool_pb2.INVOCATION_STATUS_UNSPECIFIED)], {}, "an invocation has no status"),
        ([a_record(kind=tool_pb2.DOCUMENT_KIND_UNSPECIFIED)], {}, "an invocation has no kind"),
    ],
)
def test_a_request_that_describes_no_run(
    records: list[gatekeeper_pb2.InvocationRecord], outputs: dict[str, bytes], message: str
) -> None:
    with pytest.raises(InvalidArgumentError) as caught:
        check(a_request(a_document(), *records, outputs=outputs))
    assert str(caught.value) == message
