"""The gate: a pure function from a document and what the run recorded to a decision and its audit."""

import re
from collections import Counter
from dataclasses import dataclass, field

from assay.common.v1 import evidence_pb2, tool_pb2
from assay.gatekeeper.v1 import gatekeeper_pb2

from services.common.errors import InvalidArgumentError
from services.common.evidence.document import (
    Claim,
    DocumentError,
    EvidenceBinding,
    ExecutorEvidence,
    is_critical,
    parse,
)
from services.common.evidence.names import short_name
from services.gatekeeper import rules
from services.gatekeeper.provenance import Cited, rests_on_outsiders

MAX_SCHEMA_ERRORS = 64
WHOLE = -1

_PLACE = re.compile(r"/claims/(\d+)(?:/evidence_bindings/(\d+))?")
_STATUS_OF_SEVERITY = {
    evidence_pb2.SEVERITY_NONE: gatekeeper_pb2.GATEKEEPER_STATUS_PASS,
    evidence_pb2.SEVERITY_LOW_CONFID: gatekeeper_pb2.GATEKEEPER_STATUS_LOW_CONFID,
    evidence_pb2.SEVERITY_REJECT: gatekeeper_pb2.GATEKEEPER_STATUS_REJECT,
}


@dataclass(slots=True)
class _Audit:
    """The findings as they are made, in document order."""

    checked: list[evidence_pb2.CheckedBinding] = field(default_factory=list)
    warnings: list[evidence_pb2.GateFinding] = field(default_factory=list)
    errors: list[evidence_pb2.GateFinding] = field(default_factory=list)


def check(request: gatekeeper_pb2.CheckRequest) -> gatekeeper_pb2.CheckResponse:
    """Apply every rule; raises InvalidArgumentError when the request does not describe one run."""
    material = _material(request)
    try:
        document = parse(request.document)
    except DocumentError as error:
        return _refused(error.problems)
    audit = _Audit()
    for index, claim in enumerate(document.claims):
        _check_claim(index, claim, material, audit)
    return _response(_severity(document, audit), audit, rules.ALL)


def _material(request: gatekeeper_pb2.CheckRequest) -> rules.Material:
    _refuse_repeated("invocations", [record.id for record in request.invocations])
    _refuse_repeated("outputs", [output.id for output in request.outputs])
    records = {record.id: record for record in request.invocations}
    outputs = {output.id: output.output for output in request.outputs}
    if not outputs.keys() <= records.keys():
        raise InvalidArgumentError("outputs holds an id that no invocation has", field="outputs")
    for number, record in enumerate(request.invocations):
        if record.status == tool_pb2.INVOCATION_STATUS_UNSPECIFIED:
            raise InvalidArgumentError("an invocation has no status", field=f"invocations[{number}].status")
        if record.kind == tool_pb2.DOCUMENT_KIND_UNSPECIFIED:
            raise InvalidArgumentError("an invocation has no kind", field=f"invocations[{number}].kind")
    return rules.Material(records, outputs)


def _refuse_repeated(name: str, ids: list[str]) -> None:
    if "" in ids:
        raise InvalidArgumentError(
            f"{name} holds an entry without an id", field=f"{name}[{ids.index('')}].id"
        )
    if any(count > 1 for count in Counter(ids).values()):
        raise InvalidArgumentError(f"two entries of {name} have one id", field=name)


def _check_claim(index: int, claim: Claim, material: rules.Material, audit: _Audit) -> None:
    passed: list[EvidenceBinding] = []
    citations: list[Cited] = []
    for number, binding in enumerate(claim.evidence_bindings):
        checked = evidence_pb2.CheckedBinding(
            claim_index=index, binding_index=number, result=evidence_pb2.GATE_RESULT_PASS
        )
        audit.checked.append(checked)
        try:
            citation = rules.check_binding(binding, material)
        except rules.RuleError as error:
            checked.result = evidence_pb2.GATE_RESULT_FAIL
            checked.rule_id = error.rule_id
            audit.errors.append(_finding(error.rule_id, index, number, error.detail))
            continue
        passed.append(binding)
        citations.append(citation)
        checked.outsider_written = citation.is_outsiders(claim.statement)
        record = material.records[binding.source_invocation_id]
        if not rules.ended_well(record):
            status = short_name(tool_pb2.InvocationStatus.DESCRIPTOR, record.status)
            detail = f"the invocation ended with {status}, not OK"
            audit.warnings.append(_finding(rules.INVOCATION_REF, index, number, detail))
    if claim.status == "confirmed" and rules.rests_on_reference_only(passed, material):
        detail = "a confirmed claim rests on reference documents only and counts as possible"
        audit.warnings.append(_finding(rules.PROVENANCE, index, WHOLE, detail))
    critical_cause = claim.claim_type == "cause" and is_critical(claim)
    if critical_cause and rests_on_outsiders(claim.statement, citations):
        detail = "a critical cause rests on text that an outsider can write"
        audit.warnings.append(_finding(rules.PROVENANCE, index, WHOLE, detail))


def _severity(document: ExecutorEvidence, audit: _Audit) -> "evidence_pb2.Severity.ValueType":
    passed = _passed(audit)
    if audit.checked and not passed:
        return evidence_pb2.SEVERITY_REJECT
    if passed < len(audit.checked):
        return evidence_pb2.SEVERITY_LOW_CONFID
    if not any(claim.status == "confirmed" for claim in document.claims):
        return evidence_pb2.SEVERITY_LOW_CONFID
    if any(warning.rule_id == rules.PROVENANCE for warning in audit.warnings):
        return evidence_pb2.SEVERITY_LOW_CONFID
    return evidence_pb2.SEVERITY_NONE


def _passed(audit: _Audit) -> int:
    return sum(checked.result == evidence_pb2.GATE_RESULT_PASS for checked in audit.checked)


def _refused(problems: list[str]) -> gatekeeper_pb2.CheckResponse:
    """Answer for a document that breaks the schema: no binding of it was looked at."""
    audit = _Audit()
    for problem in problems[:MAX_SCHEMA_ERRORS]:
        place = _PLACE.match(problem)
        claim, binding = place.groups() if place else (None, None)
        audit.errors.append(_finding(rules.SCHEMA, int(claim or WHOLE), int(binding or WHOLE), problem))
    return _response(evidence_pb2.SEVERITY_REJECT, audit, (rules.SCHEMA,))


def _finding(rule_id: str, claim_index: int, binding_index: int, detail: str) -> evidence_pb2.GateFinding:
    return evidence_pb2.GateFinding(
        rule_id=rule_id, claim_index=claim_index, binding_index=binding_index, detail=detail
    )


def _response(
    severity: "evidence_pb2.Severity.ValueType", audit: _Audit, applied: tuple[str, ...]
) -> gatekeeper_pb2.CheckResponse:
    failed = sorted({error.rule_id for error in audit.errors})
    result = evidence_pb2.GatekeeperResult(
        status=evidence_pb2.GATE_RESULT_FAIL if failed else evidence_pb2.GATE_RESULT_PASS,
        severity=severity,
        checked_bindings=audit.checked,
        rules=applied,
        failed_rules=failed,
        warnings=audit.warnings,
        errors=audit.errors,
    )
    return gatekeeper_pb2.CheckResponse(
        status=_STATUS_OF_SEVERITY[severity], result=result, verified_binding_count=_passed(audit)
    )
