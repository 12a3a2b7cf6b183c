"""The diagnosis graph: pure, one table of data, validated when compiled. This is its whole public API."""

from orchestrator.graph.calls import outcome_of_call, outcome_of_error
from orchestrator.graph.compiled import CompiledGraph, GraphError, Step, compile_graph
from orchestrator.graph.drawing import draw
from orchestrator.graph.ports import (
    RECURSION_LIMIT,
    CallFailedError,
    NodeFailedError,
    NodePort,
    NodeResult,
    RunConfig,
)
from orchestrator.graph.table import DIAGNOSIS, GraphDefinition
from orchestrator.graph.trace import TraceError, build_trace
from orchestrator.graph.vocabulary import END, Node, Outcome, Reason, fallback_reason

__all__ = [
    "DIAGNOSIS",
    "END",
    "RECURSION_LIMIT",
    "CallFailedError",
    "CompiledGraph",
    "GraphDefinition",
    "GraphError",
    "Node",
    "NodeFailedError",
    "NodePort",
    "NodeResult",
    "Outcome",
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
