"""What runs inside a worker process. It loads little: no gRPC, no settings, no logging."""

import fcntl
import multiprocessing
import os
import signal
from collections.abc import Callable
from multiprocessing.connection import Connection, wait
from typing import Any, TypeAlias

from services.common.errors import AssayError
from services.common.exception_text import exception_text
from services.executor.sources.stop import StoppedError

# An operation, its arguments and its named arguments.
Request: TypeAlias = "tuple[Callable[..., Any], tuple[Any, ...], dict[str, Any]]"
# What the operation returned, or the error that it raised.
Reply: TypeAlias = "tuple[Any, Exception | None]"


class WorkerFailedError(Exception):
    """An operation raised what nobody foresaw. `frames` are its class and frames, without its message."""

    def __init__(self, frames: list[str]) -> None:
        super().__init__(frames)
        self.frames = frames


def serve(connection: "Connection[Reply, Request]", make: Callable[[], object]) -> None:
    """Make a desk, say so, and run operations on it, one after the other, until the other end is closed."""
    # Ctrl-C in a terminal reaches the whole group; when to end is the parent's to decide.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    _end_with_parent()
    _close_stdout()
    desk = make()
    connection.send((None, None))
    while True:
        try:
            request = connection.recv()
        except EOFError:
            return
        connection.send(_reply(desk, request))


def _reply(desk: object, request: Request) -> Reply:
    operation, arguments, named = request
    try:
        return operation(desk, *arguments, **named), None
    except (AssayError, StoppedError) as error:
        return None, error
    except Exception as error:  # noqa: BLE001 - it may not be picklable, and its message may quote a source
        return None, WorkerFailedError(exception_text(error))


def _end_with_parent() -> None:
    """Have the kernel end this process when the parent ends, however it ends.

    A thread that waits for the parent could not run while a regular expression holds the interpreter. The
    sentinel is a pipe that only the parent can write to: its end raises SIGIO, which ends the process.
    """
    parent = multiprocessing.parent_process()
    assert parent is not None  # noqa: S101 - a started process has one; this tells the type
    fcntl.fcntl(parent.sentinel, fcntl.F_SETOWN, os.getpid())
    flags = fcntl.fcntl(parent.sentinel, fcntl.F_GETFL)
    fcntl.fcntl(parent.sentinel, fcntl.F_SETFL, flags | os.O_ASYNC)
    if wait([parent.sentinel], 0):
        os._exit(1)


def _close_stdout() -> None:
    """Let go of the parent's standard output: who reads it there would wait for this process, too."""
    nothing = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nothing, 1)
    os.close(nothing)
