"""Running the work of a command: its signals, and its end when it fails."""

import asyncio
import signal
from collections.abc import Coroutine
from typing import Any, NoReturn, TypeVar

import typer

from orchestrator.cli.errors import CommandError
from orchestrator.cli.exit_codes import ExitCode
from orchestrator.cli.interrupts import STOP_SIGNALS, end_at_once
from services.common.visible import visible

ResultT = TypeVar("ResultT")


def run_to_end(work: Coroutine[Any, Any, ResultT]) -> ResultT:
    """Run the work of a command; the first signal cancels it. Raises CommandError."""
    with asyncio.Runner(loop_factory=_Loop) as runner:
        return runner.run(_until_signal(work))


class _Loop(asyncio.SelectorEventLoop):
    """An event loop that hands signals over to `end_at_once` when it closes.

    Others put the system's reactions back, so that a signal in that moment ends the command in another way.
    """

    def close(self) -> None:
        """Close; signals are nothing to this loop any more."""
        if not self.is_closed():
            end_at_once()
            # What it would be told of them has nowhere to go from here on.
            signal.set_wakeup_fd(-1)
        super().close()

    def remove_signal_handler(self, sig: int) -> bool:  # noqa: ARG002 - as every loop takes it
        """Leave whatever is set."""
        return False


def fail(error: CommandError) -> NoReturn:
    """Leave with one message on standard error; one detail stands behind it, more stand below it."""
    first, details = f"assay: {visible(error.message)}", [visible(detail) for detail in error.details]
    if details:
        first = first.removesuffix(":") + ":"
    if len(details) == 1:
        first = f"{first} {details.pop()}"
    typer.echo("\n  ".join([first, *details]), err=True)
    raise SystemExit(int(error.exit_code))


async def _until_signal(work: Coroutine[Any, Any, ResultT]) -> ResultT:
    """Await the work; the first signal cancels it, and what it started is ended in bounded time."""
    loop = asyncio.get_running_loop()
    task = asyncio.ensure_future(work)
    for number in STOP_SIGNALS:
        loop.add_signal_handler(number, _cancel_once, task, loop)
    try:
        return await task
    except asyncio.CancelledError:
        raise CommandError("cancelled", ExitCode.CANCELLED) from None


def _cancel_once(task: asyncio.Future[Any], loop: asyncio.AbstractEventLoop) -> None:
    for number in STOP_SIGNALS:
        loop.add_signal_handler(number, lambda: None)
    task.cancel()
