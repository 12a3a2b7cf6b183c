"""Where the command line keeps its database and logs; one command at a time holds that folder."""

import asyncio
import fcntl
import os
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from pathlib import Path

from orchestrator.cli.errors import CommandError, wrong_input
from orchestrator.cli.exit_codes import ExitCode
from orchestrator.cli.settings import own_settings

_LOCK_POLL_SECONDS = 0.2
_ELSEWHERE = "set ASSAY_HOME to another folder"


def state_folder(environ: Mapping[str, str]) -> Path:
    """Return the folder of the settings, else `$XDG_STATE_HOME/assay`, else `~/.local/state/assay`.

    It need not exist.
    """
    if home := own_settings(environ).home:
        return _expanded(str(home))
    if state := environ.get("XDG_STATE_HOME"):
        return Path(state).absolute() / "assay"
    return _expanded(environ.get("HOME") or "~") / ".local" / "state" / "assay"


def _expanded(path: str) -> Path:
    try:
        return Path(path).expanduser().absolute()
    except (OSError, RuntimeError) as error:
        raise wrong_input(f"the state folder {path} cannot be found: {error}; {_ELSEWHERE}") from None


def prepare(folder: Path) -> Path:
    """Create the folder, readable by its owner alone; raises CommandError when that is not possible."""
    try:
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    except OSError as error:
        reason = "it is not a folder" if isinstance(error, FileExistsError) else error.strerror
        raise wrong_input(f"the state folder {folder} cannot be used: {reason}; {_ELSEWHERE}") from None
    return folder


@asynccontextmanager
async def exclusive(folder: Path, wait_seconds: float, on_wait: Callable[[], None]) -> AsyncIterator[None]:
    """Hold the folder for one local stack: two orchestrators on one database would end each other's runs.

    Waits for the command that holds it, calling `on_wait` once. The lock ends with the process that took it.
    """
    path = folder / "lock"
    try:
        descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    except OSError as error:
        raise wrong_input(f"{path} cannot be written: {error.strerror}; {_ELSEWHERE}") from None
    try:
        await _acquire(descriptor, folder, wait_seconds, on_wait)
        yield
    finally:
        os.close(descriptor)


async def _acquire(descriptor: int, folder: Path, wait_seconds: float, on_wait: Callable[[], None]) -> None:
    if _try_lock(descriptor):
        return
    on_wait()
    try:
        async with asyncio.timeout(wait_seconds):
            while not _try_lock(descriptor):  # noqa: ASYNC110 - the kernel tells no event loop about a lock
                await asyncio.sleep(_LOCK_POLL_SECONDS)
    except TimeoutError:
        raise CommandError(
            f"another assay command is still using {folder}: wait, or {_ELSEWHERE}",
            ExitCode.ERROR,
        ) from None


def _try_lock(descriptor: int) -> bool:
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True
