"""Policy of the executor."""

import json

import pytest
from assay.common.v1 import tool_pb2
from assay.executor.v1 import executor_pb2
from hypothesis import given
from hypothesis import strategies as st

from services.executor import domain
from services.executor.tools.registry import tools

TOOLS = tools(1000, 1)
COMPLETED = executor_pb2.EXECUTOR_STATUS_COMPLETED
INVALID = executor_pb2.EXECUTOR_STATUS_INVALID_OUTPUT


def a_call(
    source: str, status: tool_pb2.InvocationStatus.ValueType = tool_pb2.INVOCATION_STATUS_OK
) -> tool_pb2.Invocation:
    step = a_step(source=source)
    return tool_pb2.Invocation(tool_name=step.tool_name, arguments_json=step.arguments_json, status=status)


def a_step(**arguments: str) -> tool_pb2.PlanStep:
    return tool_pb2.PlanStep(tool_name="alerts_list", arguments_json=json.dumps(arguments).encode())


def test_a_legal_call_is_admitted() -> None:
    admitted = domain.admit(TOOLS, "alerts_list", b'{"source": "a.json"}')
    assert isinstance(admitted, domain.Admitted)
    assert admitted.plain == {"source": "a.json"}


@pytest.mark.parametrize(
    ("tool", "arguments", "reason"),
    [
        ("shell_run", b"{}", "no such tool; there are alerts_list"),
        ("alerts_list", b"", "no JSON object"),
        ("alerts_list", b"[]", "no JSON object"),
        ("alerts_list", b'{"source":"a","source":"b"}', "duplicate key"),
        ("alerts_list", b'{"source":NaN}', "no JSON object"),
        ("alerts_list", b"{}", "source: Field required"),
        ("alerts_list", b'{"source":"a","--kubeconfig":"x"}', "arguments: Extra inputs"),
    ],
)
def test_an_illegal_call_is_refused_with_its_reason(tool: str, arguments: bytes, reason: str) -> None:
    refused = domain.admit(TOOLS, tool, arguments)
    assert isinstance(refused, domain.Refused)
    assert reason in refused.reason
    assert "kubeconfig" not in refused.reason


@given(st.text(max_size=20), st.binary(max_size=60))
def test_no_call_whatever_breaks_the_policy(tool: str, arguments: bytes) -> None:
    for name in (tool, "logs_search"):
        decision = domain.admit(TOOLS, name, arguments)
        assert isinstance(decision, domain.Admitted | domain.Refused)


def test_follow_ups_leave_out_what_was_made_and_stop_at_the_cap() -> None:
    calls = [a_call(str(number)) for number in range(60)]
    wanted = [a_step(source=str(number)) for number in range(58, 80)]
    found = domain.follow_ups([*wanted, *wanted], calls)
    assert found == wanted[2:6]
    assert domain.follow_ups(wanted, [*calls, *[a_call("x")] * 4]) == []


def test_the_order_of_arguments_makes_no_other_call() -> None:
    wanted = [a_step(a="1", b="2"), a_step(b="2", a="1")]
    assert domain.follow_ups(wanted, []) == wanted[:1]


@pytest.mark.parametrize("arguments", [b"", b"[]", b"{"])
def test_what_is_no_call_is_still_wanted_once_so_that_policy_can_refuse_it(arguments: bytes) -> None:
    wanted = [tool_pb2.PlanStep(tool_name="alerts_list", arguments_json=arguments)] * 2
    assert domain.follow_ups(wanted, []) == wanted[:1]


def test_all_refused_means_every_one() -> None:
    blocked = a_call("a", tool_pb2.INVOCATION_STATUS_BLOCKED)
    assert domain.all_refused([blocked, blocked])
    assert not domain.all_refused([blocked, a_call("a", tool_pb2.INVOCATION_STATUS_ERROR)])


def test_a_document_of_the_version_with_claims_completes() -> None:
    legal = json.dumps({"version": "executor_evidence_v2", "claims": []}).encode()
    assert domain.result_of(legal) == executor_pb2.ExecutorResult(status=COMPLETED, document=legal)


@pytest.mark.parametrize(
    "illegal",
    [
        b"",
        b"I think that",
        b"\xff",
        b"[]",
        b"{}",
        b'{"version":"executor_evidence_v1","claims":[]}',
        b'{"version":"executor_evidence_v2"}',
        b'{"version":"executor_evidence_v2","claims":{}}',
        b'{"version":"executor_evidence_v2","claims":[]} and more',
        b"[" * 100_000,
        b'{"version":"executor_evidence_v2","claims":[],"x":"' + b"a" * (1 << 20) + b'"}',
    ],
)
def test_anything_else_is_invalid_output_and_not_shown(illegal: bytes) -> None:
    assert domain.result_of(illegal) == executor_pb2.ExecutorResult(status=INVALID)
