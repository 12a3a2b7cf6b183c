"""Asks the questions of a set again, all at one local stack."""

import asyncio
import resource
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from orchestrator.cli.client import DiagnosisClient, connected
from orchestrator.cli.errors import CommandError
from orchestrator.cli.evaluation.cases import Case
from orchestrator.cli.evaluation.judging import Ended
from orchestrator.cli.local_stack import local_stack
from orchestrator.cli.options import Bundle, request


@dataclass(frozen=True)
class Asked:
    """How some cases ended, in their order, and the processor time of all processes for it."""

    ended: Sequence[Ended]
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

    `told` gets the name of each case as it ends. What cannot be asked, or lasts longer than
    `timeout_seconds`, ends as the message that says so, and the others are asked all the same.
    """
    before = _children()
    slots = asyncio.Semaphore(at_once)

    async def one(client: DiagnosisClient, case: Case) -> Ended:
        message = request(case.question, Bundle(root, case.bundle), "", "", "")
        async with slots:
            try:
                return await client.diagnose(message, timeout_seconds, lambda _: None)
            except CommandError as error:
                return error.message
            finally:
                told(case.name)

    async with (
        local_stack(state, root, environ) as stack,
        connected(stack.address) as client,
        asyncio.TaskGroup() as group,
    ):
        tasks = [group.create_task(one(client, case)) for case in cases]
    return Asked([task.result() for task in tasks], _children() - before)


def _children() -> float:
    """Return the processor time of all ended processes that this one started, in seconds."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime
