"""The planner node: list what there is, then ask for a plan."""

from assay.common.v1.context_pb2 import DiagnosisContext, TimeWindow
from assay.common.v1.tool_pb2 import ToolCatalog
from assay.orchestrator.v1.state_pb2 import RunState
from assay.planner.v1 import planner_pb2
from assay.planner.v1.planner_pb2 import PlannerStatus, PlanRequest
from google.protobuf.timestamp_pb2 import Timestamp

from orchestrator.agents.executor import ExecutorAgent
from orchestrator.agents.planner import PlannerAgent
from orchestrator.graph import NodeResult, Outcome, Reason, RunConfig
from orchestrator.nodes.status import reasoning_of, result_of
from services.common.bounds import MAX_STEPS
from services.common.validation import MAX_SECONDS

# A source's bound that lies farther than half a year from most is none of the same incident.
_APART_SECONDS = 183 * 86_400


class PlannerNode:
    """Its attempt includes listing the tools, unless the state holds the list already."""

    def __init__(self, planner: PlannerAgent, executor: ExecutorAgent) -> None:
        self._planner = planner
        self._executor = executor

    async def __call__(self, state: RunState, config: RunConfig) -> NodeResult:
        """Plan the whole question, or in cycle 2 the gaps."""
        if state.HasField("catalog"):
            catalog = state.catalog
        else:
            catalog = await self._executor.list_tools(state.context.scope, config)
        context = framed(state.context, catalog)
        response = await self._planner.plan(plan_request(context, catalog, state), config)
        reasoning = reasoning_of(response)
        result = result_of(PlannerStatus.DESCRIPTOR, response.status)
        found = {"context": context, "catalog": catalog}
        if result.outcome != Outcome.COMPLETED:
            return NodeResult(result.outcome, result.reason, found, reasoning)
        if not response.steps:
            return NodeResult(Outcome.INVALID_OUTPUT, Reason.MISSING_PAYLOAD, found, reasoning)
        if len(response.steps) > MAX_STEPS:
            return NodeResult(Outcome.INVALID_OUTPUT, Reason.TOO_LARGE, found, reasoning)
        response.ClearField("reasoning")
        return NodeResult(result.outcome, result.reason, {**found, "plan": response}, reasoning)


def plan_request(context: DiagnosisContext, catalog: ToolCatalog, state: RunState) -> PlanRequest:
    """Return all that the planner may know."""
    second = state.evidence_retry_count > 0
    mode = planner_pb2.PLAN_MODE_EVIDENCE_GAP_ONLY if second else planner_pb2.PLAN_MODE_FULL
    return PlanRequest(context=context, catalog=catalog, mode=mode, gaps=state.gaps if second else ())


def framed(context: DiagnosisContext, catalog: ToolCatalog) -> DiagnosisContext:
    """Return the context with a window: its own, or the span that the sources cover, if they cover one."""
    result = DiagnosisContext()
    result.CopyFrom(context)
    starts = [source.first_time for source in catalog.sources if source.HasField("first_time")]
    ends = [source.last_time for source in catalog.sources if source.HasField("last_time")]
    if context.HasField("window") or not starts or not ends:
        return result
    near = _near_each_other([*starts, *ends])
    window = TimeWindow(start=near[0])
    # Where nobody knows how long one source goes on, the window has no end either.
    if all(source.HasField("last_time") for source in catalog.sources if source.HasField("first_time")):
        window.end.CopyFrom(near[-1])
        # The end is exclusive, and sources tell time by the second at worst.
        window.end.seconds = min(window.end.seconds + 1, MAX_SECONDS)
        if window.end.ToNanoseconds() <= window.start.ToNanoseconds():
            return result
    result.window.CopyFrom(window)
    return result


def _near_each_other(times: list[Timestamp]) -> list[Timestamp]:
    """Return bounds of sources in order, without those far from most: a wrong clock, an end of never."""
    ordered = sorted(times, key=lambda time: time.ToNanoseconds())
    middle = ordered[len(ordered) // 2].seconds
    return [time for time in ordered if abs(time.seconds - middle) <= _APART_SECONDS]
