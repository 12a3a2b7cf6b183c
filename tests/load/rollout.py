"""Pods replaced while calls run: `python -m tests.load.rollout [ROLLOUTS]` prints how many failed.

Real processes on addresses of their own behind one name, as a headless Service does it: a new one comes, the
name is told of it, an old one is taken out of the name and gets SIGTERM. The calls never stop.
"""

import asyncio
import itertools
import json
import os
import signal
import socket
import sys
from asyncio.subprocess import DEVNULL, PIPE, Process
from collections import Counter
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

import grpc
import grpc.aio
from assay.gatekeeper.v1 import gatekeeper_pb2, gatekeeper_pb2_grpc

from services.common.rpc.channels import open_preferring
from services.common.rpc.preferring_channel import LOOK_UP_SECONDS, sent_somewhere
from tests.fakes.names import NameServer, name_server

# Longer than a caller may have to wait for a look at the name.
HANDOVER_SECONDS: Final = LOOK_UP_SECONDS + 3
_CALLERS: Final = 8
_SECONDS: Final = 120.0
_PROJECT: Final = Path(__file__).parents[2]

Open = Callable[[str, int], grpc.aio.Channel]


@dataclass
class Seen:
    """What became of the calls, and how the processes ended."""

    ended: Counter[str] = field(default_factory=Counter)
    exits: list[int] = field(default_factory=list)

    @property
    def failed(self) -> int:
        """How many calls did not end well."""
        return self.ended.total() - self.ended["OK"]


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("", 0))
        return int(probe.getsockname()[1])


def _own_net() -> str:
    """Return the beginning of addresses that no other process of tests uses meanwhile."""
    return f"127.{1 + os.getpid() // 250 % 250}.{os.getpid() % 250}"


@dataclass
class Pods:
    """The processes behind the name; each has the same port of another address of this machine."""

    names: NameServer
    handover_seconds: float
    seen: Seen
    port: int = field(default_factory=_free_port)
    running: dict[str, Process] = field(default_factory=dict)
    _hosts: Iterator[str] = field(default_factory=lambda: (f"{_own_net()}.{n}" for n in itertools.count(2)))

    async def add(self) -> None:
        """Start one, and name it once it serves."""
        host = next(self._hosts)
        variables = {
            "ASSAY_SCRIPTED_LISTEN": f"{host}:{self.port}",
            "ASSAY_SCRIPTED_HANDOVER_SECONDS": f"{self.handover_seconds}",
        }
        process = await asyncio.create_subprocess_exec(
            *(sys.executable, "-m", "tests.fakes.gate_process"),
            cwd=_PROJECT,
            env={**os.environ, **variables},
            stdout=PIPE,
            stderr=DEVNULL,
        )
        self.running[host] = process
        assert process.stdout is not None
        assert json.loads(await process.stdout.readline())["event"] == "serving"
        self.names.addresses.append(host)

    async def remove(self) -> None:
        """Take the oldest out of the name, tell it to stop, and wait for its end."""
        host = self.names.addresses.pop(0)
        process = self.running[host]
        process.send_signal(signal.SIGTERM)
        await process.communicate()
        assert process.returncode is not None
        self.seen.exits.append(process.returncode)
        del self.running[host]

    async def kill(self) -> None:
        """End whatever still runs."""
        for process in self.running.values():
            process.kill()
            await process.communicate()


@asynccontextmanager
async def called(address: str, seen: Seen, open_with: Open) -> AsyncIterator[None]:
    """Keep calls coming inside the block, all on one channel."""
    over = asyncio.Event()

    async def call(gate: "gatekeeper_pb2_grpc.GatekeeperServiceAsyncStub") -> None:
        while not over.is_set():
            try:
                # As the orchestrator makes them.
                await sent_somewhere(lambda: gate.Check(gatekeeper_pb2.CheckRequest(), timeout=_SECONDS))
            except grpc.aio.AioRpcError as error:
                seen.ended[error.code().name] += 1
            else:
                seen.ended["OK"] += 1

    async with open_with(address, 1 << 20) as channel, asyncio.TaskGroup() as group:
        gate = gatekeeper_pb2_grpc.GatekeeperServiceStub(channel)
        await gate.Check(gatekeeper_pb2.CheckRequest(), timeout=_SECONDS)
        for _ in range(_CALLERS):
            group.create_task(call(gate))
        try:
            yield
        finally:
            over.set()


async def measure(
    pods: int,
    rollouts: int,
    handover_seconds: float = HANDOVER_SECONDS,
    open_with: Open = open_preferring,
) -> Seen:
    """Replace a pod so often while calls run, and tell what became of these."""
    seen = Seen()
    async with AsyncExitStack() as stack:
        names = await stack.enter_async_context(name_server())
        running = Pods(names, handover_seconds, seen)
        stack.push_async_callback(running.kill)
        for _ in range(pods):
            await running.add()
        async with asyncio.timeout(_SECONDS * rollouts), called(names.target(running.port), seen, open_with):
            for _ in range(rollouts):
                await running.add()
                await running.remove()
    return seen


def told(pods: int, seen: Seen) -> str:
    """Return the figures, one line each."""
    return (
        f"pods at a time  {pods}\n"
        f"pods replaced   {len(seen.exits)}, exit codes {sorted(set(seen.exits))}\n"
        f"calls           {seen.ended.total()}\n"
        f"failed calls    {seen.failed}\n"
        + "".join(f"  {count} x {how}\n" for how, count in seen.ended.items() if how != "OK")
    )


if __name__ == "__main__":
    results = {}
    for count in (1, 2):
        results[count] = asyncio.run(measure(count, int(sys.argv[1]) if len(sys.argv) > 1 else 5))
        sys.stdout.write(told(count, results[count]))
    raise SystemExit(1 if any(result.failed for result in results.values()) else 0)
