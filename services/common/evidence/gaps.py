"""What an answer must admit to not knowing. A gap never holds a statement."""

from collections.abc import Iterable, Iterator, Sequence

from assay.common.v1 import answer_pb2, context_pb2, evidence_pb2, tool_pb2

from services.common.evidence.document import ClaimTypeName
from services.common.evidence.names import short_name
from services.common.evidence.verdict import IntentValue, is_allowable

MAX_EVIDENCE_GAPS = 64


def evidence_gaps(
    *,
    checks: Iterable[evidence_pb2.ClaimCheck],
    output: evidence_pb2.VerifiedExecutorOutput,
    gate: evidence_pb2.GatekeeperResult,
    claim_types: Sequence[ClaimTypeName],
    checked: Iterable[tool_pb2.Checked],
    allowed: Iterable[answer_pb2.AllowedClaim],
    intent: IntentValue,
    refusal: str = "",
) -> list[evidence_pb2.EvidenceGap]:
    """Return what is not known, at most 64 gaps with the ids gap-1, gap-2, ... in this order.

    One per verified claim that its check does not carry, per claim of the document that the gate dropped
    (`claim_types` in document order), per source that was absent or failed, and one for a cause question
    without an allowed cause, or the refusal of a question for a fact. The last is never cut.
    """
    gaps = [
        *_disallowed(checks, output),
        *_dropped(gate, claim_types),
        *_sources(checked),
    ][: MAX_EVIDENCE_GAPS - 1]
    has_cause = any(item.claim.claim_type == evidence_pb2.CLAIM_TYPE_CAUSE for item in allowed)
    if intent == context_pb2.INTENT_CAUSE and not has_cause:
        gaps.append(
            evidence_pb2.EvidenceGap(claim_type=evidence_pb2.CLAIM_TYPE_CAUSE, no_supported_cause=True)
        )
    elif refusal:
        gaps.append(evidence_pb2.EvidenceGap(claim_type=evidence_pb2.CLAIM_TYPE_CONTEXT, refusal=refusal))
    for index, gap in enumerate(gaps, start=1):
        gap.gap_id = f"gap-{index}"
    return gaps


def _disallowed(
    checks: Iterable[evidence_pb2.ClaimCheck], output: evidence_pb2.VerifiedExecutorOutput
) -> Iterator[evidence_pb2.EvidenceGap]:
    judged = {check.claim_id: check for check in checks}
    for claim in output.claims:
        check = judged.get(claim.claim_id)
        if check is not None and not is_allowable(claim, check):
            yield evidence_pb2.EvidenceGap(claim_type=claim.claim_type, classification=check.classification)


def _dropped(
    gate: evidence_pb2.GatekeeperResult, claim_types: Sequence[ClaimTypeName]
) -> Iterator[evidence_pb2.EvidenceGap]:
    passed = {
        item.claim_index for item in gate.checked_bindings if item.result == evidence_pb2.GATE_RESULT_PASS
    }
    failed: dict[int, str] = {}
    for item in gate.checked_bindings:
        if item.result == evidence_pb2.GATE_RESULT_FAIL:
            failed.setdefault(item.claim_index, item.rule_id)
    for index, name in enumerate(claim_types):
        if index in passed:
            continue
        claim_type = evidence_pb2.ClaimType.Value(f"CLAIM_TYPE_{name.upper()}")
        if index in failed:
            yield evidence_pb2.EvidenceGap(claim_type=claim_type, rule_id=failed[index])
        else:
            # A possible claim without any binding breaks no rule: nothing bears on it.
            yield evidence_pb2.EvidenceGap(
                claim_type=claim_type, classification=evidence_pb2.CLASSIFICATION_UNSUPPORTED
            )


def _sources(checked: Iterable[tool_pb2.Checked]) -> Iterator[evidence_pb2.EvidenceGap]:
    seen: set[tuple[str, str]] = set()
    for row in checked:
        if row.status == tool_pb2.INVOCATION_STATUS_OK or (
            row.status == tool_pb2.INVOCATION_STATUS_UNSPECIFIED and not row.reason
        ):
            continue
        source = row.source or row.tool_name
        reason = row.reason or short_name(tool_pb2.InvocationStatus.DESCRIPTOR, row.status)
        if (source, reason) not in seen:
            seen.add((source, reason))
            yield evidence_pb2.EvidenceGap(source=evidence_pb2.SourceGap(source=source, reason=reason))
