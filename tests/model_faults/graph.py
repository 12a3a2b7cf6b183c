"""Whole runs in one process: six services, put together as their processes are, on a scripted endpoint."""

from collections.abc import AsyncIterator, Callable, Collection, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from assay.orchestrator.v1 import diagnosis_pb2, diagnosis_pb2_grpc, run_pb2

from orchestrator.cli.exit_codes import of_run
from orchestrator.cli.human import render
from orchestrator.cli.layout import Layout
from tests.fakes.model_endpoint import ModelEndpoint, Reply, scripted
from tests.fakes.model_endpoint.replies import answer
from tests.fakes.model_endpoint.server import Asked
from tests.fakes.sensible_model import said
from tests.fuzz.servers import BUNDLE, servers

# The agents that ask a model, and what each asks for.
ANSWERS: Final = {"planner": "Plan", "executor": "Step", "verifier": "Judgement", "composer": "Composition"}
# More than any answer takes here, be the machine as busy as it may.
_SECONDS: Final = 60.0
_RUN_SECONDS: Final = 280.0
_MAX_ANSWER_BYTES: Final = 100_000

# What an agent is answered to a question.
Answering = Callable[[str, Asked], Reply]


@dataclass(frozen=True)
class Setting:
    """Who is answered wrongly and how; everyone else is answered sensibly.

    `seconds` bounds the calls of these agents where they are to be short, `caller_seconds` the orchestrator's
    calls of them.
    """

    agents: Collection[str]
    answering: Answering
    seconds: float | None = None
    caller_seconds: float | None = None
    fallback: str = "none"


@dataclass(frozen=True)
class Seen:
    """One run as it ended, what a person sees of it, and what each agent asked the endpoint."""

    run: run_pb2.Run
    trace: run_pb2.Trace
    text: str
    exit_code: int
    asked: Mapping[str, list[Asked]]

    def outcomes(self, node: str) -> list[str]:
        """Return how each attempt of a node ended."""
        return [event.outcome for event in self.trace.events if event.node == node]

    def thinker(self, agent: str) -> tuple[str, str]:
        """Return who made the last result of an agent, and why its model gave none."""
        [usage] = [each for each in self.run.usage.agents if each.agent == agent]
        return usage.reasoner, usage.model_failure


async def ended(folder: Path, setting: Setting, executor: str = "") -> Seen:
    """Diagnose once by fresh services; where `executor` names one that is there, by that one."""
    async with scripted(_script(setting)) as endpoint:
        async with servers(folder, _settings(setting, endpoint, executor)) as running:
            stub = diagnosis_pb2_grpc.DiagnosisServiceStub(running.channels["orchestrator"])
            request = diagnosis_pb2.DiagnoseRequest(question="Why does api fail?")
            request.scope.bundle = BUNDLE
            messages = [message async for message in stub.Diagnose(request, timeout=_RUN_SECONDS)]
            run = messages[-1].run
            traced = diagnosis_pb2.GetTraceRequest(run_id=run.run_id)
            trace = (await stub.GetTrace(traced, timeout=_SECONDS)).trace
            assert running.log.taken() == []
        asked = {agent: [each for each in endpoint.completions if _agent(each) == agent] for agent in ANSWERS}
        # Nobody was led elsewhere.
        assert sum(map(len, asked.values())) == len(endpoint.completions)
    return Seen(run, trace, " ".join(render(run, Layout(), "show").split()), int(of_run(run)), asked)


@asynccontextmanager
async def executing(folder: Path) -> AsyncIterator[str]:
    """Serve an executor that is answered sensibly, for many runs; yields its address.

    Its processes take longer to start than a run takes.
    """
    setting = Setting((), sensible)
    async with (
        scripted(_script(setting)) as endpoint,
        servers(folder, _settings(setting, endpoint)) as running,
    ):
        yield running.addresses["executor"]


def _script(setting: Setting) -> Callable[[Asked], Reply]:
    def script(asked: Asked) -> Reply:
        agent = _agent(asked)
        return (setting.answering if agent in setting.agents else sensible)(agent, asked)

    return script


def sensible(agent: str, asked: Asked) -> Reply:
    """Answer an agent as an able model would, in whatever form it asks."""
    return answer(said(ANSWERS[agent], asked))


def _agent(asked: Asked) -> str:
    """Return the agent that asks: each has a path of its own."""
    return asked.path.split("/")[1]


def _settings(
    setting: Setting, endpoint: ModelEndpoint, executor: str = ""
) -> Callable[[str], Mapping[str, Any]]:
    def of(service: str) -> Mapping[str, Any]:
        if service == "orchestrator":
            seconds = setting.caller_seconds
            bounds = {f"{agent}_seconds": seconds for agent in setting.agents} if seconds else {}
            # A fresh executor starts its first process within the first listing.
            bounds["list_tools_seconds"] = _RUN_SECONDS
            return {**bounds, "executor_address": executor} if executor else bounds
        if service not in ANSWERS:
            return {}
        return {
            "reasoner": "openai",
            "fallback_reasoner": setting.fallback,
            "model_base_url": endpoint.base_url.replace("/v1", f"/{service}/v1"),
            "model_name": "scripted",
            "model_timeout_seconds": (setting.seconds if service in setting.agents else None) or _SECONDS,
            "model_max_answer_bytes": _MAX_ANSWER_BYTES,
        }

    return of
