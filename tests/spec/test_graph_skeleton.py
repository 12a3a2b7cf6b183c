"""Diagnosis Graph skeleton SHALL compile against the locked Graph API: G-01 to G-03."""

import ast
import asyncio
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from assay.common.v1 import context_pb2
from assay.common.v1.context_pb2 import DiagnosisContext
from assay.orchestrator.v1 import run_pb2
from assay.orchestrator.v1.run_pb2 import OrchestrationEvent
from assay.orchestrator.v1.state_pb2 import RunState

from orchestrator.engine import Engine, Walk
from orchestrator.graph import (
    DIAGNOSIS,
    RECURSION_LIMIT,
    CompiledGraph,
    GraphError,
    Node,
    NodePort,
    NodeResult,
    Reason,
    RunConfig,
    compile_graph,
)
from orchestrator.graph.guards import Guard
from orchestrator.graph.state import KEYS, Strategy, apply
from orchestrator.graph.table import ANY, Row
from tests.fakes.graph_states import (
    GAP,
    LOW,
    ListJournal,
    ScriptedNode,
    StoppedClock,
    Walked,
    completed,
    failed,
    happy_nodes,
    verified,
)

NODES = {
    "planner",
    "executor",
    "gatekeeper",
    "verified_input",
    "verifier",
    "evidence_retry",
    "composer",
    "fallback",
}
SECOND = DiagnosisContext(intent=context_pb2.INTENT_LOOKUP)
# Every conditional edge: node, guard, target.
CONDITIONAL = {
    ("planner", "planner_retry_count = 0", "planner"),
    ("gatekeeper", "at least one verified binding", "verified_input"),
    (
        "verifier",
        "effective LOW_CONFID, ceiling PASS, a critical valid evidence gap, evidence_retry_count = 0",
        "evidence_retry",
    ),
    ("verifier", "effective PASS, LOW_CONFID or REJECT", "composer"),
    ("verifier", "verifier_retry_count = 0", "verifier"),
    ("composer", "composer_retry_count = 0", "composer"),
}


def ports() -> dict[Node, NodePort]:
    return dict(happy_nodes())


@pytest.mark.scenario("G-01")
def test_the_skeleton_compiles_with_all_nodes_and_conditional_edges() -> None:
    graph = compile_graph(DIAGNOSIS, ports())
    assert isinstance(graph, CompiledGraph)
    assert {str(node) for node in Node} == NODES
    assert {row.node for row in DIAGNOSIS.rows} == NODES
    assert {(row.node, row.guard.name, row.target) for row in DIAGNOSIS.rows if row.guard} == CONDITIONAL
    missing = ports()
    del missing[Node.VERIFIER]
    with pytest.raises(GraphError, match="verifier has no port"):
        compile_graph(DIAGNOSIS, missing)


@pytest.mark.scenario("G-01")
def test_events_append_and_all_other_state_replaces() -> None:
    assert [key for key, strategy in KEYS.items() if strategy is Strategy.APPEND] == ["orchestration_events"]
    assert KEYS.keys() == {field.name for field in RunState.DESCRIPTOR.fields}
    state = RunState(
        context=DiagnosisContext(question="first"), orchestration_events=[OrchestrationEvent(sequence=1)]
    )
    after = apply(
        state,
        {
            "context": SECOND,
            "planner_retry_count": 1,
            "orchestration_events": [OrchestrationEvent(sequence=2)],
        },
    )
    assert [event.sequence for event in after.orchestration_events] == [1, 2]
    assert after.context == SECOND


@pytest.mark.scenario("G-01")
async def test_the_compiled_graph_enforces_a_recursion_limit_of_32() -> None:
    # No legal graph is that long, and compiling refuses a loop: it is put together by hand.
    forever = Row(Node.PLANNER, ANY, Node.PLANNER, Guard("always", lambda _: True))
    endless = replace(DIAGNOSIS, rows=(forever, *DIAGNOSIS.rows))
    with pytest.raises(GraphError, match="has no bound"):
        compile_graph(endless, ports())
    planner, journal = ScriptedNode(completed()), ListJournal()
    graph = CompiledGraph(endless, {**ports(), Node.PLANNER: planner})
    walk = Walk(RunConfig("run-1", deadline=60.0, recursion_limit=1000), RunState())
    ending = await Engine(graph, journal, StoppedClock()).run(walk)
    assert RECURSION_LIMIT == 32
    assert len(planner.states) == len(journal.events) == 32
    assert (ending.status, ending.reason) == (run_pb2.RUN_STATUS_FAILED, Reason.RECURSION_LIMIT_EXCEEDED)


def all_nodes_walked() -> dict[Node, ScriptedNode]:
    """Nodes that walk through every node once at least."""
    nodes = happy_nodes()
    nodes[Node.VERIFIER] = ScriptedNode(verified(LOW, GAP))
    nodes[Node.COMPOSER] = ScriptedNode(failed("NON_RETRYABLE_FAILED"))
    return nodes


@pytest.mark.scenario("G-02")
async def test_every_node_port_receives_the_config_of_its_run() -> None:
    walked = Walked(all_nodes_walked())
    await walked.run()
    assert {node for node, port in walked.nodes.items() if port.configs} == set(Node)
    for port in walked.nodes.values():
        assert all(config is walked.walk.config for config in port.configs)


@pytest.mark.scenario("G-02")
async def test_the_final_state_is_that_of_its_own_invocation() -> None:
    first_began, second_ended = asyncio.Event(), asyncio.Event()

    async def planner(state: RunState, config: RunConfig) -> NodeResult:
        """The first run waits in the middle until the second has walked through the same nodes."""
        assert not state.orchestration_events
        if config.run_id == "run-1":
            first_began.set()
            await second_ended.wait()
        return completed(context=DiagnosisContext(question=config.run_id))

    graph = compile_graph(DIAGNOSIS, {**ports(), Node.PLANNER: planner})
    engine = Engine(graph, ListJournal(), StoppedClock())
    walks = [Walk(RunConfig(run_id, deadline=60.0), RunState()) for run_id in ("run-1", "run-2")]
    async with asyncio.timeout(60), asyncio.TaskGroup() as group:
        group.create_task(engine.run(walks[0]))
        await first_began.wait()
        await engine.run(walks[1])
        second_ended.set()
    for walk in walks:
        assert walk.state.context.question == walk.config.run_id
        assert [event.sequence for event in walk.state.orchestration_events] == [1, 2, 3, 4, 5, 6]


# Stage 1 wires the skeleton to nothing; the cutover that followed wires it to production. What stays of the
# scenario is that the graph stands alone: fakes are enough to run it, and nothing outside it routes.


@pytest.mark.scenario("G-03")
async def test_fake_nodes_are_enough_to_walk_the_graph() -> None:
    walked = Walked(all_nodes_walked())
    ending = await walked.run()
    assert ending.status == run_pb2.RUN_STATUS_DEGRADED
    assert set(walked.walk.state.DESCRIPTOR.fields_by_name) == KEYS.keys()


def imports_of(path: Path) -> Iterator[str]:
    for item in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(item, ast.Import):
            yield from (alias.name for alias in item.names)
        elif isinstance(item, ast.ImportFrom) and item.module:
            yield item.module
            yield from (f"{item.module}.{alias.name}" for alias in item.names)


IO = ("grpc", "asyncio", "sqlite3", "aiosqlite", "openai", "httpx2", "socket", "os", "pathlib", "time")
PRODUCTION = (
    "orchestrator.agents",
    "orchestrator.nodes",
    "orchestrator.store",
    "orchestrator.engine",
    "orchestrator.runs",
    "orchestrator.servicer",
)


@pytest.mark.scenario("G-03")
def test_the_graph_invokes_no_agent_no_gatekeeper_no_database_and_no_trace_api(project: Path) -> None:
    graph = project / "orchestrator" / "graph"
    modules = sorted(graph.glob("*.py"))
    assert len(modules) > 5
    for path in modules:
        for name in imports_of(path):
            assert not name.startswith(PRODUCTION), f"{path.name} imports {name}"
            assert name.split(".")[0] not in IO, f"{path.name} imports {name}"


@pytest.mark.scenario("G-03")
def test_no_routing_exists_outside_the_graph(project: Path) -> None:
    """Only the engine asks the graph where to go; no node knows another node, no agent its graph."""
    asking = []
    for path in sorted((project / "orchestrator").rglob("*.py")):
        inside = path.relative_to(project / "orchestrator").parts[0]
        if inside == "graph":
            continue
        text = path.read_text(encoding="utf-8")
        asking += [path.name] if ".advance(" in text else []
        if inside in ("nodes", "agents", "store"):
            others = [name for name in imports_of(path) if name.startswith("orchestrator.nodes.")]
            assert {name.split(".")[2] for name in others} <= {"status"}, path.name
            assert not [name for name in imports_of(path) if name.endswith((".Node", ".END", ".Step"))], (
                path.name
            )
    assert asking == ["engine.py"]
    for path in sorted((project / "services").rglob("*.py")):
        assert not [name for name in imports_of(path) if name.startswith("orchestrator")], path.name
