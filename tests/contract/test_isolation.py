"""Isolation is a property of the message types: what an agent may not know has no field."""

from typing import Any

import pytest
from assay.composer.v1.composer_pb2 import ComposeRequest
from assay.executor.v1.executor_pb2 import ExecuteRequest, ListToolsRequest
from assay.gatekeeper.v1.gatekeeper_pb2 import CheckRequest
from assay.planner.v1.planner_pb2 import PlanRequest
from assay.verifier.v1.verifier_pb2 import RetryContext, VerifyRequest
from google.protobuf.message import Message

MAY_KNOW: dict[type[Message], set[str]] = {
    PlanRequest: {"context", "catalog", "mode", "gaps"},
    ListToolsRequest: {"scope"},
    ExecuteRequest: {"context", "steps", "gaps"},
    CheckRequest: {"document", "invocations", "outputs"},
    VerifyRequest: {
        "diagnosis_context",
        "verified_executor_output",
        "verified_evidence",
        "gatekeeper_audit",
        "verdict_ceiling",
        "retry_context",
    },
    RetryContext: {"evidence_retry_count", "gaps"},
    ComposeRequest: {"question", "intent", "effective_verdict", "claims", "gaps", "checked"},
}
# Messages that hold what the receiver of the request may never see, however deep.
NEVER: dict[type[Message], set[str]] = {
    PlanRequest: {"Invocation", "ExecutorResult", "Verification", "Answer", "RunState"},
    ExecuteRequest: {"Verification", "GatekeeperResult", "Answer", "RunState", "PlanResponse"},
    CheckRequest: {"DiagnosisContext", "PlanStep", "Verification", "RunState"},
    VerifyRequest: {
        "Invocation",
        "InvocationOutput",
        "ExecutorResult",
        "PlanStep",
        "ToolCatalog",
        "RunState",
    },
    ComposeRequest: {"Invocation", "Verification", "ClaimCheck", "GatekeeperResult", "ClaimGap", "RunState"},
}


def reachable(descriptor: Any, seen: set[str] | None = None) -> set[str]:  # noqa: ANN401 - two types at run time
    found = set() if seen is None else seen
    for field in descriptor.fields:
        kind = field.message_type
        if kind is not None and kind.name not in found:
            found.add(kind.name)
            reachable(kind, found)
    return found


@pytest.mark.parametrize("message", MAY_KNOW, ids=lambda message: message.__name__)
def test_a_request_has_exactly_the_fields_of_the_table(message: type[Message]) -> None:
    assert {field.name for field in message.DESCRIPTOR.fields} == MAY_KNOW[message]


@pytest.mark.parametrize("message", NEVER, ids=lambda message: message.__name__)
def test_nothing_forbidden_is_reachable(message: type[Message]) -> None:
    assert not reachable(message.DESCRIPTOR) & NEVER[message]
