"""Measures what the stack costs: start-up, idle memory, one diagnosis.

Trust processor seconds and memory; wall times depend on what else the machine does.
"""

import asyncio
import os
import shutil
import sys
import tempfile
import time
from collections.abc import Mapping
from pathlib import Path

from assay.orchestrator.v1 import run_pb2

from dev import made_logs
from dev.processes import cpu_seconds, family, resident_mib, total_cpu
from orchestrator.cli.client import connected
from orchestrator.cli.local_stack import local_stack
from orchestrator.cli.options import local_bundle, request

INCIDENTS = Path("examples/incidents")
TIMEOUT_SECONDS = 300.0
# The whole cost is to be seen, however long a busy machine takes for it.
MADE_TIMEOUT_SECONDS = 1200.0
_PATIENT = {
    "ASSAY_EXECUTOR_TOOL_DEADLINE_SECONDS": "600",
    "ASSAY_EXECUTOR_INVENTORY_DEADLINE_SECONDS": "600",
}
# What is large, and what a diagnosis of it may cost: all processes' seconds, the executor's memory.
LARGE_BYTES = 200_000_000
LARGE_CPU_SECONDS = 60.0
MANY_FILES = 1000
MANY_CPU_SECONDS = 10.0
MOST_MIB = 500.0
_MADE_QUESTION = "Why do orders fail since 09:00?"


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
        count = sum(len(family(pid)) for pid in pids.values())
        _say(f"memory after, {count} processes", sum(map(resident_mib, pids.values())), "MiB")


async def measure_made(folder: Path, bundle_path: Path, most_cpu_seconds: float) -> bool:
    """Ask once about a bundle that was made to be large; print the cost, and tell whether it is bearable."""
    bundle = local_bundle(bundle_path)
    assert bundle.root is not None  # noqa: S101 - as above
    async with local_stack(folder, bundle.root, {**os.environ, **_PATIENT}) as stack:
        pids = {name: service.process.pid for name, service in stack.processes.items()}
        before = {name: cpu_seconds(pid) for name, pid in pids.items()}
        began = time.monotonic()
        async with connected(stack.address) as client:
            asked = request(_MADE_QUESTION, bundle, "", "", "")
            run = await client.diagnose(asked, MADE_TIMEOUT_SECONDS, lambda _: None)
            path = await client.trace(run.run_id)
        # On a busy machine a deadline may cut the work short, and the cost with it.
        sys.stdout.write(f"ended as {run_pb2.RunStatus.Name(run.status)}, degraded: {path.degraded}\n")
        _say("diagnosis, wall", time.monotonic() - began, "s")
        return _say_cost(pids, before, most_cpu_seconds) and not path.degraded


def _say_cost(pids: Mapping[str, int], before: Mapping[str, float], most_cpu_seconds: float) -> bool:
    spent = {name: cpu_seconds(pid) - before[name] for name, pid in pids.items()}
    executor = next(name for name in pids if "executor" in name)
    _say("diagnosis, processor, six processes", sum(spent.values()), "s")
    _say("diagnosis, processor, executor", spent[executor], "s")
    memory = resident_mib(pids[executor], "VmHWM")
    _say("highest memory, executor", memory, "MiB")
    return sum(spent.values()) <= most_cpu_seconds and memory <= MOST_MIB


def measure_large(root: Path) -> bool:
    """Measure logs of 200 MB of several formats, and a thousand files; tell whether all is bearable."""
    is_bearable = True
    for shape in made_logs.SHAPES:
        bundle = root / shape
        made_logs.large_log(bundle, shape, LARGE_BYTES)
        sys.stdout.write(f"one log, {shape} ({LARGE_BYTES / 1e6:.0f} MB)\n")
        is_bearable &= asyncio.run(measure_made(root / "state", bundle, LARGE_CPU_SECONDS))
        shutil.rmtree(bundle)
    made_logs.many_files(root / "many", MANY_FILES)
    sys.stdout.write(f"{MANY_FILES} logs\n")
    return asyncio.run(measure_made(root / "state", root / "many", MANY_CPU_SECONDS)) and is_bearable


def _say(what: str, value: float, unit: str) -> None:
    sys.stdout.write(f"{what:<40} {value:8.2f} {unit}\n")
    sys.stdout.flush()


def main() -> int:
    """Measure every example incident and some large bundles; returns 1 when those cost more than they may."""
    for incident in sorted(INCIDENTS.glob("*/bundle")):
        size = sum(path.stat().st_size for path in incident.rglob("*") if path.is_file())
        sys.stdout.write(f"{incident} ({size / 1e6:.1f} MB)\n")
        with tempfile.TemporaryDirectory() as folder:
            asyncio.run(measure(Path(folder), incident))
    with tempfile.TemporaryDirectory() as folder:
        return 0 if measure_large(Path(folder)) else 1


if __name__ == "__main__":
    raise SystemExit(main())
