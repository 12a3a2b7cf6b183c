"""Scripted agents behind real servers with the production interceptors, and an orchestrator on top."""

import asyncio
import hashlib
import json
from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable, Iterator, Sequence
from contextlib import AsyncExitStack, asynccontextmanager, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeAlias, TypeVar

import grpc
import grpc.aio
from assay.common.v1 import evidence_pb2, tool_pb2
from assay.common.v1.evidence_pb2 import ClaimCheck, Classification, EvidenceReference, Verification
from assay.common.v1.tool_pb2 import Invocation, PlanStep, SourceInfo, Tool, ToolCatalog
from assay.composer.v1 import composer_pb2
from assay.executor.v1 import executor_pb2
from assay.executor.v1.executor_pb2 import ExecuteResponse, ExecutorResult, ListToolsResponse
from assay.gatekeeper.v1 import gatekeeper_pb2
from assay.orchestrator.v1 import diagnosis_pb2, diagnosis_pb2_grpc, run_pb2
from assay.orchestrator.v1.diagnosis_pb2 import DiagnoseRequest, DiagnoseResponse
from assay.planner.v1 import planner_pb2
from assay.planner.v1.planner_pb2 import PlanResponse
from assay.verifier.v1 import verifier_pb2
from assay.verifier.v1.verifier_pb2 import VerifyRequest, VerifyResponse
from google.protobuf.message import Message
from google.protobuf.timestamp_pb2 import Timestamp
from pydantic_settings import SettingsConfigDict

from orchestrator.composition import build
from orchestrator.settings import OrchestratorSettings
from services.common.rpc.channels import open_channel
from services.common.rpc.service import Service, serving
from services.common.settings import ServiceSettings
from services.composer.domain import Composer
from services.composer.offline.adapter import OfflineReasoner
from services.gatekeeper.domain import check
from tests.fakes.reasoned import plenty

Request: TypeAlias = Any
Function: TypeAlias = "Callable[[Request], Awaitable[Reply]]"
Reply: TypeAlias = "Message | grpc.StatusCode | Function | Sequence[Message | grpc.StatusCode | Function]"
Json: TypeAlias = dict[str, Any]
MessageT = TypeVar("MessageT", bound=Message)


class AgentSettings(ServiceSettings):
    model_config = SettingsConfigDict(env_prefix="ASSAY_SCRIPTED_")


@dataclass(frozen=True)
class Method:
    """One method of a scripted service; a list of replies is streamed."""

    name: str
    request: type[Message]
    streams: bool = False


@dataclass
class ScriptedAgent:
    """A service whose methods answer from a script in turn; the last reply is repeated.

    A reply is a message, several for a stream (a status code ends it), a status code, or a function of the
    request that returns one of these. What arrives is kept as it was on the wire.
    """

    service: str
    methods: Sequence[Method]
    replies: dict[str, list[Reply]] = field(default_factory=dict)
    wire: dict[str, list[bytes]] = field(default_factory=dict)
    arrivals: dict[str, asyncio.Event] = field(default_factory=dict)
    drops: dict[str, asyncio.Event] = field(default_factory=dict)
    _stack: AsyncExitStack = field(default_factory=AsyncExitStack)

    async def start(self) -> str:
        settings = AgentSettings(drain_seconds=0)
        return await self._stack.enter_async_context(
            serving(settings, Service(names=(), register=self._register))
        )

    async def kill(self) -> None:
        await self._stack.aclose()

    def arrival(self, method: str) -> asyncio.Event:
        """Set once the method has been called."""
        return self.arrivals.setdefault(method, asyncio.Event())

    def dropped(self, method: str) -> asyncio.Event:
        """Set once a call of the method has been cancelled by its caller."""
        return self.drops.setdefault(method, asyncio.Event())

    def requests(self, method: str) -> list[Any]:
        kind = next(item.request for item in self.methods if item.name == method)
        return [kind.FromString(data) for data in self.wire.get(method, [])]

    def _register(self, server: grpc.aio.Server) -> None:
        handlers: dict[str, Any] = {
            method.name: grpc.unary_stream_rpc_method_handler(self._streaming(method))
            if method.streams
            else grpc.unary_unary_rpc_method_handler(self._unary(method))
            for method in self.methods
        }
        server.add_generic_rpc_handlers((grpc.method_handlers_generic_handler(self.service, handlers),))

    async def _reply(self, method: Method, data: bytes) -> Reply:
        seen = self.wire.setdefault(method.name, [])
        seen.append(data)
        self.arrival(method.name).set()
        script = self.replies[method.name]
        reply = script[min(len(seen), len(script)) - 1]
        while callable(reply):
            reply = await reply(method.request.FromString(data))
        return reply

    @contextmanager
    def _drops_noticed(self, method: Method) -> Iterator[None]:
        try:
            yield
        except asyncio.CancelledError:
            self.dropped(method.name).set()
            raise

    def _unary(self, method: Method) -> Callable[[bytes, Any], Awaitable[bytes]]:
        async def handle(data: bytes, context: Any) -> bytes:  # noqa: ANN401 - gRPC's own, untyped here
            with self._drops_noticed(method):
                reply = await self._reply(method, data)
            if isinstance(reply, grpc.StatusCode):
                await context.abort(reply, "scripted")
            assert isinstance(reply, Message)
            return reply.SerializeToString()

        return handle

    def _streaming(self, method: Method) -> Callable[[bytes, Any], AsyncIterator[bytes]]:
        async def handle(data: bytes, context: Any) -> AsyncIterator[bytes]:  # noqa: ANN401 - as above
            reply = await self._reply(method, data)
            for item in reply if isinstance(reply, Sequence) else [reply]:
                with self._drops_noticed(method):
                    message = await item(data) if callable(item) else item
                if isinstance(message, grpc.StatusCode):
                    await context.abort(message, "scripted")
                assert isinstance(message, Message)
                yield message.SerializeToString()

        return handle


def invocation(
    invocation_id: str,
    tool: str,
    arguments: Json,
    output: Json,
    status: "tool_pb2.InvocationStatus.ValueType" = tool_pb2.INVOCATION_STATUS_OK,
    kind: "tool_pb2.DocumentKind.ValueType" = tool_pb2.DOCUMENT_KIND_RAW,
) -> Invocation:
    data = json.dumps(output).encode()
    return Invocation(
        id=invocation_id,
        tool_name=tool,
        arguments_json=json.dumps(arguments).encode(),
        status=status,
        kind=kind,
        output=data,
        output_sha256=hashlib.sha256(data).hexdigest(),
    )


LOG = invocation(
    "inv-1",
    "logs_search",
    {"source": "logs/api.log", "contains": ["refused"]},
    {
        "source": "logs/api.log",
        "owner": "api",
        "lines": [
            {"n": 7, "time": "2026-11-30T09:10:53Z", "text": "api: connection refused by db"},
            {"n": 8, "time": "2026-11-30T09:10:54Z", "text": "canary-unreferenced-line"},
        ],
    },
)
CHANGE = invocation(
    "inv-2",
    "change_events_list",
    {"source": "events.json"},
    {
        "source": "events.json",
        "elements": [
            {"first_line": 2, "last_line": 4, "value": {"summary": "api: pool size raised", "service": "api"}}
        ],
    },
)
BROKEN = invocation(
    "inv-3",
    "logs_search",
    {"source": "logs/gone.log"},
    {"error": "no such source"},
    tool_pb2.INVOCATION_STATUS_ERROR,
)
SYMPTOM_BINDING = {
    "source_invocation_id": "inv-1",
    "tool_name": "logs_search",
    "raw_path": "/lines/0/text",
    "matched_text": "api: connection refused by db",
}
CAUSE_BINDING = {
    "source_invocation_id": "inv-2",
    "tool_name": "change_events_list",
    "raw_path": "/elements/0/value/summary",
    "matched_text": "api: pool size raised",
}


# A document in outline, which the strict contract refuses.
UNKNOWN_KEY = b'{"version": "executor_evidence_v2", "claims": [], "user_facing_answer": "all is well"}'


def claim(claim_id: str, **changes: Any) -> Json:  # noqa: ANN401 - a claim's members
    return {
        "claim_id": claim_id,
        "claim_type": "symptom",
        "status": "confirmed",
        "critical": True,
        "statement": 'The log of api says "connection refused by db".',
        "component": "api",
        "evidence_bindings": [SYMPTOM_BINDING],
        **changes,
    }


def cause(claim_id: str = "cause-1", **changes: Any) -> Json:  # noqa: ANN401 - a claim's members
    return claim(
        claim_id,
        **{
            "claim_type": "cause",
            "critical": True,
            "statement": 'The change "api: pool size raised" was applied.',
            "component_kind": "service",
            "fault": "config.changed",
            "evidence_bindings": [CAUSE_BINDING],
            **changes,
        },
    )


def document(*claims: Json) -> bytes:
    return json.dumps({"version": "executor_evidence_v2", "claims": claims, "evidence_gaps": []}).encode()


def result(data: bytes) -> ExecuteResponse:
    """The last message of a stream that ends with these bytes as its document."""
    status = executor_pb2.EXECUTOR_STATUS_COMPLETED
    return ExecuteResponse(result=ExecutorResult(status=status, document=data))


def executed(*claims: Json, calls: Sequence[Invocation] = (LOG, CHANGE, BROKEN)) -> list[Message]:
    """A stream that ends with a document."""
    return [*(ExecuteResponse(invocation=call) for call in calls), result(document(*claims))]


def ended(status: "executor_pb2.ExecutorStatus.ValueType") -> Reply:
    return [ExecuteResponse(invocation=LOG), ExecuteResponse(result=ExecutorResult(status=status))]


PLAN = PlanResponse(
    status=planner_pb2.PLANNER_STATUS_COMPLETED,
    steps=[PlanStep(goal="read", tool_name="logs_search", arguments_json=b'{"source":"logs/api.log"}')],
)
CATALOG = ToolCatalog(
    tools=[Tool(name="logs_search", kind=tool_pb2.DOCUMENT_KIND_RAW)],
    sources=[
        SourceInfo(
            kind="log",
            name="logs/api.log",
            available=True,
            first_time=Timestamp(seconds=1_000),
            last_time=Timestamp(seconds=2_000),
        ),
        SourceInfo(kind="alert", available=False, reason="the bundle has no alerts"),
    ],
)
DIRECT = evidence_pb2.CLASSIFICATION_DIRECT_OBSERVATION


def judging(
    verdict: evidence_pb2.Verdict.ValueType = evidence_pb2.VERDICT_PASS,
    **classified: Classification.ValueType,
) -> Callable[[VerifyRequest], Awaitable[Reply]]:
    """A verifier that calls every claim a direct observation, except as said by claim id ('-' is '_')."""

    async def reply(request: VerifyRequest) -> Reply:
        checks = [
            ClaimCheck(
                claim_id=item.claim_id,
                classification=classified.get(item.claim_id.replace("-", "_"), DIRECT),
                evidence_refs=[EvidenceReference(claim_id=item.claim_id)],
                reason="scripted",
            )
            for item in request.verified_executor_output.claims
        ]
        judged = Verification(
            model_verdict=verdict, groundedness_score=0.9, rationale="scripted", claim_checks=checks
        )
        return VerifyResponse(status=verifier_pb2.VERIFIER_STATUS_COMPLETED, verification=judged)

    return reply


async def gate(request: gatekeeper_pb2.CheckRequest) -> Reply:
    return check(request)


async def composed(request: composer_pb2.ComposeRequest) -> Reply:
    return await Composer(OfflineReasoner(), asyncio.to_thread).compose(request, plenty)


async def hang(_request: Request) -> Reply:
    await asyncio.Event().wait()
    raise AssertionError


class Agents:
    """The five agents, scripted to a PASS with one suspect until told otherwise."""

    def __init__(self) -> None:
        self.planner = _agent(planner_pb2, "PlannerService", Method("Plan", planner_pb2.PlanRequest))
        self.executor = _agent(
            executor_pb2,
            "ExecutorService",
            Method("ListTools", executor_pb2.ListToolsRequest),
            Method("Execute", executor_pb2.ExecuteRequest, streams=True),
        )
        self.gatekeeper = _agent(
            gatekeeper_pb2, "GatekeeperService", Method("Check", gatekeeper_pb2.CheckRequest)
        )
        self.verifier = _agent(verifier_pb2, "VerifierService", Method("Verify", VerifyRequest))
        self.composer = _agent(
            composer_pb2, "ComposerService", Method("Compose", composer_pb2.ComposeRequest)
        )
        self.planner.replies["Plan"] = [PLAN]
        self.executor.replies["ListTools"] = [ListToolsResponse(catalog=CATALOG)]
        self.executor.replies["Execute"] = [executed(claim("symptom-1"), cause())]
        self.gatekeeper.replies["Check"] = [gate]
        self.verifier.replies["Verify"] = [judging()]
        self.composer.replies["Compose"] = [composed]

    def all(self) -> dict[str, ScriptedAgent]:
        return {
            "planner": self.planner,
            "executor": self.executor,
            "gatekeeper": self.gatekeeper,
            "verifier": self.verifier,
            "composer": self.composer,
        }


def _agent(module: Any, service: str, *methods: Method) -> ScriptedAgent:  # noqa: ANN401 - a generated module
    return ScriptedAgent(module.DESCRIPTOR.services_by_name[service].full_name, methods)


METHODS = {
    "planner": "Plan",
    "executor": "Execute",
    "gatekeeper": "Check",
    "verifier": "Verify",
    "composer": "Compose",
}


def hanging(name: str) -> Agents:
    """Agents of which one takes its call, and never answers it."""
    agents = Agents()
    reply: Reply = [ExecuteResponse(invocation=LOG), hang] if name == "executor" else hang
    agents.all()[name].replies[METHODS[name]] = [reply]
    return agents


@dataclass
class Outcome:
    """One diagnosis as its caller saw it."""

    messages: list[DiagnoseResponse]

    @property
    def run(self) -> run_pb2.Run:
        assert self.messages[-1].HasField("run")
        return self.messages[-1].run

    @property
    def path(self) -> list[str]:
        return [f"{item.event.node}:{item.event.outcome}" for item in self.messages if item.HasField("event")]

    @property
    def evaluation(self) -> Json:
        value: Json = json.loads(self.run.self_evaluation_json)["verifier_evaluation"]
        return value


@dataclass
class Stack:
    """A running orchestrator and its agents."""

    agents: Agents
    stub: "diagnosis_pb2_grpc.DiagnosisServiceAsyncStub"
    serving: AsyncExitStack
    channel: grpc.aio.Channel
    address: str

    async def stop(self) -> None:
        """Shut the orchestrator down in order, while its callers and its agents stay."""
        await self.serving.aclose()

    async def submit(self, key: str = "key-1", question: str = "Why does api fail?") -> str:
        """Submit a diagnosis and return the id of its run."""
        request = diagnosis_pb2.SubmitDiagnosisRequest(idempotency_key=key)
        request.diagnosis.question = question
        request.diagnosis.scope.bundle = "incident"
        return (await self.stub.SubmitDiagnosis(request, timeout=300)).run_id

    def watching(self, run_id: str, after: int = 0) -> AsyncGenerator[DiagnoseResponse, None]:
        """Follow a run."""
        request = diagnosis_pb2.WatchRunRequest(run_id=run_id, after_sequence=after)
        call = self.stub.WatchRun(request, timeout=300)

        async def messages() -> AsyncGenerator[DiagnoseResponse, None]:
            async for message in call:
                yield message.progress

        return messages()

    async def watch(self, run_id: str, after: int = 0) -> Outcome:
        """Follow a run to its end."""
        return Outcome([message async for message in self.watching(run_id, after)])

    async def cancel(self, run_id: str) -> run_pb2.Run:
        """Cancel a run and return it."""
        request = diagnosis_pb2.CancelRunRequest(run_id=run_id)
        return (await self.stub.CancelRun(request, timeout=60)).run

    async def diagnose(self, question: str = "Why does api fail?", timeout_seconds: float = 60) -> Outcome:
        request = DiagnoseRequest(question=question)
        request.scope.bundle = "incident"
        call = self.stub.Diagnose(request, timeout=timeout_seconds)
        return Outcome([message async for message in call])

    @asynccontextmanager
    async def diagnosing(self, agent: ScriptedAgent, method: str) -> AsyncIterator["asyncio.Task[Outcome]"]:
        """Diagnose in the background, once that method has been called."""
        task = asyncio.create_task(self.diagnose())
        arrival = asyncio.create_task(agent.arrival(method).wait())
        await asyncio.wait([task, arrival], return_when=asyncio.FIRST_COMPLETED)
        yield task
        await asyncio.wait([task, arrival])

    async def trace(self, run_id: str) -> run_pb2.Trace:
        request = diagnosis_pb2.GetTraceRequest(run_id=run_id)
        return (await self.stub.GetTrace(request, timeout=60)).trace

    async def stored(self, run_id: str) -> run_pb2.Run:
        request = diagnosis_pb2.GetRunRequest(run_id=run_id)
        return (await self.stub.GetRun(request, timeout=60)).run


@asynccontextmanager
async def stack(database: Path, agents: Agents | None = None, **limits: float | str) -> AsyncIterator[Stack]:
    """Start the agents and an orchestrator; `limits` are settings of the orchestrator."""
    agents = agents or Agents()
    async with AsyncExitStack() as open_things:
        addresses: Json = {}
        for name, agent in agents.all().items():
            addresses[f"{name}_address"] = await agent.start()
            open_things.push_async_callback(agent.kill)
        values: Json = {**addresses, "database": database, "drain_seconds": 0, **limits}
        settings = OrchestratorSettings(**values)
        served = await open_things.enter_async_context(AsyncExitStack())
        address = await served.enter_async_context(serving(settings, await build(settings)))
        channel = await open_things.enter_async_context(open_channel(address, 1 << 25))
        yield Stack(agents, diagnosis_pb2_grpc.DiagnosisServiceStub(channel), served, channel, address)


def changed(message: MessageT, **fields: Any) -> MessageT:  # noqa: ANN401 - whatever a field takes
    """Return a copy of a message with some fields set."""
    copy = type(message)()
    copy.CopyFrom(message)
    for name, value in fields.items():
        setattr(copy, name, value)
    return copy


async def run_with(path: Path, script: dict[str, list[Reply]]) -> tuple[Stack, Outcome]:
    """Diagnose once with some methods' replies replaced; the stack is closed afterwards."""
    async with stack(path / "runs.db") as running:
        for agent in running.agents.all().values():
            agent.replies.update({name: script[name] for name in agent.replies if name in script})
        outcome = await running.diagnose()
        assert await running.stored(outcome.run.run_id) == outcome.run
        return running, outcome
