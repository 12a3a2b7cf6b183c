"""The offline reasoner behind the port."""

import asyncio
from collections.abc import Callable, Sequence
from typing import Final

from assay.common.v1 import tool_pb2
from assay.planner.v1 import planner_pb2

from services.common.reasoning import PromptId, Reasoned, offline
from services.planner.offline.reasoner import plan

# The version changes when the rules say something else.
PROMPT: Final = PromptId("planner_offline_rules", "2")


class OfflineReasoner:
    """Plans by rules, without a model, a network or a clock."""

    async def plan(
        self,
        request: planner_pb2.PlanRequest,
        remaining: Callable[[], float],  # noqa: ARG002 - rules need little time
    ) -> Reasoned[Sequence[tool_pb2.PlanStep]]:
        """Plan off the event loop: a large inventory would keep health from answering."""
        return Reasoned(await asyncio.to_thread(plan, request), offline(PROMPT))
