"""States and scripted nodes for tests of the graph and its engine."""

import asyncio
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime, timedelta

from assay.common.v1 import context_pb2, evidence_pb2
from assay.common.v1.context_pb2 import DiagnosisContext
from assay.common.v1.evidence_pb2 import (
    ClaimCheck,
    EvidenceReference,
    Verification,
    VerifiedClaim,
    VerifiedExecutorOutput,
)
from assay.gatekeeper.v1 import gatekeeper_pb2
from assay.gatekeeper.v1.gatekeeper_pb2 import CheckResponse
from assay.orchestrator.v1.diagnosis_pb2 import DiagnoseResponse
from assay.orchestrator.v1.run_pb2 import OrchestrationEvent
from assay.orchestrator.v1.state_pb2 import FirstVerification, RunState
from assay.verifier.v1.verifier_pb2 import VerifyRequest

from orchestrator.engine import Ending, Engine, Walk
from orchestrator.graph import DIAGNOSIS, Node, NodePort, NodeResult, Reason, RunConfig, compile_graph

PASS = evidence_pb2.VERDICT_PASS
LOW = evidence_pb2.VERDICT_LOW_CONFID
REJECT = evidence_pb2.VERDICT_REJECT
NONE = evidence_pb2.VERDICT_UNSPECIFIED
CLEAN_GATE = CheckResponse(
    status=gatekeeper_pb2.GATEKEEPER_STATUS_PASS,
    verified_binding_count=1,
    result=evidence_pb2.GatekeeperResult(severity=evidence_pb2.SEVERITY_NONE),
)
LOW_GATE = CheckResponse(
    status=gatekeeper_pb2.GATEKEEPER_STATUS_LOW_CONFID,
    verified_binding_count=1,
    result=evidence_pb2.GatekeeperResult(severity=evidence_pb2.SEVERITY_LOW_CONFID),
)
INPUT = VerifyRequest(
    verified_executor_output=VerifiedExecutorOutput(
        version="executor_evidence_v2",
        claims=[
            VerifiedClaim(claim_id="c1", critical=True, statement="a critical statement"),
            VerifiedClaim(claim_id="c2", critical=False, statement="another statement"),
        ],
    )
).SerializeToString(deterministic=True)


def verification(
    critical: evidence_pb2.Classification.ValueType,
    other: evidence_pb2.Classification.ValueType = evidence_pb2.CLASSIFICATION_DIRECT_OBSERVATION,
) -> Verification:
    """A verification of INPUT, with the check of its critical and of its other claim."""
    return Verification(
        claim_checks=[
            ClaimCheck(claim_id=name, classification=value, evidence_refs=[EvidenceReference(claim_id=name)])
            for name, value in (("c1", critical), ("c2", other))
        ]
    )


GAP = verification(evidence_pb2.CLASSIFICATION_UNSUPPORTED)
NO_GAP = verification(evidence_pb2.CLASSIFICATION_DIRECT_OBSERVATION)


class StoppedClock:
    """A clock that moves only when it is told to."""

    def __init__(self) -> None:
        self.seconds = 0.0

    def now(self) -> datetime:
        return datetime(2026, 1, 1, tzinfo=UTC) + timedelta(seconds=self.seconds)

    def monotonic(self) -> float:
        return self.seconds


class ListJournal:
    """A journal that keeps what it is given."""

    def __init__(self) -> None:
        self.events: list[OrchestrationEvent] = []
        self.states: list[RunState] = []

    async def record_step(self, run_id: str, event: OrchestrationEvent, state: RunState) -> None:
        del run_id
        self.events.append(event)
        self.states.append(state)


Answer = NodeResult | BaseException | Callable[[RunState, RunConfig], NodeResult]


class ScriptedNode:
    """Answers its attempts in turn; the last answer is repeated. Keeps what it was given."""

    def __init__(self, *answers: Answer) -> None:
        self._answers = answers
        self.states: list[RunState] = []
        self.configs: list[RunConfig] = []

    async def __call__(self, state: RunState, config: RunConfig) -> NodeResult:
        answer = self._answers[min(len(self.states), len(self._answers) - 1)]
        self.states.append(state)
        self.configs.append(config)
        if isinstance(answer, BaseException):
            raise answer
        return answer if isinstance(answer, NodeResult) else answer(state, config)


class WaitingNode(ScriptedNode):
    """Begins and never ends."""

    def __init__(self, on_begin: Callable[[], None] = lambda: None) -> None:
        super().__init__()
        self.begun = asyncio.Event()
        self._on_begin = on_begin

    async def __call__(self, state: RunState, config: RunConfig) -> NodeResult:
        self.states.append(state)
        self.configs.append(config)
        self._on_begin()
        self.begun.set()
        await asyncio.Event().wait()
        raise AssertionError


def completed(**updates: object) -> NodeResult:
    return NodeResult("COMPLETED", Reason.COMPLETED, updates)  # type: ignore[arg-type] # tests may be wrong


def verified(verdict: evidence_pb2.Verdict.ValueType, of: Verification = NO_GAP) -> NodeResult:
    return completed(verification=of, effective_verdict=verdict)


def gated(outcome: str, gate: CheckResponse = CLEAN_GATE) -> NodeResult:
    return NodeResult(outcome, Reason.GATE_PASS, {"gate": gate})


def failed(outcome: str) -> NodeResult:
    return NodeResult(outcome, Reason.AGENT_FAILED)


def happy_nodes() -> dict[Node, ScriptedNode]:
    """Nodes that walk straight to PASS."""
    retry = completed(
        first_verification=FirstVerification(effective_verdict=LOW), verification=None, effective_verdict=None
    )
    return {
        Node.PLANNER: ScriptedNode(completed()),
        Node.EXECUTOR: ScriptedNode(completed()),
        Node.GATEKEEPER: ScriptedNode(gated("PASS")),
        Node.VERIFIED_INPUT: ScriptedNode(completed(verified_input=INPUT)),
        Node.VERIFIER: ScriptedNode(verified(PASS)),
        Node.EVIDENCE_RETRY: ScriptedNode(retry),
        Node.COMPOSER: ScriptedNode(completed()),
        Node.FALLBACK: ScriptedNode(
            lambda state, _: NodeResult(
                "COMPLETED",
                f"{state.orchestration_events[-1].node}_{state.orchestration_events[-1].outcome.lower()}",
            )
        ),
    }


class Walked:
    """One walk over scripted nodes, and what came of it."""

    def __init__(self, nodes: Mapping[Node, ScriptedNode], clock: StoppedClock | None = None) -> None:
        self.nodes = nodes
        self.clock = clock or StoppedClock()
        self.journal = ListJournal()
        self.published: list[DiagnoseResponse] = []
        ports: dict[Node, NodePort] = dict(nodes)
        self.engine = Engine(compile_graph(DIAGNOSIS, ports), self.journal, self.clock)
        config = RunConfig("run-1", deadline=60.0, publish=self.published.append)
        context = DiagnosisContext(question="why?", intent=context_pb2.INTENT_CAUSE)
        self.walk = Walk(config, RunState(context=context))

    async def run(self) -> Ending:
        return await self.engine.run(self.walk)

    @property
    def path(self) -> list[str]:
        return [f"{event.node}:{event.outcome}" for event in self.journal.events]


async def walk_of(**replaced: Sequence[Answer]) -> tuple[Walked, Ending]:
    """Walk with some nodes' answers replaced, by node name."""
    nodes = happy_nodes()
    nodes.update({Node(name): ScriptedNode(*answers) for name, answers in replaced.items()})
    walked = Walked(nodes)
    return walked, await walked.run()
