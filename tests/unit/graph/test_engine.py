"""The engine over the real table and scripted nodes: no service, no store, no network."""

import asyncio
import subprocess
import sys
from pathlib import Path

import pytest
from assay.common.v1.reasoning_pb2 import Reasoning
from assay.orchestrator.v1 import run_pb2
from assay.orchestrator.v1.state_pb2 import RunState

from orchestrator.graph import (
    CallFailedError,
    GraphError,
    Node,
    NodeFailedError,
    NodeResult,
    Outcome,
    Reason,
    RunConfig,
)
from tests.fakes.graph_states import (
    GAP,
    LOW,
    PASS,
    REJECT,
    ScriptedNode,
    StoppedClock,
    WaitingNode,
    Walked,
    completed,
    failed,
    gated,
    happy_nodes,
    verified,
    walk_of,
)

TO_VERIFIER = ["planner:COMPLETED", "executor:COMPLETED", "gatekeeper:PASS", "verified_input:COMPLETED"]


async def test_the_straight_path() -> None:
    walked, ending = await walk_of()
    assert walked.path == [*TO_VERIFIER, "verifier:COMPLETED", "composer:COMPLETED"]
    assert ending.status == run_pb2.RUN_STATUS_SUCCEEDED
    assert [event.sequence for event in walked.journal.events] == [1, 2, 3, 4, 5, 6]
    assert {event.attempt for event in walked.journal.events} == {1}


async def test_reject_ends_degraded_through_the_composer() -> None:
    walked, ending = await walk_of(verifier=[verified(REJECT)])
    assert walked.path[-1] == "composer:COMPLETED"
    assert ending.status == run_pb2.RUN_STATUS_DEGRADED


@pytest.mark.parametrize("outcome", ["INVALID_OUTPUT", "RETRYABLE_FAILED"])
@pytest.mark.parametrize("name", ["planner", "verifier", "composer"])
async def test_one_self_retry_repeats_that_node_only(name: str, outcome: str) -> None:
    success = verified(PASS) if name == "verifier" else completed()
    walked, ending = await walk_of(**{name: [failed(outcome), success]})
    assert ending.status == run_pb2.RUN_STATUS_SUCCEEDED
    attempts = [event.attempt for event in walked.journal.events if event.node == name]
    assert attempts == [1, 2]
    assert all(len(node.states) == 1 for key, node in walked.nodes.items() if key in walked_once(name))
    assert getattr(walked.nodes[Node(name)].states[1], f"{name}_retry_count") == 1


def walked_once(name: str) -> set[Node]:
    return set(Node) - {Node(name), Node.FALLBACK, Node.EVIDENCE_RETRY}


@pytest.mark.parametrize("name", ["planner", "verifier", "composer"])
async def test_a_second_technical_failure_ends_in_fallback(name: str) -> None:
    walked, ending = await walk_of(**{name: [failed("RETRYABLE_FAILED"), failed("INVALID_OUTPUT")]})
    assert walked.path[-2:] == [f"{name}:INVALID_OUTPUT", "fallback:COMPLETED"]
    assert walked.journal.events[-1].reason_code == f"{name}_invalid_output"
    assert ending.status == run_pb2.RUN_STATUS_DEGRADED


async def test_the_verifier_gets_the_same_input_again() -> None:
    walked, _ = await walk_of(verifier=[failed("INVALID_OUTPUT"), verified(PASS)])
    first, second = walked.nodes[Node.VERIFIER].states
    assert first.verified_input == second.verified_input != b""


async def test_the_evidence_retry_runs_once_with_a_fresh_planner_stage() -> None:
    walked, ending = await walk_of(
        planner=[failed("INVALID_OUTPUT"), completed()], verifier=[verified(LOW, GAP)]
    )
    cycle = ["planner:COMPLETED", *TO_VERIFIER[1:], "verifier:COMPLETED"]
    assert walked.path == [
        "planner:INVALID_OUTPUT",
        *cycle,
        "evidence_retry:COMPLETED",
        *cycle,
        "composer:COMPLETED",
    ]
    again = walked.nodes[Node.PLANNER].states[2]
    assert (again.planner_retry_count, again.evidence_retry_count) == (0, 1)
    assert [event.attempt for event in walked.journal.events if event.node == "planner"] == [1, 2, 1]
    assert ending.status == run_pb2.RUN_STATUS_SUCCEEDED


async def test_low_confidence_without_a_gap_goes_to_the_composer() -> None:
    walked, ending = await walk_of(verifier=[verified(LOW)])
    assert "evidence_retry:COMPLETED" not in walked.path
    assert ending.status == run_pb2.RUN_STATUS_SUCCEEDED


async def test_a_verifier_failure_leaves_no_verdict() -> None:
    walked, _ = await walk_of(verifier=[failed("NON_RETRYABLE_FAILED")])
    assert walked.walk.state.effective_verdict == 0
    assert walked.path[-1] == "fallback:COMPLETED"


@pytest.mark.parametrize(
    ("error", "path"),
    [
        (CallFailedError("UNAVAILABLE"), "executor:FAILED"),
        (NodeFailedError(Outcome.INVALID_OUTPUT, Reason.MISSING_PAYLOAD), "executor:INVALID_OUTPUT"),
        (RuntimeError("a defect"), "executor:FAILED"),
        (TimeoutError(), "executor:FAILED"),
    ],
)
async def test_whatever_a_node_raises_takes_its_failure_row(error: Exception, path: str) -> None:
    walked, ending = await walk_of(executor=[error])
    assert walked.path[1:] == [path, "fallback:COMPLETED"]
    assert ending.status == run_pb2.RUN_STATUS_DEGRADED
    assert "a defect" not in str(walked.journal.events)


async def test_who_thought_is_kept_of_each_attempt_that_says_so() -> None:
    model, rules = Reasoning(reasoner="openai", model_failure="cut_off"), Reasoning(reasoner="offline")
    failing = NodeFailedError(Outcome.RETRYABLE_FAILED, Reason.AGENT_FAILED, model)
    walked, _ = await walk_of(planner=[failing, NodeResult("COMPLETED", Reason.COMPLETED, reasoning=rules)])
    kept = walked.journal.states[-1].reasonings
    assert [(item.node, item.reasoning) for item in kept] == [("planner", model), ("planner", rules)]
    assert [len(state.reasonings) for state in walked.journal.states[:3]] == [1, 2, 2]


async def test_a_fallback_that_fails_ends_the_run_failed() -> None:
    walked, ending = await walk_of(gatekeeper=[gated("REJECT")], fallback=[RuntimeError("a defect")])
    assert walked.path[-1] == "fallback:FAILED"
    assert (ending.status, ending.reason) == (run_pb2.RUN_STATUS_FAILED, Reason.INTERNAL_ERROR)


async def test_a_node_that_writes_a_foreign_key_fails_the_walk_loudly() -> None:
    with pytest.raises(GraphError, match="composer writes plan"):
        await walk_of(composer=[completed(plan=None)])


async def test_after_the_deadline_no_node_starts() -> None:
    clock = StoppedClock()

    def slow(_state: RunState, _config: RunConfig) -> NodeResult:
        clock.seconds = 61.0
        return completed()

    nodes = happy_nodes()
    nodes[Node.EXECUTOR] = ScriptedNode(slow)
    walked = Walked(nodes, clock)
    ending = await walked.run()
    assert (ending.status, ending.reason) == (run_pb2.RUN_STATUS_CANCELLED, Reason.DEADLINE_EXCEEDED)
    assert walked.path == ["planner:COMPLETED", "executor:COMPLETED"]
    assert not walked.nodes[Node.GATEKEEPER].states


async def test_a_node_is_cut_off_at_the_deadline() -> None:
    clock = StoppedClock()
    clock.seconds = 59.99

    def pass_the_deadline() -> None:
        clock.seconds = 60.0

    nodes = happy_nodes()
    nodes[Node.PLANNER] = WaitingNode(pass_the_deadline)
    walked = Walked(nodes, clock)
    async with asyncio.timeout(60):
        ending = await walked.run()
    assert [event.reason_code for event in walked.journal.events] == [Reason.CALL_DEADLINE_EXCEEDED]
    assert (ending.status, ending.reason) == (run_pb2.RUN_STATUS_CANCELLED, Reason.DEADLINE_EXCEEDED)


async def test_a_fallback_that_the_deadline_cuts_off_ends_the_run_cancelled() -> None:
    clock = StoppedClock()

    def pass_the_deadline() -> None:
        clock.seconds = 60.0

    def slow(_state: RunState, _config: RunConfig) -> NodeResult:
        clock.seconds = 59.99
        return gated("REJECT")

    nodes = happy_nodes()
    nodes[Node.GATEKEEPER] = ScriptedNode(slow)
    nodes[Node.FALLBACK] = WaitingNode(pass_the_deadline)
    walked = Walked(nodes, clock)
    async with asyncio.timeout(60):
        ending = await walked.run()
    assert walked.path[-1] == "fallback:FAILED"
    assert (ending.status, ending.reason) == (run_pb2.RUN_STATUS_CANCELLED, Reason.DEADLINE_EXCEEDED)


async def test_the_recursion_limit_ends_the_run_loudly() -> None:
    walked = Walked(happy_nodes())
    walked.walk.config = RunConfig("run-1", deadline=60.0, recursion_limit=3)
    ending = await walked.run()
    assert (ending.status, ending.reason) == (run_pb2.RUN_STATUS_FAILED, Reason.RECURSION_LIMIT_EXCEEDED)
    assert len(walked.path) == 3


async def test_every_node_gets_the_config_and_state_does_not_cross_runs() -> None:
    nodes = happy_nodes()
    first, second = Walked(nodes), Walked(nodes)
    second.walk.config = RunConfig("run-2", deadline=60.0)
    await first.run()
    await second.run()
    seen = [config.run_id for config in nodes[Node.COMPOSER].configs]
    assert seen == ["run-1", "run-2"]
    assert [event.sequence for event in second.journal.events] == [1, 2, 3, 4, 5, 6]
    assert len(second.walk.state.orchestration_events) == 6


async def test_each_step_is_recorded_with_the_state_after_it_and_then_published() -> None:
    walked, _ = await walk_of()
    for number, state in enumerate(walked.journal.states, start=1):
        assert len(state.orchestration_events) == number
    kinds = [message.WhichOneof("payload") for message in walked.published]
    assert kinds == ["node_started", "event"] * 6


async def test_cancelling_a_walk_records_nothing_more() -> None:
    waiting = WaitingNode()
    nodes = happy_nodes()
    nodes[Node.EXECUTOR] = waiting
    walked = Walked(nodes)
    task = asyncio.create_task(walked.run())
    async with asyncio.timeout(60):
        await waiting.begun.wait()
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
    assert walked.path == ["planner:COMPLETED"]


def test_the_graph_imports_no_transport_and_no_store(project: Path) -> None:
    check = (
        "import sys, orchestrator.graph; "
        "bad = {'grpc', 'aiosqlite', 'sqlite3', 'openai', 'asyncio', 'socket'} & set(sys.modules); "
        "raise SystemExit(', '.join(sorted(bad)) or 0)"
    )
    environment = {"PYTHONPATH": f"{project}:{project / 'protos' / 'gen'}"}
    done = subprocess.run(  # noqa: S603 - this interpreter, our own text
        [sys.executable, "-c", check],
        env=environment,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, "")
