"""`make test-llm`, second part: whole runs of `assay diagnose` in which all four agents ask a real model.

The model is too small to judge. What is checked is that a run ends through the graph whatever the model
answers, that each of its calls is accounted for, that no citation of an answer is made up, and that with the
fallback the answer is not worse than without a model. Exit code 1 when a check fails.
"""

import asyncio
import json
import os
import sys
import tempfile
import time
from asyncio.subprocess import PIPE
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from assay.orchestrator.v1 import run_pb2

from dev.eval.bindings import check_bindings
from dev.model_server import model_server
from orchestrator.cli.client import connected
from orchestrator.cli.exit_codes import ExitCode
from orchestrator.cli.local_stack import stored_runs
from services.common.llm.port import OK, Kind

INCIDENT: Final = Path("examples/incidents/pg-connection-exhaustion/bundle")
AGENTS: Final = ("planner", "executor", "verifier", "composer")
# Small enough for the model's context, and for a machine of two cores.
BOUNDS: Final = {
    "ASSAY_MODEL_CONTEXT_TOKENS": "2500",
    "ASSAY_MODEL_MAX_OUTPUT_TOKENS": "200",
    "ASSAY_MODEL_TIMEOUT_SECONDS": "40",
    "ASSAY_ORCHESTRATOR_PLANNER_SECONDS": "45",
}
RUN_SECONDS: Final = 280
# Beside the run: to start and stop six processes on a busy machine.
MORE_SECONDS: Final = 120
_OUTCOMES: Final = frozenset({OK, *(kind.value for kind in Kind)})


@dataclass(frozen=True)
class Ended:
    """How the command ended, the run as it is stored, and what the agents' own logs say of each call."""

    code: int
    told: str
    run: run_pb2.Run
    calls: Sequence[Mapping[str, Any]]
    citations: int
    unfound: Sequence[str]


async def diagnosed(home: Path, variables: Mapping[str, str]) -> Ended:
    """Diagnose on a stack of its own; raises RuntimeError where that leaves no run."""
    clean = {name: value for name, value in os.environ.items() if not name.startswith("ASSAY_")}
    environ = {**clean, "ASSAY_CONFIG": "", "ASSAY_HOME": str(home), **variables}
    question = (INCIDENT / "question.txt").read_text(encoding="utf-8").strip()
    asked = (question, "--bundle", INCIDENT, "--json", "--timeout", str(RUN_SECONDS))
    assay = Path(sys.executable).with_name("assay")
    process = await asyncio.create_subprocess_exec(
        assay, "diagnose", *asked, env=environ, stdout=PIPE, stderr=PIPE
    )
    try:
        async with asyncio.timeout(RUN_SECONDS + MORE_SECONDS):
            printed, told = await process.communicate()
    finally:
        if process.returncode is None:
            process.terminate()
            await process.wait()
    if not printed:
        raise RuntimeError(f"the command printed no answer (exit code {process.returncode}): {told.decode()}")
    async with stored_runs(home, environ) as address, connected(address) as client:
        run = await client.run(json.loads(printed)["run_id"])
    citations, unfound = await check_bindings(home, [run], environ)
    calls = list(_calls(home, run.run_id))
    return Ended(process.returncode or 0, told.decode(), run, calls, citations, unfound)


def _calls(home: Path, run_id: str) -> Iterator[Mapping[str, Any]]:
    """Yield what the agents logged of each call of the model in a run."""
    for agent in AGENTS:
        for line in (home / "logs" / f"{agent}.log").read_text(encoding="utf-8").splitlines():
            entry = json.loads(line)
            if entry["event"] == "model called" and entry["run_id"] == run_id:
                yield entry


def problems(ended: Ended) -> Iterator[str]:
    """Yield what must not be of any run with the model, whatever it answered."""
    ends = (run_pb2.RUN_STATUS_SUCCEEDED, run_pb2.RUN_STATUS_DEGRADED)
    if ended.code not in (ExitCode.ANSWERED, ExitCode.UNPROVEN) or ended.run.status not in ends:
        yield f"did not end through the graph: exit code {ended.code}\n{ended.told}"
    if not ended.calls:
        yield "no call of the model"
    for call in ended.calls:
        if call["outcome"] not in _OUTCOMES or call["input_tokens"] <= 0:
            yield f"{call['service']}: a call with outcome {call['outcome']}, {call['input_tokens']} tokens"
    for usage in ended.run.usage.agents:
        own = [call for call in ended.calls if call["service"] == usage.agent]
        counted = (len(own), *(sum(call[key] for call in own) for key in ("input_tokens", "output_tokens")))
        if counted != (usage.model_calls, usage.input_tokens, usage.output_tokens):
            yield f"{usage.agent}: the run's usage is not the sum of the calls that it logged, {counted}"
    yield from (f"a citation that is not found: {each}" for each in ended.unfound)
    yield from (
        f"a made-up claim is allowed: {each.claim_id}" for each in ended.run.checks if each.fabricated
    )


def worse(ended: Ended, without: Ended) -> Iterator[str]:
    """Yield in what an answer with the fallback is worse than the one without any model."""
    if {call["service"] for call in ended.calls} != {*AGENTS}:
        yield "not every agent asked the model"
    if ended.run.effective_verdict < without.run.effective_verdict:
        yield "its verdict is lower than without a model"
    first = [[suspect.component for suspect in each.run.suspects[:1]] for each in (ended, without)]
    if first[0] != first[1]:
        yield f"it names {first[0]} first, without a model {first[1]}"


def _table(name: str, ended: Ended, seconds: float, wrong: Sequence[str]) -> str:
    """Return what one run came to, call by call."""
    status = run_pb2.RunStatus.Name(ended.run.status).removeprefix("RUN_STATUS_")
    lines = [
        (
            f"{'WRONG' if wrong else 'ok':6}  {name}: {status}, exit code {ended.code}, "
            f"{ended.citations} citations found, {seconds:.1f} s"
        )
    ]
    for usage in ended.run.usage.agents:
        calls = [call for call in ended.calls if call["service"] == usage.agent]
        lines += [
            f"        {usage.agent:9} call {number}  {call['outcome']:14} {call['input_tokens']:6} in "
            f"{call['output_tokens']:5} out {call['seconds']:7.2f} s"
            for number, call in enumerate(calls, 1)
        ]
        lines.append(f"        {usage.agent:9} by {usage.reasoner} {usage.model_failure}".rstrip())
    return "\n".join([*lines, *(f"        {each}" for each in wrong)]) + "\n"


async def main() -> int:
    """Diagnose without a model, with one alone, and with one and the fallback; returns the exit code."""
    is_right = True
    with tempfile.TemporaryDirectory() as folder:
        home = Path(folder)
        without = await diagnosed(home, {})
        async with model_server() as server:
            for fallback in ("none", "offline"):
                more = {"ASSAY_MODEL_FALLBACK_REASONER": fallback}
                began = time.monotonic()
                ended = await diagnosed(home, {**server.variables(), **BOUNDS, **more})
                wrong = [*problems(ended), *(worse(ended, without) if fallback == "offline" else ())]
                is_right = is_right and not wrong
                name = f"the whole graph, fallback {fallback}"
                sys.stdout.write(_table(name, ended, time.monotonic() - began, wrong))
                sys.stdout.flush()
    return 0 if is_right else 1


if __name__ == "__main__":
    raise SystemExit(asyncio.run(main()))
