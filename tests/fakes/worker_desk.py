"""A desk for tests of worker processes, and a process with one of them: `python -m tests.fakes.worker_desk`.

It is given the name of a maker of a desk and a port. Its worker begins there and searches for ever.
"""

import asyncio
import fcntl
import gc
import multiprocessing
import os
import re
import sys
from multiprocessing.connection import Connection
from pathlib import Path
from typing import NoReturn

from services.common.errors import NotFoundError
from services.executor.sources.stop import StoppedError
from services.executor.workers import Workers
from tests.fakes import held_work

CANARY = "canary-7f3a"


class Notes:
    """Holds lines, and does what workers must survive."""

    def __init__(self) -> None:
        self.lines: list[str] = []

    def add(self, line: str) -> list[str]:
        self.lines.append(line)
        return self.lines

    def clear(self) -> None:
        self.lines = []

    def pid(self) -> int:
        return os.getpid()

    def wait(self, port: int) -> int:
        held_work.wait(port)
        return os.getpid()

    def spin(self, port: int) -> NoReturn:
        with held_work.begin(port):
            while True:
                pass

    def search(self, port: int) -> None:
        """Hold the interpreter in one call for longer than any test."""
        with held_work.begin(port):
            re.match(r"(a+)+$", "a" * 60 + "b")

    def leave(self) -> NoReturn:
        os._exit(7)

    def stop(self) -> NoReturn:
        raise StoppedError

    def refuse(self) -> NoReturn:
        raise NotFoundError("it is not there", field="scope.bundle")

    def crash(self) -> NoReturn:
        raise KeyError(CANARY)

    def forge(self, reply: bytes) -> None:
        """Answer as a process could that somebody else has taken over."""
        for pipe in _pipes():
            pipe.send_bytes(reply)

    def hang_up(self, port: int) -> NoReturn:
        """Close the pipe, and end when the test lets go."""
        for pipe in _pipes():
            pipe.close()
        held_work.wait(port)
        os._exit(7)

    def odd(self) -> object:
        return object()

    def standard_files(self) -> list[str]:
        return [str(Path(f"/proc/self/fd/{number}").readlink()) for number in (0, 1)]


def _pipes() -> "list[Connection[bytes, bytes]]":
    """Return what connects this process with its parent."""
    return [each for each in gc.get_objects() if isinstance(each, Connection) and each.writable]


class Slow(Notes):
    """Takes its time to start; `port` is where it begins."""

    def __init__(self, port: int) -> None:
        held_work.wait(port)
        super().__init__()


def unguarded() -> Notes:
    """Take back what ends a worker with its parent."""
    parent = multiprocessing.parent_process()
    assert parent is not None
    flags = fcntl.fcntl(parent.sentinel, fcntl.F_GETFL)
    fcntl.fcntl(parent.sentinel, fcntl.F_SETFL, flags & ~os.O_ASYNC)
    return Notes()


async def search(maker: str, port: int) -> None:
    workers = Workers(1, {"guarded": Notes, "unguarded": unguarded}[maker], Notes.clear)
    async with workers.lease() as worker:
        sys.stdout.write(f"{await worker.run(60, Notes.pid)}\n")
        sys.stdout.flush()
        await worker.run(600, Notes.search, port)


if __name__ == "__main__":
    asyncio.run(search(sys.argv[1], int(sys.argv[2])))
