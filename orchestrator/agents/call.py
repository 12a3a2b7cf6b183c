"""What every call to an agent has in common."""

from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TypedDict, TypeVar

import grpc.aio

from orchestrator.clock import Clock
from orchestrator.graph import CallFailedError, RunConfig
from services.common.rpc.channels import call_metadata
from services.common.rpc.preferring_channel import sent_somewhere

T = TypeVar("T")


class CallOptions(TypedDict):
    """Keyword arguments of a call."""

    timeout: float
    metadata: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class CallLimit:
    """How long one agent may take, in seconds; never longer than its run."""

    seconds: float
    clock: Clock

    def options(self, config: RunConfig) -> CallOptions:
        """Return deadline and metadata of a call that is made now."""
        remaining = max(0.0, config.deadline - self.clock.monotonic())
        return {"timeout": min(self.seconds, remaining), "metadata": call_metadata(config.run_id)}


async def answer_of(make: Callable[[], Awaitable[T]]) -> T:
    """Make a unary call and return its answer; raises CallFailedError when it does not end with OK."""
    with failures_named():
        return await sent_somewhere(make)


@contextmanager
def failures_named() -> Iterator[None]:
    """Turn a status other than OK into CallFailedError, which the graph's table knows."""
    try:
        yield
    except grpc.aio.AioRpcError as error:
        raise CallFailedError(error.code().name, error.details() or "") from None
