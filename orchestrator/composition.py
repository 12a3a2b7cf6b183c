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
from services.common.rpc.channels import ClientTls, open_channel
from services.common.rpc.health import is_serving
from services.common.rpc.service import Service
from services.common.telemetry.metrics import gauge

NAME = diagnosis_pb2.DESCRIPTOR.services_by_name["DiagnosisService"].full_name
HEALTH_SECONDS = 1.5


@dataclass(frozen=True, slots=True)
class Channels:
    """One channel per agent."""

    planner: grpc.aio.Channel
    executor: grpc.aio.Channel
    gatekeeper: grpc.aio.Channel
    verifier: grpc.aio.Channel
    composer: grpc.aio.Channel

    def all(self) -> Sequence[grpc.aio.Channel]:
        """Return the channels."""
        return (self.planner, self.executor, self.gatekeeper, self.verifier, self.composer)

    async def ready(self) -> bool:
        """Tell whether every agent says that it is ready."""
        asked = (is_serving(channel, timeout_seconds=HEALTH_SECONDS) for channel in self.all())
        return all(await asyncio.gather(*asked))

    async def close(self) -> None:
        """Close the channels."""
        await asyncio.gather(*(channel.close() for channel in self.all()))


async def build(settings: OrchestratorSettings) -> Service:
    """Open the store and the channels, end what an earlier process left, and serve."""
    async with AsyncExitStack() as opened:
        clock = SystemClock()
        # Before the file is opened, and until it is closed.
        await opened.enter_async_context(owned(settings.database, settings.database_busy_seconds))
        store = await open_store(
            settings.database, busy_seconds=settings.database_busy_seconds, keep_runs=settings.keep_runs
        )
        opened.push_async_callback(store.close)
        channels = _channels(settings)
        opened.push_async_callback(channels.close)
        executor = ExecutorAgent(
            channels.executor,
            CallLimit(settings.executor_seconds, clock),
            CallLimit(settings.list_tools_seconds, clock),
        )
        catalogs = Catalogs(executor)
        runs = Runs(
            lifecycle=Lifecycle(
                Engine(_graph(settings, channels, executor, store, clock), store, clock),
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
        try:
            await runs.recover()
        except StoreError as error:
            raise StoreOpenError(f"cannot use the database {settings.database}: {error}") from None
        # Until here a failure closes what was opened; from here on the service does.
        close = opened.pop_all().aclose
    servicer = DiagnosisServicer(
        runs,
        catalogs,
        store,
        Redactor(plain(settings.redact_patterns)),
        run_seconds=settings.run_seconds,
        reserve_seconds=settings.reserve_seconds,
    )
    status = StatusServicer(
        _agents(settings, channels), executor, partial(inspect, settings.database), clock, _new_id
    )

    def register(server: grpc.aio.Server) -> None:
        diagnosis_pb2_grpc.add_DiagnosisServiceServicer_to_server(servicer, server)
        status_pb2_grpc.add_StatusServiceServicer_to_server(status, server)

    return Service(
        (NAME, STATUS_SERVICE),
        register,
        channels.ready,
        end_work=(runs.close,),
        close=(close,),
    )


def _new_id() -> str:
    return uuid.uuid4().hex


def _agents(settings: OrchestratorSettings, channels: Channels) -> Sequence[Agent]:
    return (
        Agent("planner", settings.planner_address, channels.planner),
        Agent("executor", settings.executor_address, channels.executor),
        Agent("gatekeeper", settings.gatekeeper_address, channels.gatekeeper),
        Agent("verifier", settings.verifier_address, channels.verifier),
        Agent("composer", settings.composer_address, channels.composer),
    )


def _channels(settings: OrchestratorSettings) -> Channels:
    def channel(agent: str, address: str) -> grpc.aio.Channel:
        tls = ClientTls(settings.tls, server_name(agent, settings.trust_domain)) if settings.tls else None
        return open_channel(address, settings.max_message_bytes, tls)

    return Channels(
        planner=channel("planner", settings.planner_address),
        executor=channel("executor", settings.executor_address),
        gatekeeper=channel("gatekeeper", settings.gatekeeper_address),
        verifier=channel("verifier", settings.verifier_address),
        composer=channel("composer", settings.composer_address),
    )


def _graph(
    settings: OrchestratorSettings,
    channels: Channels,
    executor: ExecutorAgent,
    store: Store,
    clock: Clock,
) -> CompiledGraph:
    planner = PlannerAgent(channels.planner, CallLimit(settings.planner_seconds, clock))
    gatekeeper = GatekeeperAgent(channels.gatekeeper, CallLimit(settings.gatekeeper_seconds, clock))
    verifier = VerifierAgent(channels.verifier, CallLimit(settings.verifier_seconds, clock))
    composer = ComposerAgent(channels.composer, CallLimit(settings.composer_seconds, clock))
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
