"""The `verifier_evaluation` channel of a run's self-evaluation, made from its state. Pure.

Its top-level keys describe the last cycle. It never holds prompt text, raw executor text, or what the gate
did not let pass.
"""

from collections.abc import Sequence
from typing import Any, Final

from assay.common.v1.answer_pb2 import Answer
from assay.common.v1.evidence_pb2 import Verdict, Verification
from assay.orchestrator.v1.run_pb2 import Failure, OrchestrationEvent
from assay.orchestrator.v1.state_pb2 import FirstVerification, RunState
from assay.verifier.v1.verifier_pb2 import VerifyRequest

from orchestrator.graph import Node, Outcome
from orchestrator.prompt_audit import prompt_audit
from services.common.evidence.answer_rules import SECTIONS
from services.common.evidence.names import plain, short_name

TRACEABILITY_VERSION: Final = "1"


def verifier_evaluation(state: RunState, failure: Failure | None) -> dict[str, Any]:
    """Return the channel as plain JSON values, with what exists of a run, however far it came."""
    events = state.orchestration_events
    result: dict[str, Any] = {
        "traceability_version": TRACEABILITY_VERSION,
        "prompt_audit": prompt_audit({event.node for event in events}, state.reasonings),
    }
    if status := _last_outcome(_this_cycle(events), Node.VERIFIER):
        result["verifier_status"] = status
    if state.HasField("verification"):
        result |= _verdicts(state.verification, state.effective_verdict)
    if state.verified_input:
        result |= _verified(VerifyRequest.FromString(state.verified_input))
    if state.gate.HasField("result"):
        result["gatekeeper_result"] = plain(state.gate.result)
    if status := _last_outcome(events, Node.COMPOSER):
        result["composer_output"] = _composer_output(status, state.answer, failure)
    if state.HasField("first_verification"):
        result["first_verification"] = _first(state.first_verification)
    if failure is not None:
        result["failure"] = plain(failure)
    return result


def _this_cycle(events: Sequence[OrchestrationEvent]) -> Sequence[OrchestrationEvent]:
    """Return the events after the evidence retry, or all when no second cycle was prepared."""
    for index, event in enumerate(events):
        if event.node == Node.EVIDENCE_RETRY and event.outcome == Outcome.COMPLETED:
            return events[index + 1 :]
    return events


def _last_outcome(events: Sequence[OrchestrationEvent], node: Node) -> str:
    return next((event.outcome for event in reversed(events) if event.node == node), "")


def _verdicts(verification: Verification, effective: Verdict.ValueType) -> dict[str, Any]:
    name = short_name(Verdict.DESCRIPTOR, effective)
    values = plain(verification)
    return {
        "model_verdict": values["model_verdict"],
        "effective_verdict": name,
        "verdict": name,
        "groundedness_score": values.get("groundedness_score"),
        "rationale": values["rationale"],
        "claim_checks": values["claim_checks"],
        "facts_checked": values["facts_checked"],
    }


def _verified(request: VerifyRequest) -> dict[str, Any]:
    output = plain(request.verified_executor_output)
    return {
        "verified_executor_output": output,
        "verified_evidence": [plain(item) for item in request.verified_evidence],
        # Of what the executor said, only what the gate let pass is kept.
        "executor_structured_output": output,
    }


def _composer_output(status: str, answer: Answer, failure: Failure | None) -> dict[str, Any]:
    result: dict[str, Any] = {"status": status}
    if failure is None:
        sections = {name: list(getattr(answer, name)) for name in SECTIONS}
        result["sections"] = {
            name: [sentence.text for sentence in sentences] for name, sentences in sections.items()
        }
        cited = (item for sentences in sections.values() for s in sentences for item in s.claim_ids)
        result["claim_ids"] = list(dict.fromkeys(cited))
    return result


def _first(first: FirstVerification) -> dict[str, Any]:
    return {
        **_verdicts(first.verification, first.effective_verdict),
        **_verified(first.verified_input),
        "gatekeeper_result": plain(first.gate.result),
    }
