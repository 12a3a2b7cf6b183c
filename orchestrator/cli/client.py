"""Calls to the diagnosis service. Every failed call becomes one CommandError that a person can act on."""

from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from contextlib import asynccontextmanager, contextmanager
from typing import Final

import grpc
import grpc.aio
from assay.common.v1 import context_pb2, tool_pb2
from assay.orchestrator.v1 import diagnosis_pb2, diagnosis_pb2_grpc, run_pb2
from grpc_health.v1 import health_pb2, health_pb2_grpc

from orchestrator.cli.errors import CommandError
from orchestrator.cli.exit_codes import ExitCode, of_status
from orchestrator.cli.own_command import command
from orchestrator.cli.reaching import Reached, channel_to
from services.common.rpc.channels import ClientTls, open_channel

MAX_MESSAGE_BYTES: Final = 64 << 20
_DETAILS_KEY = "grpc-status-details-bin"
_READ_SECONDS = 10.0
_CONNECT_SECONDS = 10.0
# For a call that waits for others: the end of a run, a large delete, the inventory of a bundle.
_CHANGE_SECONDS = 60.0
# What the service gives at most.
_PAGE = 100
_MORE_TIME = "; --timeout allows more"

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
                f"the diagnosis service at {self._address} is not ready: it or an agent it needs is down; "
                f"this says which: {command('doctor', '--target', self._address)}",
                ExitCode.ERROR,
            )

    async def diagnose(
        self, request: diagnosis_pb2.DiagnoseRequest, timeout_seconds: float, on_progress: OnProgress
    ) -> run_pb2.Run:
        """Run one diagnosis and return it as it ended; leaving this call cancels the run."""
        with self._translated(_MORE_TIME):
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

    async def has_run(self, run_id: str) -> bool:
        """Tell whether there is a run with exactly this id."""
        request = diagnosis_pb2.GetTraceRequest(run_id=run_id)
        with self._translated():
            try:
                await self._stub.GetTrace(request, timeout=_READ_SECONDS)
            except grpc.aio.AioRpcError as error:
                if error.code() is not grpc.StatusCode.NOT_FOUND:
                    raise
                return False
        return True

    async def runs(
        self, request: diagnosis_pb2.ListRunsRequest, most: int
    ) -> tuple[list[run_pb2.RunSummary], bool]:
        """Return the newest runs that a request selects, at most so many, and whether there are more."""
        asked = diagnosis_pb2.ListRunsRequest()
        asked.CopyFrom(request)
        found: list[run_pb2.RunSummary] = []
        with self._translated():
            while True:
                asked.page_size = min(most - len(found), _PAGE)
                page = await self._stub.ListRuns(asked, timeout=_READ_SECONDS)
                found.extend(page.runs)
                asked.page_token = page.next_page_token
                if len(found) >= most or not page.next_page_token:
                    return found, bool(page.next_page_token)

    async def watch(
        self, run_id: str, after_sequence: int, timeout_seconds: float, on_progress: OnProgress
    ) -> run_pb2.Run:
        """Follow a run from the event after a sequence on, and return it as it ended."""
        request = diagnosis_pb2.WatchRunRequest(run_id=run_id, after_sequence=after_sequence)
        with self._translated(_MORE_TIME):
            async for message in self._stub.WatchRun(request, timeout=timeout_seconds):
                if message.progress.HasField("run"):
                    return message.progress.run
                on_progress(message.progress)
        raise CommandError("the diagnosis service ended the stream without the run", ExitCode.ERROR)

    async def submit(self, request: diagnosis_pb2.SubmitDiagnosisRequest, timeout_seconds: float) -> str:
        """Begin a run that goes on without this command, and return its id."""
        with self._translated(_MORE_TIME):
            return (await self._stub.SubmitDiagnosis(request, timeout=timeout_seconds)).run_id

    async def cancel(self, run_id: str) -> run_pb2.Run:
        """End a run and return it as it ended, now or before."""
        request = diagnosis_pb2.CancelRunRequest(run_id=run_id)
        with self._translated():
            return (await self._stub.CancelRun(request, timeout=_CHANGE_SECONDS)).run

    async def prune(self, request: diagnosis_pb2.PruneRunsRequest) -> int:
        """Forget ended runs, or only count them, and return how many."""
        with self._translated():
            return (await self._stub.PruneRuns(request, timeout=_CHANGE_SECONDS)).forgotten

    async def invocations(self, run_id: str) -> Sequence[diagnosis_pb2.InvocationSummary]:
        """Return the tool calls of a run, without outputs."""
        request = diagnosis_pb2.ListInvocationsRequest(run_id=run_id)
        with self._translated():
            return (await self._stub.ListInvocations(request, timeout=_READ_SECONDS)).invocations

    async def invocation(self, run_id: str, invocation_id: str) -> tool_pb2.Invocation:
        """Return one tool call with its output."""
        request = diagnosis_pb2.GetInvocationRequest(run_id=run_id, invocation_id=invocation_id)
        with self._translated():
            return (await self._stub.GetInvocation(request, timeout=_READ_SECONDS)).invocation

    async def tools(self, scope: context_pb2.Scope | None) -> tool_pb2.ToolCatalog:
        """Return the tools and, of a scope, its sources."""
        request = diagnosis_pb2.ListToolsRequest(scope=scope)
        with self._translated():
            return (await self._stub.ListTools(request, timeout=_CHANGE_SECONDS)).catalog

    @contextmanager
    def _translated(self, hint: str = "") -> Iterator[None]:
        try:
            yield
        except grpc.aio.AioRpcError as error:
            raise CommandError(self._explained(error, hint), of_status(error.code())) from None

    def _explained(self, error: grpc.aio.AioRpcError, hint: str) -> str:
        if error.code() is grpc.StatusCode.DEADLINE_EXCEEDED:
            return f"out of time{hint}"
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
async def connected(address: str, tls: ClientTls | None = None) -> AsyncIterator[DiagnosisClient]:
    """Open a channel for one command; raises CommandError for certificates that cannot be used."""
    channel = channel_to(Reached(address, tls), MAX_MESSAGE_BYTES)
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
