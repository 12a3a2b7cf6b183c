"""The gatekeeper's gRPC face."""

import asyncio
from typing import Any

import grpc.aio
from assay.gatekeeper.v1 import gatekeeper_pb2, gatekeeper_pb2_grpc

from services.gatekeeper import domain


class GatekeeperServicer(gatekeeper_pb2_grpc.GatekeeperServiceServicer):
    """Hands a request to the pure gate."""

    async def Check(  # noqa: N802 - the name is the contract's
        self,
        request: gatekeeper_pb2.CheckRequest,
        context: grpc.aio.ServicerContext[Any, Any],  # noqa: ARG002 - gRPC passes it
    ) -> gatekeeper_pb2.CheckResponse:
        """Apply every rule, off the event loop: parsing large outputs would keep health from answering."""
        return await asyncio.to_thread(domain.check, request)
