"""What whole runs ask of a model: `python -m tests.proof.run_tokens` prints the tokens of every request.

All four agents ask an endpoint that answers as an able model would: a plan of four calls, claims about what
they recorded, a judgement, an answer. Exit code 1 when a run costs more than it may.
"""

import asyncio
import json
import sys
import tempfile
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from dev.tokens import counter
from tests.fakes.bundles import recorded_path, write
from tests.fakes.clusters import described_pod
from tests.fakes.command_line import Ended, asked
from tests.fakes.incident import Incident
from tests.fakes.metric_case import MetricCase
from tests.fakes.model_endpoint import Asked, ModelEndpoint, scripted
from tests.fakes.plain_logs import PlainLogs
from tests.fakes.sensible_model import agent_of, with_four_calls

PROJECT: Final = Path(__file__).resolve().parents[2]
AGENTS: Final = ("planner", "executor", "verifier", "composer")
# Of all requests of a run with four calls of tools.
MOST_OF_A_RUN: Final = 9_000
MOST_OF_THE_EXECUTOR: Final = 4_500
# Published of another tool: an investigation of four calls, and its first request alone.
ELSEWHERE: Final = ("HolmesGPT 0.45", 46_207, 8_202)
_WHO: Final = {"Plan": "planner", "Step": "executor", "Judgement": "verifier", "Composition": "composer"}


@dataclass(frozen=True)
class Cost:
    """One request: who asked, its bytes on the wire, and the tokens of its whole body."""

    agent: str
    size: int
    tokens: int


@dataclass(frozen=True)
class Run:
    """How a run ended and what it asked of the model, in order."""

    ended: Ended
    costs: Sequence[Cost]

    @property
    def answer(self) -> dict[str, Any]:
        """The JSON object that was printed."""
        found: dict[str, Any] = json.loads(self.ended.stdout)
        return found

    @property
    def tokens(self) -> int:
        """Those of all requests."""
        return sum(cost.tokens for cost in self.costs)

    @property
    def problems(self) -> list[str]:
        """What of it is not as it must be."""
        found = []
        if [cost.agent for cost in self.costs] != list(AGENTS):
            found.append(f"not one request of each agent: {self.ended.stderr}")
        if self.tokens > MOST_OF_A_RUN:
            found.append(f"{self.tokens} tokens, more than {MOST_OF_A_RUN}")
        if any(cost.agent == "executor" and cost.tokens > MOST_OF_THE_EXECUTOR for cost in self.costs):
            found.append(f"the executor's request has more than {MOST_OF_THE_EXECUTOR} tokens")
        return found


async def diagnose(
    bundle: Path, question: str, home: Path, endpoint: ModelEndpoint, agents: Sequence[str], **more: str
) -> Ended:
    """Diagnose on a local stack in which some agents ask an endpoint; prints JSON."""
    chosen = {f"ASSAY_{agent.upper()}_REASONER": "openai" for agent in agents}
    model = {"ASSAY_MODEL_BASE_URL": endpoint.base_url, "ASSAY_MODEL_NAME": "scripted"}
    return await asked(
        home, "diagnose", question, "--bundle", str(bundle), "--json", **chosen, **model, **more
    )


async def measured(bundle: Path, question: str, log: str, home: Path) -> Run:
    """Diagnose with a model, which reads the log of a name, and return what it cost."""
    async with scripted(with_four_calls(log)) as endpoint:
        ended = await diagnose(bundle, question, home, endpoint, AGENTS)
    return Run(ended, list(map(_cost, endpoint.completions)))


def _cost(request: Asked) -> Cost:
    _, count = counter()
    return Cost(_WHO[agent_of(request)], len(request.body), count(request.body.decode("utf-8")))


def _a_stack(folder: Path) -> str:
    incident = Incident()
    incident.change(290, "stock", "deploy", "stock 3.1 rolled out")
    for second in range(300, 600, 3):
        incident.log("cart", second, "ERROR stock answered 500 Internal Server Error")
    incident.alert(330, "CartErrors", "cart")
    incident.write(folder)
    return "CartErrors is firing: why does cart fail?"


def _metrics_alone(folder: Path) -> str:
    MetricCase(slower={"front": 0.5, "catalog": 0.5, "shelf": 0.4}).write(folder, "LatencyHigh")
    return "LatencyHigh is firing on front: what makes it slow?"


def _logs_alone(folder: Path) -> str:
    bundle = PlainLogs()
    bundle.routine("logs/web.log", "logs/store.log")
    bundle.fails("logs/store.log", "ERROR write: No space left on device")
    bundle.write(folder)
    return "Why does the store fail?"


def _a_cluster(folder: Path) -> str:
    event = ("FailedScheduling", "0/1 nodes are available: 1 Insufficient cpu.")
    write(folder, {"pods/billing.txt": described_pod(event)})
    return "Why does billing not start?"


# Of each invented bundle, who writes it and returns the question, and the log that is read.
INVENTED: Final[dict[str, tuple[Callable[[Path], str], str]]] = {
    "a stack with a bad deploy": (_a_stack, "cart"),
    "metrics alone": (_metrics_alone, ""),
    "logs alone": (_logs_alone, "store"),
    "a cluster": (_a_cluster, ""),
}
_RECORDED: Final = {"pg-connection-exhaustion": "postgres", "healthy-false-alarm": "nginx-error"}


async def recorded(name: str, home: Path) -> Run:
    """Return what a recorded incident costs."""
    bundle = recorded_path(PROJECT, name)
    question = (bundle / "question.txt").read_text(encoding="utf-8").strip()
    return await measured(bundle, question, _RECORDED[name], home)


async def invented(name: str, folder: Path, home: Path) -> Run:
    """Return what a bundle costs that is written to a folder; it may not exist yet."""
    make, log = INVENTED[name]
    return await measured(folder, make(folder), log, home)


async def _runs(folder: Path) -> AsyncIterator[tuple[str, Run]]:
    home = folder / "home"
    for name in _RECORDED:
        yield name, await recorded(name, home)
    for number, name in enumerate(INVENTED):
        yield name, await invented(name, folder / f"bundle-{number}", home)


def _lines(name: str, run: Run) -> Iterator[str]:
    yield name
    yield from (f"  {cost.agent:10} {cost.size:7} {cost.tokens:7}" for cost in run.costs)
    yield f"  {'total':10} {sum(cost.size for cost in run.costs):7} {run.tokens:7}"
    yield from (f"  WRONG {problem}" for problem in run.problems)


async def main() -> int:
    """Print the table; returns the exit code."""
    how, _ = counter()
    sys.stdout.write(f"requests, bytes, tokens ({how}); at most {MOST_OF_A_RUN} tokens in a run\n")
    tool, whole, first = ELSEWHERE
    sys.stdout.write(f"{tool}, published: {whole} for four calls, {first} in its first request\n")
    wrong = False
    with tempfile.TemporaryDirectory() as folder:
        async for name, run in _runs(Path(folder)):
            wrong |= bool(run.problems)
            sys.stdout.write("\n".join(_lines(name, run)) + "\n")
            sys.stdout.flush()
    return 1 if wrong else 0


if __name__ == "__main__":
    raise SystemExit(asyncio.run(main()))
