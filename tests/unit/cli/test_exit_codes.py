"""The table of exit codes, every run status and every call status."""

import grpc
import pytest
from assay.common.v1 import context_pb2, evidence_pb2
from assay.orchestrator.v1 import run_pb2

from orchestrator.cli.exit_codes import ExitCode, of_run, of_status
from tests.fakes.runs import proven_run

_WITHOUT_ANSWER = {
    run_pb2.RUN_STATUS_UNSPECIFIED: ExitCode.ERROR,
    run_pb2.RUN_STATUS_RUNNING: ExitCode.ERROR,
    run_pb2.RUN_STATUS_DEGRADED: ExitCode.UNPROVEN,
    run_pb2.RUN_STATUS_FAILED: ExitCode.ERROR,
    run_pb2.RUN_STATUS_CANCELLED: ExitCode.CANCELLED,
}
_BY_CODE = {
    grpc.StatusCode.INVALID_ARGUMENT: ExitCode.USAGE,
    grpc.StatusCode.NOT_FOUND: ExitCode.USAGE,
    grpc.StatusCode.ALREADY_EXISTS: ExitCode.USAGE,
    grpc.StatusCode.FAILED_PRECONDITION: ExitCode.USAGE,
    grpc.StatusCode.OUT_OF_RANGE: ExitCode.USAGE,
    grpc.StatusCode.CANCELLED: ExitCode.CANCELLED,
    grpc.StatusCode.DEADLINE_EXCEEDED: ExitCode.CANCELLED,
}


def test_a_proven_cause_is_the_only_way_to_zero_for_a_cause_question() -> None:
    run = proven_run()
    assert of_run(run) is ExitCode.ANSWERED
    del run.suspects[:]
    assert of_run(run) is ExitCode.UNPROVEN


def test_a_lookup_needs_no_suspect() -> None:
    run = proven_run()
    del run.suspects[:]
    run.context.intent = context_pb2.INTENT_LOOKUP
    assert of_run(run) is ExitCode.ANSWERED


@pytest.mark.parametrize("verdict", sorted(set(evidence_pb2.Verdict.values()) - {evidence_pb2.VERDICT_PASS}))
def test_no_other_verdict_is_an_answer(verdict: "evidence_pb2.Verdict.ValueType") -> None:
    run = proven_run()
    run.effective_verdict = verdict
    assert of_run(run) is ExitCode.UNPROVEN


@pytest.mark.parametrize("status", run_pb2.RunStatus.values())
def test_every_run_status_has_its_code(status: "run_pb2.RunStatus.ValueType") -> None:
    run = proven_run()
    run.status = status
    expected = ExitCode.ANSWERED if status == run_pb2.RUN_STATUS_SUCCEEDED else _WITHOUT_ANSWER[status]
    assert of_run(run) is expected


@pytest.mark.parametrize("code", list(grpc.StatusCode))
def test_every_failed_call_has_its_code(code: grpc.StatusCode) -> None:
    assert of_status(code) is _BY_CODE.get(code, ExitCode.ERROR)
