"""The plan, in either mode."""

from collections.abc import Iterable, Iterator, Sequence
from itertools import chain, islice, zip_longest

from assay.common.v1 import context_pb2, tool_pb2
from assay.planner.v1 import planner_pb2

from services.common.bounds import MAX_STEPS
from services.planner.offline.desk import Desk
from services.planner.offline.full import full_plan
from services.planner.offline.gaps import gap_plan
from services.planner.offline.lookups import lookup_plan


def plan(request: planner_pb2.PlanRequest) -> list[tool_pb2.PlanStep]:
    """Return at most 64 steps in the order of execution, from question, inventory and gaps alone. Pure."""
    desk = Desk(request.catalog, request.context)
    if request.mode == planner_pb2.PLAN_MODE_FULL:
        is_lookup = request.context.intent == context_pb2.INTENT_LOOKUP
        steps: Iterable[tool_pb2.PlanStep] = lookup_plan(desk) if is_lookup else full_plan(desk)
    else:
        steps = _in_turn([gap_plan(desk, gap) for gap in request.gaps])
    return list(islice(_distinct(steps), MAX_STEPS))


def _in_turn(plans: Sequence[Iterator[tool_pb2.PlanStep]]) -> Iterator[tool_pb2.PlanStep]:
    """Take one step of each plan in turn, so that no gap crowds out another."""
    return (step for step in chain.from_iterable(zip_longest(*plans)) if step is not None)


def _distinct(steps: Iterable[tool_pb2.PlanStep]) -> Iterator[tool_pb2.PlanStep]:
    seen: set[tuple[str, bytes]] = set()
    for step in steps:
        call = (step.tool_name, step.arguments_json)
        if call not in seen:
            seen.add(call)
            yield step
