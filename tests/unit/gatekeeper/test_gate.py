"""Each rule and each severity of the gate."""

from typing import Any

import pytest
from assay.common.v1 import evidence_pb2, tool_pb2
from assay.gatekeeper.v1 import gatekeeper_pb2

from services.common.errors import InvalidArgumentError
from services.common.evidence.recorded import MAX_OUTPUT_BYTES
from services.gatekeeper import rules
from services.gatekeeper.domain import MAX_SCHEMA_ERRORS, check
from tests.fakes.documents import a_binding, a_claim, a_document, encoded
from tests.fakes.gate import OUTPUT, a_record, a_request

CANARY = "canary-4d2f"
GOOD = a_binding()
BAD = a_binding(matched_text=CANARY)
REFERENCE = a_record("inv-1", kind=tool_pb2.DOCUMENT_KIND_REFERENCE)


def checked(*bindings: dict[str, Any]) -> gatekeeper_pb2.CheckResponse:
    return check(a_request(a_document(a_claim(evidence_bindings=list(bindings)))))


def failed_rule(binding: dict[str, Any]) -> str:
    response = checked(binding)
    (only,) = response.result.checked_bindings
    assert (only.result == evidence_pb2.GATE_RESULT_FAIL) is bool(only.rule_id)
    assert list(response.result.failed_rules) == ([only.rule_id] if only.rule_id else [])
    assert len(response.result.errors) == bool(only.rule_id)
    return only.rule_id


def test_a_true_citation_passes() -> None:
    response = checked(GOOD)
    assert response.status == gatekeeper_pb2.GATEKEEPER_STATUS_PASS
    assert response.verified_binding_count == 1
    assert response.result == evidence_pb2.GatekeeperResult(
        status=evidence_pb2.GATE_RESULT_PASS,
        severity=evidence_pb2.SEVERITY_NONE,
        checked_bindings=[evidence_pb2.CheckedBinding(result=evidence_pb2.GATE_RESULT_PASS)],
        rules=rules.ALL,
    )


@pytest.mark.parametrize(
    ("changes", "rule"),
    [
        ({}, ""),
        ({"source_invocation_id": "inv-2"}, rules.INVOCATION_REF),
        ({"source_invocation_id": "INV-1"}, rules.INVOCATION_REF),
        ({"tool_name": "logs_templates"}, rules.INVOCATION_REF),
        ({"raw_path": "/lines/2/text"}, rules.RAW_PATH),
        ({"raw_path": "lines/0/text"}, rules.RAW_PATH),
        ({"raw_path": "/lines/0"}, rules.RAW_PATH),
        ({"raw_path": "/lines"}, rules.RAW_PATH),
        ({"raw_path": ""}, rules.RAW_PATH),
        ({"raw_path": "/lines/0/n", "matched_text": "7"}, rules.RAW_PATH),
        ({"raw_path": "/lines/0/time", "matched_text": "2026-11-30T09:10:53Z"}, rules.RAW_PATH),
        ({"raw_path": "/source", "matched_text": "logs/api.log"}, rules.RAW_PATH),
        ({"raw_path": "/owner", "matched_text": "api"}, rules.RAW_PATH),
        ({"matched_text": "connection refuse "}, rules.MATCHED_TEXT),
        ({"matched_text": "ERR"}, rules.MATCHED_TEXT),
        ({"raw_path": "/lines/1/text", "matched_text": "up"}, ""),
        ({"raw_path": "/count", "matched_text": "12"}, ""),
        ({"raw_path": "/count", "matched_text": "12.0"}, rules.MATCHED_TEXT),
        ({"raw_path": "/count", "matched_text": "1"}, rules.MATCHED_TEXT),
        ({"raw_path": "/partial", "matched_text": "false"}, ""),
        ({"raw_path": "/ended", "matched_text": "null"}, ""),
    ],
)
def test_each_rule_of_a_binding(changes: dict[str, str], rule: str) -> None:
    assert failed_rule(a_binding(**changes)) == rule


@pytest.mark.parametrize("hiding", ["\u202e", "\U000e0041", "\x1b[8m", "\r"])
def test_text_that_hides_fails_although_it_stands_there(hiding: str) -> None:
    text = f"ERROR {hiding}all is well"
    output = {"inv-1": encoded({"lines": [{"text": text}]})}
    for matched, rule in ((text, [rules.MATCHED_TEXT]), ("all is well", [])):
        claim = a_claim(evidence_bindings=[a_binding(matched_text=matched)])
        assert list(check(a_request(a_document(claim), outputs=output)).result.failed_rules) == rule


@pytest.mark.parametrize(
    ("matched", "rule"),
    [
        ("ERROR login with [redacted:password] refused", rules.REDACTION),
        ("[redacted:password]", rules.REDACTION),
        ("redacted", rules.REDACTION),
        ("with [redac", rules.REDACTION),
        ("password] refused", rules.REDACTION),
        ("ERROR login with ", ""),
        (" refused", ""),
    ],
)
def test_what_stands_for_a_secret_cannot_be_cited_nor_touched(matched: str, rule: str) -> None:
    output = {"inv-1": encoded({"lines": [{"text": "ERROR login with [redacted:password] refused"}]})}
    claim = a_claim(evidence_bindings=[a_binding(matched_text=matched)])
    response = check(a_request(a_document(claim), outputs=output))
    assert list(response.result.failed_rules) == ([rule] if rule else [])


def test_a_text_beside_what_stands_for_a_secret_is_cited_where_it_stands_alone() -> None:
    output = {"inv-1": encoded({"lines": [{"text": "[redacted:url] says redacted"}]})}
    claim = a_claim(evidence_bindings=[a_binding(matched_text="redacted")])
    assert check(a_request(a_document(claim), outputs=output)).verified_binding_count == 1


@pytest.mark.parametrize(
    "output",
    [b"", b"not json", b'{"lines": [], "lines": []}', b"[NaN]", b" " * (MAX_OUTPUT_BYTES + 1)],
    ids=["empty", "text", "duplicate key", "NaN", "too large"],
)
def test_an_output_that_is_not_strict_json_fails_its_bindings(output: bytes) -> None:
    claim = a_claim(evidence_bindings=[GOOD, GOOD])
    response = check(a_request(a_document(claim), outputs={"inv-1": output}))
    assert [item.rule_id for item in response.result.checked_bindings] == [rules.RAW_PATH] * 2


def test_an_output_that_is_null_is_a_document() -> None:
    claim = a_claim(evidence_bindings=[a_binding(raw_path="", matched_text="null")])
    assert check(a_request(a_document(claim), outputs={"inv-1": b"null"})).verified_binding_count == 1


def test_an_output_that_was_not_sent_fails_its_bindings() -> None:
    response = check(a_request(a_document(a_claim()), outputs={}))
    assert list(response.result.failed_rules) == [rules.RAW_PATH]


SEVERITIES: dict[str, tuple[list[dict[str, Any]], str, int]] = {
    "nothing bound": ([], "LOW_CONFID", 0),
    "only possible, unbound": ([a_claim(status="possible", evidence_bindings=[])], "LOW_CONFID", 0),
    "only possible, bound": ([a_claim(status="possible")], "LOW_CONFID", 1),
    "all passed": ([a_claim(), a_claim("c-2")], "NONE", 2),
    "all failed": ([a_claim(evidence_bindings=[BAD]), a_claim("c-2", evidence_bindings=[BAD])], "REJECT", 0),
    "some failed": ([a_claim(evidence_bindings=[GOOD, BAD])], "LOW_CONFID", 1),
    "one claim failed": ([a_claim(), a_claim("c-2", evidence_bindings=[BAD])], "LOW_CONFID", 1),
    "possible beside confirmed": ([a_claim(), a_claim("c-2", status="possible")], "NONE", 2),
}


@pytest.mark.parametrize(("claims", "severity", "passed"), SEVERITIES.values(), ids=SEVERITIES)
def test_each_severity(claims: list[dict[str, Any]], severity: str, passed: int) -> None:
    response = check(a_request(a_document(*claims)))
    assert evidence_pb2.Severity.Name(response.result.severity) == f"SEVERITY_{severity}"
    status = gatekeeper_pb2.GatekeeperStatus.Name(response.status).removeprefix("GATEKEEPER_STATUS_")
    assert status == {"NONE": "PASS"}.get(severity, severity)
    assert response.verified_binding_count == passed
    assert (response.result.status == evidence_pb2.GATE_RESULT_FAIL) is bool(response.result.failed_rules)


@pytest.mark.parametrize("key", ["diagnosis_summary", "user_facing_answer"])
def test_a_removed_field_rejects_the_document(key: str) -> None:
    response = check(a_request({**a_document(a_claim()), key: CANARY}))
    assert response.status == gatekeeper_pb2.GATEKEEPER_STATUS_REJECT
    assert list(response.result.failed_rules) == list(response.result.rules) == [rules.SCHEMA]
    assert not response.result.checked_bindings
    assert response.verified_binding_count == 0


def test_schema_failures_name_their_places() -> None:
    claim = a_claim("c-2", evidence_bindings=[GOOD, a_binding(tool_name=7)])
    document = a_document(a_claim(evidence_bindings=[]), claim)
    document["extra"] = CANARY
    errors = check(a_request(document)).result.errors
    assert [(item.claim_index, item.binding_index) for item in errors] == [(0, -1), (1, 1), (-1, -1)]
    assert {item.rule_id for item in errors} == {rules.SCHEMA}


def test_schema_failures_are_bounded() -> None:
    document = {**a_document(), **{f"key-{number}": 1 for number in range(500)}}
    assert len(check(a_request(document)).result.errors) == MAX_SCHEMA_ERRORS


def test_bytes_that_are_no_json_are_an_answer_and_not_an_error() -> None:
    assert check(a_request(b"\xff\xfe")).status == gatekeeper_pb2.GATEKEEPER_STATUS_REJECT


@pytest.mark.parametrize(
    "status",
    [
        tool_pb2.INVOCATION_STATUS_ERROR,
        tool_pb2.INVOCATION_STATUS_BLOCKED,
        tool_pb2.INVOCATION_STATUS_TIMEOUT,
    ],
)
def test_a_binding_to_a_call_that_failed_passes_with_a_warning(
    status: "tool_pb2.InvocationStatus.ValueType",
) -> None:
    binding = a_binding(raw_path="/error", matched_text="no such file")
    request = a_request(
        a_document(a_claim(evidence_bindings=[binding])),
        a_record(status=status),
        outputs={"inv-1": b'{"error": "no such file"}'},
    )
    response = check(request)
    assert response.status == gatekeeper_pb2.GATEKEEPER_STATUS_PASS
    (warning,) = response.result.warnings
    assert (warning.rule_id, warning.claim_index, warning.binding_index) == (rules.INVOCATION_REF, 0, 0)
    assert not response.result.errors


def test_a_confirmed_claim_on_reference_text_alone_bounds_the_verdict() -> None:
    response = check(a_request(a_document(a_claim()), REFERENCE))
    assert response.status == gatekeeper_pb2.GATEKEEPER_STATUS_LOW_CONFID
    (warning,) = response.result.warnings
    assert (warning.rule_id, warning.claim_index, warning.binding_index) == (rules.PROVENANCE, 0, -1)
    assert not response.result.failed_rules


@pytest.mark.parametrize("second", [tool_pb2.DOCUMENT_KIND_RAW, tool_pb2.DOCUMENT_KIND_DERIVED])
def test_reference_text_beside_a_document_of_the_system_bounds_nothing(
    second: "tool_pb2.DocumentKind.ValueType",
) -> None:
    claim = a_claim(evidence_bindings=[GOOD, a_binding(source_invocation_id="inv-2")])
    outputs = {"inv-1": encoded(OUTPUT), "inv-2": encoded(OUTPUT)}
    request = a_request(a_document(claim), REFERENCE, a_record("inv-2", kind=second), outputs=outputs)
    assert check(request).status == gatekeeper_pb2.GATEKEEPER_STATUS_PASS


def test_a_failed_binding_to_the_system_does_not_lift_reference_text() -> None:
    bad = a_binding(source_invocation_id="inv-2", matched_text="nowhere to be found")
    claim = a_claim(evidence_bindings=[GOOD, bad])
    outputs = {"inv-1": encoded(OUTPUT), "inv-2": encoded(OUTPUT)}
    response = check(a_request(a_document(claim), REFERENCE, a_record("inv-2"), outputs=outputs))
    assert [item.rule_id for item in response.result.warnings] == [rules.PROVENANCE]


def test_a_kind_that_is_not_known_here_confirms_nothing() -> None:
    record = a_record()
    record.kind = 99  # type: ignore[assignment] # a newer caller may send it
    assert (
        check(a_request(a_document(a_claim()), record)).status == gatekeeper_pb2.GATEKEEPER_STATUS_LOW_CONFID
    )


@pytest.mark.parametrize(
    ("request_", "field"),
    [
        (a_request(a_document(), a_record(), a_record()), "invocations"),
        (a_request(a_document(), a_record("")), "invocations[0].id"),
        (a_request(a_document(), a_record("other")), "outputs"),
        (
            a_request(a_document(), a_record(status=tool_pb2.INVOCATION_STATUS_UNSPECIFIED)),
            "invocations[0].status",
        ),
        (a_request(a_document(), a_record(kind=tool_pb2.DOCUMENT_KIND_UNSPECIFIED)), "invocations[0].kind"),
        (a_request(a_document(), outputs={"": b"{}"}), "outputs[0].id"),
    ],
    ids=["two of one id", "no id", "output of none", "no status", "no kind", "output without id"],
)
def test_a_request_that_describes_no_run_is_refused(
    request_: gatekeeper_pb2.CheckRequest, field: str
) -> None:
    with pytest.raises(InvalidArgumentError) as caught:
        check(request_)
    assert caught.value.field == field


def test_nothing_of_document_or_output_is_in_the_findings() -> None:
    output = {"inv-1": encoded({"lines": [{"text": CANARY}], CANARY: {CANARY: CANARY}})}
    claim = a_claim(
        statement=CANARY,
        component=CANARY,
        evidence_bindings=[
            a_binding(matched_text=f"{CANARY} and more"),
            a_binding(raw_path=f"/{CANARY}"),
            a_binding(raw_path=f"/{CANARY}/{CANARY}/{CANARY}"),
            a_binding(source_invocation_id=CANARY),
            a_binding(tool_name=CANARY),
            a_binding(matched_text=CANARY),
        ],
    )
    response = check(a_request(a_document(claim), REFERENCE, outputs=output))
    assert len(response.result.errors) == 5
    assert response.result.warnings
    assert CANARY not in str(response)
