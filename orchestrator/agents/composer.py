"""Client of the composer."""

import grpc.aio
from assay.composer.v1.composer_pb2 import ComposeRequest, ComposeResponse
from assay.composer.v1.composer_pb2_grpc import ComposerServiceStub

from orchestrator.agents.call import CallLimit, answer_of
from orchestrator.graph import RunConfig


class ComposerAgent:
    """Writes answers."""

    def __init__(self, channel: grpc.aio.Channel, limit: CallLimit) -> None:
        self._stub = ComposerServiceStub(channel)
        self._limit = limit

    async def compose(self, request: ComposeRequest, config: RunConfig) -> ComposeResponse:
        """Make the call; CallFailedError when it does not end with OK."""
        return await answer_of(lambda: self._stub.Compose(request, **self._limit.options(config)))
