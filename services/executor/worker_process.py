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
from services.executor.replies import WorkerFailedError, raised, returned
from services.executor.sources.stop import StoppedError

# An operation, its arguments and its named arguments. The service is believed: what it sends is unpickled.
Request: TypeAlias = "tuple[Callable[..., Any], tuple[Any, ...], dict[str, Any]]"


def serve(connection: "Connection[Any, Request]", make: Callable[[], object]) -> None:
    """Make a desk, say so, and run operations on it, one after the other, until the other end is closed."""
    # Ctrl-C in a terminal reaches the whole group; when to end is the parent's to decide.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    _end_with_parent()
    _close_stdout()
    desk = make()
    connection.send_bytes(returned(None))
    while True:
        try:
            request = connection.recv()
        except EOFError:
            return
        connection.send_bytes(_reply(desk, request))


def _reply(desk: object, request: Request) -> bytes:
    operation, arguments, named = request
    try:
        return _answer(operation, desk, *arguments, **named)
    except Exception as error:  # noqa: BLE001 - its message may quote a source
        return raised(WorkerFailedError(exception_text(error)))


def _answer(operation: Callable[..., Any], *arguments: Any, **named: Any) -> bytes:  # noqa: ANN401 - any operation
    try:
        return returned(operation(*arguments, **named))
    except (AssayError, StoppedError) as error:
        return raised(error)


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
