"""What a scripted model says through the real executor, gate, projection and guard, on real recordings."""

import time
import uuid
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Any, Final, TypeAlias

from assay.common.v1 import context_pb2, evidence_pb2, tool_pb2
from assay.executor.v1 import executor_pb2
from assay.gatekeeper.v1 import gatekeeper_pb2
from assay.planner.v1 import planner_pb2
from assay.verifier.v1 import verifier_pb2

from orchestrator.verified_input import Recorded, verify_request
from services.common.evidence import document
from services.common.evidence.document import ExecutorEvidence
from services.common.evidence.guard import guard_checks
from services.common.reasoning import Reasoned
from services.common.redaction.redactor import Redactor
from services.executor.desk import Desk
from services.executor.execution import Execution
from services.executor.openai.reasoner import OpenAIReasoner
from services.executor.reasoner import Asked, OfflineInquiry, OfflineReasoner
from services.executor.runtime import Clocks, Runtime
from services.executor.session import Session, Sessions
from services.executor.sources.bundle import Limits
from services.executor.tools.registry import tools
from services.executor.workers import Workers
from services.gatekeeper.domain import check
from services.planner.offline.reasoner import plan
from tests.fakes.scripted_model import saying

Said: TypeAlias = dict[str, Any]
_SECONDS: Final = 600.0
_CONTEXT_TOKENS: Final = 32_000
_LIMITS: Final = Limits(8 << 20, 256 << 20)
_OFFERED: Final = tools(1 << 20, _SECONDS)


@dataclass(frozen=True)
class Outcome:
    """What became of one stated claim: how many of its bindings there were and passed, and its check.

    `check` is None when the gate let nothing of it pass. The verifier believed everything.
    """

    bindings: int
    passed: int
    check: evidence_pb2.ClaimCheck | None

    @property
    def stands(self) -> bool:
        """Tell whether the claim could reach an answer as it was stated."""
        return (
            self.check is not None
            and not self.check.fabricated
            and self.check.classification == evidence_pb2.CLASSIFICATION_DIRECT_OBSERVATION
        )


@dataclass(frozen=True)
class Recording:
    """An execution under way, after its plan and the analyst's rounds."""

    name: str
    asked: Asked
    session: Session
    truth: ExecutorEvidence

    @property
    def made(self) -> Sequence[tool_pb2.Invocation]:
        """The recorded calls."""
        return self.session.invocations

    async def judged(self, said: Sequence[Said]) -> list[Outcome]:
        """Have a model state claims, each under an id of its own, and judge the document of the executor."""
        reasoner = OpenAIReasoner(saying({"claims": list(said)}), _CONTEXT_TOKENS)
        made = await reasoner.begin(self.session, self.asked).conclude(_SECONDS)
        return judged(made.value, self.made, self.asked.context)


def judged(
    data: bytes, made: Sequence[tool_pb2.Invocation], context: context_pb2.DiagnosisContext
) -> list[Outcome]:
    """Return what becomes of each claim of a document."""
    gate = check(gate_request(data, made))
    claims = document.parse(data).claims
    checks: Mapping[str, evidence_pb2.ClaimCheck] = {}
    if gate.verified_binding_count:
        recorded = {call.id: Recorded(call.kind, call.output) for call in made}
        checks = _guarded(verify_request(context, data, gate, recorded, []), made)
    return [
        Outcome(
            len(claim.evidence_bindings),
            sum(
                item.claim_index == index and item.result == evidence_pb2.GATE_RESULT_PASS
                for item in gate.result.checked_bindings
            ),
            checks.get(claim.claim_id),
        )
        for index, claim in enumerate(claims)
    ]


def gate_request(data: bytes, made: Sequence[tool_pb2.Invocation]) -> gatekeeper_pb2.CheckRequest:
    """Return what the gate is told of a document."""
    bound = document.bound_invocations(data)
    return gatekeeper_pb2.CheckRequest(
        document=data,
        invocations=[
            gatekeeper_pb2.InvocationRecord(
                id=call.id,
                tool_name=call.tool_name,
                status=call.status,
                kind=call.kind,
                truncated=call.truncated,
            )
            for call in made
        ],
        outputs=[
            gatekeeper_pb2.InvocationOutput(id=call.id, output=call.output)
            for call in made
            if call.id in bound
        ],
    )


def _guarded(
    request: verifier_pb2.VerifyRequest, made: Sequence[tool_pb2.Invocation]
) -> dict[str, evidence_pb2.ClaimCheck]:
    output = request.verified_executor_output
    believed = [
        evidence_pb2.ClaimCheck(
            claim_id=claim.claim_id, classification=evidence_pb2.CLASSIFICATION_DIRECT_OBSERVATION
        )
        for claim in output.claims
    ]
    arguments = {call.id: call.arguments_json for call in made}
    checks = guard_checks(believed, output, request.verified_evidence, request.diagnosis_context, arguments)
    return {each.claim_id: each for each in checks}


Probe: TypeAlias = Callable[[Recording], Awaitable[None]]


@dataclass(frozen=True)
class _Probing(OfflineReasoner):
    name: str
    probe: Probe

    def begin(self, session: Session, asked: Asked) -> OfflineInquiry:
        return _ProbingInquiry(session, asked, self.name, self.probe)


@dataclass(frozen=True, slots=True)
class _ProbingInquiry(OfflineInquiry):
    """The analyst, who hands its session on before it closes."""

    name: str
    probe: Probe

    async def conclude(self, seconds: float) -> Reasoned[bytes]:
        made = await OfflineInquiry.conclude(self, seconds)
        await self.probe(Recording(self.name, self.asked, self.session, document.parse(made.value)))
        return made


async def probed(bundles: Sequence[Path], probe: Probe) -> None:
    """Carry out the plan for each bundle and the analyst's rounds in a worker process, then the probe."""
    for bundle in bundles:
        workers = Workers(1, partial(Desk, _OFFERED, bundle.parent, _LIMITS, Redactor()), Desk.clear)
        try:
            await _execute(workers, bundle, probe)
        finally:
            await workers.close()


async def _execute(workers: Workers[Desk], bundle: Path, probe: Probe) -> None:
    question = (bundle / "question.txt").read_text(encoding="utf-8").strip()
    scope = context_pb2.Scope(bundle=bundle.name)
    context = context_pb2.DiagnosisContext(question=question, intent=context_pb2.INTENT_CAUSE, scope=scope)
    sessions = Sessions(workers, workers, _SECONDS)

    request = planner_pb2.PlanRequest(
        context=context,
        mode=planner_pb2.PLAN_MODE_FULL,
        catalog=await sessions.catalog(bundle.name, _remaining),
    )
    clocks = Clocks(lambda: datetime.now(UTC), time.monotonic)
    runtime = Runtime(_OFFERED, clocks, lambda: f"inv-{uuid.uuid4().hex[:12]}", Redactor())
    execution = Execution(sessions, runtime, _Probing(bundle.parent.name, probe), _SECONDS)
    async for item in execution.run(context, plan(request), [], _remaining):
        if isinstance(item, executor_pb2.ExecutorResult):
            assert item.status == executor_pb2.EXECUTOR_STATUS_COMPLETED


def _remaining() -> float:
    return _SECONDS
