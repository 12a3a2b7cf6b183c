"""Measures many submissions at once: `python -m dev.crowd [RUNS]`, 200 of the recorded incident by default.

Each is submitted, followed and read like by a client of its own. Trust processor seconds and memory.
"""

import asyncio
import os
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Mapping
from pathlib import Path

from assay.common.v1 import evidence_pb2
from assay.orchestrator.v1 import diagnosis_pb2, diagnosis_pb2_grpc, run_pb2

from dev.processes import resident_mib, total_cpu
from orchestrator.cli.client import MAX_MESSAGE_BYTES
from orchestrator.cli.local_stack import local_stack
from orchestrator.cli.options import local_bundle, request
from services.common.processes import ORCHESTRATOR
from services.common.rpc.channels import open_channel

INCIDENT = Path("examples/incidents/pg-connection-exhaustion/bundle")
RUNS = 200
TIMEOUT_SECONDS = 3600.0
# What the orchestrator may take, however many run.
MOST_MIB = 400.0


async def measure(folder: Path, incident: Path, count: int, environ: Mapping[str, str]) -> bool:
    """Submit at once, follow each to its end, print the figures.

    Tells whether all ended with an answer and the orchestrator's memory stayed within its bound.
    """
    bundle = local_bundle(incident)
    assert bundle.root is not None  # noqa: S101 - a local bundle has a root; this tells the type
    question = (incident / "question.txt").read_text(encoding="utf-8").strip()
    asked = request(question, bundle, "", "", "")
    async with (
        local_stack(folder, bundle.root, environ) as stack,
        open_channel(stack.address, MAX_MESSAGE_BYTES) as channel,
    ):
        pids = {name: service.process.pid for name, service in stack.processes.items()}
        stub = diagnosis_pb2_grpc.DiagnosisServiceStub(channel)
        before, began = total_cpu(pids.values()), time.monotonic()
        ends = await asyncio.gather(*(_end(stub, asked, f"key-{number}") for number in range(count)))
        wall, cpu = time.monotonic() - began, total_cpu(pids.values()) - before
        memory = {name: resident_mib(pid, "VmHWM") for name, pid in pids.items()}
    for name, mib in memory.items():
        _say(f"peak memory, {name}", f"{mib:.0f} MiB")
    statuses = Counter(run_pb2.RunStatus.Name(run.status) for run in ends)
    verdicts = Counter(evidence_pb2.Verdict.Name(run.effective_verdict) for run in ends)
    _say("submitted at once", str(count))
    _say("ended", ", ".join(f"{number} {name}" for name, number in sorted(statuses.items())))
    _say("verdicts", ", ".join(f"{number} {name}" for name, number in sorted(verdicts.items())))
    _say("wall", f"{wall:.1f} s")
    _say("processor, six processes", f"{cpu:.1f} s, {cpu / count:.2f} s a run")
    return set(statuses) == {"RUN_STATUS_SUCCEEDED"} and memory[ORCHESTRATOR] <= MOST_MIB


async def _end(
    stub: "diagnosis_pb2_grpc.DiagnosisServiceAsyncStub", asked: diagnosis_pb2.DiagnoseRequest, key: str
) -> run_pb2.Run:
    submission = diagnosis_pb2.SubmitDiagnosisRequest(idempotency_key=key, diagnosis=asked)
    run_id = (await stub.SubmitDiagnosis(submission, timeout=TIMEOUT_SECONDS)).run_id
    watching = diagnosis_pb2.WatchRunRequest(run_id=run_id)
    messages = [message async for message in stub.WatchRun(watching, timeout=TIMEOUT_SECONDS)]
    return messages[-1].progress.run


def _say(what: str, value: str) -> None:
    sys.stdout.write(f"{what:<40} {value}\n")
    sys.stdout.flush()


def main(arguments: list[str]) -> int:
    """Measure; returns the exit code: 0 when every run ended with an answer."""
    count = int(arguments[0]) if arguments else RUNS
    with tempfile.TemporaryDirectory() as folder:
        return 0 if asyncio.run(measure(Path(folder), INCIDENT, count, os.environ)) else 1


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
