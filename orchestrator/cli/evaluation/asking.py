"""Asks the questions of a set again, all at one local stack."""

import asyncio
import resource
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from assay.orchestrator.v1 import run_pb2

from orchestrator.cli.client import DiagnosisClient, connected
from orchestrator.cli.evaluation.cases import Case
from orchestrator.cli.local_stack import local_stack
from orchestrator.cli.options import Bundle, request


@dataclass(frozen=True)
class Asked:
    """How the runs of some cases ended, in their order, and the processor time of all processes for it."""

    runs: Sequence[run_pb2.Run]
    cpu_seconds: float


async def ask(
    cases: Sequence[Case],
    root: Path,
    state: Path,
    environ: Mapping[str, str],
    timeout_seconds: float,
    told: Callable[[str], None],
    at_once: int = 1,
) -> Asked:
    """Ask every case below `root`, so many at once, and keep the runs in `state`; raises CommandError.

    `told` gets the name of each case as it ends. A run that lasts longer than `timeout_seconds` is an error.
    """
    before = _children()
    slots = asyncio.Semaphore(at_once)

    async def one(client: DiagnosisClient, case: Case) -> run_pb2.Run:
        message = request(case.question, Bundle(root, case.bundle), "", "", "")
        async with slots:
            run = await client.diagnose(message, timeout_seconds, lambda _: None)
        told(case.name)
        return run

    async with local_stack(state, root, environ) as stack, connected(stack.address) as client:
        await client.check_ready()
        async with asyncio.TaskGroup() as group:
            tasks = [group.create_task(one(client, case)) for case in cases]
    return Asked([task.result() for task in tasks], _children() - before)


def _children() -> float:
    """Return the processor time of all ended processes that this one started, in seconds."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime
