"""Measures what the stack costs: start-up, idle memory, one diagnosis. Linux only, as it reads /proc.

Trust processor seconds and memory; wall times depend on what else the machine does.
"""

import asyncio
import os
import sys
import tempfile
import time
from collections.abc import Iterable
from pathlib import Path

from orchestrator.cli.client import connected
from orchestrator.cli.local_stack import local_stack
from orchestrator.cli.options import local_bundle, request

INCIDENTS = Path("examples/incidents")
TIMEOUT_SECONDS = 300.0
_TICKS = os.sysconf("SC_CLK_TCK")


def resident_mib(pid: int) -> float:
    """Return the resident memory of a process, shared pages included, in MiB."""
    pages = int(Path(f"/proc/{pid}/statm").read_text(encoding="ascii").split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") / (1 << 20)


def cpu_seconds(pid: int) -> float:
    """Return the processor time of a process and of its children that ended, in seconds."""
    fields = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()
    return sum(int(field) for field in fields[11:15]) / _TICKS


def with_workers(pids: Iterable[int]) -> list[int]:
    """Return some processes and those that they have running."""
    found = list(pids)
    for pid in found:
        for thread in Path(f"/proc/{pid}/task").iterdir():
            found += map(int, (thread / "children").read_text(encoding="ascii").split())
    return found


def total_cpu(pids: Iterable[int]) -> float:
    """Return the processor time of some processes and of their workers, in seconds."""
    return sum(cpu_seconds(pid) for pid in with_workers(pids))


async def measure(folder: Path, bundle_path: Path) -> None:
    """Start a stack, let it idle, ask twice, and print each figure."""
    bundle = local_bundle(bundle_path)
    assert bundle.root is not None  # noqa: S101 - a local bundle has a root; this tells the type
    question = (bundle_path / "question.txt").read_text(encoding="utf-8").strip()
    began = time.monotonic()
    async with local_stack(folder, bundle.root, os.environ) as stack:
        _say("start-up, wall", time.monotonic() - began, "s")
        pids = {name: service.process.pid for name, service in stack.processes.items()}
        _say("start-up, processor, six processes", total_cpu(pids.values()), "s")
        for name, pid in pids.items():
            _say(f"idle memory, {name}", resident_mib(pid), "MiB")
        _say("idle memory, six processes", sum(map(resident_mib, pids.values())), "MiB")
        async with connected(stack.address) as client:
            for which in ("first", "second"):
                before, began = total_cpu(pids.values()), time.monotonic()
                await client.diagnose(request(question, bundle, "", "", ""), TIMEOUT_SECONDS, lambda _: None)
                _say(f"{which} diagnosis, wall", time.monotonic() - began, "s")
                _say(f"{which} diagnosis, processor", total_cpu(pids.values()) - before, "s")
        everything = with_workers(pids.values())
        _say(f"memory after, {len(everything)} processes", sum(map(resident_mib, everything)), "MiB")


def _say(what: str, value: float, unit: str) -> None:
    sys.stdout.write(f"{what:<40} {value:8.2f} {unit}\n")
    sys.stdout.flush()


def main() -> int:
    """Measure every example incident; returns the exit code."""
    for incident in sorted(INCIDENTS.glob("*/bundle")):
        size = sum(path.stat().st_size for path in incident.rglob("*") if path.is_file())
        sys.stdout.write(f"{incident} ({size / 1e6:.1f} MB)\n")
        with tempfile.TemporaryDirectory() as folder:
            asyncio.run(measure(Path(folder), incident))
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
