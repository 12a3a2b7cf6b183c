"""Servicers whose behaviour a test supplies, behind the real server."""

from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any, TypeAlias

import grpc.aio
from assay.executor.v1 import executor_pb2, executor_pb2_grpc
from assay.gatekeeper.v1 import gatekeeper_pb2, gatekeeper_pb2_grpc
from pydantic_settings import SettingsConfigDict

from services.common.rpc.channels import open_channel
from services.common.rpc.health import Ready
from services.common.rpc.service import Service, serving
from services.common.settings import ServiceSettings

GATE = gatekeeper_pb2.DESCRIPTOR.services_by_name["GatekeeperService"].full_name
EXECUTOR = executor_pb2.DESCRIPTOR.services_by_name["ExecutorService"].full_name

Context: TypeAlias = "grpc.aio.ServicerContext[Any, Any]"
Check: TypeAlias = Callable[[gatekeeper_pb2.CheckRequest, Context], Awaitable[gatekeeper_pb2.CheckResponse]]
Execute: TypeAlias = Callable[[Context], AsyncIterator[executor_pb2.ExecuteResponse]]


class ScriptedSettings(ServiceSettings):
    model_config = SettingsConfigDict(env_prefix="ASSAY_SCRIPTED_")

    # Most tests have one server, and nobody who could go elsewhere.
    handover_seconds: float = 0


class ScriptedGate(gatekeeper_pb2_grpc.GatekeeperServiceServicer):
    def __init__(self, check: Check) -> None:
        self._check = check

    async def Check(  # noqa: N802 - the name is the contract's
        self, request: gatekeeper_pb2.CheckRequest, context: Context
    ) -> gatekeeper_pb2.CheckResponse:
        return await self._check(request, context)


class ScriptedExecutor(executor_pb2_grpc.ExecutorServiceServicer):
    def __init__(self, execute: Execute) -> None:
        self._execute = execute

    async def ListTools(  # noqa: N802 - the name is the contract's
        self, request: executor_pb2.ListToolsRequest, context: Context
    ) -> executor_pb2.ListToolsResponse:
        raise NotImplementedError

    async def Execute(  # noqa: N802 - the name is the contract's
        self,
        request: executor_pb2.ExecuteRequest,  # noqa: ARG002 - gRPC passes it
        context: Context,
    ) -> AsyncIterator[executor_pb2.ExecuteResponse]:
        async for response in self._execute(context):
            yield response


async def ok(_: gatekeeper_pb2.CheckRequest, __: Context) -> gatekeeper_pb2.CheckResponse:
    return gatekeeper_pb2.CheckResponse(status=gatekeeper_pb2.GATEKEEPER_STATUS_PASS)


async def nothing(_: Context) -> AsyncIterator[executor_pb2.ExecuteResponse]:
    responses: list[executor_pb2.ExecuteResponse] = []
    for response in responses:
        yield response


def service(check: Check = ok, execute: Execute = nothing, ready: Ready | None = None) -> Service:
    def register(server: grpc.aio.Server) -> None:
        gatekeeper_pb2_grpc.add_GatekeeperServiceServicer_to_server(ScriptedGate(check), server)
        executor_pb2_grpc.add_ExecutorServiceServicer_to_server(ScriptedExecutor(execute), server)

    return Service(names=(GATE, EXECUTOR), register=register, ready=ready)


@dataclass(frozen=True)
class Running:
    """A server that runs, and a channel to it."""

    address: str
    channel: grpc.aio.Channel
    gate: "gatekeeper_pb2_grpc.GatekeeperServiceAsyncStub"
    executor: "executor_pb2_grpc.ExecutorServiceAsyncStub"


@asynccontextmanager
async def running(
    check: Check = ok,
    execute: Execute = nothing,
    ready: Ready | None = None,
    settings: ServiceSettings | None = None,
    client_bytes: int = 1 << 24,
) -> AsyncIterator[Running]:
    async with (
        serving(settings or ScriptedSettings(), service(check, execute, ready)) as address,
        open_channel(address, client_bytes) as channel,
    ):
        yield Running(
            address,
            channel,
            gatekeeper_pb2_grpc.GatekeeperServiceStub(channel),
            executor_pb2_grpc.ExecutorServiceStub(channel),
        )
