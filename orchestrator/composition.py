"""How the orchestrator is put together, from its settings. The same in the tests."""

import asyncio
import uuid
from collections.abc import Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass
from functools import partial

import grpc.aio
from assay.orchestrator.v1 import diagnosis_pb2, diagnosis_pb2_grpc, status_pb2_grpc

from orchestrator.agents.call import CallLimit
from orchestrator.agents.composer import ComposerAgent
from orchestrator.agents.executor import ExecutorAgent
from orchestrator.agents.gatekeeper import GatekeeperAgent
from orchestrator.agents.planner import PlannerAgent
from orchestrator.agents.status import Agent
from orchestrator.agents.verifier import VerifierAgent
from orchestrator.catalogs import Catalogs
from orchestrator.clock import Clock, SystemClock
from orchestrator.engine import Engine
from orchestrator.graph import DIAGNOSIS, CompiledGraph, Node, compile_graph
from orchestrator.lifecycle import Lifecycle
from orchestrator.nodes.composer import ComposerNode
from orchestrator.nodes.evidence_retry import evidence_retry
from orchestrator.nodes.executor import ExecutionLimit, ExecutorNode
from orchestrator.nodes.fallback import FallbackNode
from orchestrator.nodes.gatekeeper import GatekeeperNode
from orchestrator.nodes.planner import PlannerNode
from orchestrator.nodes.verified_input import VerifiedInputNode
from orchestrator.nodes.verifier import VerifierNode
from orchestrator.runs import RunLimits, Runs
from orchestrator.servicer import DiagnosisServicer
from orchestrator.settings import OrchestratorSettings
from orchestrator.status import STATUS_SERVICE, StatusServicer
from orchestrator.store.inspection import inspect
from orchestrator.store.ownership import owned
from orchestrator.store.port import Store, StoreError, StoreOpenError
from orchestrator.store.sqlite import open_store
from orchestrator.telemetry import RUNS_NOW
from services.common.redaction.redactor import Redactor
from services.common.redaction.settings import plain
from services.common.rpc.callers import server_name
from services.common.rpc.channels import ClientTls, open_preferring
from services.common.rpc.health import is_serving
from services.common.rpc.service import Service
from services.common.telemetry.metrics import gauge

NAME = diagnosis_pb2.DESCRIPTOR.services_by_name["DiagnosisService"].full_name
HEALTH_SECONDS = 1.5


@dataclass(frozen=True, slots=True)
class Agents:
    """The five agents, each with the channel to it."""

    planner: Agent
    executor: Agent
    gatekeeper: Agent
    verifier: Agent
    composer: Agent

    def all(self) -> Sequence[Agent]:
        """Return the agents, in the order in which a run reaches them."""
        return (self.planner, self.executor, self.gatekeeper, self.verifier, self.composer)

    async def ready(self) -> bool:
        """Tell whether every agent says that it is ready."""
        asked = (is_serving(agent.channel, timeout_seconds=HEALTH_SECONDS) for agent in self.all())
        return all(await asyncio.gather(*asked))

    async def close(self) -> None:
        """Close the channels."""
        await asyncio.gather(*(agent.channel.close() for agent in self.all()))


async def build(settings: OrchestratorSettings) -> Service:
    """Open the store and the channels, end what an earlier process left, and serve."""
    clock = SystemClock()
    async with AsyncExitStack() as opened:
        store = await _open_store(settings, opened)
        agents = _agents(settings)
        opened.push_async_callback(agents.close)
        executor = ExecutorAgent(
            agents.executor.channel,
            CallLimit(settings.executor_seconds, clock),
            CallLimit(settings.list_tools_seconds, clock),
        )
        catalogs = Catalogs(executor)
        runs = _runs(settings, _graph(settings, agents, executor, store, clock), catalogs, store, clock)
        try:
            await runs.recover()
        except StoreError as error:
            raise StoreOpenError(f"cannot use the database {settings.database}: {error}") from None
        # Until here a failure closes what was opened; from here on the service does.
        close = opened.pop_all().aclose
    diagnosis = _diagnosis(settings, runs, catalogs, store)
    status = StatusServicer(agents.all(), executor, partial(inspect, settings.database), clock, _new_id)

    def register(server: grpc.aio.Server) -> None:
        diagnosis_pb2_grpc.add_DiagnosisServiceServicer_to_server(diagnosis, server)
        status_pb2_grpc.add_StatusServiceServicer_to_server(status, server)

    return Service(
        (NAME, STATUS_SERVICE),
        register,
        agents.ready,
        end_work=(runs.close,),
        close=(close,),
    )


async def _open_store(settings: OrchestratorSettings, opened: AsyncExitStack) -> Store:
    # Owned before the file is opened, and until it is closed.
    await opened.enter_async_context(owned(settings.database, settings.database_busy_seconds))
    store = await open_store(
        settings.database, busy_seconds=settings.database_busy_seconds, keep_runs=settings.keep_runs
    )
    opened.push_async_callback(store.close)
    return store


def _runs(
    settings: OrchestratorSettings, graph: CompiledGraph, catalogs: Catalogs, store: Store, clock: Clock
) -> Runs:
    runs = Runs(
        lifecycle=Lifecycle(
            Engine(graph, store, clock),
            store,
            clock,
            # The rest is for the channels that others may add to a run that has ended.
            max_run_bytes=settings.max_message_bytes // 16 * 15,
        ),
        catalogs=catalogs,
        store=store,
        clock=clock,
        new_id=_new_id,
        limits=RunLimits(settings.max_runs, settings.max_waiting_runs),
    )
    gauge(RUNS_NOW, lambda: runs.walking, state="walking")
    gauge(RUNS_NOW, lambda: runs.waiting, state="waiting")
    return runs


def _diagnosis(
    settings: OrchestratorSettings, runs: Runs, catalogs: Catalogs, store: Store
) -> DiagnosisServicer:
    return DiagnosisServicer(
        runs,
        catalogs,
        store,
        Redactor(plain(settings.redact_patterns)),
        run_seconds=settings.run_seconds,
        reserve_seconds=settings.reserve_seconds,
    )


def _new_id() -> str:
    return uuid.uuid4().hex


def _agents(settings: OrchestratorSettings) -> Agents:
    def agent(name: str, address: str) -> Agent:
        tls = ClientTls(settings.tls, server_name(name, settings.trust_domain)) if settings.tls else None
        return Agent(name, address, open_preferring(address, settings.max_message_bytes, tls))

    return Agents(
        planner=agent("planner", settings.planner_address),
        executor=agent("executor", settings.executor_address),
        gatekeeper=agent("gatekeeper", settings.gatekeeper_address),
        verifier=agent("verifier", settings.verifier_address),
        composer=agent("composer", settings.composer_address),
    )


def _graph(
    settings: OrchestratorSettings,
    agents: Agents,
    executor: ExecutorAgent,
    store: Store,
    clock: Clock,
) -> CompiledGraph:
    planner = PlannerAgent(agents.planner.channel, CallLimit(settings.planner_seconds, clock))
    gatekeeper = GatekeeperAgent(agents.gatekeeper.channel, CallLimit(settings.gatekeeper_seconds, clock))
    verifier = VerifierAgent(agents.verifier.channel, CallLimit(settings.verifier_seconds, clock))
    composer = ComposerAgent(agents.composer.channel, CallLimit(settings.composer_seconds, clock))
    return compile_graph(
        DIAGNOSIS,
        {
            Node.PLANNER: PlannerNode(planner, executor),
            Node.EXECUTOR: ExecutorNode(
                executor, store, ExecutionLimit(settings.max_invocations, settings.max_output_bytes)
            ),
            Node.GATEKEEPER: GatekeeperNode(gatekeeper, store),
            Node.VERIFIED_INPUT: VerifiedInputNode(store, settings.max_verified_input_bytes),
            Node.VERIFIER: VerifierNode(verifier, store),
            Node.EVIDENCE_RETRY: evidence_retry,
            Node.COMPOSER: ComposerNode(composer, store),
            Node.FALLBACK: FallbackNode(store),
        },
    )
