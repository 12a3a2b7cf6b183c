"""Real services behind the recording servers of `agents`: all is kept, and the service answers it."""

from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from typing import Any

import grpc.aio
from assay.composer.v1 import composer_pb2
from assay.gatekeeper.v1 import gatekeeper_pb2
from assay.verifier.v1 import verifier_pb2
from google.protobuf.message import Message

from services.common.rpc.channels import call_metadata, open_channel
from services.common.rpc.service import Service, serving
from services.common.settings import ServiceSettings
from services.composer import __main__ as composer
from services.composer.settings import ComposerSettings
from services.gatekeeper import __main__ as gatekeeper
from services.gatekeeper.settings import GatekeeperSettings
from services.verifier import __main__ as verifier
from services.verifier.settings import VerifierSettings
from tests.fakes.agents import METHODS, Agents, Function, Reply

_SECONDS = 60.0


@dataclass(frozen=True)
class _Process:
    """How a service's own process is put together, and what its method answers."""

    settings: type[ServiceSettings]
    build: Callable[[Any], Awaitable[Service]]
    response: type[Message]


_PROCESSES = {
    "gatekeeper": _Process(GatekeeperSettings, gatekeeper.build, gatekeeper_pb2.CheckResponse),
    "verifier": _Process(VerifierSettings, verifier.build, verifier_pb2.VerifyResponse),
    "composer": _Process(ComposerSettings, composer.build, composer_pb2.ComposeResponse),
}


@asynccontextmanager
async def answered_by_services(agents: Agents, *names: str) -> AsyncIterator[None]:
    """Start these services, each on a server of its own, and let them answer in their agents' place."""
    async with AsyncExitStack() as stack:
        for name in names:
            process = _PROCESSES[name]
            settings = process.settings(drain_seconds=0)
            address = await stack.enter_async_context(serving(settings, await process.build(settings)))
            channel = await stack.enter_async_context(open_channel(address, settings.max_message_bytes))
            agent, method = agents.all()[name], METHODS[name]
            agent.replies[method] = [_passed_on(channel, f"/{agent.service}/{method}", process.response)]
        yield


def _passed_on(channel: grpc.aio.Channel, path: str, response: type[Message]) -> Function:
    call: Any = channel.unary_unary(
        path,
        request_serializer=lambda message: message.SerializeToString(),
        response_deserializer=response.FromString,
    )

    async def reply(request: Message) -> Reply:
        try:
            answer: Message = await call(request, timeout=_SECONDS, metadata=call_metadata("run-1"))
        except grpc.aio.AioRpcError as error:
            return error.code()
        return answer

    return reply
