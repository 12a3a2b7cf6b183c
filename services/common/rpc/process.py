"""ProcessService: every process says what it is."""

import platform
from collections.abc import Awaitable, Callable, Sequence
from datetime import UTC, datetime
from importlib.metadata import PackageNotFoundError, version
from typing import Any

import grpc
import grpc.aio
from assay.common.v1 import process_pb2, process_pb2_grpc

from services.common.settings import ServiceSettings, process_name

PROCESS_SERVICE = process_pb2.DESCRIPTOR.services_by_name["ProcessService"].full_name

# Tells what is wrong with what the process needs, a sentence each.
Problems = Callable[[], Awaitable[Sequence[str]]]
# Describes the model that the process asks.
Endpoint = Callable[[], Awaitable[process_pb2.ModelEndpoint]]


class ProcessServicer(process_pb2_grpc.ProcessServiceServicer):
    """Describes the process that it runs in."""

    def __init__(
        self, settings: ServiceSettings, problems: Problems | None, endpoint: Endpoint | None
    ) -> None:
        self._name = process_name(type(settings))
        # A process without a choice of reasoners has no such setting.
        self._reasoner = str(getattr(settings, "reasoner", ""))
        self._problems = problems
        self._endpoint = endpoint

    async def GetProcess(  # noqa: N802 - the name is the contract's
        self,
        request: process_pb2.GetProcessRequest,  # noqa: ARG002 - gRPC passes it
        context: grpc.aio.ServicerContext[Any, Any],  # noqa: ARG002 - gRPC passes it
    ) -> process_pb2.GetProcessResponse:
        """Describe the process as it is now."""
        process = process_pb2.Process(
            name=self._name,
            version=own_version(),
            python_version=platform.python_version(),
            grpc_version=grpc.__version__,
            reasoner=self._reasoner,
            problems=await self._problems() if self._problems else (),
            model=await self._endpoint() if self._endpoint else None,
        )
        process.time.FromDatetime(datetime.now(UTC))
        return process_pb2.GetProcessResponse(process=process)


def own_version() -> str:
    """Return the version of Assay; "unknown" where the code runs without being installed."""
    try:
        return version("assay")
    except PackageNotFoundError:
        return "unknown"
