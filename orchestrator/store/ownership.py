"""One process per database file: two orchestrators on one file would end each other's runs.

The lock is the system's, on a file beside the database, and ends with the process that took it, however that
ends. It is not on the database itself: a process that closes any descriptor of that file loses the locks that
SQLite holds on it.
"""

import asyncio
import fcntl
import os
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Final

from orchestrator.store.port import StoreOpenError

SUFFIX: Final = ".lock"
_POLL_SECONDS: Final = 0.1
_MAX_HOLDER_BYTES: Final = 32


@asynccontextmanager
async def owned(path: Path, wait_seconds: float) -> AsyncIterator[None]:
    """Own a database file inside the block; raises StoreOpenError that names the process which owns it.

    Waits a little for it: an orchestrator whose parent was killed still stores the end of its runs.
    """
    lock, descriptor = _opened(path)
    try:
        await _acquire(descriptor, path, wait_seconds)
        _say_who(descriptor, lock)
        yield
    finally:
        os.close(descriptor)


def _opened(path: Path) -> tuple[Path, int]:
    # Whatever the file is called, it is one file.
    lock = path.resolve().with_name(path.resolve().name + SUFFIX)
    try:
        return lock, os.open(lock, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600)
    except OSError as error:
        raise StoreOpenError(
            f"cannot use the database {path}: {lock.name} beside it cannot be written ({error.strerror}); "
            "change the permissions of its folder, or use another file"
        ) from None


async def _acquire(descriptor: int, path: Path, wait_seconds: float) -> None:
    try:
        async with asyncio.timeout(wait_seconds):
            while not _try_lock(descriptor, path):  # noqa: ASYNC110 - the kernel tells no event loop about a lock
                await asyncio.sleep(_POLL_SECONDS)
    except TimeoutError:
        raise StoreOpenError(
            f"cannot use the database {path}: the orchestrator with process id {_holder(descriptor)} "
            "uses it; stop that process, or use another file"
        ) from None


def _try_lock(descriptor: int, path: Path) -> bool:
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except OSError as error:
        raise StoreOpenError(
            f"cannot use the database {path}: its folder allows no locks ({error.strerror}); "
            "use a file on a local disk"
        ) from None
    return True


def _say_who(descriptor: int, lock: Path) -> None:
    try:
        os.ftruncate(descriptor, 0)
        os.pwrite(descriptor, f"{os.getpid()}\n".encode("ascii"), 0)
    except OSError as error:
        raise StoreOpenError(
            f"{lock} cannot be written: {error.strerror}; free space, or use another file"
        ) from None


def _holder(descriptor: int) -> str:
    said = os.pread(descriptor, _MAX_HOLDER_BYTES, 0).decode("ascii", "replace").strip()
    return said if said.isdigit() else "unknown"
