"""A real process: its serving line, signals, the end of its parent, wrong settings, its logs."""

import asyncio
import json
import os
import signal
import sys
from asyncio.subprocess import DEVNULL, PIPE, Process
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from pathlib import Path

import grpc
import grpc.aio
import pytest
from assay.gatekeeper.v1 import gatekeeper_pb2, gatekeeper_pb2_grpc
from grpc_health.v1 import health_pb2, health_pb2_grpc

from services.common.rpc.channels import call_metadata, open_channel

CANARY = "canary-51c9-secret"
NOT_SERVING = health_pb2.HealthCheckResponse.NOT_SERVING


@asynccontextmanager
async def process(project: Path, variables: Mapping[str, str] | None = None) -> AsyncIterator[Process]:
    environ = {**os.environ, **(variables or {})}
    arguments = (sys.executable, "-m", "tests.fakes.gate_process")
    started = await asyncio.create_subprocess_exec(
        *arguments, cwd=project, env=environ, stdin=PIPE, stdout=PIPE, stderr=PIPE
    )
    try:
        async with asyncio.timeout(60):
            yield started
    finally:
        if started.returncode is None:
            started.kill()
        await started.communicate()


async def address_of(started: Process) -> str:
    assert started.stdout is not None
    line = json.loads(await started.stdout.readline())
    assert {**line, "address": ""} == {"event": "serving", "service": "scripted", "address": ""}
    return str(line["address"])


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
async def test_a_signal_ends_the_process_with_0(project: Path, number: signal.Signals) -> None:
    async with process(project) as started:
        await address_of(started)
        started.send_signal(number)
        assert await started.wait() == 0


async def test_sigterm_flips_health_and_lets_the_call_in_flight_finish(project: Path) -> None:
    connected: asyncio.Future[asyncio.StreamWriter] = asyncio.get_running_loop().create_future()
    listener = await asyncio.start_server(lambda _, writer: connected.set_result(writer), "127.0.0.1", 0)
    document = f"wait {listener.sockets[0].getsockname()[1]}".encode()
    async with process(project) as started, open_channel(await address_of(started), 1 << 20) as channel:
        gate = gatekeeper_pb2_grpc.GatekeeperServiceStub(channel)
        call = asyncio.ensure_future(gate.Check(gatekeeper_pb2.CheckRequest(document=document), timeout=60))
        writer = await connected
        started.terminate()
        watch = health_pb2_grpc.HealthStub(channel).Watch(health_pb2.HealthCheckRequest(), timeout=60)
        async for update in watch:
            if update.status == NOT_SERVING:
                break
        watch.cancel()
        assert not call.done()
        writer.close()
        assert (await call).status == gatekeeper_pb2.GATEKEEPER_STATUS_PASS
        assert await started.wait() == 0
    listener.close()
    await listener.wait_closed()


async def test_the_process_ends_with_its_parent(project: Path) -> None:
    async with process(project, {"ASSAY_SCRIPTED_STOP_WITH_PARENT": "1"}) as started:
        await address_of(started)
        assert started.stdin is not None
        started.stdin.close()
        assert await started.wait() == 0


async def test_without_the_switch_the_end_of_input_means_nothing(project: Path) -> None:
    async with process(project) as started, open_channel(await address_of(started), 1 << 20) as channel:
        assert started.stdin is not None
        started.stdin.close()
        await started.stdin.wait_closed()
        gate = gatekeeper_pb2_grpc.GatekeeperServiceStub(channel)
        assert (await gate.Check(gatekeeper_pb2.CheckRequest(), timeout=60)).status


async def test_following_a_parent_needs_a_pipe(project: Path) -> None:
    environ = {**os.environ, "ASSAY_SCRIPTED_STOP_WITH_PARENT": "1"}
    started = await asyncio.create_subprocess_exec(
        sys.executable, "-m", "tests.fakes.gate_process", cwd=project, env=environ, stdin=DEVNULL, stderr=PIPE
    )
    _, errors = await started.communicate()
    assert started.returncode == 1
    assert errors.decode().count("\n") == 1
    assert "not a pipe" in errors.decode()


async def test_wrong_settings_are_named_all_at_once_without_their_values(project: Path) -> None:
    wrong = {
        "ASSAY_SCRIPTED_DRAIN_SECOND": "5",
        "ASSAY_SCRIPTED_LISTEN": CANARY,
        "ASSAY_SCRIPTED_MAX_CONCURRENT_RPCS": "many",
    }
    async with process(project, wrong) as started:
        _, errors = await started.communicate()
    text = errors.decode()
    assert started.returncode == 2
    assert all(name in text for name in wrong)
    assert "did you mean ASSAY_SCRIPTED_DRAIN_SECONDS?" in text
    assert CANARY not in text
    assert "Traceback" not in text


async def test_a_taken_port_is_one_clear_line(project: Path) -> None:
    async with process(project) as first:
        address = await address_of(first)
        async with process(project, {"ASSAY_SCRIPTED_LISTEN": address}) as second:
            output, errors = await second.communicate()
    lines = [line for line in errors.decode().splitlines() if line.startswith("scripted cannot start")]
    assert (second.returncode, output) == (1, b"")
    assert len(lines) == 1
    assert address in lines[0]
    assert "Traceback" not in errors.decode()


async def test_logs_are_json_lines_with_the_run_and_without_what_the_call_carried(project: Path) -> None:
    async with process(project) as started:
        async with open_channel(await address_of(started), 1 << 20) as channel:
            gate = gatekeeper_pb2_grpc.GatekeeperServiceStub(channel)
            request = gatekeeper_pb2.CheckRequest(document=f"crash {CANARY}".encode())
            with pytest.raises(grpc.aio.AioRpcError):
                await gate.Check(request, timeout=60, metadata=call_metadata("run-7"))
        started.terminate()
        _, errors = await started.communicate()
    entries = [json.loads(line) for line in errors.decode().splitlines()]
    crash = [entry for entry in entries if entry["event"] == "unexpected error"]
    assert CANARY not in errors.decode()
    assert len(crash) == 1
    assert crash[0]["run_id"] == "run-7"
    assert crash[0]["exception"][0] == "builtins.RuntimeError"
    assert any("gate_process.py" in frame for frame in crash[0]["exception"])
    assert all({"service", "level", "timestamp"} <= entry.keys() for entry in entries)
    assert [entry["code"] for entry in entries if entry["event"] == "rpc"] == ["INTERNAL"]
