"""SIGTERM to each of six real processes while runs are under way: nothing that was accepted is lost."""

import asyncio
import signal
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path

import grpc
import grpc.aio
import pytest
from assay.orchestrator.v1 import diagnosis_pb2, diagnosis_pb2_grpc, run_pb2, status_pb2, status_pb2_grpc
from grpc_health.v1 import health_pb2, health_pb2_grpc

from orchestrator.cli.client import MAX_MESSAGE_BYTES
from orchestrator.cli.local_stack import local_stack, stored_runs
from orchestrator.cli.local_stack.stack import LocalStack
from orchestrator.cli.options import local_bundle, request
from services.common.processes import AGENTS, ORCHESTRATOR, SERVICES
from services.common.rpc.channels import open_channel
from tests.bad_input.command import LOG
from tests.fakes.bundles import write
from tests.fakes.command_line import environment

SECONDS = 60.0
_CLIENTS = 4
_BEFORE = 4
_AFTER = 4
_UNDER_WAY = {run_pb2.RUN_STATUS_RUNNING, run_pb2.RUN_STATUS_UNSPECIFIED}


@dataclass
class Load:
    """Clients that submit runs and follow each to its end, until the service that takes them goes."""

    stub: "diagnosis_pb2_grpc.DiagnosisServiceAsyncStub"
    asked: diagnosis_pb2.DiagnoseRequest
    accepted: list[str] = field(default_factory=list)
    ended: dict[str, run_pb2.Run] = field(default_factory=dict)
    refused: set[grpc.StatusCode] = field(default_factory=set)
    over: asyncio.Event = field(default_factory=asyncio.Event)
    progress: asyncio.Condition = field(default_factory=asyncio.Condition)

    async def client(self, name: int) -> None:
        while not self.over.is_set():
            submission = diagnosis_pb2.SubmitDiagnosisRequest(
                idempotency_key=f"{name}-{len(self.accepted)}", diagnosis=self.asked
            )
            try:
                run_id = (await self.stub.SubmitDiagnosis(submission, timeout=SECONDS)).run_id
                self.accepted.append(run_id)
                watching = self.stub.WatchRun(diagnosis_pb2.WatchRunRequest(run_id=run_id), timeout=SECONDS)
                messages = [message async for message in watching]
            except grpc.aio.AioRpcError as error:
                self.refused.add(error.code())
                return
            self.ended[run_id] = messages[-1].progress.run
            async with self.progress:
                self.progress.notify_all()

    async def until_ended(self, count: int) -> None:
        async with asyncio.timeout(SECONDS), self.progress:
            await self.progress.wait_for(lambda: len(self.ended) >= count)


@asynccontextmanager
async def loaded(stack: LocalStack, asked: diagnosis_pb2.DiagnoseRequest) -> AsyncIterator[Load]:
    """Keep runs coming inside the block."""
    async with open_channel(stack.address, MAX_MESSAGE_BYTES) as channel, asyncio.TaskGroup() as group:
        load = Load(diagnosis_pb2_grpc.DiagnosisServiceStub(channel), asked)
        for name in range(_CLIENTS):
            group.create_task(load.client(name))
        try:
            yield load
        finally:
            load.over.set()


async def addresses_of(stack: LocalStack) -> dict[str, str]:
    async with open_channel(stack.address, MAX_MESSAGE_BYTES) as channel:
        stub = status_pb2_grpc.StatusServiceStub(channel)
        status = await stub.GetStatus(status_pb2.GetStatusRequest(), timeout=SECONDS)
    return {agent.name: agent.address for agent in status.agents} | {ORCHESTRATOR: stack.address}


async def terminate(stack: LocalStack, name: str, address: str) -> tuple[bool, int]:
    """Send SIGTERM; return whether health said NOT_SERVING before the process ended, and its exit code."""
    process = stack.processes[name].process
    async with open_channel(address, 1 << 20) as channel:
        stub = health_pb2_grpc.HealthStub(channel)
        watch = stub.Watch(health_pb2.HealthCheckRequest(), timeout=SECONDS)
        assert await _status(watch) == health_pb2.HealthCheckResponse.SERVING
        process.send_signal(signal.SIGTERM)
        said_so = await _status(watch) == health_pb2.HealthCheckResponse.NOT_SERVING
        watch.cancel()
    async with asyncio.timeout(SECONDS):
        return said_so, await process.wait()


async def _status(watch: "grpc.aio.UnaryStreamCall[object, health_pb2.HealthCheckResponse]") -> int:
    update = await watch.read()
    assert isinstance(update, health_pb2.HealthCheckResponse)
    return int(update.status)


@pytest.fixture
def bundle(tmp_path: Path) -> Path:
    return write(tmp_path / "bundles" / "one", {"app.log": LOG})


def asked_about(bundle: Path) -> diagnosis_pb2.DiagnoseRequest:
    return request("Why does app fail?", local_bundle(bundle), "", "", "")


async def kept_by(folder: Path, run_ids: list[str], environ: Mapping[str, str]) -> list[run_pb2.Run]:
    """Return runs as an orchestrator that starts after all that tells of them."""
    async with (
        stored_runs(folder, environ) as address,
        open_channel(address, MAX_MESSAGE_BYTES) as channel,
    ):
        stub = diagnosis_pb2_grpc.DiagnosisServiceStub(channel)
        wanted = [diagnosis_pb2.GetRunRequest(run_id=run_id) for run_id in run_ids]
        return [(await stub.GetRun(each, timeout=SECONDS)).run for each in wanted]


@pytest.mark.parametrize("name", SERVICES)
async def test_sigterm_under_load_loses_no_run(tmp_path: Path, bundle: Path, name: str) -> None:
    home = tmp_path / "home"
    home.mkdir()
    environ = environment(home)
    async with local_stack(home, bundle.parent, environ) as stack:
        addresses = await addresses_of(stack)
        async with loaded(stack, asked_about(bundle)) as load:
            await load.until_ended(_BEFORE)
            said_so, code = await terminate(stack, name, addresses[name])
            if name != ORCHESTRATOR:
                await load.until_ended(len(load.ended) + _AFTER)
    assert (said_so, code) == (True, 0)
    stored = await kept_by(home, load.accepted, environ)
    assert [run.run_id for run in stored] == load.accepted
    assert not {run.status for run in stored} & _UNDER_WAY
    # Whoever followed a run to its end was told what is stored of it.
    assert all(load.ended[run.run_id].status == run.status for run in stored if run.run_id in load.ended)
    if name == ORCHESTRATOR:
        assert load.refused <= {grpc.StatusCode.UNAVAILABLE}
        told = {run.failure.reason_code for run in stored if run.status == run_pb2.RUN_STATUS_CANCELLED}
        assert told <= {"orchestrator_stopped"}
    else:
        assert name in AGENTS
        assert not load.refused
        assert set(load.ended) == set(load.accepted)
        assert stored[-1].status == run_pb2.RUN_STATUS_DEGRADED
