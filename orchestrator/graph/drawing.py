"""The drawing of a graph, made from the table that the engine walks."""

from orchestrator.graph.table import ANY, GraphDefinition, Row
from orchestrator.graph.vocabulary import END


def draw(definition: GraphDefinition) -> str:
    """Return a Mermaid flowchart; rows of one node are tried in the order of their numbers."""
    lines = ["flowchart TD", '    start(["start"])', '    finish(["end"])']
    lines += [f'    {node}["{node}"]' for node in definition.outcomes]
    lines.append(f"    start --> {definition.start}")
    for node in definition.outcomes:
        own = [row for row in definition.rows if row.node == node]
        lines += [_edge(number, row) for number, row in enumerate(own, start=1)]
    return "\n".join(lines) + "\n"


def _edge(number: int, row: Row) -> str:
    outcomes = ", ".join(sorted(row.outcomes))
    if row.outcomes == ANY:
        outcomes = "always" if number == 1 else "anything else"
    parts = [f"{number}: {outcomes}"]
    if row.guard:
        parts.append(f"if {row.guard.name}")
    parts += [f"{key} := {value}" for key, value in row.changes.items()]
    target = "finish" if row.target == END else row.target
    return f'    {row.node} -->|"{"<br/>".join(parts)}"| {target}'
