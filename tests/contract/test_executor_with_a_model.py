"""The executor as a real service that asks a model over real HTTP."""

from pathlib import Path

import pytest
from assay.common.v1 import context_pb2, tool_pb2
from assay.executor.v1 import executor_pb2, executor_pb2_grpc

from services.common.evidence.document import parse
from services.common.rpc.channels import open_channel
from services.common.rpc.service import serving
from services.executor.__main__ import build
from services.executor.settings import ExecutorSettings
from tests.fakes.model_endpoint import replies, scripted
from tests.fakes.model_endpoint.server import Asked, Reply, Script
from tests.fakes.sensible_model import material_of, sensible

ITS_WORDS = "the-endpoint-says-so"
PLAN = [
    tool_pb2.PlanStep(tool_name="alerts_list", arguments_json=b'{"source":"alerts.json"}'),
    tool_pb2.PlanStep(tool_name="logs_templates", arguments_json=b'{"source":"logs/postgres.log"}'),
]


async def execute(
    project: Path, script: Script, **changed: object
) -> tuple[list[tool_pb2.Invocation], executor_pb2.ExecutorResult, int]:
    """Return the calls, the result, and how often the model was asked."""
    root = project / "examples" / "incidents" / "pg-connection-exhaustion"
    request = executor_pb2.ExecuteRequest(
        context=context_pb2.DiagnosisContext(
            question="why does checkout fail?",
            intent=context_pb2.INTENT_CAUSE,
            scope=context_pb2.Scope(bundle="bundle"),
        ),
        steps=PLAN,
    )
    async with scripted(script) as endpoint:
        settings = ExecutorSettings.model_validate(
            {
                "reasoner": "openai",
                "model_base_url": endpoint.base_url,
                "model_name": "m",
                "bundle_root": root,
                "drain_seconds": 0,
                **changed,
            }
        )
        service = await build(settings)
        async with serving(settings, service) as address, open_channel(address, 1 << 24) as channel:
            stub = executor_pb2_grpc.ExecutorServiceStub(channel)
            messages = [message async for message in stub.Execute(request, timeout=60)]
        asked = len(endpoint.completions)
    calls = [message.invocation for message in messages if message.HasField("invocation")]
    return calls, messages[-1].result, asked


async def test_the_executor_asks_once_and_cites_what_it_recorded(project: Path) -> None:
    calls, result, asked = await execute(project, sensible)
    assert result.status == executor_pb2.EXECUTOR_STATUS_COMPLETED
    assert (len(calls), asked) == (2, 1)
    assert [call.outcome for call in result.reasoning.model_calls] == ["ok"]
    claims = parse(result.document).claims
    assert any("sorry, too many clients already" in claim.statement for claim in claims)
    ids = {call.id for call in calls}
    assert {each.source_invocation_id for claim in claims for each in claim.evidence_bindings} <= ids


@pytest.mark.parametrize(
    ("reply", "status", "failure"),
    [
        (replies.failed("401 Unauthorized", ITS_WORDS), "FAILED", "unauthorized"),
        (replies.failed("503 Service Unavailable", ITS_WORDS), "FAILED", "overloaded"),
        (replies.message(ITS_WORDS), "INVALID_OUTPUT", "not_json"),
        (
            replies.answer({"calls": [], "claims": [{"id": "c1", "matched_text": "x"}]}),
            "INVALID_OUTPUT",
            "wrong_shape",
        ),
    ],
)
async def test_a_failure_has_its_status_and_quotes_nobody(
    project: Path, reply: Reply, status: str, failure: str
) -> None:
    _, result, asked = await execute(project, replies.always(reply))
    assert result.status == executor_pb2.ExecutorStatus.Value(f"EXECUTOR_STATUS_{status}")
    assert (result.reasoning.model_failure, result.document, asked) == (failure, b"", 1)
    assert ITS_WORDS not in str(result)


async def test_with_a_fallback_the_analyst_goes_on_and_says_so(project: Path) -> None:
    calls, result, _ = await execute(project, replies.always(replies.reset()), fallback_reasoner="offline")
    assert result.status == executor_pb2.EXECUTOR_STATUS_COMPLETED
    assert (result.reasoning.reasoner, result.reasoning.model_failure) == ("offline", "unreachable")
    assert len(calls) > len(PLAN)


async def test_a_bound_that_nothing_fits_sends_nothing(project: Path) -> None:
    _, result, asked = await execute(project, sensible, model_context_tokens=512)
    assert result.status == executor_pb2.EXECUTOR_STATUS_FAILED
    assert (result.reasoning.model_failure, asked) == ("over_budget", 0)


async def test_it_is_offered_the_tools_that_have_something_to_read(project: Path) -> None:
    offered: list[str] = []

    def look(asked: Asked) -> Reply:
        lines = material_of(asked)
        offered.extend(lines[lines.index("# Tools") + 1 : lines.index("# Records")])
        return sensible(asked)

    await execute(project, look)
    kinds = {line.partition("_")[0] for line in offered if "(" in line}
    assert kinds >= {"alerts", "logs", "metrics"}
    assert not kinds & {"kubernetes", "runbooks"}
