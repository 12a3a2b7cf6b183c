"""Worker processes for work that would hold up the event loop and that must end when nobody waits for it.

Not `concurrent.futures.ProcessPoolExecutor`: what one caller does stays in one process, which keeps what it
has read, and that process can be killed alone. What comes back is parsed, not unpickled (`replies.py`).
"""

import asyncio
import multiprocessing
import threading
from collections.abc import AsyncIterator, Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, asynccontextmanager, suppress
from multiprocessing.connection import Connection, wait
from typing import Any, Concatenate, Generic, ParamSpec, TypeVar, cast

import structlog

from services.common.errors import UnavailableError
from services.common.places import Places
from services.executor.replies import MAX_REPLY_BYTES, IllegalReplyError, Reply, WorkerFailedError, parsed
from services.executor.worker_process import Request, serve

# Between the end of a process's pipe and its exit code: a busy machine needs seconds to end a large process.
_EXIT_SECONDS = 30.0
_NO_ANSWER = "it answered what no worker answers"

# An exit status is given once: of two threads that ask for it together, one is told that there is no such
# process. Starting a process asks for those of all others.
_EXIT_STATUS = threading.Lock()

_log = structlog.get_logger("assay.workers")

D = TypeVar("D")
P = ParamSpec("P")
T = TypeVar("T")


class WorkerLostError(Exception):
    """The process is gone, and what it held with it. The next operation runs in a new one."""


class OverrunError(WorkerLostError):
    """The operation did not end in time and was killed."""


class WorkerEndedError(WorkerLostError):
    """The process ended by itself, was killed from outside, or is ended for an answer that is none.

    The message says which: the signal, the exit code.
    """


class Process:
    """One started process and the pipe to it. `begun`, `ask` and `reap` block, and belong into one thread."""

    def __init__(self, make: Callable[[], object]) -> None:
        context = multiprocessing.get_context("spawn")
        with ExitStack() as opened:
            try:
                ours, theirs = context.Pipe()
                opened.callback(theirs.close)
                self._process = context.Process(target=serve, args=(theirs, make), name="worker", daemon=True)
                with _EXIT_STATUS:
                    self._process.start()
            except OSError as error:
                raise UnavailableError(
                    f"no worker process can be started: {error.strerror}; try again later"
                ) from None
        self._connection: Connection[Request, Any] = ours

    @property
    def alive(self) -> bool:
        """Whether it still runs. Takes no exit status."""
        return not self._ended(0)

    def begun(self) -> None:
        """Wait until it takes requests; raises WorkerEndedError when it ends instead."""
        self._received()

    def ask(self, request: Request) -> Reply:
        """Run an operation there; raises WorkerEndedError when the process ends instead of replying."""
        # An end in between shows when the reply is read.
        with suppress(BrokenPipeError, ConnectionResetError):
            self._connection.send(request)
        return self._received()

    def _received(self) -> Reply:
        try:
            return parsed(self._connection.recv_bytes(MAX_REPLY_BYTES))
        except IllegalReplyError:
            raise WorkerEndedError(_NO_ANSWER) from None
        except (EOFError, OSError):
            raise WorkerEndedError(self._end()) from None

    def _end(self) -> str:
        """Return how it ended; after too long an answer, which nobody read, it runs on."""
        if not self._connection.readable:
            return _NO_ANSWER
        if not self._ended(_EXIT_SECONDS):
            return _how(None)
        # One that only closed all its files would be waited for without an end.
        self.kill()
        return _how(self._exit_code())

    def _ended(self, seconds: float | None) -> bool:
        return bool(wait([self._process.sentinel], seconds))

    def _exit_code(self) -> int | None:
        with _EXIT_STATUS:
            self._process.join()
            return self._process.exitcode

    def kill(self) -> None:
        """End it now, whatever it does."""
        with _EXIT_STATUS:
            self._process.kill()

    def reap(self) -> None:
        """Wait for the end of a killed process and free what it took."""
        self._ended(None)
        self._exit_code()
        self._connection.close()


def _how(exit_code: int | None) -> str:
    if exit_code is None:
        return "it closed its pipe"
    return f"signal {-exit_code}" if exit_code < 0 else f"exit code {exit_code}"


class Worker(Generic[D]):
    """One place for a process, which starts when it is first used, and anew after its process was lost."""

    def __init__(self, make: Callable[[], D], start_seconds: float) -> None:
        self._make = make
        self._start_seconds = start_seconds
        # One thread does all that blocks, so that what is asked of a process keeps its order.
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="worker")
        self._process: Process | None = None

    async def run(
        self,
        seconds: float,
        operation: Callable[Concatenate[D, P], T],
        /,
        *arguments: P.args,
        **named: P.kwargs,
    ) -> T:
        """Run an operation of the desk, whose result is of a type that `replies` lists.

        Raises what the operation raises; OverrunError after `seconds`, which begin when there is a process;
        WorkerEndedError when the process ends; UnavailableError when none starts. Cancelling the call kills
        the process.
        """
        process = self._process or await self._started()
        value, error = await self._waited(seconds, process.ask, (operation, arguments, named))
        if isinstance(error, WorkerFailedError):
            _log.error("unexpected error in a worker", frames=error.frames)
        if error is not None:
            raise error
        return cast("T", value)

    def tell(self, operation: Callable[[D], None]) -> None:
        """Have an operation run before any later one, and do not wait for it. Without a process, nothing."""
        if self._process is not None:
            self._thread.submit(self._process.ask, (operation, (), {}))

    def kill(self) -> None:
        """End the process, if there is one. Does not wait."""
        if self._process is not None:
            self._process.kill()
            self._thread.submit(self._process.reap)
            self._process = None

    async def close(self) -> None:
        """End the process and wait until it has ended. No operation may follow."""
        self.kill()
        await asyncio.to_thread(self._thread.shutdown)

    def forget_ended(self) -> None:
        """Have the next operation start a process if the last one ended while nobody used it."""
        if self._process is not None and not self._process.alive:
            _log.warning("an idle worker process had ended")
            self.kill()

    async def _started(self) -> Process:
        process = self._process = Process(self._make)
        try:
            await self._waited(self._start_seconds, process.begun)
        except OverrunError:
            raise UnavailableError(
                f"a worker process did not start within {self._start_seconds:g} s; try again later"
            ) from None
        return process

    async def _waited(self, seconds: float, blocking: Callable[..., T], *arguments: Request) -> T:
        """Wait for what blocks on the process; whatever cuts the wait short kills the process."""
        try:
            async with asyncio.timeout(seconds):
                return await asyncio.get_running_loop().run_in_executor(self._thread, blocking, *arguments)
        except TimeoutError:
            self.kill()
            raise OverrunError from None
        except (asyncio.CancelledError, WorkerEndedError):
            self.kill()
            raise


class Workers(Generic[D]):
    """At most `count` processes, each leased to one caller at a time.

    `make` makes in a new process what operations work on, the desk; it is pickled. `clear` empties a desk
    when its lease ends. A process starts in at most `start_seconds` and stays for the next lease.
    """

    def __init__(
        self, count: int, make: Callable[[], D], clear: Callable[[D], None], start_seconds: float = 30.0
    ) -> None:
        self._clear = clear
        self._workers = [Worker(make, start_seconds) for _ in range(count)]
        # The one that was used last is used next, so that one caller at a time needs one process.
        self._idle = list(self._workers)
        self._free = Places(count)

    @property
    def all_leased(self) -> bool:
        """Whether a lease would have to wait now."""
        return self._free.locked()

    @property
    def idle(self) -> int:
        """How many have no caller."""
        return len(self._idle)

    @property
    def waiting(self) -> int:
        """How many callers wait."""
        return self._free.waiting

    @asynccontextmanager
    async def lease(self) -> AsyncIterator[Worker[D]]:
        """Wait for a worker, first come, first served. The wait ends with the caller's own time."""
        async with self._free:
            worker = self._idle.pop()
            worker.forget_ended()
            try:
                yield worker
            finally:
                worker.tell(self._clear)
                self._idle.append(worker)

    async def close(self) -> None:
        """End every process."""
        await asyncio.gather(*(worker.close() for worker in self._workers))
