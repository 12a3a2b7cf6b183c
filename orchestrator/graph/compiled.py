"""Validation of a graph definition, and the validated graph that the engine walks."""

from collections.abc import Mapping
from dataclasses import dataclass

from assay.orchestrator.v1.run_pb2 import OrchestrationEvent
from assay.orchestrator.v1.state_pb2 import AttemptReasoning, RunState

from orchestrator.graph import bounds
from orchestrator.graph.ports import NodePort, NodeResult
from orchestrator.graph.state import EVENTS_KEY, REASONINGS_KEY, Strategy, Updates, apply
from orchestrator.graph.table import GraphDefinition, Row
from orchestrator.graph.vocabulary import END, Node, Outcome


class GraphError(ValueError):
    """The graph, or what a node did with it, breaks the graph's own rules."""


@dataclass(frozen=True, slots=True)
class Step:
    """What follows a node attempt: the state after it, and the node to run next or END."""

    state: RunState
    target: str


class CompiledGraph:
    """A validated graph with a port for every node."""

    def __init__(self, definition: GraphDefinition, ports: Mapping[Node, NodePort]) -> None:
        self._definition = definition
        self._ports = dict(ports)
        self.start = Node(definition.start)
        self.recursion_limit = definition.recursion_limit

    def port(self, node: Node) -> NodePort:
        """Return the port of a node."""
        return self._ports[node]

    def outcome(self, node: Node, result: NodeResult) -> Outcome:
        """Return the declared outcome of a result; whatever the node does not declare is UNKNOWN."""
        declared = self._definition.outcomes[node]
        return Outcome(result.outcome) if result.outcome in declared else Outcome.UNKNOWN

    def advance(self, state: RunState, node: Node, result: NodeResult, event: OrchestrationEvent) -> Step:
        """Apply a node attempt: its updates, its one event, then the counters of the row that matches.

        Raises GraphError when the node wrote a key that it does not declare.
        """
        foreign = result.updates.keys() - self._definition.writes[node]
        if foreign:
            raise GraphError(f"{node} writes {', '.join(sorted(foreign))}, which it does not declare")
        after = apply(state, {**result.updates, **_recorded(state, node, result), EVENTS_KEY: [event]})
        row = self._row(node, self.outcome(node, result), after)
        return Step(apply(after, row.changes), row.target)

    def _row(self, node: Node, outcome: Outcome, state: RunState) -> Row:
        for row in self._definition.rows:
            if row.node == node and outcome in row.outcomes and (row.guard is None or row.guard.holds(state)):
                return row
        raise GraphError(f"no row for {node} {outcome}")  # compile_graph proved that there is one


def _recorded(state: RunState, node: Node, result: NodeResult) -> Updates:
    if result.reasoning is None:
        return {}
    return {REASONINGS_KEY: [*state.reasonings, AttemptReasoning(node=node, reasoning=result.reasoning)]}


def compile_graph(definition: GraphDefinition, ports: Mapping[Node, NodePort]) -> CompiledGraph:
    """Validate a definition and join it with its ports; raises GraphError that names every problem."""
    problems = [*_names(definition), *_ways(definition), *_keys(definition), *_ports(definition, ports)]
    problems += [
        f"the loop through {row.node} -> {row.target} has no bound"
        for row in bounds.unbounded_rows(definition.rows)
    ]
    if problems:
        raise GraphError("; ".join(problems))
    return CompiledGraph(definition, ports)


def _names(definition: GraphDefinition) -> list[str]:
    nodes = set(definition.outcomes)
    problems = [f"unknown node {row.node}" for row in definition.rows if row.node not in nodes]
    problems += [
        f"unknown target {row.target} of {row.node}"
        for row in definition.rows
        if row.target != END and row.target not in nodes
    ]
    if definition.start not in nodes:
        problems.append(f"unknown start {definition.start}")
    if definition.recursion_limit < 1:
        problems.append("the recursion limit is below 1")
    return problems


def _ways(definition: GraphDefinition) -> list[str]:
    problems: list[str] = []
    from_start = bounds.reachable(definition.start, definition.rows)
    for node, outcomes in definition.outcomes.items():
        own = [row for row in definition.rows if row.node == node]
        if node not in from_start:
            problems.append(f"{node} cannot be reached")
        if END not in bounds.reachable(node, definition.rows):
            problems.append(f"{node} has no way out")
        problems += [
            f"{node} {outcome} is not mapped"
            for outcome in sorted(outcomes | {Outcome.UNKNOWN})
            if not any(row.guard is None and outcome in row.outcomes for row in own)
        ]
    return problems


def _keys(definition: GraphDefinition) -> list[str]:
    keys = definition.keys
    problems = [
        f"{row.node} -> {row.target} changes the undeclared key {key}"
        for row in definition.rows
        for key in row.changes
        if key not in keys
    ]
    for node, written in definition.writes.items():
        problems += [f"{node} writes the undeclared key {key}" for key in sorted(written - keys.keys())]
        problems += [
            f"{node} writes {key}, which only the engine appends to"
            for key in sorted(written & keys.keys())
            if keys[key] is Strategy.APPEND
        ]
    problems += [
        f"{node} declares no writes" for node in definition.outcomes if node not in definition.writes
    ]
    return problems


def _ports(definition: GraphDefinition, ports: Mapping[Node, NodePort]) -> list[str]:
    nodes = set(definition.outcomes)
    return [f"{node} has no port" for node in sorted(nodes - ports.keys())] + [
        f"{node} is a port of no node" for node in sorted(ports.keys() - nodes)
    ]
