"""How an agent is: its health under both meanings, and what it says of itself."""

import asyncio
from collections.abc import Awaitable
from dataclasses import dataclass
from typing import Final, TypeVar

import grpc
import grpc.aio
from assay.common.v1 import process_pb2, process_pb2_grpc
from assay.orchestrator.v1.status_pb2 import AgentStatus
from grpc_health.v1 import health_pb2, health_pb2_grpc

from orchestrator.clock import Clock
from services.common.rpc.health import LIVENESS

_SERVING: Final = health_pb2.HealthCheckResponse.SERVING
ReplyT = TypeVar("ReplyT")


@dataclass(frozen=True, slots=True)
class Agent:
    """One agent: its short name, its address, the channel to it."""

    name: str
    address: str
    channel: grpc.aio.Channel


async def status_of(agent: Agent, clock: Clock, seconds: float) -> AgentStatus:
    """Ask an agent how it is, in at most `seconds`. Whatever fails is told in the status."""
    health = health_pb2_grpc.HealthStub(agent.channel)
    process = process_pb2_grpc.ProcessServiceStub(agent.channel)
    readiness, liveness, described = await asyncio.gather(
        _answer(health.Check(health_pb2.HealthCheckRequest(), timeout=seconds)),
        _answer(health.Check(health_pb2.HealthCheckRequest(service=LIVENESS), timeout=seconds)),
        _timed(process.GetProcess(process_pb2.GetProcessRequest(), timeout=seconds), clock),
    )
    status = AgentStatus(
        name=agent.name,
        address=agent.address,
        ready=_is_serving(readiness),
        live=_is_serving(liveness),
        problem=_problem(readiness, seconds) or _problem(described.answer, seconds),
    )
    if isinstance(described.answer, process_pb2.GetProcessResponse):
        status.process.CopyFrom(described.answer.process)
        status.round_trip_seconds = described.seconds
        midpoint = described.asked + described.seconds / 2
        status.clock_skew_seconds = status.process.time.ToNanoseconds() / 1e9 - midpoint
    return status


@dataclass(frozen=True, slots=True)
class _Timed:
    """An answer, when it was asked for (seconds since 1970, UTC) and how long it took, in seconds."""

    answer: process_pb2.GetProcessResponse | grpc.aio.AioRpcError
    asked: float
    seconds: float


async def _timed(call: Awaitable[process_pb2.GetProcessResponse], clock: Clock) -> _Timed:
    asked, began = clock.now().timestamp(), clock.monotonic()
    answer = await _answer(call)
    return _Timed(answer, asked, clock.monotonic() - began)


async def _answer(call: Awaitable[ReplyT]) -> ReplyT | grpc.aio.AioRpcError:
    try:
        return await call
    except grpc.aio.AioRpcError as error:
        return error


def _is_serving(answer: health_pb2.HealthCheckResponse | grpc.aio.AioRpcError) -> bool:
    return isinstance(answer, health_pb2.HealthCheckResponse) and answer.status == _SERVING


def _problem(answer: object, seconds: float) -> str:
    if not isinstance(answer, grpc.aio.AioRpcError):
        return ""
    match answer.code():
        case grpc.StatusCode.DEADLINE_EXCEEDED:
            return f"it does not answer within {seconds:.1f} s"
        case grpc.StatusCode.UNAVAILABLE:
            return "nothing answers at its address, or it is stopping"
        case grpc.StatusCode.UNIMPLEMENTED:
            return "it does not describe itself: it is older than the orchestrator, or something else"
        case code:
            return f"it answers {code.name}"
