"""The planner's gRPC face."""

from typing import Any

import grpc.aio
from assay.planner.v1 import planner_pb2, planner_pb2_grpc

from services.common.rpc.context import time_left
from services.planner.domain import Planner


class PlannerServicer(planner_pb2_grpc.PlannerServiceServicer):
    """Hands a request to the planner."""

    def __init__(self, planner: Planner) -> None:
        self._planner = planner

    async def Plan(  # noqa: N802 - the name is the contract's
        self,
        request: planner_pb2.PlanRequest,
        context: grpc.aio.ServicerContext[Any, Any],
    ) -> planner_pb2.PlanResponse:
        """Make the plan."""
        return await self._planner.plan(request, time_left(context))
