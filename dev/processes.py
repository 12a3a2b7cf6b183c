"""What processes and those that they started cost, as the system counts it. Linux only: it reads /proc."""

import os
from collections.abc import Iterable
from pathlib import Path
from typing import Literal

_TICKS = os.sysconf("SC_CLK_TCK")


def family(pid: int) -> list[int]:
    """Return a process and those that it started, as far as they live."""
    found = [pid]
    parents = {int(path.parent.name): _stat(path)[1] for path in Path("/proc").glob("[0-9]*/stat")}
    for each in found:
        found += [child for child, parent in parents.items() if int(parent) == each]
    return found


def resident_mib(pid: int, which: Literal["VmRSS", "VmHWM"] = "VmRSS") -> float:
    """Return the memory of a process and its children in MiB: now, or with `VmHWM` the most that each had."""
    return sum(_status_kib(each, which) for each in family(pid)) / 1024


def cpu_seconds(pid: int) -> float:
    """Return the processor time of a process and of its children, those that ended included, in seconds."""
    fields = (field for each in family(pid) for field in _stat(Path(f"/proc/{each}/stat"))[11:15])
    return sum(map(int, fields)) / _TICKS


def total_cpu(pids: Iterable[int]) -> float:
    """Return the processor time of some processes and their children, in seconds."""
    return sum(cpu_seconds(pid) for pid in pids)


def _stat(path: Path) -> list[str]:
    """Return the fields of a process behind its name; of one that has ended zeros."""
    try:
        return path.read_text(encoding="utf-8").rpartition(")")[2].split()
    except (FileNotFoundError, ProcessLookupError):
        return ["0"] * 20


def _status_kib(pid: int, which: str) -> int:
    try:
        status = Path(f"/proc/{pid}/status").read_text(encoding="utf-8")
    except (FileNotFoundError, ProcessLookupError):
        return 0
    return next((int(line.split()[1]) for line in status.splitlines() if line.startswith(which)), 0)
