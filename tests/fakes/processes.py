"""A look at processes from outside."""

import contextlib
import multiprocessing
import sys
from pathlib import Path


def is_running(process_id: int) -> bool:
    """Tell whether a process is there and not merely unreaped."""
    try:
        stat = Path(f"/proc/{process_id}/stat").read_text(encoding="utf-8")
    except (FileNotFoundError, ProcessLookupError):
        return False
    return stat.rpartition(")")[2].split()[0] not in "ZX"


def children_of(process_id: int) -> list[int]:
    """Return the processes that a process has started, what keeps their count included."""
    children: list[str] = []
    for thread in Path(f"/proc/{process_id}/task").iterdir():
        # A thread may end before it is looked at; its children are then those of another.
        with contextlib.suppress(FileNotFoundError, ProcessLookupError):
            children += (thread / "children").read_text().split()
    return [int(child) for child in children]


def sockets_of(process_id: int) -> set[str]:
    """Return the names of the sockets that a process holds."""
    files = set()
    for file in Path(f"/proc/{process_id}/fd").iterdir():
        # Listing them opens one, which is closed by then.
        with contextlib.suppress(FileNotFoundError):
            files.add(str(file.readlink()))
    return {file for file in files if file.startswith("socket:")}


def worker_ids() -> list[int]:
    """Return the worker processes of this one."""
    found = [child.pid for child in multiprocessing.active_children() if child.name == "worker"]
    return [pid for pid in found if pid is not None]


def loaded(_: object) -> list[str]:
    """Return the packages that a process has loaded: an operation on a worker's desk, whatever that is."""
    return sorted({name.partition(".")[0] for name in sys.modules})
