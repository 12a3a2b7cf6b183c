"""The first lines: the question as it was understood, and a verdict that nobody reads as its opposite."""

import pytest
from assay.common.v1 import context_pb2, evidence_pb2
from assay.orchestrator.v1 import run_pb2

from orchestrator.cli import headline
from orchestrator.cli.layout import Layout
from tests.fakes.runs import proven_run

_PASS = evidence_pb2.VERDICT_PASS
_LOW = evidence_pb2.VERDICT_LOW_CONFID
_REJECT = evidence_pb2.VERDICT_REJECT
_NONE = evidence_pb2.VERDICT_UNSPECIFIED
_CAUSE = context_pb2.INTENT_CAUSE
_LOOKUP = context_pb2.INTENT_LOOKUP
_GATE_FOUND_NOTHING = run_pb2.Failure(node="gatekeeper", status="LOW_CONFID", reason_code="completed")
_COMPOSER_FAILED = run_pb2.Failure(node="composer", status="FAILED", reason_code="unavailable")


def _run(
    verdict: "evidence_pb2.Verdict.ValueType",
    intent: "context_pb2.Intent.ValueType" = _CAUSE,
    *,
    with_cause: bool = True,
    failure: run_pb2.Failure | None = None,
) -> run_pb2.Run:
    run = proven_run()
    run.effective_verdict = verdict
    run.context.intent = intent
    del run.checked[:]
    if not with_cause:
        del run.suspects[:], run.claims[:]
    if failure is not None:
        run.status = run_pb2.RUN_STATUS_DEGRADED
        run.failure.CopyFrom(failure)
    return run


@pytest.mark.parametrize(
    ("run", "head"),
    [
        (_run(_PASS), "CAUSE SUPPORTED (PASS)"),
        (_run(_PASS, with_cause=False), "CAUSE SUPPORTED, NO SUSPECT NAMED (PASS)"),
        (_run(_LOW), "POSSIBLE CAUSE, NOT PROVEN (LOW_CONFID)"),
        (_run(_LOW, with_cause=False), "NO CAUSE FOUND (LOW_CONFID)"),
        (_run(_REJECT, with_cause=False), "EVIDENCE UNRELIABLE (REJECT)"),
        (_run(_REJECT, _LOOKUP, with_cause=False), "EVIDENCE UNRELIABLE (REJECT)"),
        (_run(_PASS, _LOOKUP, with_cause=False), "ANSWERED (PASS)"),
        (_run(_LOW, _LOOKUP, with_cause=False), "NOT ANSWERED (LOW_CONFID)"),
        (_run(_NONE, with_cause=False, failure=_COMPOSER_FAILED), "INCOMPLETE (no verdict)"),
        (_run(_PASS, failure=_COMPOSER_FAILED), "INCOMPLETE (PASS)"),
        (_run(_NONE, with_cause=False, failure=_GATE_FOUND_NOTHING), "NO CAUSE FOUND (no verdict)"),
        (_run(_NONE, _LOOKUP, with_cause=False, failure=_GATE_FOUND_NOTHING), "NOT ANSWERED (no verdict)"),
        (_run(_NONE), "INCOMPLETE (no verdict)"),
    ],
)
def test_each_end_has_its_own_words_and_the_word_of_the_contract(run: run_pb2.Run, head: str) -> None:
    assert headline.verdict(run, Layout())[0] == head


def test_a_step_that_failed_is_named() -> None:
    lines = headline.verdict(_run(_NONE, with_cause=False, failure=_COMPOSER_FAILED), Layout())
    told = " ".join(" ".join(lines[1:]).split())
    assert told == "A step failed (composer, FAILED, unavailable); below is only what can still be said."


def test_that_nothing_was_citable_is_not_the_failure_of_a_step() -> None:
    lines = headline.verdict(_run(_NONE, with_cause=False, failure=_GATE_FOUND_NOTHING), Layout())
    assert lines[1:] == ["  Nothing that was read supports a statement."]


def test_a_reject_that_was_written_to_its_end_blames_no_step() -> None:
    run = _run(_REJECT, with_cause=False)
    run.status = run_pb2.RUN_STATUS_DEGRADED
    assert headline.verdict(run, Layout()) == ["EVIDENCE UNRELIABLE (REJECT)"]


@pytest.mark.parametrize("status", ["RUNNING", "FAILED", "CANCELLED"])
def test_a_run_without_an_answer_shows_no_verdict(status: str) -> None:
    run = _run(_PASS)
    run.status = run_pb2.RunStatus.Value(f"RUN_STATUS_{status}")
    run.failure.reason_code = "call_cancelled"
    lines = headline.verdict(run, Layout())
    assert lines[0] == status
    assert "PASS" not in " ".join(lines)
    assert "(call_cancelled)" in " ".join(lines)


def test_the_reader_is_warned_when_something_was_not_read() -> None:
    warning = '  Some sources were missing, failed or were not read: see "Looked at".'
    assert warning in headline.verdict(proven_run(), Layout())
    assert warning not in headline.verdict(_run(_PASS), Layout())


def test_a_lookup_says_that_it_was_understood_as_one() -> None:
    assert headline.question(_run(_LOW, _LOOKUP), Layout())[-1] == "Asked for: a fact (lookup)"


def test_a_long_question_is_cut_and_a_missing_one_is_not_shown() -> None:
    run = _run(_PASS)
    run.context.question = "why " * 300
    lines = headline.question(run, Layout())
    assert sum(map(len, lines)) < 400
    assert lines[-2].endswith("[…]")
    assert headline.question(run_pb2.Run(), Layout()) == []
