"""Each service killed at each node at which it works, and what becomes of the run."""

import asyncio
import os
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AsyncExitStack, asynccontextmanager

import grpc
from assay.common.v1 import evidence_pb2

from orchestrator.cli.local_stack.environment import for_agent, for_orchestrator
from orchestrator.graph import Node
from tests.bad_input.command import LOG, QUESTION, assay
from tests.bad_input.table import Place, Row, Seen, stored_in
from tests.fakes.agents import METHODS, Agents, cause, executed, judging, stack
from tests.fakes.bundles import write
from tests.fakes.command_line import LIMIT_SECONDS
from tests.fakes.held_process import ORCHESTRATOR, Elsewhere, Held, held

_BUNDLE = "incident"


async def _asked_and_killed(place: Place, address: str, process: Held) -> Seen:
    """Ask a service, kill a process when it stops in the middle of its work; no tool call may be lost."""
    where = ("--bundle", _BUNDLE, "--target", address)
    asking = asyncio.create_task(assay(place, "diagnose", QUESTION, *where))
    reached = asyncio.create_task(process.reached.wait())
    async with asyncio.timeout(LIMIT_SECONDS):
        await asyncio.wait([asking, reached], return_when=asyncio.FIRST_COMPLETED)
    reached.cancel()
    before = stored_in(place.database)
    await process.kill()
    seen = await asking
    after = stored_in(place.database)
    assert process.reached.is_set(), f"it was never at work:\n{seen.everything}"
    assert all(after.calls.get(run_id, 0) >= calls for run_id, calls in before.calls.items())
    return seen


def _agent(name: str) -> Callable[[Place], Awaitable[Seen]]:
    """Return a runner that kills a real agent, beside scripted ones, in the middle of its call."""

    async def runner(place: Place) -> Seen:
        place.home.mkdir()
        write(place.folder / _BUNDLE, {"logs/api.log": LOG})
        environ = {**os.environ, **for_agent(name, place.folder)}
        async with held(name, name, environ, place.home / f"{name}.log") as process:
            agents = Agents()
            scripted = agents.all()[name]
            setattr(agents, name, Elsewhere(scripted.service, scripted.methods, address=process.address))
            async with stack(place.database, agents) as running:
                return await _asked_and_killed(place, running.address, process)

    return runner


def _without(name: str) -> Callable[[Place], Awaitable[Seen]]:
    """Return a runner that asks when an agent has been dead for a while."""

    async def runner(place: Place) -> Seen:
        place.home.mkdir()
        agents = Agents()
        setattr(agents, name, Elsewhere("", (), address="127.0.0.1:1"))
        async with stack(place.database, agents) as running:
            return await assay(place, "diagnose", QUESTION, "--bundle", _BUNDLE, "--target", running.address)

    return runner


def _orchestrator(node: Node) -> Callable[[Place], Awaitable[Seen]]:
    """Return a runner that kills a real orchestrator when it comes to a node, and then shows the run."""

    async def runner(place: Place) -> Seen:
        place.home.mkdir()
        async with _scripted(_leading_to(node)) as addresses:
            environ = {**os.environ, **for_orchestrator(addresses, place.database)}
            log = place.home / "orchestrator.log"
            async with held(ORCHESTRATOR, node, environ, log) as process:
                first = await _asked_and_killed(place, process.address, process)
        (run_id,) = stored_in(place.database).runs
        then = await assay(place, "show", run_id)
        line = f"{first.line} Then: {then.line}"
        return Seen(line, f"{first.ends}, then {then.ends}", first.everything + then.everything)

    return runner


def _leading_to(node: Node) -> Agents:
    """Return agents with which a run comes to a node."""
    agents = Agents()
    if node is Node.EVIDENCE_RETRY:
        agents.executor.replies["Execute"] = [executed(cause()), executed(calls=())]
        low = judging(cause_1=evidence_pb2.CLASSIFICATION_UNSUPPORTED)
        agents.verifier.replies["Verify"] = [low, low]
    if node is Node.FALLBACK:
        agents.gatekeeper.replies["Check"] = [grpc.StatusCode.INTERNAL]
    return agents


@asynccontextmanager
async def _scripted(agents: Agents) -> AsyncIterator[dict[str, str]]:
    async with AsyncExitStack() as started:
        addresses = {}
        for name, agent in agents.all().items():
            addresses[name] = await agent.start()
            started.push_async_callback(agent.kill)
        yield addresses


_OUTCOMES = {name: "FAILED" if name == "executor" else "RETRYABLE_FAILED" for name in METHODS}

ROWS = (
    *(
        Row(
            f"killed: {name}, in the middle of its call",
            _agent(name),
            f"A step failed ({name}, {outcome}, call_unavailable)",
            "3",
            "DEGRADED",
        )
        for name, outcome in _OUTCOMES.items()
    ),
    Row("killed: an agent, before it was asked", _without("verifier"), "is not ready: it or an agent", "1"),
    *(
        Row(
            f"killed: orchestrator, at {node}",
            _orchestrator(node),
            "Then: FAILED the run failed; there is no answer (orchestrator_restarted)",
            "1, then 1",
            "FAILED",
        )
        for node in Node
    ),
)
