"""The offline reasoner: each claim is judged alone, the verdict follows from the checks. Pure."""

from collections.abc import Mapping, Sequence
from typing import Final

from assay.common.v1 import evidence_pb2
from assay.verifier.v1 import verifier_pb2

from services.common.evidence.elsewhere import frame_texts
from services.common.evidence.holdings import Holdings
from services.common.evidence.verdict import allowed_by_checks, effective, is_carried
from services.verifier.offline import judge

# An inference is worth less than an observation: with inferences alone the score stays below 1.
INFERENCE_WEIGHT: Final = 0.75

_VERDICT_WORDS: Final[Mapping[int, str]] = {
    evidence_pb2.VERDICT_PASS: "The evidence carries the answer.",
    evidence_pb2.VERDICT_LOW_CONFID: "The evidence carries a part of the answer, not enough for PASS.",
    evidence_pb2.VERDICT_REJECT: "The evidence contradicts a critical claim, or does not hold what it names.",
}


def verification(request: verifier_pb2.VerifyRequest) -> evidence_pb2.Verification:
    """Judge every claim of a valid request."""
    evidence = list(request.verified_evidence)
    output = request.verified_executor_output
    everything = Holdings(evidence, frame_texts(request.diagnosis_context, evidence))
    checks = [judge.check(claim, evidence, everything) for claim in output.claims]
    allowed = allowed_by_checks(checks, output, request.diagnosis_context.intent)
    verdict = effective(evidence_pb2.VERDICT_PASS, allowed, request.verdict_ceiling)
    weighed = _weighed(checks, output)
    return evidence_pb2.Verification(
        model_verdict=verdict,
        groundedness_score=groundedness(weighed),
        rationale=_rationale(verdict, weighed),
        claim_checks=checks,
    )


def groundedness(checks: Sequence[evidence_pb2.ClaimCheck]) -> float:
    """Return the mean weight of checks: 1 for an observation, 0.75 for an inference, 0 otherwise."""
    return sum(_weight(check) for check in checks) / len(checks)


def _weight(check: evidence_pb2.ClaimCheck) -> float:
    if not is_carried(check):
        return 0.0
    observed = check.classification == evidence_pb2.CLASSIFICATION_DIRECT_OBSERVATION
    return 1.0 if observed else INFERENCE_WEIGHT


def _weighed(
    checks: Sequence[evidence_pb2.ClaimCheck], output: evidence_pb2.VerifiedExecutorOutput
) -> list[evidence_pb2.ClaimCheck]:
    """Return the checks of the critical claims, or all when no claim is critical."""
    critical = {claim.claim_id for claim in output.claims if claim.critical}
    return [check for check in checks if not critical or check.claim_id in critical]


def _rationale(verdict: "evidence_pb2.Verdict.ValueType", weighed: Sequence[evidence_pb2.ClaimCheck]) -> str:
    carried = [check for check in weighed if is_carried(check)]
    observed = sum(
        check.classification == evidence_pb2.CLASSIFICATION_DIRECT_OBSERVATION for check in carried
    )
    return (
        f"{_VERDICT_WORDS[verdict]} Of {len(weighed)} claims that count, {observed} are directly observed, "
        f"{len(carried) - observed} are inferred and {len(weighed) - len(carried)} are not carried."
    )
