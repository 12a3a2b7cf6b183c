"""Calls to the diagnosis service. Every failed call becomes one CommandError that a person can act on."""

from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager
from typing import Final

import grpc
import grpc.aio
from assay.orchestrator.v1 import diagnosis_pb2, diagnosis_pb2_grpc, run_pb2
from grpc_health.v1 import health_pb2, health_pb2_grpc

from orchestrator.cli.errors import CommandError
from orchestrator.cli.exit_codes import ExitCode, of_status
from services.common.rpc.channels import open_channel

MAX_MESSAGE_BYTES: Final = 64 << 20
_DETAILS_KEY = "grpc-status-details-bin"
_READ_SECONDS = 10.0
_CONNECT_SECONDS = 10.0

OnProgress = Callable[[diagnosis_pb2.DiagnoseResponse], None]


class DiagnosisClient:
    """One diagnosis service at one address."""

    def __init__(self, channel: grpc.aio.Channel, address: str) -> None:
        self._stub = diagnosis_pb2_grpc.DiagnosisServiceStub(channel)
        self._health = health_pb2_grpc.HealthStub(channel)
        self._address = address

    async def check_ready(self) -> None:
        """Raise CommandError unless the service answers and says that it is ready."""
        try:
            response = await self._health.Check(health_pb2.HealthCheckRequest(), timeout=_CONNECT_SECONDS)
        except grpc.aio.AioRpcError as error:
            raise CommandError(
                f"no diagnosis service answers at {self._address} ({error.code().name}: {error.details()})",
                ExitCode.ERROR,
            ) from None
        if response.status != health_pb2.HealthCheckResponse.SERVING:
            raise CommandError(
                f"the diagnosis service at {self._address} is not ready: it or an agent it needs is down",
                ExitCode.ERROR,
            )

    async def diagnose(
        self, request: diagnosis_pb2.DiagnoseRequest, timeout_seconds: float, on_progress: OnProgress
    ) -> run_pb2.Run:
        """Run one diagnosis and return it as it ended; leaving this call cancels the run."""
        with self._translated():
            async for message in self._stub.Diagnose(request, timeout=timeout_seconds):
                if message.HasField("run"):
                    return message.run
                on_progress(message)
        raise CommandError("the diagnosis service ended the stream without the run", ExitCode.ERROR)

    async def run(self, run_id: str) -> run_pb2.Run:
        """Return a stored run."""
        with self._translated():
            request = diagnosis_pb2.GetRunRequest(run_id=run_id)
            return (await self._stub.GetRun(request, timeout=_READ_SECONDS)).run

    async def trace(self, run_id: str) -> run_pb2.Trace:
        """Return the path of a stored run."""
        with self._translated():
            request = diagnosis_pb2.GetTraceRequest(run_id=run_id)
            return (await self._stub.GetTrace(request, timeout=_READ_SECONDS)).trace

    @contextmanager
    def _translated(self) -> Iterator[None]:
        try:
            yield
        except grpc.aio.AioRpcError as error:
            raise CommandError(self._explained(error), of_status(error.code())) from None

    def _explained(self, error: grpc.aio.AioRpcError) -> str:
        if error.code() is grpc.StatusCode.DEADLINE_EXCEEDED:
            return "out of time; --timeout allows more"
        if error.code() is grpc.StatusCode.UNAVAILABLE and not _is_from_the_service(error):
            return f"the diagnosis service at {self._address} is not there, or went away ({error.details()})"
        if error.code() is grpc.StatusCode.UNIMPLEMENTED:
            return f"what answers at {self._address} is no diagnosis service, or one of an older version"
        if error.code() is grpc.StatusCode.INTERNAL:
            return f"internal error of the diagnosis service at {self._address}; its log says which"
        return error.details() or error.code().name


def _is_from_the_service(error: grpc.aio.AioRpcError) -> bool:
    """Tell whether the service answered; a connection that failed brings no details."""
    return any(key == _DETAILS_KEY for key, _ in error.trailing_metadata() or ())


@asynccontextmanager
async def connected(address: str) -> AsyncIterator[DiagnosisClient]:
    """Open a channel for one command."""
    channel = open_channel(address, MAX_MESSAGE_BYTES)
    try:
        yield DiagnosisClient(channel, address)
    finally:
        await channel.close()


async def wait_until_ready(address: str, seconds: float) -> None:
    """Wait until the service at an address says SERVING; raises CommandError when it does not in time."""
    channel = open_channel(address, MAX_MESSAGE_BYTES)
    try:
        stub = health_pb2_grpc.HealthStub(channel)
        async for response in stub.Watch(health_pb2.HealthCheckRequest(), timeout=seconds):
            if response.status == health_pb2.HealthCheckResponse.SERVING:
                return
    except grpc.aio.AioRpcError as error:
        raise CommandError(
            f"the local services did not become ready within {seconds:.0f} s ({error.code().name})",
            ExitCode.ERROR,
        ) from None
    finally:
        await channel.close()
    raise CommandError("the local services stopped while starting", ExitCode.ERROR)
