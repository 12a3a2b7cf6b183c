"""What compiling refuses, and the public API that nothing may change in passing."""

from dataclasses import replace

import pytest
from assay.common.v1.evidence_pb2 import ClaimGap
from assay.orchestrator.v1.run_pb2 import OrchestrationEvent
from assay.orchestrator.v1.state_pb2 import RunState

import orchestrator.graph
from orchestrator.graph import DIAGNOSIS, END, GraphError, Node, NodeResult, Outcome, compile_graph
from orchestrator.graph.guards import PLANNER_RETRY_LEFT
from orchestrator.graph.state import KEYS, Strategy, apply
from orchestrator.graph.table import ANY, GraphDefinition, Row
from tests.fakes.graph_states import completed, happy_nodes


def without(*indices: int) -> GraphDefinition:
    rows = tuple(row for index, row in enumerate(DIAGNOSIS.rows) if index not in indices)
    return replace(DIAGNOSIS, rows=rows)


def refusal(definition: GraphDefinition) -> str:
    with pytest.raises(GraphError) as error:
        compile_graph(definition, dict(happy_nodes()))
    return str(error.value)


def test_the_locked_api() -> None:
    assert sorted(orchestrator.graph.__all__) == [
        "CallFailedError",
        "CompiledGraph",
        "DIAGNOSIS",
        "END",
        "GraphDefinition",
        "GraphError",
        "Node",
        "NodeFailedError",
        "NodePort",
        "NodeResult",
        "Outcome",
        "RECURSION_LIMIT",
        "Reason",
        "RunConfig",
        "Step",
        "TraceError",
        "build_trace",
        "compile_graph",
        "draw",
        "fallback_reason",
        "outcome_of_call",
        "outcome_of_error",
    ]
    assert [str(node) for node in Node] == [
        "planner",
        "executor",
        "gatekeeper",
        "verified_input",
        "verifier",
        "evidence_retry",
        "composer",
        "fallback",
    ]
    assert orchestrator.graph.RECURSION_LIMIT == 32


def test_the_diagnosis_graph_compiles() -> None:
    graph = compile_graph(DIAGNOSIS, dict(happy_nodes()))
    assert graph.start is Node.PLANNER
    assert graph.recursion_limit == 32


def test_every_state_field_has_a_strategy_and_only_events_append() -> None:
    assert KEYS.keys() == {field.name for field in RunState.DESCRIPTOR.fields}
    assert [key for key, strategy in KEYS.items() if strategy is Strategy.APPEND] == ["orchestration_events"]


def test_events_append_and_everything_else_replaces() -> None:
    state = RunState(gaps=[ClaimGap(claim_id="a")], orchestration_events=[OrchestrationEvent(sequence=1)])
    after = apply(state, {"gaps": [], "orchestration_events": [OrchestrationEvent(sequence=2)]})
    assert [event.sequence for event in after.orchestration_events] == [1, 2]
    assert not after.gaps
    assert [gap.claim_id for gap in state.gaps] == ["a"]


CATCH_ALL = [index for index, row in enumerate(DIAGNOSIS.rows) if row.outcomes == ANY]


@pytest.mark.parametrize("index", CATCH_ALL)
def test_a_node_without_its_catch_all_row_is_refused(index: int) -> None:
    assert f"{DIAGNOSIS.rows[index].node} UNKNOWN is not mapped" in refusal(without(index))


def test_an_unmapped_outcome_is_refused() -> None:
    assert "planner UNKNOWN is not mapped" in refusal(without(2))


def test_an_undeclared_key_is_refused() -> None:
    rows = (replace(DIAGNOSIS.rows[0], changes={"luck": 1}), *DIAGNOSIS.rows[1:])
    assert "undeclared key luck" in refusal(replace(DIAGNOSIS, rows=rows))
    writes = {**DIAGNOSIS.writes, Node.PLANNER: frozenset({"luck"})}
    assert "planner writes the undeclared key luck" in refusal(replace(DIAGNOSIS, writes=writes))


def test_no_node_may_append_events() -> None:
    writes = {**DIAGNOSIS.writes, Node.PLANNER: frozenset({"orchestration_events"})}
    assert "only the engine" in refusal(replace(DIAGNOSIS, writes=writes))


def test_an_unknown_target_is_refused() -> None:
    rows = (*DIAGNOSIS.rows[:-1], Row(Node.FALLBACK, ANY, "oracle"))
    assert "unknown target oracle" in refusal(replace(DIAGNOSIS, rows=rows))


def test_an_unreachable_node_is_refused() -> None:
    assert "composer cannot be reached" in refusal(without(10))


def test_a_node_without_a_way_out_is_refused() -> None:
    rows = (*DIAGNOSIS.rows[:-1], Row(Node.FALLBACK, ANY, Node.FALLBACK))
    message = refusal(replace(DIAGNOSIS, rows=rows))
    assert "fallback has no way out" in message
    assert "fallback -> fallback has no bound" in message


@pytest.mark.parametrize("index", [1, 11, 16])
def test_a_self_retry_that_does_not_count_is_refused(index: int) -> None:
    rows = list(DIAGNOSIS.rows)
    rows[index] = replace(rows[index], changes={})
    assert "has no bound" in refusal(replace(DIAGNOSIS, rows=tuple(rows)))


def test_an_evidence_retry_that_does_not_count_is_refused() -> None:
    rows = list(DIAGNOSIS.rows)
    rows[13] = replace(rows[13], changes={"planner_retry_count": 0})
    assert "has no bound" in refusal(replace(DIAGNOSIS, rows=tuple(rows)))


def test_two_loops_that_reset_each_others_counters_are_refused() -> None:
    retry = Row(
        Node.EXECUTOR,
        frozenset({Outcome.COMPLETED}),
        Node.PLANNER,
        PLANNER_RETRY_LEFT,
        {"planner_retry_count": 0},
    )
    assert "has no bound" in refusal(replace(DIAGNOSIS, rows=(retry, *DIAGNOSIS.rows)))


def test_a_counter_may_be_given_back_before_its_loop_begins() -> None:
    rows = (replace(DIAGNOSIS.rows[0], changes={"composer_retry_count": 0}), *DIAGNOSIS.rows[1:])
    compile_graph(replace(DIAGNOSIS, rows=rows), dict(happy_nodes()))


def test_two_retries_that_give_each_other_back_are_refused() -> None:
    rows = list(DIAGNOSIS.rows)
    rows[1] = replace(rows[1], changes={"planner_retry_count": 1, "verifier_retry_count": 0})
    rows[11] = replace(
        rows[11], target=Node.PLANNER, changes={"verifier_retry_count": 1, "planner_retry_count": 0}
    )
    assert "has no bound" in refusal(replace(DIAGNOSIS, rows=tuple(rows)))


def test_ports_must_match_the_nodes() -> None:
    nodes = dict(happy_nodes())
    del nodes[Node.COMPOSER]
    with pytest.raises(GraphError, match="composer has no port"):
        compile_graph(DIAGNOSIS, nodes)


def test_a_node_may_not_write_what_it_does_not_declare() -> None:
    graph = compile_graph(DIAGNOSIS, dict(happy_nodes()))
    with pytest.raises(GraphError, match="planner writes answer"):
        graph.advance(RunState(), Node.PLANNER, completed(answer=None), OrchestrationEvent())


def test_all_problems_are_named_at_once() -> None:
    rows = (*without(4).rows[:-1], Row("nobody", ANY, Node.PLANNER), Row(Node.FALLBACK, ANY, "oracle"))
    message = refusal(replace(DIAGNOSIS, rows=rows, recursion_limit=0))
    problems = message.split("; ")
    assert problems[:3] == [
        "unknown node nobody",
        "unknown target oracle of fallback",
        "the recursion limit is below 1",
    ]
    assert "fallback has no way out" in problems
    executor = ["FAILED", "INVALID_OUTPUT", "TOOL_BLOCKED", "UNKNOWN"]
    assert [problem for problem in problems if problem.startswith("executor")] == [
        f"executor {outcome} is not mapped" for outcome in executor
    ]


def test_a_limit_of_one_is_a_limit() -> None:
    assert compile_graph(replace(DIAGNOSIS, recursion_limit=1), dict(happy_nodes())).recursion_limit == 1


def test_an_unknown_start_is_refused() -> None:
    assert "unknown start oracle" in refusal(replace(DIAGNOSIS, start="oracle")).split("; ")


def test_a_foreign_key_is_named() -> None:
    graph = compile_graph(DIAGNOSIS, dict(happy_nodes()))
    with pytest.raises(GraphError) as error:
        graph.advance(RunState(), Node.PLANNER, completed(gate=None, answer=None), OrchestrationEvent())
    assert str(error.value) == "planner writes answer, gate, which it does not declare"


def test_the_drawing_shows_every_row_once() -> None:
    drawing = orchestrator.graph.draw(DIAGNOSIS)
    edges = [line for line in drawing.splitlines() if "-->" in line]
    assert len(edges) == 1 + len(DIAGNOSIS.rows)
    for row in DIAGNOSIS.rows:
        target = "finish" if row.target == END else row.target
        assert any(f"{row.node} -->|" in edge and edge.endswith(f"| {target}") for edge in edges)


def test_an_outcome_is_what_a_node_declares() -> None:
    graph = compile_graph(DIAGNOSIS, dict(happy_nodes()))
    assert graph.outcome(Node.EXECUTOR, NodeResult("TOOL_BLOCKED", "x")) is Outcome.TOOL_BLOCKED
    assert graph.outcome(Node.PLANNER, NodeResult("TOOL_BLOCKED", "x")) is Outcome.UNKNOWN
