"""The composer's gRPC face."""

from typing import Any

import grpc.aio
from assay.composer.v1 import composer_pb2, composer_pb2_grpc

from services.common.rpc.context import time_left
from services.composer.domain import Composer


class ComposerServicer(composer_pb2_grpc.ComposerServiceServicer):
    """Hands a request to the composer."""

    def __init__(self, composer: Composer) -> None:
        self._composer = composer

    async def Compose(  # noqa: N802 - the name is the contract's
        self,
        request: composer_pb2.ComposeRequest,
        context: grpc.aio.ServicerContext[Any, Any],
    ) -> composer_pb2.ComposeResponse:
        """Write the answer."""
        return await self._composer.compose(request, time_left(context))
