"""Client of the executor."""

from collections.abc import AsyncGenerator
from contextlib import aclosing

import grpc.aio
from assay.common.v1.context_pb2 import Scope
from assay.common.v1.tool_pb2 import ToolCatalog
from assay.executor.v1.executor_pb2 import ExecuteRequest, ExecuteResponse, ListToolsRequest
from assay.executor.v1.executor_pb2_grpc import ExecutorServiceStub

from orchestrator.agents.call import CallLimit, answer_of, failures_named
from orchestrator.graph import RunConfig
from services.common.rpc.preferring_channel import streamed_from_somewhere


class ExecutorAgent:
    """Lists tools and runs plans."""

    def __init__(self, channel: grpc.aio.Channel, limit: CallLimit, list_limit: CallLimit) -> None:
        self._stub = ExecutorServiceStub(channel)
        self._limit = limit
        self._list_limit = list_limit

    async def list_tools(self, scope: Scope, config: RunConfig) -> ToolCatalog:
        """List tools and sources of a scope; CallFailedError when the call does not end with OK."""
        request = ListToolsRequest(scope=scope)
        response = await answer_of(lambda: self._stub.ListTools(request, **self._list_limit.options(config)))
        return response.catalog

    async def offered(self, scope: Scope | None, seconds: float) -> ToolCatalog:
        """List tools, and the sources of a scope where one is given, for nobody's run; errors as above."""
        request = ListToolsRequest(scope=scope)
        timeout = min(seconds, self._list_limit.seconds)
        return (await answer_of(lambda: self._stub.ListTools(request, timeout=timeout))).catalog

    async def execute(
        self, request: ExecuteRequest, config: RunConfig
    ) -> AsyncGenerator[ExecuteResponse, None]:
        """Yield the messages of the stream; CallFailedError when it does not end with OK.

        Closing the iteration early cancels the call.
        """
        with failures_named():
            stream = streamed_from_somewhere(lambda: self._executed(request, config))
            async with aclosing(stream) as messages:
                async for message in messages:
                    yield message

    async def _executed(
        self, request: ExecuteRequest, config: RunConfig
    ) -> AsyncGenerator[ExecuteResponse, None]:
        call = self._stub.Execute(request, **self._limit.options(config))
        try:
            async for message in call:
                yield message
        finally:
            call.cancel()
