"""ExecutorService: translates between messages and the domain."""

from collections.abc import AsyncIterator, Mapping

import grpc.aio
from assay.common.v1 import tool_pb2
from assay.executor.v1 import executor_pb2, executor_pb2_grpc

from services.common.rpc.context import time_left
from services.executor.catalog import tools_of
from services.executor.domain import check_request
from services.executor.execution import Execution
from services.executor.session import Sessions
from services.executor.tools.tool import Tool


class ExecutorServicer(executor_pb2_grpc.ExecutorServiceServicer):
    """Serves the contract of `executor.proto`."""

    def __init__(self, tools: Mapping[str, Tool], sessions: Sessions, execution: Execution) -> None:
        self._tools = tools
        self._sessions = sessions
        self._execution = execution

    async def ListTools(  # noqa: N802 - the name of the RPC
        self,
        request: executor_pb2.ListToolsRequest,
        context: grpc.aio.ServicerContext[executor_pb2.ListToolsRequest, executor_pb2.ListToolsResponse],
    ) -> executor_pb2.ListToolsResponse:
        """List the tools and, of a scope, the inventory."""
        if not request.HasField("scope"):
            return executor_pb2.ListToolsResponse(catalog=tools_of(self._tools))
        remaining = time_left(context)
        catalog = await self._sessions.catalog(request.scope.bundle, remaining)
        return executor_pb2.ListToolsResponse(catalog=catalog)

    async def Execute(  # noqa: N802 - the name of the RPC
        self,
        request: executor_pb2.ExecuteRequest,
        context: grpc.aio.ServicerContext[executor_pb2.ExecuteRequest, executor_pb2.ExecuteResponse],
    ) -> AsyncIterator[executor_pb2.ExecuteResponse]:
        """Run a plan and stream what it records."""
        remaining = time_left(context)
        check_request(request)
        async for item in self._execution.run(request.context, request.steps, request.gaps, remaining):
            if isinstance(item, tool_pb2.Invocation):
                yield executor_pb2.ExecuteResponse(invocation=item)
            else:
                yield executor_pb2.ExecuteResponse(result=item)
