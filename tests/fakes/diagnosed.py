"""A diagnosis by the real orchestrator, with everything that a requirement can speak about it."""

import json
import sqlite3
from collections import Counter
from collections.abc import Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import grpc
from assay.composer.v1 import composer_pb2
from assay.composer.v1.composer_pb2 import ComposeResponse
from assay.executor.v1 import executor_pb2
from assay.orchestrator.v1 import run_pb2
from assay.orchestrator.v1.diagnosis_pb2 import DiagnoseResponse
from assay.orchestrator.v1.run_pb2 import OrchestrationEvent
from assay.orchestrator.v1.state_pb2 import RunState
from assay.planner.v1 import planner_pb2
from assay.planner.v1.planner_pb2 import PlanResponse

from tests.fakes.agents import UNKNOWN_KEY, Agents, Json, Reply, ended, result, stack
from tests.fakes.real_agents import answered_by_services

# The services that are real unless a script answers for them: no scenario is about a fake gate or composer.
REAL = ("gatekeeper", "composer")
WITH_VERIFIER = (*REAL, "verifier")
DATABASE = "runs.db"
TO_VERIFIER = ["planner", "executor", "gatekeeper", "verified_input"]


@dataclass(frozen=True)
class Diagnosed:
    """One diagnosis that has ended: the stored run, its trace, and what each agent was sent."""

    agents: Agents
    run: run_pb2.Run
    trace: run_pb2.Trace
    messages: Sequence[DiagnoseResponse]

    @property
    def events(self) -> Sequence[OrchestrationEvent]:
        return self.trace.events

    @property
    def nodes(self) -> list[str]:
        return [event.node for event in self.events]

    @property
    def path(self) -> list[str]:
        return [f"{event.node}:{event.outcome}" for event in self.events]

    @property
    def container(self) -> Json:
        """The whole self-evaluation as it is stored."""
        value: Json = json.loads(self.run.self_evaluation_json)
        return value

    @property
    def evaluation(self) -> Json:
        """Its channel `verifier_evaluation`."""
        value: Json = self.container["verifier_evaluation"]
        return value

    @property
    def calls(self) -> Counter[str]:
        """How often each method of an agent was called."""
        return Counter({name: len(data) for name, data in self._wires().items()})

    def wire(self, method: str) -> list[bytes]:
        """What a method was sent, as it was on the wire."""
        return self._wires().get(method, [])

    def requests(self, method: str) -> list[Any]:
        """What a method was sent."""
        agent = next(item for item in self.agents.all().values() if method in item.replies)
        return agent.requests(method)

    def _wires(self) -> dict[str, list[bytes]]:
        return {name: data for agent in self.agents.all().values() for name, data in agent.wire.items()}

    def attempts(self, node: str) -> list[int]:
        return [event.attempt for event in self.events if event.node == node]


async def diagnosed(
    folder: Path,
    script: Mapping[str, Sequence[Reply]] | None = None,
    real: Sequence[str] = REAL,
    question: str = "Why does api fail?",
    **limits: float,
) -> Diagnosed:
    """Diagnose once; `script` replaces the replies of methods, `limits` are settings of the orchestrator."""
    agents = Agents()
    script = script or {}
    scripted = {name for name, agent in agents.all().items() if set(agent.replies) & set(script)}
    async with (
        answered_by_services(agents, *(name for name in real if name not in scripted)),
        stack(folder / DATABASE, agents, **limits) as running,
    ):
        for agent in agents.all().values():
            agent.replies.update({name: list(script[name]) for name in agent.replies if name in script})
        outcome = await running.diagnose(question)
        run_id = outcome.run.run_id
        return Diagnosed(agents, await running.stored(run_id), await running.trace(run_id), outcome.messages)


def checkpoint(folder: Path) -> RunState:
    """Return the stored state of the one run that is under way."""
    with closing(sqlite3.connect(folder / DATABASE)) as database:
        ((body,),) = database.execute("SELECT body FROM run_state").fetchall()
    return RunState.FromString(body)


async def fallen_back(folder: Path, node: str) -> Diagnosed:
    """Diagnose with a failure at a node."""
    reply: dict[str, dict[str, list[Reply]]] = {
        "planner": {"Plan": [PlanResponse(status=planner_pb2.PLANNER_STATUS_NON_RETRYABLE_FAILED)]},
        "executor": {"Execute": [ended(executor_pb2.EXECUTOR_STATUS_FAILED)]},
        "gatekeeper": {"Execute": [[result(UNKNOWN_KEY)]]},
        "verifier": {"Verify": [grpc.StatusCode.INTERNAL]},
        "composer": {"Compose": [ComposeResponse(status=composer_pb2.COMPOSER_STATUS_NON_RETRYABLE_FAILED)]},
    }
    if node == "verified_input":
        return await diagnosed(folder, max_verified_input_bytes=100.0)
    return await diagnosed(folder, reply[node])
