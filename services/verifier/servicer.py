"""The verifier's gRPC face."""

from typing import Any

import grpc.aio
from assay.verifier.v1 import verifier_pb2, verifier_pb2_grpc

from services.common.rpc.context import time_left
from services.verifier import domain


class VerifierServicer(verifier_pb2_grpc.VerifierServiceServicer):
    """Hands a request to the domain."""

    def __init__(self, reasoner: domain.Reasoner) -> None:
        self._reasoner = reasoner

    async def Verify(  # noqa: N802 - the name is the contract's
        self,
        request: verifier_pb2.VerifyRequest,
        context: grpc.aio.ServicerContext[Any, Any],
    ) -> verifier_pb2.VerifyResponse:
        """Judge every claim."""
        return await domain.verify(self._reasoner, request, time_left(context))
