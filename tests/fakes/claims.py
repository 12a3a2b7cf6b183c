"""Claims with evidence, as short as a test can read them."""

from collections.abc import Sequence

from assay.common.v1 import context_pb2, evidence_pb2
from assay.verifier.v1 import verifier_pb2

ARGUMENTS = b'{"source":"logs/db.log"}'


def claim(
    statement: str,
    *,
    claim_id: str = "c1",
    claim_type: "evidence_pb2.ClaimType.ValueType" = evidence_pb2.CLAIM_TYPE_SYMPTOM,
    status: "evidence_pb2.ClaimStatus.ValueType" = evidence_pb2.CLAIM_STATUS_CONFIRMED,
    critical: bool = True,
    component: str = "",
) -> evidence_pb2.VerifiedClaim:
    return evidence_pb2.VerifiedClaim(
        claim_id=claim_id,
        claim_type=claim_type,
        status=status,
        critical=critical,
        statement=statement,
        component=component,
    )


def item(
    text: str,
    raw_path: str = "/lines/0/text",
    *,
    claim_id: str = "c1",
    source: str = "logs/db.log",
    line: int = 236,
    time: str = "2026-11-30T09:10:53.441Z",
    owner: str = "db",
    tool_name: str = "logs_search",
    invocation: str = "inv-1",
) -> evidence_pb2.VerifiedEvidence:
    return evidence_pb2.VerifiedEvidence(
        claim_id=claim_id,
        source_invocation_id=invocation,
        tool_name=tool_name,
        raw_path=raw_path,
        matched_text=text,
        derived=tool_name != "logs_search",
        places=[evidence_pb2.Place(source=source, first_line=line, last_line=line, time=time, owner=owner)],
    )


def output(*claims: evidence_pb2.VerifiedClaim) -> evidence_pb2.VerifiedExecutorOutput:
    return evidence_pb2.VerifiedExecutorOutput(version="executor_evidence_v2", claims=claims)


def context(
    question: str = "why do orders fail?",
    intent: "context_pb2.Intent.ValueType" = context_pb2.INTENT_CAUSE,
) -> context_pb2.DiagnosisContext:
    return context_pb2.DiagnosisContext(
        question=question, intent=intent, scope=context_pb2.Scope(bundle="case")
    )


def request(
    claims: Sequence[evidence_pb2.VerifiedClaim],
    evidence: Sequence[evidence_pb2.VerifiedEvidence],
    *,
    ceiling: "evidence_pb2.Verdict.ValueType" = evidence_pb2.VERDICT_PASS,
    intent: "context_pb2.Intent.ValueType" = context_pb2.INTENT_CAUSE,
) -> verifier_pb2.VerifyRequest:
    return verifier_pb2.VerifyRequest(
        diagnosis_context=context(intent=intent),
        verified_executor_output=output(*claims),
        verified_evidence=evidence,
        gatekeeper_audit=evidence_pb2.GatekeeperResult(
            status=evidence_pb2.GATE_RESULT_PASS, severity=evidence_pb2.SEVERITY_NONE
        ),
        verdict_ceiling=ceiling,
    )
