"""The path of a run as text."""

import pytest
from assay.orchestrator.v1 import run_pb2

from orchestrator.cli.table import Paper
from orchestrator.cli.trace_text import render
from tests.fakes.runs import instant


def trace(**changes: object) -> run_pb2.Trace:
    result = run_pb2.Trace(run_id="run-1", status=run_pb2.RUN_STATUS_SUCCEEDED)
    for sequence, (node, outcome) in enumerate((("planner", "INVALID_OUTPUT"), ("planner", "COMPLETED")), 1):
        result.events.add(
            sequence=sequence,
            node=node,
            outcome=outcome,
            reason_code="a_reason",
            attempt=sequence,
            start_time=instant(f"2026-11-30T09:11:3{sequence}.250Z"),
            end_time=instant(f"2026-11-30T09:11:3{sequence}.300Z"),
        )
    result.transitions.add(from_node="planner", outcome="INVALID_OUTPUT", to_node="planner")
    for name, value in changes.items():
        setattr(result, name, value)
    return result


def test_events_transitions_and_the_end() -> None:
    ended = trace(final_node="composer", termination_reason="done", degraded=False, evidence_retry_count=1)
    assert render(ended, Paper()).splitlines() == [
        "run run-1  SUCCEEDED",
        "began 2026-11-30 09:11:31Z; the times below are UTC",
        "",
        "#  NODE     OUTCOME         TRY  BEGAN         TOOK  REASON",
        "1  planner  INVALID_OUTPUT  1    09:11:31.250  50ms  a_reason",
        "2  planner  COMPLETED       2    09:11:32.250  50ms  a_reason",
        "",
        "planner --INVALID_OUTPUT--> planner",
        "",
        "ended in composer: done",
        "degraded: no",
        "evidence retries: 1",
    ]


@pytest.mark.parametrize(
    ("status", "said"),
    [
        (run_pb2.RUN_STATUS_FAILED, "ended FAILED: no node ended it"),
        (run_pb2.RUN_STATUS_CANCELLED, "ended CANCELLED: no node ended it"),
        (run_pb2.RUN_STATUS_RUNNING, "has not ended: no node ended it"),
    ],
)
def test_a_run_that_did_not_end_through_its_graph_has_no_end_invented(
    status: run_pb2.RunStatus.ValueType, said: str
) -> None:
    text = render(trace(status=status), Paper())
    assert f"the run {said}\n" in text
    assert "ended in" not in text
    assert "degraded" not in text


def test_a_run_without_events() -> None:
    text = render(run_pb2.Trace(run_id="run-1", status=run_pb2.RUN_STATUS_CANCELLED), Paper())
    assert text == "run run-1  CANCELLED\n\nthe run ended CANCELLED: no node ended it\nevidence retries: 0\n"


def test_hostile_names_stand_escaped() -> None:
    hostile = trace(run_id="\x1b[2J", final_node="\u202e", termination_reason="\x07")
    hostile.transitions[0].to_node = "\x1b[3J"
    hostile.events[0].reason_code = "\x1b[4J"
    assert render(hostile, Paper(60)).replace("\n", "").isprintable()
