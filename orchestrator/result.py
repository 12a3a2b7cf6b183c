"""A run as it ended, from what it began with, its state and its material. Pure."""

from collections.abc import Sequence
from datetime import datetime

from assay.orchestrator.v1 import run_pb2
from assay.orchestrator.v1.run_pb2 import AgentUsage, Failure, Run, Usage
from assay.orchestrator.v1.state_pb2 import AttemptReasoning, RunState

from orchestrator.engine import Ending
from orchestrator.material import Material
from orchestrator.store.port import StoredCall
from services.common.evidence.verdict import suspects

_ANSWERED = (run_pb2.RUN_STATUS_SUCCEEDED, run_pb2.RUN_STATUS_DEGRADED)


def ended_run(begun: Run, state: RunState, ending: Ending, material: Material, end_time: datetime) -> Run:
    """Return the run; answer, claims and suspects are there only when it ended through its graph."""
    run = Run(
        run_id=begun.run_id,
        status=ending.status,
        context=state.context,
        create_time=begun.create_time,
        effective_verdict=state.effective_verdict,
        checked=material.checked,
    )
    run.end_time.FromDatetime(end_time)
    failure = failure_of(state, ending)
    if failure is not None:
        run.failure.CopyFrom(failure)
    if ending.status in _ANSWERED:
        allowed = {claim.claim.claim_id for claim in material.claims}
        run.answer.CopyFrom(state.answer)
        run.claims.extend(material.claims)
        run.suspects.extend(suspects(material.claims))
        run.checks.extend(check for check in material.verification.claim_checks if check.claim_id in allowed)
    return run


def failure_of(state: RunState, ending: Ending) -> Failure | None:
    """Return what went wrong: outside the graph first, then what led to fallback."""
    if ending.reason is not None:
        return Failure(reason_code=ending.reason)
    return state.failure if state.HasField("failure") else None


def usage_of(
    node_executions: int, calls: Sequence[StoredCall], reasonings: Sequence[AttemptReasoning] = ()
) -> Usage:
    """Return what a run cost."""
    return Usage(
        agents=agents_of(reasonings),
        node_executions=node_executions,
        tool_invocations=len(calls),
        tool_output_bytes=sum(call.output_bytes for call in calls),
    )


def agents_of(reasonings: Sequence[AttemptReasoning]) -> list[AgentUsage]:
    """Return what the thinking of each agent cost, all of its attempts together."""
    agents: dict[str, AgentUsage] = {}
    for attempt in reasonings:
        usage = agents.setdefault(attempt.node, AgentUsage(agent=attempt.node))
        usage.reasoner = attempt.reasoning.reasoner
        usage.model_failure = attempt.reasoning.model_failure
        for call in attempt.reasoning.model_calls:
            usage.model = call.model
            usage.model_calls += 1
            usage.input_tokens += call.input_tokens
            usage.output_tokens += call.output_tokens
            usage.tokens_estimated |= call.tokens_estimated
    return list(agents.values())
