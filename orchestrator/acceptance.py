"""Acceptance of a verifier's reply: protocol, guard, facts, verdict, in this order. Pure."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass

from assay.common.v1 import evidence_pb2
from assay.common.v1.evidence_pb2 import Verification
from assay.verifier.v1.verifier_pb2 import VerifyRequest

from services.common.evidence import guard, verdict, verifier_protocol
from services.common.evidence.hearsay import hearsay


@dataclass(frozen=True, slots=True)
class Accepted:
    """A guarded verification and the verdict that counts."""

    verification: Verification
    effective: "evidence_pb2.Verdict.ValueType"


def accept_verification(
    request: VerifyRequest,
    reply: Verification,
    arguments: Mapping[str, bytes],
    components: Collection[str] = (),
) -> Accepted:
    """Judge a reply; `arguments` are those of the bound invocations, by id, `components` known names.

    Raises ProtocolError when the reply may not be relied on.
    """
    output = request.verified_executor_output
    accepted = verifier_protocol.accept(reply, output, request.verified_evidence)
    checks = guard.guard_checks(
        accepted.claim_checks,
        output,
        request.verified_evidence,
        request.diagnosis_context,
        arguments,
        hearsay(request.gatekeeper_audit, output),
        components,
    )
    del accepted.claim_checks[:]
    accepted.claim_checks.extend(checks)
    del accepted.facts_checked[:]
    accepted.facts_checked.extend(verdict.facts_checked(checks))
    allowed = verdict.allowed_by_checks(checks, output, request.diagnosis_context.intent)
    if allowed != evidence_pb2.VERDICT_REJECT:
        # A REJECT rests on a refuted critical claim; the guard has taken back that there is one.
        accepted.model_verdict = max(accepted.model_verdict, evidence_pb2.VERDICT_LOW_CONFID)
    return Accepted(accepted, verdict.effective(accepted.model_verdict, allowed, request.verdict_ceiling))
