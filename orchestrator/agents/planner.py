"""Client of the planner."""

import grpc.aio
from assay.planner.v1.planner_pb2 import PlanRequest, PlanResponse
from assay.planner.v1.planner_pb2_grpc import PlannerServiceStub

from orchestrator.agents.call import CallLimit, answer_of
from orchestrator.graph import RunConfig


class PlannerAgent:
    """Makes plans."""

    def __init__(self, channel: grpc.aio.Channel, limit: CallLimit) -> None:
        self._stub = PlannerServiceStub(channel)
        self._limit = limit

    async def plan(self, request: PlanRequest, config: RunConfig) -> PlanResponse:
        """Make the call; CallFailedError when it does not end with OK."""
        return await answer_of(lambda: self._stub.Plan(request, **self._limit.options(config)))
