"""A real service that stops at its work: `python -m tests.fakes.held_process SERVICE NODE PORT`.

An agent stops before it answers, the executor after its first tool call; the orchestrator stops when it comes
to the node. Then it connects to the test's listener and goes on when that hangs up, or is killed.
"""

import asyncio
import importlib
import runpy
import sys
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from orchestrator.cli.local_stack.environment import module_of
from orchestrator.cli.local_stack.logs import FileLog
from orchestrator.cli.local_stack.process import ServiceProcess
from orchestrator.graph import CompiledGraph, Node, NodePort, NodeResult, RunConfig
from tests.fakes.agents import METHODS, ScriptedAgent

ORCHESTRATOR = "orchestrator"


async def hold(port: int) -> None:
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    await reader.read()
    writer.close()


def hold_agent(service: str, port: int) -> None:
    servicer = getattr(importlib.import_module(f"services.{service}.servicer"), f"{service.title()}Servicer")
    original: Callable[..., Any] = getattr(servicer, METHODS[service])

    async def held(*values: Any) -> Any:  # noqa: ANN401 - as the method takes and returns
        await hold(port)
        return await original(*values)

    async def held_stream(*values: Any) -> AsyncIterator[Any]:  # noqa: ANN401 - as above
        async for message in original(*values):
            yield message
            await hold(port)

    setattr(servicer, METHODS[service], held_stream if service == "executor" else held)


def hold_orchestrator(node: str, port: int) -> None:
    original = CompiledGraph.port

    def port_of(graph: CompiledGraph, asked: Node) -> NodePort:
        function = original(graph, asked)

        async def held(state: Any, config: RunConfig) -> NodeResult:  # noqa: ANN401 - as the node takes
            await hold(port)
            return await function(state, config)

        return held if asked == node else function

    setattr(CompiledGraph, "port", port_of)  # noqa: B010 - mypy knows no function that takes a method's place


@dataclass
class Elsewhere(ScriptedAgent):
    """An agent whose calls a process answers that somebody else started and ends."""

    address: str = ""

    async def start(self) -> str:
        return self.address

    async def kill(self) -> None:
        pass


@dataclass
class Held:
    """A held process, and the moment at which it stops."""

    process: asyncio.subprocess.Process
    reached: asyncio.Event
    address: str

    async def kill(self) -> None:
        """End it without asking."""
        if self.process.returncode is None:
            self.process.kill()
        await self.process.wait()


@asynccontextmanager
async def held(service: str, node: str, environ: dict[str, str], log: Path) -> AsyncIterator[Held]:
    """Start a service that stops at a node; it is killed, if it still runs, when the block ends."""
    reached = asyncio.Event()

    async def arrived(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        reached.set()
        await reader.read()
        writer.close()

    server = await asyncio.start_server(arrived, "127.0.0.1", 0)
    port = str(server.sockets[0].getsockname()[1])
    async with server:
        with log.open("ab") as stderr:
            process = await asyncio.create_subprocess_exec(
                *(sys.executable, "-P", "-m", __name__, service, node, port),
                stdin=asyncio.subprocess.PIPE,
                stdout=asyncio.subprocess.PIPE,
                stderr=stderr,
                env=environ,
            )
        address = await ServiceProcess(service, process, FileLog(log)).address()
        running = Held(process, reached, address)
        try:
            yield running
        finally:
            await running.kill()


def main(service: str, node: str, port: str) -> None:
    if service == ORCHESTRATOR:
        hold_orchestrator(node, int(port))
    else:
        hold_agent(service, int(port))
    sys.argv[1:] = []
    runpy.run_module(module_of(service), run_name="__main__")


if __name__ == "__main__":
    main(*sys.argv[1:])
