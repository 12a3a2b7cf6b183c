"""What planning is, whoever plans: a legal request, a plan, and the check that lets it out."""

from collections.abc import Callable, Sequence
from typing import Protocol

from assay.common.v1 import context_pb2, tool_pb2
from assay.planner.v1 import planner_pb2

from services.common import validation
from services.common.bounds import MAX_QUESTION_CHARS, MAX_STEPS
from services.common.errors import InvalidArgumentError
from services.common.evidence import strict_json
from services.common.reasoning import Reasoned, ReasoningFailedError


class Reasoner(Protocol):
    """Decides which tools to call."""

    async def plan(
        self, request: planner_pb2.PlanRequest, remaining: Callable[[], float]
    ) -> Reasoned[Sequence[tool_pb2.PlanStep]]:
        """Return at most 64 steps in the order of execution; none when there is nothing to read.

        `remaining` gives the seconds that the caller still waits. Raises ReasoningFailedError.
        """
        ...


class Planner:
    """Checks the request, has the plan made, and checks the plan."""

    def __init__(self, reasoner: Reasoner) -> None:
        self._reasoner = reasoner

    async def plan(
        self, request: planner_pb2.PlanRequest, remaining: Callable[[], float]
    ) -> planner_pb2.PlanResponse:
        """Plan once; raises InvalidArgumentError for a request that the contract refuses."""
        check_request(request)
        try:
            made = await self._reasoner.plan(request, remaining)
        except ReasoningFailedError as error:
            status = planner_pb2.PlannerStatus.Value(f"PLANNER_STATUS_{error.failed_as.value}")
            return planner_pb2.PlanResponse(status=status, reasoning=error.reasoning)
        if not made.value:
            status = planner_pb2.PLANNER_STATUS_NON_RETRYABLE_FAILED
            return planner_pb2.PlanResponse(status=status, reasoning=made.reasoning)
        if not is_plan(made.value, request):
            status = planner_pb2.PLANNER_STATUS_INVALID_OUTPUT
            return planner_pb2.PlanResponse(status=status, reasoning=made.reasoning)
        return planner_pb2.PlanResponse(
            status=planner_pb2.PLANNER_STATUS_COMPLETED, steps=made.value, reasoning=made.reasoning
        )


def check_request(request: planner_pb2.PlanRequest) -> None:
    """Refuse what the contract refuses; raises InvalidArgumentError that names the field."""
    validation.required_text(request.context.question, "context.question", MAX_QUESTION_CHARS)
    validation.specified(request.context.intent, context_pb2.Intent.DESCRIPTOR, "context.intent")
    validation.legal_window(request.context.window, "context.window")
    validation.specified(request.mode, planner_pb2.PlanMode.DESCRIPTOR, "mode")
    if not request.catalog.tools:
        raise InvalidArgumentError("the catalog has no tool; nothing can be planned", field="catalog.tools")
    if request.mode == planner_pb2.PLAN_MODE_EVIDENCE_GAP_ONLY and not request.gaps:
        raise InvalidArgumentError("mode PLAN_MODE_EVIDENCE_GAP_ONLY comes without gaps", field="gaps")


def is_plan(steps: Sequence[tool_pb2.PlanStep], request: planner_pb2.PlanRequest) -> bool:
    """Tell whether steps name tools of the catalog, serve what the mode asks for, and are not too many."""
    tools = {tool.name for tool in request.catalog.tools}
    gaps = {gap.claim_id for gap in request.gaps}
    served = gaps if request.mode == planner_pb2.PLAN_MODE_EVIDENCE_GAP_ONLY else {""}
    return len(steps) <= MAX_STEPS and all(
        step.tool_name in tools and step.gap_claim_id in served and _is_object(step.arguments_json)
        for step in steps
    )


def _is_object(data: bytes) -> bool:
    try:
        return isinstance(strict_json.loads(data), dict)
    except strict_json.StrictJsonError:
        return False
