"""Measures what telemetry costs: `python -m dev.traced [RUNS]` diagnoses a small bundle with it and without.

A run of little evidence is the worst case: most of its time are calls between the processes.
"""

import asyncio
import os
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path

import grpc
from opentelemetry.proto.collector.trace.v1 import trace_service_pb2, trace_service_pb2_grpc

from dev.processes import total_cpu
from orchestrator.cli.client import connected
from orchestrator.cli.local_stack import local_stack
from orchestrator.cli.options import local_bundle, request
from services.common.processes import SERVICES

RUNS = 60
AT_ONCE = 4
TIMEOUT_SECONDS = 300.0
_LOG = "2026-01-05T09:00:{:02}Z app: ERROR cannot reach db: connection refused\n"


async def measure(
    folder: Path, bundle_path: Path, count: int, environ: Mapping[str, str]
) -> tuple[float, float]:
    """Diagnose so many times, a few at a time; return runs per second, and processor seconds per run."""
    bundle = local_bundle(bundle_path)
    assert bundle.root is not None  # noqa: S101 - a local bundle has a root; this tells the type
    asked = request("Why does app fail?", bundle, "", "", "")
    async with (
        local_stack(folder, bundle.root, {**os.environ, **environ}) as stack,
        connected(stack.address) as client,
    ):
        # The first run of a stack starts worker processes.
        await client.diagnose(asked, TIMEOUT_SECONDS, lambda _: None)
        pids = [service.process.pid for service in stack.processes.values()]
        places = asyncio.Semaphore(AT_ONCE)

        async def one() -> None:
            async with places:
                await client.diagnose(asked, TIMEOUT_SECONDS, lambda _: None)

        before, began = total_cpu(pids), time.monotonic()
        await asyncio.gather(*(one() for _ in range(count)))
        wall, cpu = time.monotonic() - began, total_cpu(pids) - before
    return count / wall, cpu / count


@contextmanager
def collector() -> Iterator[str]:
    """Take spans and forget them; yields the endpoint."""

    class Taking(trace_service_pb2_grpc.TraceServiceServicer):
        def Export(self, _: object, __: object) -> trace_service_pb2.ExportTraceServiceResponse:  # noqa: N802 - gRPC's
            return trace_service_pb2.ExportTraceServiceResponse()

    with ThreadPoolExecutor(2) as pool:
        server = grpc.server(pool)
        add = trace_service_pb2_grpc.add_TraceServiceServicer_to_server
        add(Taking(), server)  # type: ignore[no-untyped-call] # generated without types
        port = server.add_insecure_port("127.0.0.1:0")
        server.start()
        try:
            yield f"http://127.0.0.1:{port}"
        finally:
            server.stop(None).wait()


def main(arguments: list[str]) -> int:
    """Measure and print; returns the exit code."""
    count = int(arguments[0]) if arguments else RUNS
    with collector() as endpoint, tempfile.TemporaryDirectory() as folder:
        bundle = Path(folder) / "bundles" / "one"
        bundle.mkdir(parents=True)
        (bundle / "app.log").write_text("".join(map(_LOG.format, range(60))), encoding="utf-8")
        spans = {f"ASSAY_{name.upper()}_OTLP_ENDPOINT": endpoint for name in SERVICES}
        metrics = {f"ASSAY_{name.upper()}_METRICS_LISTEN": "127.0.0.1:0" for name in SERVICES}
        for what, told in {
            "without telemetry": {},
            "with metrics": metrics,
            "with an exporter of spans": spans,
            "with both": spans | metrics,
        }.items():
            home = Path(folder) / what.replace(" ", "-")
            home.mkdir()
            rate, cpu = asyncio.run(measure(home, bundle, count, told))
            sys.stdout.write(f"{what:<40} {rate:8.2f} runs/s {cpu * 1000:8.1f} ms of processor a run\n")
            sys.stdout.flush()
    return 0


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
