"""The executor with a scripted model: rounds, memory, failures, who takes over. Real tools and workers."""

import itertools
import time
from collections.abc import AsyncIterator
from datetime import UTC, datetime
from functools import partial
from typing import Any

import pytest
import pytest_asyncio
from assay.common.v1 import context_pb2, tool_pb2
from assay.executor.v1 import executor_pb2

from services.common.evidence.document import ExecutorEvidence, parse
from services.common.llm.port import Kind
from services.common.redaction.redactor import Redactor
from services.executor.desk import Desk
from services.executor.execution import Execution
from services.executor.fallback import FallbackReasoner
from services.executor.openai.reasoner import MAX_WANTED, OpenAIReasoner
from services.executor.reasoner import OfflineReasoner, Reasoner
from services.executor.runtime import Clocks, Runtime
from services.executor.session import Sessions
from services.executor.tools.registry import tools
from services.executor.workers import Workers
from tests.fakes.bundles import LIMITS, write
from tests.fakes.scripted_model import ScriptedModel, saying

Said = dict[str, Any]
TOOLS = tools(1 << 20, 60)
LOG = "".join(
    f"2026-11-30T09:00:{n:02d}Z {'ERROR it failed' if n > 30 else 'INFO fine'}\n" for n in range(60)
)
PLAN = tool_pb2.PlanStep(
    goal="how often it failed", tool_name="logs_templates", arguments_json=b'{"source":"logs/a.log"}'
)
NOTHING: Said = {"calls": [], "claims": []}


def a_claim(
    *refs: str, claim_id: str = "symptom-1", statement: str = 'a logged "it failed" 29 times.'
) -> Said:
    return {
        "id": claim_id, "type": "symptom", "status": "confirmed", "critical": True, "statement": statement,
        "component": "a", "kind": "", "fault": "", "refs": list(refs),
    }  # fmt: skip


def a_wish(tool: str = "logs_search", args: str = '{"source":"logs/a.log","limit":2}') -> Said:
    return {"calls": [{"tool": tool, "args": args}], "claims": []}


# A process takes long to start, and a lease leaves nothing in it: one serves all tests.
pytestmark = pytest.mark.asyncio(loop_scope="module")


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def workers(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Workers[Desk]]:
    root = tmp_path_factory.mktemp("bundles")
    write(root / "b", {"logs/a.log": LOG})
    made = Workers(1, partial(Desk, TOOLS, root, LIMITS, Redactor()), Desk.clear)
    yield made
    await made.close()


async def run(
    workers: Workers[Desk], reasoner: Reasoner
) -> tuple[list[tool_pb2.Invocation], executor_pb2.ExecutorResult]:
    ids = itertools.count(1)
    clocks = Clocks(lambda: datetime(2026, 11, 30, tzinfo=UTC), time.monotonic)
    runtime = Runtime(TOOLS, clocks, lambda: f"inv-{next(ids)}", Redactor())
    execution = Execution(Sessions(workers, workers, 30), runtime, reasoner, 30)
    context = context_pb2.DiagnosisContext(
        question="why does it fail?", intent=context_pb2.INTENT_CAUSE, scope=context_pb2.Scope(bundle="b")
    )
    *calls, result = [item async for item in execution.run(context, [PLAN], [], lambda: 120.0)]
    assert isinstance(result, executor_pb2.ExecutorResult)
    return [call for call in calls if isinstance(call, tool_pb2.Invocation)], result


def turns(*answers: Said | Kind) -> ScriptedModel:
    """Return a model that answers in turn."""
    rest = iter(answers)
    return ScriptedModel(lambda _: next(rest))


def by_model(model: ScriptedModel) -> OpenAIReasoner:
    return OpenAIReasoner(model, 32_000)


def claims_of(result: executor_pb2.ExecutorResult) -> ExecutorEvidence:
    assert result.status == executor_pb2.EXECUTOR_STATUS_COMPLETED
    return parse(result.document)


async def test_with_a_sufficient_plan_one_request_is_enough(workers: Workers[Desk]) -> None:
    model = saying({"calls": [], "claims": [a_claim("1/templates/0")]})
    calls, result = await run(workers, by_model(model))
    assert len(model.asked) == len(calls) == 1
    [claim] = claims_of(result).claims
    assert {each.source_invocation_id for each in claim.evidence_bindings} == {"inv-1"}
    assert {each.raw_path for each in claim.evidence_bindings} >= {"/templates/0/count"}
    assert result.reasoning.reasoner == "openai"
    assert (result.reasoning.prompt_name, result.reasoning.prompt_version) == ("executor_openai", "1")
    assert len(result.reasoning.model_calls) == 1
    assert "goal: how often it failed" in model.asked[0].material


async def test_a_wanted_call_is_made_and_shown_and_the_old_ones_in_brief(workers: Workers[Desk]) -> None:
    last = {
        "calls": [],
        "claims": [a_claim("2/lines/0", claim_id="context-1", statement="a says something.")],
    }
    first = {**a_wish(), "claims": [a_claim("1/templates/0")]}
    model = turns(first, last)
    calls, result = await run(workers, by_model(model))
    assert [call.tool_name for call in calls] == ["logs_templates", "logs_search"]
    assert [claim.claim_id for claim in claims_of(result).claims] == ["symptom-1", "context-1"]
    second = model.asked[1].material
    assert "# Records (the first 1 in brief)" in second
    assert 'symptom-1 (symptom): a logged "it failed" 29 times. [1/templates/0]' in second
    assert "2/lines/0| " in second


async def test_a_claim_that_is_stated_again_replaces_the_earlier_one(workers: Workers[Desk]) -> None:
    first = {**a_wish(), "claims": [a_claim("1/templates/0", statement="a is odd.")]}
    _, result = await run(
        workers, by_model(turns(first, {"calls": [], "claims": [a_claim("1/templates/0")]}))
    )
    assert [claim.statement for claim in claims_of(result).claims] == ['a logged "it failed" 29 times.']


async def test_rounds_are_bounded_and_the_last_one_offers_no_call(workers: Workers[Desk]) -> None:
    limits = itertools.count(1)

    def greedy(request: Any) -> Said:  # noqa: ANN401 - of any answer
        if "No further call" in request.material:
            return {"claims": [a_claim("1/templates/0")]}
        return a_wish(args=f'{{"source":"logs/a.log","limit":{next(limits)}}}')

    model = ScriptedModel(greedy)
    calls, result = await run(workers, by_model(model))
    assert len(calls) == 1 + 4
    assert len(model.asked) == 4 + 1
    assert "# Tools" not in model.asked[-1].material
    assert len(claims_of(result).claims) == 1


async def test_a_call_that_was_made_before_ends_the_rounds(workers: Workers[Desk]) -> None:
    model = turns(a_wish("logs_templates", '{"source":"logs/a.log"}'), {"claims": [a_claim("1/templates/0")]})
    calls, result = await run(workers, by_model(model))
    assert len(calls) == 1
    assert len(claims_of(result).claims) == 1


@pytest.mark.parametrize(
    ("tool", "args"),
    [
        ("shell", '{"command":"id"}'),
        ("logs_search", "no json"),
        ("logs_search", '{"source":"logs/a.log","url":"http://example.org"}'),
        ("logs_search", '["logs/a.log"]'),
    ],
)
async def test_policy_refuses_what_it_refuses_of_anybody(
    workers: Workers[Desk], tool: str, args: str
) -> None:
    calls, result = await run(workers, by_model(turns(a_wish(tool, args), NOTHING)))
    assert calls[1].status == tool_pb2.INVOCATION_STATUS_BLOCKED
    assert claims_of(result).claims == []


async def test_of_many_wishes_a_bounded_number_is_made(workers: Workers[Desk]) -> None:
    wishes = [{"tool": "logs_search", "args": f'{{"source":"logs/a.log","limit":{n}}}'} for n in range(1, 90)]
    calls, _ = await run(workers, by_model(turns({"calls": wishes, "claims": []}, NOTHING)))
    assert len(calls) == 1 + MAX_WANTED


@pytest.mark.parametrize(
    ("kind", "status"),
    [
        (Kind.WRONG_SHAPE, executor_pb2.EXECUTOR_STATUS_INVALID_OUTPUT),
        (Kind.CUT_OFF, executor_pb2.EXECUTOR_STATUS_INVALID_OUTPUT),
        (Kind.UNREACHABLE, executor_pb2.EXECUTOR_STATUS_FAILED),
        (Kind.UNAUTHORIZED, executor_pb2.EXECUTOR_STATUS_FAILED),
    ],
)
@pytest.mark.parametrize("before", [(), (a_wish(),)])
async def test_a_failure_of_the_model_ends_the_execution(
    workers: Workers[Desk],
    kind: Kind,
    status: "executor_pb2.ExecutorStatus.ValueType",
    before: tuple[Said, ...],
) -> None:
    calls, result = await run(workers, by_model(turns(*before, kind)))
    assert (result.status, result.document) == (status, b"")
    assert result.reasoning.model_failure == kind.value
    assert len(calls) == len(result.reasoning.model_calls) == 1 + len(before)


@pytest.mark.parametrize("answers", [(Kind.UNREACHABLE,), (a_wish(), Kind.TIMED_OUT)])
async def test_the_analyst_takes_over_and_the_record_says_so(
    workers: Workers[Desk], answers: tuple[Said | Kind, ...]
) -> None:
    model = turns(*answers)
    calls, result = await run(workers, FallbackReasoner(by_model(model), OfflineReasoner()))
    assert any("it failed" in claim.statement for claim in claims_of(result).claims)
    assert result.reasoning.reasoner == "offline"
    assert result.reasoning.model_failure in ("unreachable", "timed_out")
    assert len(result.reasoning.model_calls) == len(model.asked) == len(answers)
    assert len(calls) > len(answers)


async def test_a_model_that_does_not_fail_keeps_the_word(workers: Workers[Desk]) -> None:
    model = saying({"calls": [], "claims": [a_claim("1/templates/0")]})
    _, result = await run(workers, FallbackReasoner(by_model(model), OfflineReasoner()))
    assert result.reasoning.reasoner == "openai"
    assert [claim.claim_id for claim in claims_of(result).claims] == ["symptom-1"]
