"""Client of the verifier."""

import grpc.aio
from assay.verifier.v1.verifier_pb2 import VerifyRequest, VerifyResponse
from assay.verifier.v1.verifier_pb2_grpc import VerifierServiceStub

from orchestrator.agents.call import CallLimit, answer_of
from orchestrator.graph import RunConfig


class VerifierAgent:
    """Judges claims."""

    def __init__(self, channel: grpc.aio.Channel, limit: CallLimit) -> None:
        self._stub = VerifierServiceStub(channel)
        self._limit = limit

    async def verify(self, verified_input: bytes, config: RunConfig) -> VerifyResponse:
        """Send the input exactly as it was stored; CallFailedError when the call does not end with OK."""
        request = VerifyRequest.FromString(verified_input)
        if request.SerializeToString(deterministic=True) != verified_input:
            raise ValueError("the stored verifier input does not survive parsing")
        return await answer_of(lambda: self._stub.Verify(request, **self._limit.options(config)))
