"""Client of the gatekeeper."""

import grpc.aio
from assay.gatekeeper.v1.gatekeeper_pb2 import CheckRequest, CheckResponse
from assay.gatekeeper.v1.gatekeeper_pb2_grpc import GatekeeperServiceStub

from orchestrator.agents.call import CallLimit, answer_of
from orchestrator.graph import RunConfig


class GatekeeperAgent:
    """Checks documents against stored outputs."""

    def __init__(self, channel: grpc.aio.Channel, limit: CallLimit) -> None:
        self._stub = GatekeeperServiceStub(channel)
        self._limit = limit

    async def check(self, request: CheckRequest, config: RunConfig) -> CheckResponse:
        """Make the call; CallFailedError when it does not end with OK."""
        return await answer_of(lambda: self._stub.Check(request, **self._limit.options(config)))
