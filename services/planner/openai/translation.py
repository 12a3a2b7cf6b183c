"""From a model's plan to steps that the contract allows, or to the refusal of the whole plan. Pure."""

from collections.abc import Mapping, Sequence
from typing import Final

from assay.common.v1 import context_pb2, tool_pb2
from assay.planner.v1 import planner_pb2

from services.common.evidence import strict_json
from services.common.evidence.strict_json import Json
from services.common.visible import visible
from services.planner.domain import is_plan
from services.planner.openai.answer import Plan, Step
from services.planner.openai.arguments import fits, properties_of, schema_of
from services.planner.openai.rendering import gap_label, gaps_of
from services.planner.openai.signatures import BOUNDS

MAX_GOAL_CHARS: Final = 240


def steps_of(plan: Plan, request: planner_pb2.PlanRequest) -> list[tool_pb2.PlanStep] | None:
    """Return the steps, each call once; None when the plan is empty or breaks a rule."""
    tools = {tool.name: tool for tool in request.catalog.tools}
    gaps = {gap_label(index): gap.claim_id for index, gap in enumerate(gaps_of(request))}
    made = [_step(step, tools, gaps, request.context.window) for step in plan.steps]
    steps = [step for step in made if step is not None]
    if not steps or len(steps) < len(made) or not is_plan(steps, request):
        return None
    once: dict[tuple[str, bytes], tool_pb2.PlanStep] = {}
    for step in steps:
        once.setdefault((step.tool_name, step.arguments_json), step)
    return list(once.values())


def _step(
    step: Step,
    tools: Mapping[str, tool_pb2.Tool],
    gaps: Mapping[str, str],
    window: context_pb2.TimeWindow,
) -> tool_pb2.PlanStep | None:
    arguments = _arguments(step, tools, window)
    if arguments is None or (gaps and step.gap not in gaps):
        return None
    return tool_pb2.PlanStep(
        goal=visible(step.goal)[:MAX_GOAL_CHARS],
        tool_name=step.tool,
        arguments_json=strict_json.dumps(arguments),
        gap_claim_id=gaps.get(step.gap, ""),
    )


def _arguments(
    step: Step, tools: Mapping[str, tool_pb2.Tool], window: context_pb2.TimeWindow
) -> dict[str, Json] | None:
    """Return the arguments within the window; None when the tool is unknown or is not called like that."""
    tool = tools.get(step.tool)
    schema = schema_of(tool.arguments_schema_json) if tool is not None else None
    try:
        given = strict_json.loads((step.args.strip() or "{}").encode())
    except (strict_json.StrictJsonError, UnicodeEncodeError):
        return None
    if schema is None or not isinstance(given, dict):
        return None
    arguments = {**_bounds(window, list(properties_of(schema))), **given}
    return arguments if fits(arguments, schema) else None


def _bounds(window: context_pb2.TimeWindow, known: Sequence[str]) -> dict[str, Json]:
    return {
        side: getattr(window, side).ToJsonString()
        for side in BOUNDS
        if side in known and window.HasField(side)
    }
